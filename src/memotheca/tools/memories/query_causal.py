"""Query causes and effects."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.links import STATED
from memotheca.memory.graph.causality import MAX_PATHS, Arrow, strength
from memotheca.memory.graph.causes import TracedCause, causes_of
from memotheca.memory.graph.walk import confidence_of, strength_of
from memotheca.memory.recall.inference import (
    INTERVENTIONS,
    LEAK,
    MOST_EFFECTS,
    Confounder,
    Effect,
    Intervention,
    Reached,
    effects_of,
    infer,
    resolve,
    tell,
)
from memotheca.memory.session.state import activity_of
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Edge, Entry
from memotheca.toolkit.fields import UNSET, choice, flag, integer, many, number, one, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

DIRECTIONS = ("increases", "decreases", "none", "unknown")
UNKNOWN = "No chain of causes between the two is known."


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    action: str = text(
        "What is done or seen: words, or a node; without it, what led to the outcome.",
        UNSET,
        minLength=1,
        maxLength=4096,
    )
    outcome: str = text(
        "What it may lead to; without it, everything the action leads to.", UNSET, minLength=1, maxLength=4096
    )
    intervention_type: str = choice(INTERVENTIONS, "", "do")
    max_hops: int = integer("", 5, minimum=1, maximum=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeShape:
    id: str = text()
    name: str = text()
    citation: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedShape:
    action_nodes: tuple[NodeShape, ...] = many(NodeShape)
    outcome_nodes: tuple[NodeShape, ...] = many(NodeShape)


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectShape:
    action_node: str = text()
    outcome_node: str = text()
    probability: float | None = number(nullable=True)
    baseline: float | None = number(nullable=True)
    lift: float | None = number(nullable=True)
    direction: str = choice(DIRECTIONS)
    necessity: float | None = number(default=None, nullable=True)
    reason: str | None = text("Why a number is unknown.", default=None, nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathShape:
    nodes: tuple[str, ...] = texts()
    edges: tuple[str, ...] = texts()
    strength: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfounderShape:
    node_id: str = text()
    name: str = text()
    strength_to_action: float = number()
    strength_to_outcome: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachedShape:
    node_id: str = text()
    name: str = text()
    citation: str = text()
    probability: float = number()
    chains: int = integer()
    hops: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseShape:
    node_id: str = text()
    name: str = text()
    citation: str = text()
    leads_to: str = text("The node that it brings about directly.")
    probability: float = number()
    hops: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceShape:
    edge_id: str = text()
    source: str = text()
    target: str = text()
    relationship: str = text()
    weight: float = number()
    confidence: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    resolved: ResolvedShape = one(ResolvedShape)
    intervention_type: str = text()
    effect: EffectShape | None = one(EffectShape, default=None, nullable=True)
    paths: tuple[PathShape, ...] = many(PathShape)
    confounders: tuple[ConfounderShape, ...] = many(ConfounderShape)
    effects: tuple[ReachedShape, ...] = many(ReachedShape)
    causes: tuple[CauseShape, ...] = many(CauseShape)
    explanation: str = text()
    evidence: tuple[EvidenceShape, ...] = many(EvidenceShape)
    assumptions: tuple[str, ...] = texts()
    truncated: bool = flag()


EXAMPLE = Example(
    arguments={"action": "stale cache", "outcome": "wrong prices"},
    after=(
        ("store_memory", {"content": "Prices were wrong.", "rationale": "Customers called.", "name": "wrong prices"}),
        (
            "store_memory",
            {
                "content": "The cache was stale.",
                "rationale": "Found on Tuesday.",
                "name": "stale cache",
                "link_to": ["wrong prices"],
                "metadata": {"relation": "causes"},
            },
        ),
    ),
)


@tool(contract="memories", component="retrieval", effect="read", models=(Input, Output), example=EXAMPLE)
def query_causal(call: Call[Kernel], input: Input) -> Answer:
    """What an action brings about, what caused an outcome (give only that), or how likely one makes the other: if it is
    done, if it is seen (with the common causes that hints at), or had it not been (counterfactual). What nobody stated
    is unknown."""
    if not input.action and not input.outcome:
        raise Refusal(Failure.INVALID, "Name an action, an outcome, or both.", field="action")
    kernel = call.kernel
    kind = cast(Intervention, input.intervention_type)
    actions = resolve(kernel, input.action) if input.action else []
    outcomes = resolve(kernel, input.outcome) if input.outcome else []
    with kernel.read() as snapshot:
        if input.action and input.outcome:
            output = _judged(infer(snapshot, actions, outcomes, kind, hops=input.max_hops), (actions, outcomes), kind)
        elif input.action:
            output = _ranked(actions, effects_of(snapshot, actions, input.max_hops), kind)
        else:
            ids = [entry.id for entry in outcomes]
            output = _traced(outcomes, causes_of(snapshot, ids, depth=input.max_hops, limit=MOST_EFFECTS + 1), kind)
    activity_of(kernel).look(kernel.collection, [entry.id for entry in (*actions, *outcomes)], kernel.now())
    return Answer(output.explanation, NODES, output)


def _judged(effect: Effect | None, meant: tuple[Sequence[Entry], Sequence[Entry]], kind: Intervention) -> Output:
    resolved = ResolvedShape(action_nodes=tuple(map(_node, meant[0])), outcome_nodes=tuple(map(_node, meant[1])))
    if effect is None:
        why = (
            "Action and outcome are the same node." if all(meant) else "Nothing stored fits the action or the outcome."
        )
        return _output(resolved, kind, explanation=why)
    edges = [effect.edges[arrow.edge_id] for path in effect.paths[:MAX_PATHS] for arrow in path]
    return _output(
        resolved,
        kind,
        effect=_effect(effect),
        paths=tuple(map(_path, effect.paths[:MAX_PATHS])),
        confounders=tuple(map(_confounder, effect.confounders)),
        explanation=tell(effect, kind),
        evidence=_evidence(edges),
        truncated=effect.truncated or len(effect.paths) > MAX_PATHS,
    )


def _ranked(actions: Sequence[Entry], found: tuple[list[Reached], dict[str, Edge], bool], kind: Intervention) -> Output:
    reached, edges, truncated = found
    cited = ", ".join(citation_of(each.entry) for each in reached[:3])
    if not actions:
        told = "Nothing stored fits the action."
    else:
        told = f"It leads most likely to {cited}." if cited else "No effect of it is known."
    resolved = ResolvedShape(action_nodes=tuple(map(_node, actions)), outcome_nodes=())
    return _output(
        resolved,
        kind,
        effects=tuple(map(_reached, reached)),
        explanation=told,
        evidence=_evidence(edges.values()),
        truncated=truncated,
    )


def _traced(outcomes: Sequence[Entry], found: Sequence[TracedCause], kind: Intervention) -> Output:
    shown = found[:MOST_EFFECTS]
    cited = ", ".join(f"{name_of(each.entry)} {citation_of(each.entry)}" for each in shown[:5])
    if not outcomes:
        told = "Nothing stored fits the outcome."
    else:
        told = f"It was brought about by {cited}, direct causes first." if cited else "No cause of it is known."
    resolved = ResolvedShape(action_nodes=(), outcome_nodes=tuple(map(_node, outcomes)))
    return _output(
        resolved,
        kind,
        causes=tuple(map(_cause, shown)),
        explanation=told,
        evidence=_evidence(each.edge for each in shown),
        truncated=len(found) > MOST_EFFECTS,
    )


def _cause(each: TracedCause) -> CauseShape:
    return CauseShape(
        node_id=each.entry.id,
        name=name_of(each.entry),
        citation=citation_of(each.entry),
        leads_to=each.effect,
        probability=round(each.probability, 4),
        hops=each.hops,
    )


def _output(resolved: ResolvedShape, kind: Intervention, **found: Any) -> Output:
    empty: dict[str, Any] = dict.fromkeys(("paths", "confounders", "effects", "causes", "evidence"), ())
    empty["truncated"] = False
    return Output(resolved=resolved, intervention_type=kind, assumptions=_assumptions(kind), **{**empty, **found})


def _assumptions(kind: Intervention) -> tuple[str, ...]:
    shared = (
        "Each causal link works by itself; chains that share no link add up (noisy-or).",
        "A link is as likely as its weight times its confidence, and likelier where it was stated more than once.",
        f"A cause without a known cause holds as surely as it was annotated, else {STATED:g}.",
    )
    more = {
        "do": "Doing cuts what usually brings the action about.",
        "observe": f"Seeing the action speaks for its causes; unknown causes account for {LEAK:g}.",
        "counterfactual": "Everything else stays as it is.",
    }
    return (*shared, more[kind])


def _node(entry: Entry) -> NodeShape:
    return NodeShape(id=entry.id, name=name_of(entry), citation=citation_of(entry))


def _effect(effect: Effect) -> EffectShape:
    if not effect.is_known:
        return EffectShape(
            action_node=effect.action.id,
            outcome_node=effect.outcome.id,
            probability=None,
            baseline=round(effect.baseline, 4) if effect.baseline else None,
            lift=None,
            direction="unknown",
            reason=UNKNOWN,
        )
    lift = round(effect.lift, 4)
    return EffectShape(
        action_node=effect.action.id,
        outcome_node=effect.outcome.id,
        probability=round(effect.probability, 4),
        baseline=round(effect.baseline, 4),
        lift=lift,
        direction="increases" if lift > 0 else "decreases" if lift < 0 else "none",
        necessity=None if effect.necessity is None else round(effect.necessity, 4),
    )


def _path(path: Sequence[Arrow]) -> PathShape:
    return PathShape(
        nodes=(path[0].source, *(arrow.target for arrow in path)),
        edges=tuple(arrow.edge_id for arrow in path),
        strength=round(strength(path), 4),
    )


def _confounder(each: Confounder) -> ConfounderShape:
    return ConfounderShape(
        node_id=each.entry.id,
        name=name_of(each.entry),
        strength_to_action=round(each.to_action, 4),
        strength_to_outcome=round(each.to_outcome, 4),
    )


def _reached(each: Reached) -> ReachedShape:
    return ReachedShape(
        node_id=each.entry.id,
        name=name_of(each.entry),
        citation=citation_of(each.entry),
        probability=round(each.probability, 4),
        chains=each.chains,
        hops=each.hops,
    )


def _evidence(edges: Iterable[Edge]) -> tuple[EvidenceShape, ...]:
    return tuple(
        EvidenceShape(
            edge_id=edge.id,
            source=edge.source,
            target=edge.target,
            relationship=edge.predicate,
            weight=round(strength_of(edge), 4),
            confidence=round(confidence_of(edge), 4),
        )
        for edge in {edge.id: edge for edge in edges}.values()
    )
