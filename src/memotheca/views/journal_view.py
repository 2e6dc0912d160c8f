"""The journal in words: what each transaction did, for whoever was not there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.names import find_thing, name_thing, short_handle
from memotheca.kernel.validity import moment
from memotheca.model.commits import Commit, Version
from memotheca.model.kinds import DOCUMENT, TRIPLE
from memotheca.model.knowledge import Edge, Entry, Thing, fold
from memotheca.storage.counts import busiest_actors, count_changes
from memotheca.storage.lookups import oldest_tx
from memotheca.storage.snapshot import Snapshot
from memotheca.views.differences import compare_things
from memotheca.views.thing_names import name_entry

LOOKED_AT = 5000  # chosen: transactions that are looked at for one page of a filtered list
AT_ONCE = 200  # chosen: commits that are read together
ACTORS = 20  # chosen: what fits into a list to choose from
SAID = 70  # chosen: letters of each side of a change within a line
AROUND = 25  # chosen: letters before the first that differs
NAMED = 60  # chosen: letters of a name within a line
NEVER_UNDONE = ("ERASE", "INDEX")


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalFilter:
    """Which transactions are wanted: by whom, about what kind, with which words, of which thing, and when."""

    actor: str | None = None
    kind: str | None = None
    query: str | None = None
    handle: str | None = None
    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalLine:
    """A transaction in words, what it is about, and what became of it."""

    commit: Commit
    sentence: str
    id: str
    handle: str
    title: str
    kind: str
    changes: int
    undone_by: int | None

    @property
    def can_be_undone(self) -> bool:
        return self.undone_by is None and self.commit.operation not in NEVER_UNDONE


@dataclass(frozen=True, slots=True)
class JournalPage:
    """A page of the journal, newest first; from where to go on; and how far it reaches."""

    lines: list[JournalLine]
    next_before: int | None
    actors: list[str]
    newest: tuple[int, int]
    oldest: tuple[int, int]


def read_journal(kernel: Kernel, wanted: JournalFilter, *, limit: int, before: int | None = None) -> JournalPage:
    """What happened, newest first. Of a long journal that is filtered so much is looked at as one answer may take;
    the next page goes on from there."""
    with kernel.read() as snapshot:
        fits = _test(snapshot, wanted)
        at = snapshot.tx + 1 if before is None else before
        lines: list[JournalLine] = []
        looked, ended = 0, False
        while len(lines) < limit and looked < LOOKED_AT and not ended:
            commits = snapshot.commits(before=at, limit=AT_ONCE)
            ended = len(commits) < AT_ONCE
            looked += len(commits)
            kept = [commit for commit in commits if fits(commit)]
            found = [line for line in _lines(snapshot, kept) if _speaks_of(line, wanted)]
            lines += found[: limit - len(lines)]
            full = len(lines) == limit and bool(lines)
            if full:
                ended = ended and lines[-1].commit.tx == commits[-1].tx
            at = lines[-1].commit.tx if full else (commits[-1].tx if commits else at)
        return JournalPage(
            lines,
            None if ended or at <= 1 else at,
            busiest_actors(snapshot, ACTORS),
            (snapshot.tx, snapshot.time),
            oldest_tx(snapshot),
        )


def _test(snapshot: Snapshot, wanted: JournalFilter) -> Callable[[Commit], bool]:
    since = None if wanted.since is None else moment(wanted.since, "since")
    until = None if wanted.until is None else moment(wanted.until, "until")
    own: set[int] | None = None
    if wanted.handle is not None:
        id = find_thing(snapshot, wanted.handle).id
        own = {version.tx for version in snapshot.last_versions(id, as_of=snapshot.tx, limit=LOOKED_AT)}

    def fits(commit: Commit) -> bool:
        return (
            (wanted.actor is None or commit.actor == wanted.actor)
            and (since is None or commit.time >= since)
            and (until is None or commit.time <= until)
            and (own is None or commit.tx in own)
        )

    return fits


def _speaks_of(line: JournalLine, wanted: JournalFilter) -> bool:
    if wanted.kind is not None and line.kind != wanted.kind:
        return False
    return wanted.query is None or fold(wanted.query) in fold(f"{line.sentence} {line.title} {line.commit.actor}")


def _lines(snapshot: Snapshot, commits: Sequence[Commit]) -> list[JournalLine]:
    numbers = [commit.tx for commit in commits]
    after, counts = snapshot.versions_in(numbers), count_changes(snapshot, numbers)
    undone = snapshot.undone_among(numbers)
    return [
        _line(snapshot, each, after[each.tx], changes=counts.get(each.tx, 0), undone_by=undone.get(each.tx))
        for each in commits
    ]


def _line(snapshot: Snapshot, commit: Commit, after: Version, *, changes: int, undone_by: int | None) -> JournalLine:
    # A thing's own versions stand beside each other, so that what it was before is one look-up.
    before = None if commit.operation == "CREATE" else snapshot.version(after.id, commit.tx - 1)
    old = None if before is None else before.thing
    thing = after.thing or old
    title = "(erased)" if thing is None else _title(snapshot, thing)
    return JournalLine(
        commit=commit,
        sentence=_word(commit, title, old, after.thing, changes=changes),
        id=after.id,
        handle="" if thing is None else short_handle(snapshot, thing),
        title=title,
        kind=TRIPLE if after.subject == "edge" else after.kind,
        changes=changes,
        undone_by=undone_by,
    )


def _title(snapshot: Snapshot, thing: Thing) -> str:
    return _cut(name_thing(snapshot, thing) if isinstance(thing, Edge) else name_entry(snapshot, thing).title, NAMED)


def _word(commit: Commit, title: str, before: Thing | None, after: Thing | None, *, changes: int) -> str:
    """What a transaction did, in one line."""
    more = f" (and {changes - 1} more {'change' if changes == 2 else 'changes'})" if changes > 1 else ""
    if commit.operation == "REVERT":
        return f"Took back {commit.undoes}: {title}{more}"
    if after is None:
        return f"{title} was {'erased' if commit.operation == 'ERASE' else 'deleted'}{more}"
    if commit.operation == "MERGE":
        return f"{title} was merged from others{more}"
    if before is None:
        said = "" if isinstance(after, Edge) else _said(after, title)
        return f"{title}: {said}{more}" if said else f"{title.rstrip('.')} was added{more}"
    return f"{title}: {_changes(before, after)}{more}"


def _said(entry: Entry, title: str) -> str:
    text = " ".join(entry.body[: 4 * SAID].split())
    stem = title.rstrip("…")
    # A name that is the beginning of the text says it already, as does that of a file.
    is_told = text.startswith(stem) and (title != stem or len(text) <= len(title) + 1)
    return "" if is_told or entry.kind == DOCUMENT else _cut(text, SAID)


def _changes(before: Thing, after: Thing) -> str:
    """The most telling change: of what it says, else of its title, else of what is kept beside it."""
    changes = compare_things(before, after)
    if not changes:
        return "unchanged"
    ranked = sorted(changes, key=lambda each: {"text": 0, "title": 1, "predicate": 1}.get(each.field, 2))
    first = ranked[0]
    old, new = _window(first.before or "", first.after or "")
    told = f"{old or 'nothing'} → {new or 'nothing'}"
    return told if first.field in ("text", "title") else f"{first.field} {told}"


def _window(before: str, after: str) -> tuple[str, str]:
    """Both sides from a little before where they differ."""
    one, other = " ".join(before.split()), " ".join(after.split())
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(0, same - AROUND) if max(len(one), len(other)) > SAID else 0
    lead = "…" if start else ""
    return lead + _cut(one[start:], SAID), lead + _cut(other[start:], SAID)


def _cut(text: str, size: int) -> str:
    spoken = " ".join(text.split())
    return spoken if len(spoken) <= size else spoken[: size - 1].rstrip() + "…"
