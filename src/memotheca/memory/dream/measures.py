"""Measures of a dream: whether questions find what they should, and how long the ways are that people walk, on a
bounded sample (memory-model: Dreams)."""

from collections.abc import Callable
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.dream.shortcuts import is_passable
from memotheca.memory.session.state import activity_of
from memotheca.memory.session.walk_log import walks_of
from memotheca.memory.traits import KNOWN
from memotheca.model.kinds import MEMORY
from memotheca.search.search import Question, rank_entries
from memotheca.storage.lookups import sample_ids
from memotheca.storage.snapshot import Snapshot

PROBES = 10  # chosen: questions, some hundred milliseconds before and after
SHOWN = 10  # chosen: what an answer has room for
USED = 0.5  # chosen (memory-model: Retrievals): at least opened
ASKED = 200  # chosen: the latest questions among which those are whose answer was of use
PATHS = 50  # chosen: the ways that were walked most often
FARTHEST, REACHED = 6, 200  # chosen: steps and entries after which there is no way


@dataclass(frozen=True, slots=True)
class ProbeQuestion:
    text: str
    expected: frozenset[str]


@dataclass(frozen=True, slots=True)
class Measured:
    """The share of what the probes should find that they find, and the mean of the ways; None where there is none."""

    recall: float | None
    path_length: float | None


@dataclass(frozen=True, slots=True)
class Sample:
    """The questions and ways that are measured before and after."""

    probes: tuple[ProbeQuestion, ...]
    ways: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class BeforeAndAfter:
    """What is measured, and how it was before and after; the latter only of a dream that went through."""

    sample: Sample = Sample((), ())
    before: Measured = Measured(None, None)
    after: Measured = Measured(None, None)


def draw_sample(kernel: Kernel) -> Sample:
    """Questions whose answer turned out to be of use; where there are none, sentences of memories from all over."""
    with kernel.read() as snapshot:
        session, collection = snapshot.session, snapshot.collection
        asked = activity_of(kernel).retrievals.last(session, collection, limit=ASKED)
        probes: dict[str, ProbeQuestion] = {}
        for row in asked:
            used = frozenset(each.entry_id for each in row.shown if each.used >= USED)
            if used and row.query not in probes and len(probes) < PROBES:
                probes[row.query] = ProbeQuestion(row.query, used)
        if not probes:
            living = snapshot.living(sample_ids(snapshot, MEMORY, PROBES))
            probes = {entry.id: ProbeQuestion(_opening(entry.body), frozenset({entry.id})) for entry in living.values()}
        walks = walks_of(kernel).often(session, collection, least=1, hops=2, limit=PATHS)
    ways = dict.fromkeys((each.ids[0], each.ids[-1]) for each in walks)
    return Sample(tuple(probe for probe in probes.values() if probe.text.strip()), tuple(ways))


def _opening(body: str) -> str:
    """A handful of words from within a text: as somebody asks who remembers some of it."""
    words = body.split()
    return " ".join(words[:12][1::2] or words[:3])


def measure_sample(kernel: Kernel, sample: Sample, pause: Callable[[], None]) -> Measured:
    hits = wanted = 0
    for probe in sample.probes:
        pause()
        found = rank_entries(kernel, Question(content=probe.text, kinds=KNOWN), limit=SHOWN)
        with kernel.read() as snapshot:
            there = set(snapshot.living(probe.expected))
        hits += len(there & set(found))
        wanted += len(there)
    lengths: list[int] = []
    for way in sample.ways:
        pause()
        with kernel.read() as snapshot:
            length = way_length(snapshot, *way)
        lengths += [] if length is None else [length]
    return Measured(
        round(hits / wanted, 4) if wanted else None, round(sum(lengths) / len(lengths), 4) if lengths else None
    )


def way_length(snapshot: Snapshot, start: str, end: str) -> int | None:
    """The steps of the shortest way along evidence and shortcuts, either way round; None where none is near enough."""
    for one, other in ((start, end), (end, start)):
        seen, border = {one}, [one]
        for steps in range(1, FARTHEST + 1):
            reached = [edge.target for id in border for edge in snapshot.edges_from(id) if is_passable(edge)]
            if other in reached:
                return steps
            border = [id for id in dict.fromkeys(reached) if id not in seen]
            seen |= set(border)
            if not border or len(seen) > REACHED:
                break
    return None
