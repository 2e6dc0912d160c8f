"""The chronicle: what was done to what and why, from the journal and from what no transaction records."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.reversal import TAKEN_BACK, WINDOW, hash_of
from memotheca.memory.curation.tombstones import Tombstone, tombstone_of
from memotheca.memory.session.state import activity_of
from memotheca.memory.traits import quarantine_of
from memotheca.memory.verbs import Verb
from memotheca.model.commits import Commit
from memotheca.storage.activity import QUARANTINED, ActivityRecord, LogFilter
from memotheca.storage.lookups import ids_changed_in
from memotheca.storage.snapshot import Snapshot

LEVELS = ("error", "warn", "info", "debug")
COMPONENTS = ("storage", "retrieval", "curation", "dream", "gwt")
NAMED = 20  # chosen: what a line can show
BATCH = 200  # chosen: commits read at once

_CURATING = frozenset({Verb.ANNOTATE, Verb.BOOST, Verb.FORGET, Verb.MERGE, Verb.RELEASE, Verb.RESTORE})
_CURATION = frozenset({"DELETE", "MERGE", "REVERT", "ERASE"})
# What the journal tells better itself.
_JOURNALED = ("annotate", "boost", "forget", "merge", "restore", "store")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One thing that happened, in the log's own word and, where the journal has it, the verb; never what an entry
    says."""

    time: int
    level: str
    component: str
    action: str
    node_ids: tuple[str, ...]
    reason: str
    details: Mapping[str, Any]
    verb: str = ""
    recovery: Verb | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogQuery:
    """Which lines: at least this severe, of these components, of one entry, since a moment."""

    level: str
    components: tuple[str, ...]
    limit: int
    node_id: str | None = None
    since: int = 0

    @property
    def levels(self) -> list[str]:
        return list(LEVELS[: LEVELS.index(self.level) + 1])


def read_chronicle(kernel: Kernel, snapshot: Snapshot, sought: LogQuery) -> list[LogLine]:
    """Newest first."""
    lines = [*_noticed(kernel, snapshot, sought), *_journaled(kernel, snapshot, sought)]
    return sorted(lines, key=lambda line: -line.time)[: sought.limit]


def _noticed(kernel: Kernel, snapshot: Snapshot, sought: LogQuery) -> list[LogLine]:
    asked = LogFilter(
        levels=tuple(sought.levels),
        components=sought.components,
        told_elsewhere=_JOURNALED,
        with_quarantined="warn" in sought.levels,
        node_id=sought.node_id,
        since=sought.since,
        limit=sought.limit,
    )
    held = activity_of(kernel).happenings(snapshot.session, snapshot.collection, asked)
    return [_line_of(line) for line in held]


def _line_of(line: ActivityRecord) -> LogLine:
    is_quarantine = line.reason == QUARANTINED
    return LogLine(
        time=line.time,
        level="warn" if is_quarantine else line.level,
        component=line.component,
        action="quarantine" if is_quarantine else line.action,
        node_ids=line.node_ids,
        reason="it reads like planted instructions" if is_quarantine else line.reason,
        details={},
        recovery=Verb.BALANCE if is_quarantine else None,
    )


def _journaled(kernel: Kernel, snapshot: Snapshot, sought: LogQuery) -> list[LogLine]:
    if "info" not in sought.levels:
        return []
    found: list[LogLine] = []
    now = kernel.now()
    for commit in _transactions(snapshot, sought):
        component = _component(commit)
        if component in sought.components:
            found.append(_entered(snapshot, commit, component, now))
        if len(found) == sought.limit:
            break
    return found


def _transactions(snapshot: Snapshot, sought: LogQuery) -> list[Commit]:
    """Newest first, as many as can be wanted."""
    if sought.node_id is not None:
        numbers = sorted({version.tx for version in snapshot.versions(sought.node_id)}, reverse=True)
        of_node = [each for tx in numbers if (each := snapshot.commit(tx)) is not None]
        return [each for each in of_node if each.time >= sought.since]
    found: list[Commit] = []
    wanted = 0
    before = snapshot.tx + 1
    while wanted < sought.limit:
        batch = snapshot.commits(before=before, limit=BATCH)
        recent = [each for each in batch if each.time >= sought.since]
        found += recent
        wanted += sum(_component(each) in sought.components for each in recent)
        if len(recent) < BATCH:
            break
        before = batch[-1].tx
    return found


def _component(commit: Commit) -> str:
    is_curation = commit.operation in _CURATION or commit.verb in _CURATING
    return "curation" if is_curation else "storage"


def _entered(snapshot: Snapshot, commit: Commit, component: str, now: int) -> LogLine:
    ids = ids_changed_in(snapshot, commit.tx, limit=NAMED)
    undone = snapshot.undone_by(commit.tx)
    can_come_back = commit.operation in TAKEN_BACK and undone is None and now - commit.time <= WINDOW
    details: dict[str, Any] = {"tx_id": commit.tx, "actor": commit.actor}
    if commit.note.get("rationale"):
        details["rationale"] = commit.note["rationale"]
    if can_come_back:
        details["reversal_hash"] = hash_of(commit)
    if undone is not None:
        details["undone_by"] = undone
    return LogLine(
        time=commit.time,
        level="info",
        component=component,
        action=commit.operation.lower(),
        verb=commit.verb,
        node_ids=tuple(ids),
        reason=str(commit.note.get("reason") or ""),
        details=details,
        recovery=Verb.RESTORE if can_come_back else None,
    )


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where something is that was or is remembered: there, perhaps held in quarantine, or gone, and then perhaps for
    good."""

    is_there: bool
    held: Mapping[str, Any] | None = None
    gone: Tombstone | None = None

    @property
    def can_be_restored(self) -> bool:
        """Whether it went by a forgetting or a merger; what an undo took away comes back by another undo."""
        return self.gone is not None and self.gone.commit.operation in TAKEN_BACK


def find_whereabouts(kernel: Kernel, snapshot: Snapshot, node_id: str) -> Whereabouts:
    """For whoever asks why something is not remembered."""
    entry, now = snapshot.entry(node_id), kernel.now()
    if entry is not None:
        return Whereabouts(True, held=quarantine_of(entry, now))
    return Whereabouts(False, gone=tombstone_of(snapshot, node_id, now))
