"""One thing: what it says, whence it comes, what it is connected with, and all that became of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from memotheca.documents.sections import HAS_SECTION, sections_of, with_text
from memotheca.kernel.citations import citation_of
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.names import find_thing, name_thing, short_handle
from memotheca.memory.graph.relations import SUPERSEDES
from memotheca.memory.traits import quarantine_of
from memotheca.model import kinds
from memotheca.model.commits import Commit, Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Edge, Entry, Thing
from memotheca.notes.mounts import opened
from memotheca.notes.notebook import Notebook
from memotheca.search.search import Question, find_entries
from memotheca.storage.adjacency import count_joints
from memotheca.storage.snapshot import Snapshot
from memotheca.views.as_of import PastState, find_state
from memotheca.views.differences import FieldChange, compare_things
from memotheca.views.thing_links import ShownEnd, Tie, past_ties_of, show_ends, ties_of, to_tie, without_sections
from memotheca.views.thing_names import ThingName, name_entry

Standing = Literal["current", "expired", "superseded", "forgotten", "held"]

LINKS = 100  # chosen: each way; more than anybody reads, and the count says how many there are
VERSIONS = 50  # chosen: the history of one thing, newest first
SECTIONS = 200  # chosen: a book's chapters
QUOTING = 20  # chosen: who quotes it


@dataclass(frozen=True, slots=True)
class VersionStep:
    """One change of a thing: by which transaction, and what it did; and what took it back."""

    commit: Commit
    changes: list[FieldChange]
    undone_by: int | None


@dataclass(frozen=True, slots=True)
class LinkedThing:
    """A tie and the thing at its other end."""

    tie: Tie
    shown: ShownEnd


@dataclass(slots=True, kw_only=True)
class ThingView:
    """A thing in a state, with all that is around it; lists are cut, and the counts say how many there are."""

    id: str
    thing: Thing
    handle: str
    title: str
    body: str
    standing: Standing
    held: Mapping[str, Any] | None
    tx: int
    state: PastState | None
    document: ThingName | None = None
    sections: list[Entry] = field(default_factory=list[Entry])
    section_handles: list[str] = field(default_factory=list[str])
    section_count: int = 0
    ends: tuple[LinkedThing, LinkedThing] | None = None
    outgoing: list[LinkedThing] = field(default_factory=list[LinkedThing])
    incoming: list[LinkedThing] = field(default_factory=list[LinkedThing])
    counts: tuple[int, int] = (0, 0)
    versions: list[VersionStep] = field(default_factory=list[VersionStep])
    version_count: int = 0
    cited_by: list[LinkedThing] = field(default_factory=list[LinkedThing])


def view_thing(kernel: Kernel, handle: str, *, as_of: str | None = None) -> ThingView:
    """Whatever a handle of any family names, dead or alive."""
    with opened(kernel) as (snapshot, book):
        state = find_state(snapshot, as_of)
        newest = find_thing(snapshot, handle)
        version = newest if state is None else _past(snapshot, newest, state, handle)
        steps = _steps(snapshot, version.id, snapshot.tx if state is None else state.tx)
        thing = version.thing or _last_living(snapshot, version)
        view = ThingView(
            id=version.id,
            thing=thing,
            handle=short_handle(snapshot, thing),
            title=name_thing(snapshot, thing) if isinstance(thing, Edge) else name_entry(snapshot, thing).title,
            body=_body(snapshot, thing),
            standing="current",
            held=quarantine_of(thing, kernel.now()) if isinstance(thing, Entry) else None,
            tx=version.tx,
            state=state,
            versions=steps,
            version_count=snapshot.count_versions(version.id),
        )
        if isinstance(thing, Entry):
            _add_surroundings(snapshot, book if state is None else None, view, thing)
        else:
            _add_ends(snapshot, view, thing)
        view.standing = _standing(kernel, view, is_gone=version.thing is None)
    if state is None and isinstance(thing, Entry) and thing.kind == kinds.MEMORY:
        view.cited_by += _quoting(kernel, thing, {each.shown.id for each in view.cited_by})
    return view


def _past(snapshot: Snapshot, newest: Version, state: PastState, handle: str) -> Version:
    found = snapshot.version(newest.id, state.tx)
    if found is None:
        raise Refusal(Failure.NOT_FOUND, f"{handle!r} was not there yet after transaction {state.tx}.", field="as_of")
    return found


def _last_living(snapshot: Snapshot, version: Version) -> Thing:
    past = snapshot.last_versions(version.id, as_of=version.tx, limit=VERSIONS)
    found = next((each.thing for each in past if each.thing is not None), None)
    if found is None:
        raise Refusal(Failure.ERASED, "It was erased for good.", field="handle")
    return found


def _body(snapshot: Snapshot, thing: Thing) -> str:
    if isinstance(thing, Edge):
        return ""
    return with_text(snapshot, thing).body


def _steps(snapshot: Snapshot, id: str, tx: int) -> list[VersionStep]:
    """The changes of a thing, newest first, each beside what was before."""
    versions = snapshot.last_versions(id, as_of=tx, limit=VERSIONS + 1)
    undone = snapshot.undone_among([version.tx for version in versions])
    steps: list[VersionStep] = []
    for place, version in enumerate(versions[:VERSIONS]):
        before = versions[place + 1] if place + 1 < len(versions) else None
        commit = snapshot.commit(version.tx)
        if commit is not None and not version.erased:
            changes = compare_things(None if before is None else before.thing, version.thing)
            steps.append(VersionStep(commit, changes, undone.get(version.tx)))
    return steps


def _add_surroundings(snapshot: Snapshot, book: Notebook | None, view: ThingView, entry: Entry) -> None:
    tx = None if view.state is None else view.state.tx
    found = ties_of(snapshot, book, entry.id) if tx is None else past_ties_of(snapshot, entry.id, tx)
    ties = without_sections(found)
    leaving = [tie for tie in ties if tie.source == entry.id]
    reaching = [tie for tie in ties if tie.target == entry.id and tie.source != entry.id]
    counted = count_joints(snapshot, entry.id, without=HAS_SECTION) if tx is None else (0, 0)
    view.counts = (max(len(leaving), counted[0]), max(len(reaching), counted[1]))
    shown = [*leaving[:LINKS], *reaching[:LINKS]]
    names = show_ends(snapshot, book, list(dict.fromkeys(tie.other(entry.id) for tie in shown)), tx)
    view.outgoing = [LinkedThing(tie, names[tie.other(entry.id)]) for tie in leaving[:LINKS]]
    view.incoming = [LinkedThing(tie, names[tie.other(entry.id)]) for tie in reaching[:LINKS]]
    view.cited_by = [each for each in view.incoming if each.tie.predicate in kinds.STRUCTURAL]
    if entry.kind == kinds.SECTION:
        document = snapshot.entry(entry.attributes["document"])
        view.document = None if document is None else name_entry(snapshot, document)
    if entry.kind == kinds.DOCUMENT:
        sections = sections_of(snapshot, entry)
        view.section_count, view.sections = len(sections), sections[:SECTIONS]
        view.section_handles = [short_handle(snapshot, section) for section in view.sections]


def _add_ends(snapshot: Snapshot, view: ThingView, edge: Edge) -> None:
    tie = to_tie(edge)
    names = show_ends(snapshot, None, [edge.source, edge.target], None if view.state is None else view.state.tx)
    view.ends = (LinkedThing(tie, names[edge.source]), LinkedThing(tie, names[edge.target]))


def _standing(kernel: Kernel, view: ThingView, *, is_gone: bool) -> Standing:
    now = kernel.now() if view.state is None else view.state.time
    thing = view.thing
    if is_gone:
        return "forgotten"
    if view.held is not None:
        return "held"
    if any(each.tie.predicate == SUPERSEDES for each in view.incoming):
        return "superseded"
    has_ended = thing.validity.end is not None and thing.validity.end < now
    return "expired" if has_ended or (isinstance(thing, Entry) and thing.is_expired(now)) else "current"


def _quoting(kernel: Kernel, entry: Entry, known: set[str]) -> list[LinkedThing]:
    """What quotes a memory by its tag."""
    tag = citation_of(entry).strip("[]")
    page = find_entries(kernel, Question(content=tag, kinds=kinds.KINDS, passages=1), limit=QUOTING)
    entries: Sequence[Entry] = [cast(Entry, hit.version.thing) for hit in page.hits]
    quoting = [each for each in entries if tag in each.body and each.id != entry.id and each.id not in known]
    with kernel.read() as snapshot:
        names = show_ends(snapshot, None, [each.id for each in quoting])
    return [
        LinkedThing(Tie(source=each.id, target=entry.id, type="Link", predicate="cites", weight=1.0), names[each.id])
        for each in quoting
    ]
