"""Search by purpose: what is stored that serves what a text serves, the most alike first (memory-model: Search by
purpose)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from memotheca.kernel.kernel import Kernel
from memotheca.memory.recall.profile_order import narrow
from memotheca.memory.recall.profiles import Profile
from memotheca.memory.spaces.fusion_weights import prioritise
from memotheca.memory.spaces.space_table import IDS
from memotheca.memory.standing.sample import hang
from memotheca.memory.topics.purpose import PurposeGround, PurposeVector, purposes_of
from memotheca.memory.topics.purpose_likeness import (
    Comparison,
    PurposePair,
    PurposeParts,
    chosen_strategy,
    only_spaces,
    parts_of,
    similarity_of_purposes,
)
from memotheca.memory.topics.synergy import synergy_matrix
from memotheca.memory.traits import quarantine_of
from memotheca.model.kinds import MEMORY
from memotheca.model.knowledge import Entry
from memotheca.search.search import Question, find_entries
from memotheca.storage.snapshot import Snapshot

POOL = 100  # chosen: as many as search_graph ranks, of the question and of each topic
TOPICS = 3  # chosen: the topics it serves most; further ones are hardly served
TERMS = 8  # chosen: words of a topic that are searched for


@dataclass(frozen=True, slots=True, kw_only=True)
class PurposeQuery:
    """What is compared with what is stored: a purpose, the words it was told in where they are known, in which way, in
    which spaces, and as which profile has it."""

    vector: PurposeVector
    words: str = ""
    own_id: str = ""
    comparison: Comparison = field(default_factory=Comparison)
    spaces: frozenset[str] = frozenset(IDS)
    profile: Profile | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundByPurpose:
    entry: Entry
    similarity: float
    parts: PurposeParts
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PurposeSearch:
    """What was found, the most alike first, in which way it was compared, and how many were."""

    results: tuple[FoundByPurpose, ...]
    strategy: str
    compared: int


def search_by_purpose(kernel: Kernel, snapshot: Snapshot, ground: PurposeGround, wanted: PurposeQuery) -> PurposeSearch:
    entries = _candidates(kernel, snapshot, ground, wanted)
    vectors = purposes_of(ground, hang(snapshot, entries, with_walks=False), entries)
    query = _as_wanted(wanted.vector, wanted)
    strategy, together = chosen_strategy(wanted.comparison.strategy, query), synergy_matrix(snapshot)
    found: list[FoundByPurpose] = []
    for entry, vector in zip(entries, vectors, strict=True):
        compared = _as_wanted(vector, wanted)
        pair = PurposePair(query, compared, parts_of(query, compared, together), together)
        similarity = similarity_of_purposes(pair, wanted.comparison, strategy)
        shared = tuple(ground.known.by_id[id].name for id in query.topics if id in vector.topics)
        found.append(FoundByPurpose(entry=entry, similarity=similarity, parts=pair.parts, topics=shared))
    ranked = sorted(found, key=lambda each: (-each.similarity, each.entry.id))
    return PurposeSearch(tuple(ranked), strategy, len(entries))


def _as_wanted(vector: PurposeVector, wanted: PurposeQuery) -> PurposeVector:
    """A purpose as the profile weighs its spaces, in those that are asked for."""
    if wanted.profile is not None:
        vector = vector.weighed(prioritise(wanted.profile.weights, wanted.profile.priorities))
    return vector if len(wanted.spaces) == len(IDS) else only_spaces(vector, wanted.spaces)


def _candidates(kernel: Kernel, snapshot: Snapshot, ground: PurposeGround, wanted: PurposeQuery) -> list[Entry]:
    """What the words find, what the words of the topics find that it serves, and the most typical of these."""
    served = [ground.known.by_id[id] for id in list(wanted.vector.topics)[:TOPICS]]
    served = served or list(ground.goal.topics[:TOPICS])
    asked = [wanted.words, *(" ".join(topic.terms[:TERMS]) for topic in served)]
    found: dict[str, Entry] = {}
    for words in filter(None, asked):
        question = Question(content=words, kinds=(MEMORY,), is_explained=False, is_complete=False)
        page = find_entries(kernel, narrow(question, wanted.profile, kernel.now()), limit=POOL)
        found |= {hit.version.id: hit.version.thing for hit in page.hits if isinstance(hit.version.thing, Entry)}
    if wanted.profile is None or not wanted.profile.filters:
        found |= _living(kernel, snapshot, [id for topic in served for id in topic.members])
    found.pop(wanted.own_id, None)
    return [found[id] for id in sorted(found)]


def _living(kernel: Kernel, snapshot: Snapshot, ids: Sequence[str]) -> dict[str, Entry]:
    now, living = kernel.now(), snapshot.living(list(ids))
    return {id: entry for id, entry in living.items() if quarantine_of(entry, now) is None}
