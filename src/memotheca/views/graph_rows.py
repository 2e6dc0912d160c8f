"""The whole graph in columns: its nodes by their kinds, its links by their ends and what they say."""

from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.documents.sections import HAS_SECTION
from memotheca.kernel.kernel import Kernel
from memotheca.model.kinds import KINDS, TUNING
from memotheca.model.knowledge import fold
from memotheca.notes.mounts import opened
from memotheca.notes.notebook import Notebook
from memotheca.storage.adjacency import entry_kinds, scan_joints
from memotheca.storage.snapshot import Snapshot
from memotheca.views.as_of import PastState
from memotheca.views.past_graph import PastGraph, read_past
from memotheca.views.standpoint import past_notebook
from memotheca.views.thing_links import LINKS_TO, NOTE_LINK

GHOST = "ghost"
NODE_KINDS = (*KINDS, GHOST)
RELATIONS = 40  # chosen: more kinds of links than anybody tells apart, and a short list however long they are


@dataclass(frozen=True, slots=True)
class SpokenLink:
    """What links say that say the same; without a predicate, all the rarer ones of a type."""

    type: str
    predicate: str
    count: int


@dataclass(frozen=True, slots=True)
class GraphRows:
    """The graph at a transaction: what lives in the order of its making, then what is only linked to."""

    tx: int
    time: int
    ids: list[str]
    kinds: NDArray[np.uint8]
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    relations: NDArray[np.uint8]
    spoken: list[SpokenLink]
    # How notes spell what they link to and what is not there.
    spelled: dict[str, str]
    # Of what was there and has changed since: it may have been called something else. Nothing where this is the newest.
    since: frozenset[str] = frozenset()


@dataclass(slots=True)
class _LinkColumns:
    """The links as they are read; ends are numbers, those of what is not there behind all that is."""

    numbers: dict[str, int]
    passed_over: set[str]
    living: int
    sources: Any = field(default_factory=lambda: array("q"))
    targets: Any = field(default_factory=lambda: array("q"))
    said: Any = field(default_factory=lambda: array("q"))
    spoken: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    within: dict[int, int] = field(default_factory=dict[int, int])

    def add(self, source: str, target: str, spoken: tuple[str, str]) -> None:
        if source in self.passed_over or target in self.passed_over:
            return
        numbers = self.numbers
        one, other = numbers.setdefault(source, len(numbers)), numbers.setdefault(target, len(numbers))
        if spoken[1] == HAS_SECTION:
            self.within[other] = one
            return
        self.sources.append(one)
        self.targets.append(other)
        self.said.append(self.spoken.setdefault(spoken, len(self.spoken)))


def read_graph(kernel: Kernel, pause: Callable[[], None], then: PastState | None = None) -> GraphRows:
    """Everything that is there with its links, or was there; sections count as their document, what is linked to and
    gone is a ghost, and what the memory learned of itself is left out."""
    with opened(kernel) as (snapshot, book):
        tx, time = snapshot.tx, snapshot.time
        noted = list(book.rows.values())
        links = [] if then is not None else _note_links(book)
        spelled = dict(book.ghosts)
    with kernel.read() as snapshot:
        past = None if then is None else read_past(snapshot, then.tx, pause)
        if then is not None and past is not None:
            tx, time = then.tx, then.time
            book = past_notebook(snapshot, noted, past)
            links, spelled = _note_links(book), dict(book.ghosts)
        entries = _kinds(snapshot, past)
        shown = [(id, kind) for id, kind in entries if kind != TUNING]
        hidden = {id for id, kind in entries if kind == TUNING}
        columns = _LinkColumns({id: number for number, (id, _) in enumerate(shown)}, hidden, len(shown))
        for page in scan_joints(snapshot):
            pause()
            for id, source, target, type, predicate in page:
                if past is None or id not in past.changed:
                    columns.add(source, target, (type, predicate))
        for edge in () if past is None else past.edges:
            columns.add(edge.source, edge.target, (edge.type, fold(edge.predicate)))
    notes = {columns.numbers.get(note) for note, _ in links}
    known = {pair for pair in zip(columns.sources, columns.targets, strict=True) if pair[0] in notes}
    for source, target in links:
        if (columns.numbers.get(source), columns.numbers.get(target)) not in known:
            columns.add(source, target, (NOTE_LINK, LINKS_TO))
    since = frozenset(() if past is None else past.kinds)
    rows = _close(columns, [kind for _, kind in shown], tx=tx, time=time, spelled=spelled)
    return replace(rows, since=since) if since else rows


def _note_links(book: Notebook) -> list[tuple[str, str]]:
    return [(note, target) for note in book.rows for target in book.graph.out.get(note, ())]


def _kinds(snapshot: Snapshot, past: PastGraph | None) -> list[tuple[str, str]]:
    """Id and kind of every entry that is there, or was, in the order of their making."""
    entries = entry_kinds(snapshot)
    if past is None:
        return entries
    return sorted([*(each for each in entries if each[0] not in past.changed), *past.kinds.items()])


def _close(columns: _LinkColumns, kinds: list[str], *, tx: int, time: int, spelled: dict[str, str]) -> GraphRows:
    """Sections in their documents' place, and everything numbered anew."""
    count = len(columns.numbers)
    stands_for = np.arange(count)
    for section, document in columns.within.items():
        stands_for[section] = document
    ids = list(columns.numbers)
    order = [number for number in range(columns.living) if number not in columns.within]
    order += sorted((n for n in range(columns.living, count) if n not in columns.within), key=lambda n: ids[n])
    place = np.full(count, -1)
    place[order] = np.arange(len(order))
    ends = [place[stands_for[np.frombuffer(side, np.int64)]] for side in (columns.sources, columns.targets)]
    kept = np.flatnonzero((ends[0] != ends[1]) & (ends[0] >= 0) & (ends[1] >= 0))
    said = np.frombuffer(columns.said, np.int64)[kept]
    sources, targets = ends[0][kept], ends[1][kept]
    turn = np.lexsort((said, targets, sources))
    spoken, numbers = _rank(list(columns.spoken), said)
    coded = {kind: number for number, kind in enumerate(NODE_KINDS)}
    codes = [coded[kinds[number]] if number < columns.living else coded[GHOST] for number in order]
    return GraphRows(
        tx=tx,
        time=time,
        ids=[ids[number] for number in order],
        kinds=np.array(codes, np.uint8),
        sources=sources[turn],
        targets=targets[turn],
        relations=numbers[said[turn]].astype(np.uint8),
        spoken=spoken,
        spelled=spelled,
    )


def _rank(spoken: list[tuple[str, str]], said: NDArray[np.int64]) -> tuple[list[SpokenLink], NDArray[np.int64]]:
    """What is said most by itself, the rest of each type together; and for each of what is said, which that is."""
    counts = np.bincount(said, minlength=len(spoken)).tolist()
    first = sorted(range(len(spoken)), key=lambda each: (-counts[each], spoken[each]))
    ranked = [spoken[each] for each in first[:RELATIONS]]
    rest = first[RELATIONS:]
    ranked += [(type, "") for type in sorted({spoken[each][0] for each in rest})]
    place = {each: number for number, each in enumerate(ranked)}
    numbers = [place.get(each, place.get((each[0], ""), 0)) for each in spoken]
    totals = Counter[int]()
    for number, count in zip(numbers, counts, strict=True):
        totals[number] += count
    relations = [SpokenLink(type, predicate, totals[number]) for number, (type, predicate) in enumerate(ranked)]
    return relations, np.array(numbers or [0])
