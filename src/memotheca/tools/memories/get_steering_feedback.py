"""Foresee a store."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.when import SOURCES
from memotheca.memory.curation.aftermath import WORTH, StoreFate, last_stores
from memotheca.memory.curation.origin import Origin
from memotheca.memory.curation.preflight import likely_tags, weigh_reason
from memotheca.memory.curation.remember import ForeseenStore, NewMemory, foresee_store
from memotheca.memory.session.steering_reward import LOW_PRIORS, NEAR_DUPLICATE
from memotheca.memory.tuning.thresholds import DOMAINS
from memotheca.model.knowledge import counted
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, integer, many, number, one, said, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.beside import (
    ConflictShape,
    DuplicateShape,
    NearShape,
    UpdateShape,
    lines_beside,
    sentences_beside,
    tell_beside,
)
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.store_memory import IMPROVING

# What to do about what became of stores, the worst first.
ADVICE: Mapping[str, str] = {
    "forgotten": "Several were forgotten again: store only what will hold and be needed.",
    "merged": "Several repeated what was there: look before you store (inject_context, or content here).",
    "repeated": "Several repeated what was there: look before you store (inject_context, or content here).",
    "disputed": "Several are disputed: settle them (epistemic_action) before more is built on them.",
    "unused": "Most were never looked at again: store what answers a question somebody will ask.",
}
# What gardener, curator and assessor measure over the last stores.
FACTORS = ("gardener_score", "curator_score", "assessor_score")
# Advice that is given where a memory's assumptions are unclear.
UNCLEAR = frozenset({"rationale", "source", "domain"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    content: str = text(
        "What would be stored: a dry run. Without it, how the last stores did.", UNSET, minLength=1, maxLength=65_536
    )
    context: str = text("The rationale it would be stored with.", UNSET, maxLength=1000)
    domain: str = choice(DOMAINS, "", UNSET)
    source: str = choice(SOURCES, "Who says it: what is said to you from outside is held.", UNSET)
    lookback_count: int = integer("How many of the last stores.", 10, minimum=1, maximum=100)
    session_id: str = text("Only the stores of this session.", UNSET, maxLength=256)


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardShape:
    value: float = number()
    gardener_score: float = number("How well memories are joined, from -1 to 1.")
    curator_score: float = number("How much of them is worth keeping.")
    assessor_score: float | None = number(
        "How much of what was asked was found, null where no recall was tested, or of what was stored used.",
        nullable=True,
    )
    dominant_factor: str = text()
    limiting_factor: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakdownShape:
    novelty: float = number()
    coherence: float = number()
    duplication: float = number("What a near-duplicate takes away.")
    low_priors: float = number("What unclear assumptions take away.")
    missing_rationale: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkShape:
    node_id: str = text()
    name: str = text()
    type: str = text()
    predicate: str = text()
    weight: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonShape:
    is_of_use: bool = flag()
    explanation: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreflightShape:
    would_be_held: bool = flag()
    would_be_refused: bool = flag()
    redactions: tuple[str, ...] = texts("Kinds of secrets that would be taken out.")
    duplicates: tuple[DuplicateShape, ...] = many(DuplicateShape)
    conflicts: tuple[ConflictShape, ...] = many(ConflictShape)
    updates: tuple[UpdateShape, ...] = many(UpdateShape)
    near: tuple[NearShape, ...] = many(NearShape)
    links: tuple[LinkShape, ...] = many(LinkShape, "The edges that it would get by itself.")
    suggested_tags: tuple[str, ...] = texts("Tags that several of the nearest have.")
    rationale: ReasonShape = one(ReasonShape)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreShape:
    node_id: str = text()
    name: str = text()
    became: str = choice(tuple(WORTH))
    looks: int = integer("How often it was looked at since.")
    linked: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    reward: RewardShape | None = one(RewardShape, default=None, nullable=True)
    reason: str | None = text("Why there is no reward.", default=None, nullable=True)
    breakdown: BreakdownShape | Unset = one(BreakdownShape, default=UNSET)
    preflight: PreflightShape | Unset = one(PreflightShape, default=UNSET)
    stores: tuple[StoreShape, ...] | Unset = many(StoreShape, default=UNSET)
    count: int = integer("Stores that were looked back at.")
    summary: str = text()
    priority_improvement: str | None = text(default=None, nullable=True)
    recommendations: tuple[str, ...] = texts()


EXAMPLE = Example(
    arguments={
        "content": "The migration lock is taken by the nightly job at two.",
        "context": "Deploys wait for it; whoever plans one should know.",
    },
    after=(
        (
            "store_memory",
            {"content": "The migration lock is taken by the nightly job.", "rationale": "Needed to explain deploys."},
        ),
    ),
)


@tool(contract="memories", component="storage", effect="read", models=(Input, Output), example=EXAMPLE)
def get_steering_feedback(call: Call[Kernel], input: Input) -> Answer:
    """Before you store: with content, a dry run that says what it repeats, updates or disputes, which links it would
    get, whether it would be held and whether its rationale is of use; nothing is stored. Without: what became of the
    last stores."""
    given = said(input)
    if "content" in given:
        foreseen = foresee_store(call.kernel, _draft(call, input))
        output, lines = _foretold(foreseen, given.get("context", "")), lines_beside(foreseen.compared, {})
    else:
        with call.kernel.read() as snapshot:
            session = given.get("session_id")
            output = _looked_back(last_stores(call.kernel, snapshot, input.lookback_count, session=session))
        lines: list[str] = []
    first = " ".join((output.summary, *output.recommendations))
    return Answer("\n".join((first, *lines)), NODES, output)


def _draft(call: Call[Kernel], input: Input) -> NewMemory:
    given = said(input)
    return NewMemory(
        content=input.content,
        rationale=given.get("context", ""),
        metadata={},
        domain=given.get("domain"),
        session=given.get("session_id") or call.session,
        origin=Origin(source=given["source"]) if "source" in given else Origin(),
    )


def _foretold(foreseen: ForeseenStore, context: str) -> Output:
    verdict, reason = foreseen.verdict, weigh_reason(context, foreseen.entry.body)
    beside = tell_beside(foreseen.compared, {})
    told = sentences_beside(foreseen.compared, {})
    improvements = [IMPROVING[each] for each in verdict.improvements]
    if not reason.is_of_use:
        improvements.insert(0, reason.told)
    scores = (verdict.gardener, verdict.curator, verdict.assessor)
    stands = "It would be stored."
    if foreseen.hearing.is_refused:
        stands = "It would be refused: it hides instructions from people's eyes."
    elif foreseen.hearing.is_held:
        stands = "It would be held until released: it reads like instructions planted for an agent."
    return Output(
        reward=_reward(verdict.reward, scores),
        breakdown=BreakdownShape(
            novelty=round(foreseen.learned.delta_s, 4),
            coherence=round(foreseen.learned.delta_c, 4),
            duplication=NEAR_DUPLICATE if "merge" in verdict.improvements else 0.0,
            low_priors=LOW_PRIORS if UNCLEAR.intersection(verdict.improvements) else 0.0,
            missing_rationale=not context.strip(),
        ),
        preflight=PreflightShape(
            would_be_held=foreseen.hearing.is_held and not foreseen.hearing.is_refused,
            would_be_refused=foreseen.hearing.is_refused,
            redactions=tuple(each.type for each in foreseen.redactions),
            **beside,
            links=tuple(
                LinkShape(
                    node_id=other.id,
                    name=name_of(other),
                    type=tie.type,
                    predicate=tie.predicate,
                    weight=round(tie.weight, 4),
                )
                for tie, other in foreseen.ties
            ),
            suggested_tags=tuple(likely_tags(foreseen.near, foreseen.entry.tags)),
            rationale=ReasonShape(is_of_use=reason.is_of_use, explanation=reason.told),
        ),
        count=0,
        summary=" ".join((stands, *told)),
        priority_improvement=improvements[0] if improvements else None,
        recommendations=tuple(improvements),
    )


def _looked_back(fates: Sequence[StoreFate]) -> Output:
    if not fates:
        return Output(count=0, reason="Nothing was stored.", summary="Nothing was stored yet.", recommendations=())
    became = Counter(each.fate for each in fates)
    worth = sum(WORTH[each.fate] for each in fates) / len(fates)
    shares = (
        sum(each.is_joined for each in fates),
        sum(WORTH[each.fate] >= 0 for each in fates),
        sum(each.looks > 0 for each in fates),
    )
    told = ", ".join(f"{count} {fate}" for fate, count in became.most_common())
    advised = [
        advice for fate, advice in ADVICE.items() if 2 * became[fate] > len(fates) or (worth < 0 and became[fate])
    ]
    return Output(
        reward=_reward(worth, tuple(2 * share / len(fates) - 1 for share in shares)),
        stores=tuple(
            StoreShape(
                node_id=each.entry.id,
                name=f"{name_of(each.entry)} {citation_of(each.entry)}",
                became=each.fate,
                looks=each.looks,
                linked=each.is_joined,
            )
            for each in fates
        ),
        count=len(fates),
        summary=f"Of the last {counted(len(fates), 'store')}: {told}.",
        priority_improvement=advised[0] if advised else None,
        recommendations=tuple(dict.fromkeys(advised)),
    )


def _reward(value: float, scores: Sequence[float | None]) -> RewardShape:
    ranked = sorted((score, name) for score, name in zip(scores, FACTORS, strict=True) if score is not None)
    parts: dict[str, Any] = {**dict.fromkeys(FACTORS), **{name: round(score, 4) for score, name in ranked}}
    return RewardShape(value=round(value, 4), dominant_factor=ranked[-1][1], limiting_factor=ranked[0][1], **parts)
