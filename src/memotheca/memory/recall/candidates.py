"""Candidates: what may stand in a context, best first: what the search finds for a question and the one it goes on
from, what people linked to it, the causes of what is asked about, what bears the same tags (memory-model: Context)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memotheca.entries.triples import as_hit, find_sentences
from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.inquiry import Inquiry
from memotheca.memory.graph.causes import causes_of
from memotheca.memory.graph.relations import CONTRADICTS, RESOLVES, SUPERSEDES
from memotheca.memory.recall.companions import companions
from memotheca.memory.recall.preference import prefer
from memotheca.memory.recall.profile_order import narrow, rank_by_profile
from memotheca.memory.recall.profiles import Profile
from memotheca.memory.recall.reasons import told_before
from memotheca.memory.session.gate_log import note_decisions
from memotheca.memory.traits import KNOWN, quarantine_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.tuning.thresholds import Decided, Gates
from memotheca.model.kinds import CAUSAL, HIERARCHICAL, MENTIONS, RELATIONAL
from memotheca.model.knowledge import Entry
from memotheca.search.hits import Hit
from memotheca.search.search import Question, find_entries
from memotheca.storage.adjacency import ENDS, joints_at
from memotheca.storage.snapshot import Snapshot
from memotheca.text.words import words

TRIPLES = 8  # chosen: a few sentences of the graph
OWN = 0.8  # chosen: a question that goes on from another is best read with it
ANCHORS, EDGES = 8, 64  # chosen: bounds the reading
# What of a candidate's score its neighbour gets: told with it, a cause where causes are asked for, a mere link.
TOLD_WITH, CAUSED, PART, JOINED = 0.95, 0.95, 0.6, 0.6  # chosen (memory-model: Context)
LED = 0.8  # chosen: what only speaks of what was before comes behind a stated cause
LONG = 4000  # chosen: letters, more than any memory that is told at once
LEAD = 0.2  # chosen: how far over the cut-off what only bears the same tags may come
EFFECTS = 3  # chosen: what is asked about is among the first
NOTED = 3  # chosen: what a small move of the cut-off would change

# What one of two says about the other, so that neither is told alone.
PAIRED = frozenset({SUPERSEDES, CONTRADICTS, RESOLVES})


@dataclass(frozen=True, slots=True)
class ContextSource:
    """An entry that may be shown, and how much it has to do with the question, of the best; where it is told as a
    cause, of what and after how many steps."""

    hit: Hit
    entry: Entry
    score: float
    effect: str = ""
    step: int = 0

    @property
    def text(self) -> str:
        """What may be shown of it: all it says, or the passages that match where that is long."""
        body = self.entry.body.strip()
        if len(body) <= LONG or not self.hit.excerpts:
            return body[:LONG] or self.entry.title
        placed = sorted(self.hit.excerpts, key=lambda each: each.start)
        return "\n\n".join(dict.fromkeys(text for each in placed if (text := each.text.strip())))

    @property
    def labels(self) -> frozenset[str]:
        """The words it may be found by besides what it says: of its tags, and of why it was stored."""
        return frozenset(words("\n".join((*self.entry.tags, str(self.entry.attributes.get("rationale", ""))))))


@dataclass(frozen=True, slots=True)
class Reach:
    """How many are searched for, what share of the best score a candidate usually needs, and needs now."""

    limit: int
    cut: float
    gates: Gates
    profile: Profile | None = None

    @property
    def usual(self) -> float:
        return self.gates["relevance"]


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates, best first, how many entries were looked at, and the edges by which one says something of
    another: source, target, what it says."""

    candidates: list[ContextSource]
    considered: int
    said: frozenset[tuple[str, str, str]]
    # How near the nearest is in meaning; 1 where that cannot be told.
    nearness: float
    # How many candidates there would be at the usual cut-off.
    usual: int


def find_candidates(kernel: Kernel, query: str, inquiry: Inquiry, *, before: str, reach: Reach) -> Pool:
    """`before` is the question that this one may go on from."""
    found = {each.entry.id: each for each in _searched(kernel, query, reach)}
    if before and inquiry.may_go_on:
        together = _searched(kernel, f"{before} {query}", reach)
        found = {id: replace(each, score=OWN * each.score) for id, each in found.items()}
        for each in together:
            if each.entry.id not in found or found[each.entry.id].score < each.score:
                found[each.entry.id] = each
    ranked = sorted(found.values(), key=lambda each: -each.score)
    with kernel.read() as snapshot:
        relevant = [each for each in ranked if each.score >= reach.usual]
        near, said = _neighbours(kernel, snapshot, relevant, inquiry)
        causes = _causes(kernel, snapshot, relevant) if inquiry.asks_why else {}
    led = _reasons(kernel, relevant, reach) if inquiry.asks_why else []
    labelled = _companions(kernel, query, relevant, reach) if inquiry.asks_for_all or inquiry.asks_why else []
    for each in (*near, *causes.values(), *led, *labelled):
        held = found.get(each.entry.id)
        if held is None or held.score < each.score:
            found[each.entry.id] = each if held is None else replace(each, hit=held.hit)
        elif each.step:
            found[each.entry.id] = replace(held, effect=each.effect, step=each.step)
    kept = [each for each in found.values() if each.score >= reach.cut]
    _note_cut(kernel, found.values(), reach)
    nearness = max((1.0 if each.hit.cosine is None else each.hit.cosine for each in ranked), default=0.0)
    usual = sum(each.score >= reach.usual for each in found.values())
    return Pool(sorted(kept, key=lambda each: (-each.score, each.entry.id)), len(ranked), said, nearness, usual)


def _note_cut(kernel: Kernel, found: Iterable[ContextSource], reach: Reach) -> None:
    """Of what came near the cut-off, a few on either side."""
    ranked = sorted(found, key=lambda each: abs(each.score - reach.usual))
    for is_kept in (True, False):
        side = [each for each in ranked if (each.score >= reach.usual) == is_kept][:NOTED]
        for each in side:
            note_decisions(kernel, [Decided("relevance", each.score, is_kept)], reach.gates, [each.entry.id])


def _searched(kernel: Kernel, query: str, reach: Reach) -> list[ContextSource]:
    question = Question(content=query, kinds=KNOWN, is_explained=False, is_complete=False)
    page = find_entries(kernel, narrow(question, reach.profile, kernel.now()), limit=reach.limit)
    ranked = rank_by_profile(kernel, prefer(kernel, page.hits, query), query, reach.profile)
    triples = [as_hit(said) for said in find_sentences(kernel, query, limit=TRIPLES).triples]
    return [
        ContextSource(hit, entry, hit.score or 0.0)
        for hit in (*ranked, *triples)
        if isinstance(entry := hit.version.thing, Entry)
    ]


def _neighbours(
    kernel: Kernel, snapshot: Snapshot, ranked: Sequence[ContextSource], inquiry: Inquiry
) -> tuple[list[ContextSource], frozenset[tuple[str, str, str]]]:
    """What people linked to the best, and every edge by which one of them says something of another."""
    known, least = {each.entry.id: each for each in ranked}, gates_at(snapshot)["anchor"]
    anchors = [each.entry.id for each in ranked[:ANCHORS] if each.score >= least]
    shares = {CAUSAL: CAUSED if inquiry.asks_why else JOINED, RELATIONAL: JOINED}
    shares |= {HIERARCHICAL: PART} if inquiry.asks_for_all else {}
    scores: dict[str, float] = {}
    said: set[tuple[str, str, str]] = set()
    for type, share in shares.items():
        for end in ENDS:
            for joint in joints_at(snapshot, anchors, end, type=type, limit=EDGES):
                here, there = (joint.source, joint.target) if end == "source" else (joint.target, joint.source)
                if joint.predicate == MENTIONS:
                    continue
                is_paired = joint.predicate in PAIRED
                if is_paired:
                    said.add((joint.source, joint.target, joint.predicate))
                value = known[here].score * (TOLD_WITH if is_paired else share)
                scores[there] = max(scores.get(there, 0.0), value)
    return _read(kernel, snapshot, scores), frozenset(said)


def _read(kernel: Kernel, snapshot: Snapshot, scores: Mapping[str, float]) -> list[ContextSource]:
    shown = _shown(kernel, snapshot, scores)
    return [ContextSource(_hit(snapshot, entry, scores[entry.id], 1), entry, scores[entry.id]) for entry in shown]


def _shown(kernel: Kernel, snapshot: Snapshot, ids: Iterable[str]) -> list[Entry]:
    """Those of some entries that live, may be shown, and say something."""
    now = kernel.now()
    living = snapshot.living(list(ids)).values()
    return [entry for entry in living if entry.kind in KNOWN and entry.body and quarantine_of(entry, now) is None]


def _companions(kernel: Kernel, query: str, ranked: Sequence[ContextSource], reach: Reach) -> list[ContextSource]:
    """What bears the same tags as the best, behind all that was found by what it says."""
    labelled = companions(kernel, query, _anchors(ranked, reach), reach.profile)
    return [
        ContextSource(hit, entry, reach.usual * (1 + LEAD * (hit.score or 0.0)))
        for hit in labelled
        if isinstance(entry := hit.version.thing, Entry) and entry.body
    ]


def _reasons(kernel: Kernel, ranked: Sequence[ContextSource], reach: Reach) -> list[ContextSource]:
    """What was told before the best and is spoken of where they, or why they were remembered, say so."""
    led = told_before(kernel, _anchors(ranked, reach), reach.profile)
    return [ContextSource(hit, entry, LED * score) for hit, entry, score in led]


def _anchors(ranked: Sequence[ContextSource], reach: Reach) -> list[tuple[Entry, float]]:
    return [(each.entry, each.score) for each in ranked[:ANCHORS] if each.score >= reach.gates["anchor"]]


def _hit(snapshot: Snapshot, entry: Entry, score: float, hops: int) -> Hit:
    version = snapshot.version(entry.id, snapshot.tx)
    assert version is not None
    return Hit(version, score, graph_hops=hops)


def _causes(kernel: Kernel, snapshot: Snapshot, ranked: Sequence[ContextSource]) -> dict[str, ContextSource]:
    """The causes of the best, those nearest to what they brought about first."""
    found: dict[str, ContextSource] = {}
    least = gates_at(snapshot)["anchor"]
    for effect in [each for each in ranked[:EFFECTS] if each.score >= least]:
        traced = {cause.entry.id: cause.hops for cause in causes_of(snapshot, [effect.entry.id])}
        for entry in _shown(kernel, snapshot, traced):
            score = effect.score * CAUSED ** traced[entry.id]
            held = found.get(entry.id)
            if held is None or held.score < score:
                hit = _hit(snapshot, entry, score, traced[entry.id])
                found[entry.id] = ContextSource(hit, entry, score, effect.entry.id, traced[entry.id])
    return found
