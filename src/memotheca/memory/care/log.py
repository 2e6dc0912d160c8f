"""The chronicle: what was done to what and why, from the journal and from what no transaction records."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.remember import quarantine_of
from memotheca.memory.curation.restore import TAKEN_BACK
from memotheca.memory.curation.reversal import WINDOW, hash_of
from memotheca.memory.curation.tombstones import tombstone_of
from memotheca.memory.session.state import activity_of
from memotheca.model.clock import to_iso
from memotheca.model.commits import Commit
from memotheca.storage.activity import QUARANTINED, ActivityRecord, LogFilter
from memotheca.storage.lookups import ids_changed_in
from memotheca.storage.snapshot import Snapshot

LEVELS = ("error", "warn", "info", "debug")
COMPONENTS = ("storage", "retrieval", "curation", "dream", "gwt")
NAMED = 20  # chosen: what a line can show
BATCH = 200  # chosen: commits read at once

_CURATING = frozenset(
    {"annotate_node", "boost_importance", "forget_concept", "merge_concepts", "release", "restore_from_hash"}
)
_CURATION = frozenset({"DELETE", "MERGE", "REVERT", "ERASE"})
# What the journal tells better itself.
_JOURNALED = ("annotate", "boost", "forget", "merge", "restore", "store")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One thing that happened; never what an entry says."""

    time: int
    level: str
    component: str
    action: str
    node_ids: tuple[str, ...]
    reason: str
    details: Mapping[str, Any]
    recovery_tool: str | None = None


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
        recovery_tool="homeostatic_status" if is_quarantine else None,
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
    is_curation = commit.operation in _CURATION or commit.note.get("tool") in _CURATING
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
        action=str(commit.note.get("tool") or commit.operation.lower()),
        node_ids=tuple(ids),
        reason=str(commit.note.get("reason") or ""),
        details=details,
        recovery_tool="restore_from_hash" if can_come_back else None,
    )


def explain(kernel: Kernel, snapshot: Snapshot, node_id: str) -> str:
    """Why something is not remembered, to whoever asks."""
    entry, now = snapshot.entry(node_id), kernel.now()
    if entry is not None:
        held = quarantine_of(entry, now)
        if held is None:
            return "It is there and nothing hides it; other words may find it: generate_search_plan."
        until = f" until {to_iso(int(held['until']))}" if held.get("until") else ""
        return (
            f"It is quarantined{until} ({held.get('reason')}); search_graph with include_quarantined shows it, "
            "and a person can let it out: memotheca memory --release."
        )
    gone = tombstone_of(snapshot, node_id, now)
    if gone is None:
        return "It was erased for good."
    day = to_iso(gone.commit.time)[:10]
    deed = {"MERGE": f"merged into {gone.commit.subject_id}", "REVERT": "undone"}
    told = f"It was {deed.get(gone.commit.operation, 'forgotten')} on {day}"
    reason = gone.commit.note.get("reason")
    told += f" as {reason}." if reason else "."
    if gone.commit.operation not in TAKEN_BACK:
        return f"{told} Undo that to have it back."
    if gone.days_left <= 0:
        return f"{told} The 30 days in which it could come back are over."
    return f"{told} restore_from_hash brings it back with {gone.reversal_hash}."


def summarize(lines: list[LogLine]) -> str:
    """What of the lines can explain that something is not remembered."""
    back = sum(line.recovery_tool == "restore_from_hash" for line in lines)
    held = sum(line.action == "quarantine" for line in lines)
    refused = sum(line.action == "block" for line in lines)
    told = [
        f"{back} deletions or mergers can be taken back with restore_from_hash" if back else "",
        f"{held} memories were quarantined" if held else "",
        f"{refused} were refused as planted instructions" if refused else "",
    ]
    said = "; ".join(part for part in told if part)
    return f"{said[0].upper()}{said[1:]}." if said else "Nothing here was deleted, quarantined or refused."
