"""Links of a thing both ways: edges with what they say, and links of notes that no edge stands for."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from memotheca.documents.sections import HAS_SECTION
from memotheca.kernel.names import short_handle
from memotheca.model.knowledge import Edge, Entry, handle_of
from memotheca.notes.notebook import Notebook
from memotheca.storage.adjacency import ENDS, edges_at
from memotheca.storage.snapshot import Snapshot
from memotheca.views.thing_names import name_entry

LOOKED_AT = 2000  # chosen: of a hub so many are read to find the weightiest
NOTE_LINK = "Link"
LINKS_TO = "links to"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """A connection between two things by their ids; a note's link has no edge."""

    source: str
    target: str
    type: str
    predicate: str
    weight: float
    edge: Edge | None = None

    def other(self, id: str) -> str:
        return self.target if self.source == id else self.source


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEnd:
    """A thing at the end of a tie, as it is named; one that is not there is a ghost."""

    id: str
    handle: str
    title: str
    kind: str
    is_ghost: bool = False


def ties_of(
    snapshot: Snapshot, book: Notebook | None, id: str, *, without: Set[str] = frozenset(), beside: Iterable[Edge] = ()
) -> list[Tie]:
    """What leaves a thing and what reaches it, weightiest first; without some edges, and with others beside them."""
    is_ghost = book is not None and id in book.ghosts
    edges = {edge.id: edge for end in ENDS for edge in edges_at(snapshot, id, end, limit=LOOKED_AT) if not is_ghost}
    ties = [to_tie(edge) for edge in (*(each for each in edges.values() if each.id not in without), *beside)]
    return by_weight([*ties, *_note_ties(book, id, {(tie.source, tie.target) for tie in ties})])


def past_ties_of(snapshot: Snapshot, id: str, tx: int) -> list[Tie]:
    """As `ties_of`, after an earlier transaction; what notes linked to then is not kept apart from their text."""
    ids = snapshot.edges_ever_at(id)[:LOOKED_AT]
    versions = snapshot.versions_at(ids, tx).values() if ids else ()
    edges = [version.thing for version in versions if isinstance(version.thing, Edge)]
    return by_weight([to_tie(edge) for edge in edges if id in (edge.source, edge.target)])


def to_tie(edge: Edge) -> Tie:
    return Tie(
        source=edge.source,
        target=edge.target,
        type=edge.type,
        predicate=edge.predicate,
        weight=edge.weight,
        edge=edge,
    )


def by_weight(ties: Iterable[Tie]) -> list[Tie]:
    return sorted(ties, key=lambda tie: (-tie.weight, tie.source, tie.target, tie.predicate))


def without_sections(ties: Iterable[Tie]) -> list[Tie]:
    return [tie for tie in ties if tie.predicate != HAS_SECTION]


def _note_ties(book: Notebook | None, id: str, known: set[tuple[str, str]]) -> list[Tie]:
    if book is None or id not in book.graph:
        return []
    pairs = [(id, other) for other in book.graph.out.get(id, ())][:LOOKED_AT]
    pairs += [(other, id) for other in book.incoming(id)[:LOOKED_AT]]
    return [
        Tie(source=source, target=target, type=NOTE_LINK, predicate=LINKS_TO, weight=1.0)
        for source, target in pairs
        if (source, target) not in known
    ]


def show_ends(
    snapshot: Snapshot, book: Notebook | None, ids: Sequence[str], as_of: int | None = None
) -> dict[str, ShownEnd]:
    """Things as they are named; what is gone by its last name."""
    versions = snapshot.versions_at(ids, snapshot.tx if as_of is None else as_of) if ids else {}
    return {id: _show(snapshot, book, id, _entry(versions.get(id))) for id in ids}


def _entry(version: object) -> Entry | None:
    thing = getattr(version, "thing", None)
    return thing if isinstance(thing, Entry) else None


def _show(snapshot: Snapshot, book: Notebook | None, id: str, entry: Entry | None) -> ShownEnd:
    if entry is not None:
        named = name_entry(snapshot, entry)
        return ShownEnd(id=id, handle=named.handle, title=named.title or named.handle, kind=entry.kind)
    if book is not None and id in book.ghosts:
        return ShownEnd(id=id, handle=id, title=book.ghosts[id], kind="ghost", is_ghost=True)
    past = [version.thing for version in snapshot.last_versions(id, as_of=snapshot.tx, limit=2)]
    last = next((thing for thing in past if isinstance(thing, Entry)), None)
    if last is None:
        return ShownEnd(id=id, handle=id, title="?", kind="ghost", is_ghost=True)
    return ShownEnd(
        id=id, handle=short_handle(snapshot, last), title=last.title or handle_of(last), kind=last.kind, is_ghost=True
    )
