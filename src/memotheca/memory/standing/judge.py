"""Judging: how new and how fitting an entry is in each of the thirteen spaces, and what that makes of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.spaces.space import Hung
from memotheca.memory.standing.meanings import meanings
from memotheca.memory.standing.nearest import is_near
from memotheca.memory.standing.sample import Array, Candidate, Judged, hang, likely_duplicates, reference_of
from memotheca.memory.standing.subject import compare_pairs
from memotheca.memory.standing.whole import consistency
from memotheca.memory.tuning.gates import gates_at, voice_at
from memotheca.model.knowledge import Entry
from memotheca.search.chosen_embedder import model_of
from memotheca.storage import fingerprints
from memotheca.storage.snapshot import Snapshot
from memotheca.vectors.profile import Voice

NEAR = 10  # chosen: the neighbours that may contradict
NEAREST = 3  # chosen: what the sample may lack (docs/decisions/memories.md)


@dataclass(frozen=True, slots=True)
class _Around:
    """An entry, and what it may have to do with."""

    entry: Entry
    others: Sequence[Entry]


def judge(kernel: Kernel, snapshot: Snapshot, entry: Entry) -> Judged:
    """A stored entry among the others."""
    return judge_all(kernel, snapshot, [entry])[0]


def judge_all(
    kernel: Kernel, snapshot: Snapshot, entries: Sequence[Entry], *, with_disputes: bool = True
) -> list[Judged]:
    """Stored entries among the others, with one look at the store for all of them. Where disputes are left out, each
    holds beside its neighbours: to compare their sentences takes most of the time, and seldom finds one."""
    reference = reference_of(kernel, snapshot)
    edges = fingerprints.neighbours(snapshot.session, snapshot.collection, [entry.id for entry in entries])
    hung = hang(snapshot, entries, joined={entry.id: edges.get(entry.id, []) for entry in entries})
    joined = [edges.get(entry.id, [])[:NEAR] for entry in entries]
    vectors = meanings(snapshot, list({id for ids in joined for id in ids}))
    gates = gates_at(snapshot)
    voices = [voice_at(snapshot, gates.of(entry.attributes.get("domain"))) for entry in entries]
    linked = [_related(*each, vectors) for each in zip(hung, joined, voices, strict=True)]
    known = snapshot.living(id for ids in linked for id in ids)
    others = [[known[id] for id in ids if id in known] for ids in linked]
    # Where the sample is everything, it holds the nearest too.
    is_sampled = reference.size > len(reference.gallery)
    near = _near_duplicates(snapshot, hung, [each[:NEAREST] if is_sampled else [] for each in others], vectors)
    own_vectors = {each.id: each.vector for each in hung if each.vector is not None}
    around = [_Around(entry, beside) for entry, beside in zip(entries, others, strict=True)]
    pairs = around if with_disputes else [_Around(each.entry, ()) for each in around]
    disputed = _disputes(kernel, snapshot, pairs, {**vectors, **own_vectors})
    agreeing = [consistency(each) for each in disputed]
    return reference.judge_all([Candidate(*each) for each in zip(hung, near, agreeing, strict=True)])


def _related(own: Hung, ids: Sequence[str], voice: Voice, vectors: Mapping[str, Array]) -> list[str]:
    """Those of the joined that may say something of the same, and did not merely come before or after it."""
    mine = own.vector
    return [id for id in ids if mine is None or id not in vectors or is_near(float(mine @ vectors[id]), voice)]


def _near_duplicates(
    snapshot: Snapshot, hung: Sequence[Hung], others: Sequence[Sequence[Entry]], vectors: Mapping[str, Array]
) -> list[list[Hung]]:
    """For each its likely duplicates among some others, all of them hung together."""
    likely = [likely_duplicates(own.vector, beside, vectors) for own, beside in zip(hung, others, strict=True)]
    wanted = {entry.id: entry for beside in likely for entry in beside}
    found = {each.id: each for each in hang(snapshot, list(wanted.values()))} if wanted else {}
    return [[found[entry.id] for entry in beside] for beside in likely]


def judge_lately(kernel: Kernel, snapshot: Snapshot, entries: Sequence[Entry]) -> list[Judged]:
    """As `judge_all` without disputes, kept for as long as neither the entry nor the sample changes: good enough beside
    a search result. What waits for its vector is judged again."""
    held = reference_of(kernel, snapshot).lately
    has_vectors = bool(model_of(snapshot.session, snapshot.collection))
    known = {id: judged for (id, _), judged in held.find((entry.id, entry.updated_at) for entry in entries).items()}
    missing = [entry for entry in entries if entry.id not in known]
    judged = judge_all(kernel, snapshot, missing, with_disputes=False) if missing else []
    fresh = {each.hung.id: each for each in judged}
    for entry in missing:
        if fresh[entry.id].hung.vector is not None or not has_vectors:
            held.put((entry.id, entry.updated_at), fresh[entry.id])
    return [known.get(entry.id) or fresh[entry.id] for entry in entries]


def count_lately(kernel: Kernel, snapshot: Snapshot) -> int:
    """How many judgements are kept at the moment."""
    return len(reference_of(kernel, snapshot).lately)


def _disputes(
    kernel: Kernel, snapshot: Snapshot, around: Sequence[_Around], vectors: Mapping[str, Array]
) -> list[list[float]]:
    """How sure it is, for each, that it cannot hold beside some others."""
    pairs = [
        (place, *sorted((each.entry, other), key=lambda entry: (entry.created_at, entry.id)))
        for place, each in enumerate(around)
        for other in each.others
    ]
    found: list[list[float]] = [[] for _ in around]
    if not pairs:
        return found
    compared = compare_pairs(kernel, snapshot, [(older, newer) for _, older, newer in pairs], vectors)
    for (place, _, _), made in zip(pairs, compared, strict=True):
        if made.verdict is not None and made.verdict.kind == "contradiction":
            found[place].append(made.verdict.score)
    return found
