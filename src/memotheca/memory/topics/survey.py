"""The survey: topics found from all that is stored, a slice at a time, and known again by their members (memory-model:
Topics)."""

import hashlib
import heapq
import math
import time
from collections import ChainMap, Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.precedence import Precedence
from memotheca.memory.spaces.all_spaces import Gallery
from memotheca.memory.spaces.fingerprint import SESSION
from memotheca.memory.spaces.space_table import COUNT, IDS, SPACES
from memotheca.memory.standing.meanings import meanings
from memotheca.memory.standing.sample import hang
from memotheca.memory.topics.clusters import cut_of, field_cut_of, groups_at, join
from memotheca.memory.topics.entry_topics import see_entries
from memotheca.memory.topics.lens import Lens, grind, numbers_in
from memotheca.memory.topics.lens_terms import terms_of
from memotheca.memory.topics.topics import (
    AGAIN,
    FEWEST,
    GROWN,
    NAMED,
    PREFIX,
    STATE,
    STATE_AT,
    WEEKS,
    WORK,
    HeldTopics,
    Topic,
    TopicMap,
    read_topics,
)
from memotheca.memory.traits import quarantine_of
from memotheca.memory.tuning.tunings import read_tunings
from memotheca.model.clock import DAY
from memotheca.model.kinds import MEMORY
from memotheca.model.knowledge import Entry, fold
from memotheca.search.chosen_embedder import model_of
from memotheca.storage.activity import read_state, write_state
from memotheca.storage.care_tasks import ids_beyond
from memotheca.storage.database import Session
from memotheca.storage.instruments.work_events import WorkEvent, add_work_events
from memotheca.storage.snapshot import Snapshot

Array = NDArray[Any]

SAMPLE = 1024  # chosen: each is compared with each; half a second
LEAST_MEMBERS = 4  # chosen: what fewer have in common may be chance
MOST_TOPICS = 64  # chosen: more than anybody looks through; bounds what is kept
ALIKE_AT_LEAST = 0.1  # chosen: on average members share at least a few words
KEPT_MEMBERS = 24  # chosen: those it is known again by
TERMS = 8  # chosen: what describes a topic
OFTEN = 0.25  # chosen: what fewer of its members say is not what it is about
SAME = 0.5  # chosen: most of its members are still together
SEEN_BY, SEEN_TOPICS = 3, 32  # chosen: members of the largest topics that are compared in every space
SLICE, ROWS, IDS_AT_ONCE = 16, 128, 2048  # chosen: some milliseconds of a processor
ON_DEMAND = 4096  # chosen: sorted while somebody waits, some seconds; the rest is sorted between calls
ROUND = 0.2  # chosen: seconds of work between two looks whether something else is due
CHANGED, SMALL = 0.02, 2000  # chosen: on demand, what few changes cannot move is not found anew; a small store always

Steps = Generator[None, None, TopicMap]


@dataclass(slots=True)
class Seen:
    """The memories that are compared with each other, in the order of their ids, as terms, vectors and rows."""

    entries: list[Entry] = field(default_factory=list[Entry])
    terms: list[Mapping[str, str]] = field(default_factory=list[Mapping[str, str]])
    vectors: list[Array | None] = field(default_factory=list["Array | None"])
    held: Counter[int] = field(default_factory=Counter[int])  # in how many of them each term is


class RunningSurvey:
    """A survey that goes on between the calls of this process."""

    def __init__(self) -> None:
        self.steps: Steps | None = None


def is_survey_due(kernel: Kernel) -> bool:
    """Whether topics were never looked for, or a day ago and something has changed since; or most came since."""
    if kernel.keep(RunningSurvey, kernel.collection).steps is not None:
        return True
    with kernel.read() as snapshot:
        held = read_state(snapshot.session, snapshot.collection, STATE_AT)
        if held is None:
            return len(ids_beyond(snapshot, (MEMORY,), "", limit=FEWEST)) >= FEWEST
        if not held["whole"]:
            return True
        is_grown = snapshot.tx >= GROWN * held["tx"]
        return is_grown or (snapshot.tx > held["tx"] and kernel.now() - held["time"] >= AGAIN)


def go_on_surveying(kernel: Kernel, stop: Callable[[], bool], *, fence: Callable[[], None] = lambda: None) -> None:
    """Take a survey further for so long, giving way to calls; whoever stops it goes on next time."""
    running = kernel.keep(RunningSurvey, kernel.collection)
    running.steps = running.steps or _survey(kernel, fence)
    until = time.thread_time() + ROUND
    try:
        while not stop() and time.thread_time() < until:
            kernel.keep(Precedence).give_way()
            next(running.steps)
    except StopIteration:
        running.steps = None
    except BaseException:
        running.steps = None
        raise


def up_to_date(kernel: Kernel) -> TopicMap:
    """The topics of now: as they were found last where little has changed since, else found anew."""
    with kernel.read() as snapshot:
        known = read_topics(kernel, snapshot)
        if known is not None and _is_fresh(snapshot, known):
            return known
    steps = _survey(kernel, lambda: None, most=ON_DEMAND)
    while True:
        try:
            next(steps)
        except StopIteration:
            break
    with kernel.read() as snapshot:
        found = read_topics(kernel, snapshot)
    assert found is not None
    return found


def _is_fresh(snapshot: Snapshot, known: TopicMap) -> bool:
    if snapshot.tx == known.tx:
        return True
    return known.memories > SMALL and snapshot.tx - known.tx < CHANGED * known.memories


def _survey(kernel: Kernel, fence: Callable[[], None], *, most: int | None = None) -> Steps:
    """The whole of it; between any two steps nothing is held that a call may need. Of all memories so many are sorted
    at most, drawn by lot."""
    began = kernel.now()
    with kernel.read() as snapshot:
        tx, model = snapshot.tx, model_of(snapshot.session, snapshot.collection)
        before = _known_before(kernel, snapshot)
    ids, drawn = yield from _all_ids(kernel, max(SAMPLE, most or 0))
    seen = yield from _look_at(kernel, sorted(drawn[:SAMPLE]))
    lens = grind(model, len(seen.terms), seen.held, seen.vectors)
    yield
    rows = yield from _rows_of(lens, seen)
    cut, silhouette, found = yield from _group(seen, rows)
    yield
    found = _known_again(found, before)
    found = yield from _seen_by(kernel, found)
    made = TopicMap(
        time=began,
        tx=tx,
        memories=len(ids),
        sampled=len(seen.entries),
        counted=0,
        silhouette=silhouette,
        cut=cut,
        lens=lens,
        found=tuple(found),
    )
    placed = dict(zip((entry.id for entry in seen.entries), made.place(rows), strict=True))
    counted = yield from _count(kernel, made, ids if most is None else sorted(drawn[:most]), placed)
    _keep(kernel, counted, fence)
    return counted


def _lot(id: str) -> tuple[str, str]:
    """By the random part of an id: as good as drawn by lot, and the same everywhere."""
    return id[-12:], id


def _all_ids(kernel: Kernel, drawn: int) -> Generator[None, None, tuple[list[str], list[str]]]:
    """All of them, and so many drawn by lot, in the order of their lots."""
    found: list[str] = []
    lots: list[str] = []
    while True:
        with kernel.read() as snapshot:
            page = ids_beyond(snapshot, (MEMORY,), found[-1] if found else "", limit=IDS_AT_ONCE)
        found += page
        lots = heapq.nsmallest(drawn, [*lots, *page], key=_lot)
        yield
        if len(page) < IDS_AT_ONCE:
            return found, lots


def _look_at(kernel: Kernel, ids: Sequence[str]) -> Generator[None, None, Seen]:
    seen, now = Seen(), kernel.now()
    for start in range(0, len(ids), SLICE):
        with kernel.read() as snapshot:
            entries = snapshot.living(ids[start : start + SLICE]).values()
            entries = sorted((each for each in entries if quarantine_of(each, now) is None), key=lambda each: each.id)
            vectors = meanings(snapshot, [entry.id for entry in entries])
        seen.entries += entries
        terms = [terms_of(entry) for entry in entries]
        seen.terms += terms
        seen.held.update(numbers_in(terms))
        seen.vectors += [vectors.get(entry.id) for entry in entries]
        yield
    return seen


def _group(seen: Seen, rows: Array) -> Generator[None, None, tuple[float, float, list[Topic]]]:
    """Where topics end, how well they stand apart, and the topics."""
    near = yield from _nearness(rows)
    cut = cut_of(near)
    yield
    if len(rows) < FEWEST:
        return cut, 0.0, []
    joined = yield from join(near, field_cut_of(cut))
    fields = groups_at(len(rows), joined, field_cut_of(cut))
    field_of = {place: number for number, group in enumerate(fields) for place in group}
    groups = [group for group in groups_at(len(rows), joined, cut) if len(group) >= LEAST_MEMBERS]
    groups = [group for group in groups if _alikeness(near, group) >= ALIKE_AT_LEAST][:MOST_TOPICS]
    yield
    pairs = _pairs_apart(near, groups)
    yield
    held = Counter(term for spoken in seen.terms for term in spoken)
    described: list[Topic] = []
    for group in groups:
        yield
        topic = _topic(seen, rows, group, str(field_of[group[0]]))
        coherence = _coherence(_alikeness(near, group), pairs)
        described.append(replace(topic, coherence=coherence, terms=_describe(seen, group, held)))
    yield
    return cut, _silhouette(rows, groups), [replace(each, found_name=_name(each.terms)) for each in described]


def _nearness(rows: Array) -> Generator[None, None, Array]:
    """Each with each, some at a time."""
    found = np.empty((len(rows), len(rows)), np.float32)
    for start in range(0, len(rows), ROWS):
        found[start : start + ROWS] = rows[start : start + ROWS] @ rows.T
        yield
    return found


def _coherence(alikeness: float, apart: Array) -> float:
    """The share of pairs of different topics that are less alike; as it is, where there are none."""
    return float(np.count_nonzero(apart < alikeness)) / len(apart) if len(apart) else max(0.0, min(1.0, alikeness))


def _pairs_apart(near: Array, groups: Sequence[Sequence[int]]) -> Array:
    """How alike two memories are that are not of one topic."""
    number = np.arange(-1, -1 - len(near), -1)
    for place, group in enumerate(groups):
        number[group] = place
    rows = [near[place, place + 1 :][number[place + 1 :] != number[place]] for place in range(len(near))]
    return np.concatenate(rows) if rows else np.zeros(0, near.dtype)


def _alikeness(near: Array, group: Sequence[int]) -> float:
    """How alike two members are on average."""
    within = near[np.ix_(group, group)]
    return float((within.sum() - np.trace(within)) / (len(group) * (len(group) - 1)))


def _topic(seen: Seen, rows: Array, group: Sequence[int], of_field: str) -> Topic:
    middle = rows[group].mean(0)
    order = sorted(group, key=lambda place: (-float(rows[place] @ middle), place))
    entries = [seen.entries[place] for place in order]
    return Topic(
        id="topic_" + hashlib.blake2b(entries[0].id.encode(), digest_size=4).hexdigest(),
        found_name="",
        terms=(),
        members=tuple(entry.id for entry in entries[:KEPT_MEMBERS]),
        count=0,
        weeks=(),
        coherence=0.0,
        occasions=len({_occasion(entry) for entry in entries}),
        spaces=(),
        field=of_field,
        middle=middle,
    )


def _occasion(entry: Entry) -> str:
    return str(entry.attributes.get(SESSION) or entry.created_at // DAY)


def _describe(seen: Seen, group: Sequence[int], held: Mapping[str, int]) -> tuple[str, ...]:
    """What many of its members say and few others, each as it is written most often."""
    here = Counter(term for place in group for term in seen.terms[place])
    worth = {
        term: times / len(group) * math.log1p(len(seen.terms) / held[term]) for term, times in here.items() if times > 1
    }
    found: list[str] = []
    # What is said often first; what seldom is, only where nothing else is left to name it by.
    for term in sorted(worth, key=lambda term: (here[term] < OFTEN * len(group), -worth[term], term)):
        if len(found) >= NAMED and here[term] < OFTEN * len(group):
            break
        spelled = Counter(seen.terms[place][term] for place in group if term in seen.terms[place])
        written = min(spelled, key=lambda word: (-spelled[word], word))
        if worth[term] > 0 and not any(fold(written) in fold(each) or fold(each) in fold(written) for each in found):
            found.append(written)
    return tuple(found[:TERMS])


def _name(terms: Sequence[str]) -> str:
    return ", ".join(terms[:NAMED]) or "unnamed"


def _silhouette(rows: Array, groups: Sequence[Sequence[int]]) -> float:
    """How much nearer members are to their own topic than to the next, from -1 to 1."""
    if len(groups) < 2:
        return 0.0
    near = rows @ np.array([rows[group].mean(0) for group in groups]).T
    values: list[float] = []
    for number, group in enumerate(groups):
        own = near[group, number]
        other = np.delete(near[group], number, axis=1).max(1)
        values += ((own - other) / np.maximum(np.maximum(np.abs(own), np.abs(other)), 1e-9)).tolist()
    return round(float(np.mean(values)), 4)


@dataclass(frozen=True, slots=True)
class _Before:
    """A topic that was there before, by its id: its name, and the members it had."""

    id: str
    members: frozenset[str]


def _known_before(kernel: Kernel, snapshot: Snapshot) -> list[_Before]:
    """The topics that were found before; those that people spoke of also where nothing else is left of them."""
    known = read_topics(kernel, snapshot)
    held = {topic.id: frozenset(topic.members) for topic in (known.found if known is not None else ())}
    for name, each in read_tunings(snapshot, PREFIX).items():
        if "members" in each.value:
            held.setdefault(name.removeprefix(PREFIX), frozenset(each.value["members"]))
    return [_Before(id, members) for id, members in held.items()]


def _known_again(found: Sequence[Topic], before: Sequence[_Before]) -> list[Topic]:
    """Topics keep the id they had: a topic is the same as long as most of the members it was known by are together."""
    shared = sorted(
        (
            (-len(each.members.intersection(topic.members)), each.id, number)
            for each in before
            for number, topic in enumerate(found)
            if len(each.members.intersection(topic.members)) >= SAME * min(len(each.members), len(topic.members))
        ),
    )
    named: dict[int, str] = {}
    for _, id, number in shared:
        if number not in named and id not in named.values():
            named[number] = id
    taken = {each.id for each in before} | set(named.values())
    result: list[Topic] = []
    for number, topic in enumerate(found):
        id = named.get(number) or _free(topic.id, taken)
        taken.add(id)
        result.append(replace(topic, id=id))
    return result


def _free(id: str, taken: set[str]) -> str:
    return next(each for place in range(len(taken) + 1) if (each := id + "x" * place) not in taken)


def _rows_of(lens: Lens, seen: Seen) -> Generator[None, None, Array]:
    """The rows of all, some at a time."""
    found: list[Array] = []
    for start in range(0, len(seen.entries), ROWS):
        found.append(lens.see(seen.terms[start : start + ROWS], seen.vectors[start : start + ROWS]))
        yield
    return np.concatenate(found) if found else lens.see([], [])


def _seen_by(kernel: Kernel, found: Sequence[Topic]) -> Generator[None, None, list[Topic]]:
    """The spaces in which a topic's members are nearer to each other than to those of other topics, the clearest
    first; of the largest topics, by a few members each."""
    largest = found[:SEEN_TOPICS]
    ids = [id for topic in largest for id in topic.members[:SEEN_BY]]
    with kernel.read() as snapshot:
        gallery = Gallery(hang(snapshot, list(snapshot.living(ids).values()), with_walks=False))
    places = [[gallery.places[id] for id in topic.members[:SEEN_BY] if id in gallery.places] for topic in largest]
    apart = np.zeros((COUNT, len(largest)))
    for space in range(COUNT):
        yield
        if not SPACES[space].sees_content or len(largest) < 2:
            continue
        matrix = gallery.matrix(space)
        for number, group in enumerate(places):
            others = sorted(set(range(len(gallery))) - set(group))
            if len(group) > 1 and others:
                apart[space, number] = _alikeness(matrix, group) - float(matrix[np.ix_(group, others)].mean())
    told = [_clearest(column) for column in apart.T.tolist()]
    return [replace(topic, spaces=spaces) for topic, spaces in zip(largest, told, strict=True)] + list(
        found[SEEN_TOPICS:]
    )


def _clearest(apart: Sequence[float]) -> tuple[str, ...]:
    ranked = sorted(range(COUNT), key=lambda space: (-apart[space], space))
    return tuple(IDS[space] for space in ranked[:SEEN_BY] if apart[space] > 0)


def _count(
    kernel: Kernel, made: TopicMap, ids: Sequence[str], known: dict[str, str]
) -> Generator[None, None, TopicMap]:
    """How many of all memories each topic has, and in which week they were stored; of some it is known."""
    weeks: Counter[tuple[str, int]] = Counter()
    for start in range(0, len(ids), SLICE):
        with kernel.read() as snapshot:
            living = snapshot.living(ids[start : start + SLICE]).values()
            fresh = [each for each in living if each.id not in known and quarantine_of(each, made.time) is None]
            rows = see_entries(snapshot, made.lens, fresh)
        placed = ChainMap(dict(zip((each.id for each in fresh), made.place(rows), strict=True)), known)
        weeks.update(
            (placed[each.id], max(0, made.time - each.created_at) // (7 * DAY)) for each in living if each.id in placed
        )
        yield
    scale = made.memories / max(len(ids), 1)
    counts: Counter[str] = Counter()
    for (topic, _), times in weeks.items():
        counts[topic] += times
    found = [
        replace(
            each,
            count=round(scale * counts[each.id]),
            weeks=tuple(round(scale * weeks[each.id, week]) for week in range(WEEKS)),
        )
        for each in made.found
        if counts[each.id]
    ]
    return replace(
        made, counted=len(ids), found=tuple(sorted(found, key=lambda topic: (-topic.count, topic.members[0])))
    )


def _keep(kernel: Kernel, made: TopicMap, fence: Callable[[], None]) -> None:
    now = kernel.now()
    told = {"memories": made.memories, "topics": len(made.found)}
    event = WorkEvent(time=now, work=WORK, run=str(made.tx), phase="found", facts=told)

    def act(session: Session) -> None:
        fence()
        write_state(session, kernel.collection, STATE, made.to_json(), now=now)
        write_state(
            session,
            kernel.collection,
            STATE_AT,
            {"time": made.time, "tx": made.tx, "whole": made.counted == made.memories},
            now=now,
        )
        add_work_events(session, kernel.collection, [event])

    kernel.store.operate(act)
    kernel.keep(HeldTopics, kernel.collection).stamp = None
