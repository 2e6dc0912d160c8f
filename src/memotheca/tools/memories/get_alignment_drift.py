"""Look for drift."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.topics.drift import (
    NO_TOPICS,
    STRATEGIES,
    DriftQuestion,
    GoalDrift,
    Strategy,
    check_drift,
    note_check,
)
from memotheca.memory.topics.drift_checks import BANDS, TIMEFRAMES, past_checks, trend_of
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import counted
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, integer, many, number, one, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.drift_shapes import CheckShape, TrendShape, tell_check, tell_trend

LEVELS = tuple(level for level, _ in BANDS)
SHOWN_TOPICS, SHOWN_CHECKS, MOST_DRIFTED = 10, 20, 5  # chosen; specification: five
TOLD = 2  # chosen: pieces of advice in the text; all are in recommendations
ASKED_ABOUT = 200  # chosen: as many as are looked at of a time


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    timeframe: str = choice(tuple(TIMEFRAMES), "", "24h")
    include_history: bool = flag("", False)
    memory_ids: tuple[str, ...] = texts("These, instead of those of a time.", (), maxItems=ASKED_ABOUT)
    strategy: str = choice(
        STRATEGIES, "share: how much of it serves the goal. cosine: how near it is to the goal's middle.", "share"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallShape:
    level: str | None = choice(LEVELS, "None: no drift.", nullable=True)
    similarity: float | None = number("How much of the goal's share is left.", nullable=True)
    drift_score: float | None = number(nullable=True)
    has_drifted: bool = flag("Whether that is more than chance.")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceShape:
    embedder: str = text()
    similarity: float = number("To the goal's typical memories, of what is usual.")
    drift_score: float = number()
    drift_level: str = choice(LEVELS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareShape:
    topic_id: str | None = text(nullable=True)
    name: str = text()
    recent: float = number("Its share of what was looked at.")
    usual: float = number("Its share of all memories.")
    serves_goal: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceShape:
    embedder: str | None = text(nullable=True)
    priority: str = choice(("high", "medium", "low"))
    issue: str = text()
    suggestion: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    overall_drift: OverallShape = one(OverallShape)
    reason: str | None = text("insufficient_data, and why.", default=None, nullable=True)
    topics: tuple[ShareShape, ...] = many(ShareShape, "What has grown most first.")
    per_embedder_drift: tuple[SpaceShape, ...] = many(SpaceShape, "Of the spaces that can tell.")
    most_drifted_embedders: tuple[str, ...] = texts()
    recommendations: tuple[AdviceShape, ...] = many(AdviceShape)
    trend: TrendShape | None = one(TrendShape, default=None, nullable=True)
    reference_type: str = choice(("north_star", "computed_centroid"))
    goal_id: str | None = text(default=None, nullable=True)
    analyzed_count: int = integer("Memories.")
    question_count: int = integer("Questions of that time.")
    history: tuple[CheckShape, ...] | Unset = many(CheckShape, default=UNSET)


EXAMPLE = Example(arguments={"timeframe": "7d"})


@tool(contract="memories", component="storage", effect="read", models=(Input, Output), example=EXAMPLE)
def get_alignment_drift(call: Call[Kernel], input: Input) -> Answer:
    """Whether the memories and questions of the last days still serve the goal: how they spread over topics, against
    the share that the goal has. Each check is kept for get_drift_history."""
    kernel = call.kernel
    with kernel.read() as snapshot:
        ids = tuple(find_node(snapshot, handle).id for handle in input.memory_ids)
        asked = DriftQuestion(timeframe=input.timeframe, ids=ids, strategy=cast(Strategy, input.strategy))
        found = check_drift(kernel, snapshot, asked)
        goal = "" if found.goal is None else found.goal.id
        note_check(kernel, found)
        checks = past_checks(kernel, snapshot, goal=goal)
    trend = tell_trend(trend_of(checks))
    output = Output(
        overall_drift=OverallShape(
            level=found.level,
            similarity=found.similarity,
            drift_score=None if found.similarity is None else round(1 - found.similarity, 4),
            has_drifted=found.has_drifted,
        ),
        reason=f"insufficient_data: {found.reason}" if found.reason else None,
        topics=tuple(
            ShareShape(
                topic_id=each.id or None,
                name=each.name,
                recent=each.recent,
                usual=each.usual,
                serves_goal=each.serves_goal,
            )
            for each in found.shares[:SHOWN_TOPICS]
        ),
        per_embedder_drift=tuple(
            SpaceShape(
                embedder=space,
                similarity=each.similarity,
                drift_score=round(1 - each.similarity, 4),
                drift_level=each.level,
            )
            for space, each in found.spaces.items()
        ),
        most_drifted_embedders=_most_drifted(found),
        recommendations=_advice(found),
        trend=trend,
        reference_type="north_star" if found.goal is not None else "computed_centroid",
        goal_id=None if found.goal is None else found.goal.id,
        analyzed_count=found.memories,
        question_count=found.questions,
        history=tuple(tell_check(each) for each in checks[-SHOWN_CHECKS:]) if input.include_history else UNSET,
    )
    return Answer(_sentence(found, output.recommendations), NODES, output)


def _most_drifted(found: GoalDrift) -> tuple[str, ...]:
    drifted = [space for space, each in found.spaces.items() if each.level != BANDS[0][0]]
    return tuple(sorted(drifted, key=lambda space: found.spaces[space].similarity)[:MOST_DRIFTED])


def _sentence(found: GoalDrift, advice: Sequence[AdviceShape]) -> str:
    if found.similarity is None:
        how = " discover_sub_goals looks for them now." if found.reason == NO_TOPICS else ""
        return f"insufficient_data: {found.reason}{how}"
    many = f"{counted(found.memories, 'memory')} and {counted(found.questions, 'question')}"
    of = f"{many} since {to_iso(_since(found))}"
    if found.goal is None:
        told = f"Of {of}, {found.similarity:.0%} spread over topics as all memories do"
    else:
        told = f"Of {of}, the goal {found.goal.name} has {found.similarity:.0%} of its share left"
    is_all = found.similarity >= BANDS[0][1]
    said = (
        f"{told}: {'no drift' if is_all else f'drift {found.level}' if found.has_drifted else 'no more than chance'}."
    )
    return " ".join((said, *(f"{each.issue} {each.suggestion}" for each in advice[:TOLD])))


def _since(found: GoalDrift) -> int:
    return found.time - TIMEFRAMES[found.asked.timeframe]


def _advice(found: GoalDrift) -> tuple[AdviceShape, ...]:
    advice: list[AdviceShape] = []
    if found.similarity is not None and found.goal is None:
        told = "auto_bootstrap_north_star finds one."
        advice.append(AdviceShape(embedder=None, priority="low", issue="There is no goal.", suggestion=told))
    grown = [each for each in found.shares if each.recent > each.usual and not each.serves_goal]
    if found.has_drifted and found.goal is not None and grown:
        what = grown[0].name if grown[0].id else "What is of no topic"
        issue = f"{what} has {grown[0].recent:.0%} instead of {grown[0].usual:.0%}."
        priority = "high" if found.level in ("High", "Critical") else "medium"
        told = "trigger_drift_correction proposes what to do about it."
        advice.append(AdviceShape(embedder=None, priority=priority, issue=issue, suggestion=told))
    for space in _most_drifted(found) if found.has_drifted else ():
        issue = f"In {space} the last memories are {found.spaces[space].similarity:.0%} as near to the goal as usual."
        told = f"search_graph with space {space} shows what they are near to."
        advice.append(AdviceShape(embedder=space, priority="low", issue=issue, suggestion=told))
    return tuple(advice)
