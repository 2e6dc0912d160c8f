"""Inject context."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.critique import ContradictoryPair
from memotheca.memory.claims.distil import MODES, Mode
from memotheca.memory.claims.inquiry import follow, is_question
from memotheca.memory.claims.summary import sentences
from memotheca.memory.focus.pull import pull_of
from memotheca.memory.focus.workspace import pinned_entry
from memotheca.memory.outcomes.prediction import AnsweredQuestion, predict_help
from memotheca.memory.recall.bundle import bundle, shorten
from memotheca.memory.recall.context import NOTHING, POOL, Context, Occasion, Superseded, compose
from memotheca.memory.recall.pinned import hold_pinned
from memotheca.memory.recall.profiles import find_profile
from memotheca.memory.recall.recall import similarity_of
from memotheca.memory.recall.session_brief import begin
from memotheca.memory.session.arousal import modulator_levels, note_effects
from memotheca.memory.session.focus import note_retrieval
from memotheca.memory.session.gate_log import note_decisions
from memotheca.memory.session.state import Mood, activity_of, last_question, note_question
from memotheca.memory.standing.judge import judge_lately
from memotheca.memory.standing.whole import dominant_space, learn
from memotheca.memory.traits import importance_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.tuning.thresholds import Decided
from memotheca.model.clock import to_iso
from memotheca.model.kinds import TRIPLE
from memotheca.model.knowledge import Entry
from memotheca.search.hits import Hit
from memotheca.storage.snapshot import Snapshot
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, free, integer, many, number, one, said, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.lambda_shapes import room_for_asking, tell_asking

POOLS = {"low": 0.5, "normal": 1.0, "high": 1.5, "critical": 2.0}  # chosen: as the description of `priority` says
SORTS = ("causal_links", "entailment_cones", "neighborhood", "conflicts")
BESIDE = (100, 200, 800)  # chosen: tokens beside the context, for each level of verbosity
AGREEING = 3  # chosen: further down a dispute hardly concerns the question (memory-model: Focus)
JUDGED = 10  # chosen: those that are shown
INSTEAD = ("generate_search_plan", "epistemic_action", "find_causal_path")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    query: str = text("What the context is for.", minLength=1, maxLength=4096)
    max_tokens: int = integer("", 2048, minimum=100, maximum=8192)
    session_id: str = text("", UNSET, maxLength=256)
    priority: Literal["low", "normal", "high", "critical"] = choice(
        tuple(POOLS), "How widely to look: half, 1, 1.5 or 2 times the usual.", "normal"
    )
    distillation_mode: str = choice(("auto", *MODES), "", "auto")
    include_metadata: tuple[str, ...] = texts("", (), values=SORTS)
    profile: str = text("", UNSET)
    verbosity_level: int = integer(
        "How much to tell beside it; 2 where coherence is below 0.4.", 1, minimum=0, maximum=2
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeShape:
    id: str = text()
    citation: str = text()
    name: str | Unset = text(default=UNSET)
    kind: str | Unset = text(default=UNSET)
    score: float | Unset = number(default=UNSET)
    similarity: float | Unset = number(default=UNSET)
    created_at: str | Unset = text(default=UNSET)
    importance: float | Unset = number(default=UNSET)
    johari: str | Unset = text(default=UNSET)
    dominant_embedder: str | Unset = text(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsShape:
    entropy: float = number()
    coherence: float = number()
    learning_score: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictShape:
    has_conflict: bool = flag()
    conflicting_nodes: tuple[str, ...] = texts()
    topic: str | None = text(default=None, nullable=True)
    message: str = text()
    suggested_action: str | None = choice(("merge_concepts", "ask_user", "ignore"), default=None, nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SupersededShape:
    node_id: str = text()
    citation: str = text()
    statement: str = text()
    superseded_by: str | None = text(default=None, nullable=True)
    reason: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class GatingShape:
    triggered: bool = flag()
    entropy_score: float = number()
    message: str = text()
    suggested_tools: tuple[str, ...] = texts()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    context: str = text()
    tokens_used: int = integer()
    tokens_before_distillation: int = integer()
    distillation_applied: bool = flag()
    distillation_mode: str = text()
    compression_ratio: float | None = number(default=None, nullable=True)
    nodes_retrieved: tuple[NodeShape, ...] = many(NodeShape)
    nodes_considered: int = integer()
    superseded: tuple[SupersededShape, ...] = many(SupersededShape)
    utl_metrics: MetricsShape = one(MetricsShape)
    bundled_metadata: dict[str, Any] = free()
    metadata_truncated: bool = flag()
    verbosity_applied: int = integer()
    conflict_alert: ConflictShape = one(ConflictShape)
    tool_gating_warning: GatingShape = one(GatingShape)
    prediction_id: str = text("For saying whether it helped.")
    latency_ms: float = number()


EXAMPLE = Example(
    arguments={"query": "Where does Ada live?", "max_tokens": 200},
    after=(
        ("store_memory", {"content": "Ada lives in Paris.", "rationale": "She told us at lunch."}),
        ("store_memory", {"content": "Ada lives in Oslo.", "rationale": "She has moved."}),
        ("store_memory", {"content": "Deploys wait for the lock.", "rationale": "Seen on Tuesday."}),
    ),
)


@tool(contract="memories", component="retrieval", effect="read", models=(Input, Output), example=EXAMPLE)
def inject_context(call: Call[Kernel], input: Input) -> Answer:
    """What is stored about a question, within a budget of tokens: dated and cited, newest first, what was replaced
    named, both sides of a dispute, causes where it asks why; nothing where nothing is known. A session's first query
    that is a goal also brings what is tagged pinned, open disputes, what is new."""
    began = time.perf_counter()
    kernel, session = call.kernel, input.session_id or call.session
    with kernel.read() as snapshot:
        mood = activity_of(kernel).mood(snapshot.session, kernel.collection, session)
        occasion = _occasion(call, snapshot, input, session, mood=mood)
        pinned = pinned_entry(kernel, snapshot, session)
    is_beginning = bool(session) and not occasion.before and not is_question(input.query)
    made = hold_pinned(kernel, occasion, pinned, begin if is_beginning else compose)
    entries = [cast(Entry, hit.version.thing) for hit in made.hits if hit.version.kind != TRIPLE]
    bundled = bundle(kernel, entries, made.clashes, input.include_metadata)
    with kernel.read() as snapshot:
        gates = gates_at(snapshot)
        level = min(input.verbosity_level, 2 if mood.coherence < gates["coherence_low"] else 1)
        standing = _standing(kernel, snapshot, entries[:JUDGED]) if level == len(BESIDE) - 1 else {}
    nodes = tuple(_node(hit, level, standing.get(hit.version.id, {})) for hit in made.hits)
    note_decisions(kernel, [Decided("gating", mood.entropy, mood.entropy > gates["gating"])], gates)
    told, shortened = shorten(bundled, BESIDE[level])
    mood.has_conflict |= any(clash.contradiction.type != "temporal" for clash in made.clashes)
    asked = follow(occasion.before, input.query)
    note_question(mood, asked, [hit.version.id for hit in made.hits], goes_on=asked != input.query.strip())
    note_effects(kernel, session, made.effects)
    prediction_id = _predict(kernel, session, occasion, made)
    activity_of(kernel).look(kernel.collection, [entry.id for entry in entries], kernel.now())
    output = Output(
        context=made.text,
        tokens_used=made.tokens,
        tokens_before_distillation=made.tokens_before,
        distillation_applied=made.mode != "raw",
        distillation_mode=made.mode,
        compression_ratio=round(made.tokens / made.tokens_before, 4) if made.tokens_before else None,
        nodes_retrieved=nodes,
        nodes_considered=made.considered,
        superseded=tuple(map(_superseded, made.superseded)),
        utl_metrics=_metrics(mood),
        bundled_metadata=told,
        metadata_truncated=shortened,
        verbosity_applied=level,
        conflict_alert=_alert(made),
        tool_gating_warning=_gating(mood, gates["gating"]),
        prediction_id=prediction_id,
        latency_ms=round((time.perf_counter() - began) * 1000, 3),
    )
    return Answer(tell_asking(call, made.text or NOTHING, prediction_id), NODES, output, is_text_alone=True)


def _occasion(call: Call[Kernel], snapshot: Snapshot, input: Input, session: str, *, mood: Mood) -> Occasion:
    kernel = call.kernel
    return Occasion(
        query=input.query,
        tokens=input.max_tokens - room_for_asking(call),
        mode=None if input.distillation_mode == "auto" else cast(Mode, input.distillation_mode),
        pool=round(POOL * POOLS[input.priority]),
        before=last_question(snapshot.session, kernel.collection, mood),
        levels=modulator_levels(kernel, snapshot.session, session),
        pull=pull_of(kernel, snapshot, session),
        profile=find_profile(snapshot, said(input)["profile"]) if "profile" in said(input) else None,
    )


def _predict(kernel: Kernel, session: str, occasion: Occasion, made: Context) -> str:
    """Let the session feel what was found, and write it down with how well it is thought to help."""
    fit = note_retrieval(kernel, session, max(map(similarity_of, made.hits), default=None), _agreement(made))
    profile = "" if occasion.profile is None else occasion.profile.id
    asked = AnsweredQuestion(
        query=occasion.query, session=session, way="context", hits=made.hits, fit=fit, profile=profile
    )
    return predict_help(kernel, asked).id


def _agreement(made: Context) -> float | None:
    """The share of the best of a context that nothing else in it contradicts; one alone agrees with nothing."""
    shown = {hit.version.id for hit in made.hits[:AGREEING]}
    disputed = {entry.id for clash in made.clashes for entry in (clash.older, clash.newer)}
    return 1 - len(shown & disputed) / len(shown) if len(shown) > 1 else None


def _node(hit: Hit, level: int, standing: Mapping[str, Any]) -> NodeShape:
    """Told more fully the more is wanted."""
    entry = cast(Entry, hit.version.thing)
    facts: dict[str, Any] = {"id": entry.id, "citation": citation_of(entry), **standing}
    if level >= 1:
        facts |= {"name": name_of(entry), "kind": entry.kind, "created_at": to_iso(entry.created_at)}
        facts |= {"score": round(hit.score or 0.0, 4), "similarity": round(similarity_of(hit), 4)}
    return NodeShape(**facts)


def _standing(kernel: Kernel, snapshot: Snapshot, entries: Sequence[Entry]) -> dict[str, dict[str, Any]]:
    """What is told of the best ones where most is wanted."""
    interactions, gates = activity_of(kernel).count(snapshot.session, kernel.collection), gates_at(snapshot)
    return {
        entry.id: {
            "importance": round(importance_of(entry), 4),
            "johari": learn(entry, judged, interactions, gates).quadrant,
            "dominant_embedder": dominant_space(judged),
        }
        for entry, judged in zip(entries, judge_lately(kernel, snapshot, entries), strict=True)
    }


def _metrics(mood: Mood) -> MetricsShape:
    return MetricsShape(
        entropy=round(mood.entropy, 4), coherence=round(mood.coherence, 4), learning_score=round(mood.learning, 4)
    )


def _superseded(each: Superseded) -> SupersededShape:
    return SupersededShape(
        node_id=each.entry.id,
        citation=citation_of(each.entry),
        statement=each.statement,
        superseded_by=None if each.by is None else each.by.id,
        reason=each.reason,
    )


def _alert(made: Context) -> ConflictShape:
    if not made.clashes:
        return ConflictShape(
            has_conflict=False, conflicting_nodes=(), message="Nothing found contradicts anything else."
        )
    worst = max(made.clashes, key=lambda clash: clash.contradiction.score)
    ids = dict.fromkeys(entry.id for clash in made.clashes for entry in (clash.older, clash.newer))
    said = worst.contradiction
    return ConflictShape(
        has_conflict=True,
        conflicting_nodes=tuple(ids),
        topic=name_of(worst.newer),
        message=f"{citation_of(worst.newer)} contradicts {citation_of(worst.older)}: {said.explanation}.",
        suggested_action=_advice(made.clashes),
    )


def _advice(clashes: Sequence[ContradictoryPair]) -> str:
    """Only a person knows which of two statements about the same time is true. What was true at another time can be
    left alone, or merged where it says more than what is over."""
    if any(clash.contradiction.type != "temporal" for clash in clashes):
        return "ask_user"
    return "merge_concepts" if any(len(sentences(clash.older.body)) > 1 for clash in clashes) else "ignore"


def _gating(mood: Mood, bar: float) -> GatingShape:
    triggered = mood.entropy > bar
    said = f"entropy {mood.entropy:.2f} is {'above' if triggered else 'within'} {bar:g}"
    return GatingShape(
        triggered=triggered,
        entropy_score=round(mood.entropy, 4),
        message=f"{said}; settle what is asked before relying on this context" if triggered else said,
        suggested_tools=INSTEAD if triggered else (),
    )
