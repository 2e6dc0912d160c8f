"""Get what this agent works on."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.focus.ego import DEGRADED, HEALTHY, WARNING, Ego, look_at_ego, status_of
from memotheca.memory.topics.entry_topics import place_entries
from memotheca.memory.topics.topics import read_topics
from memotheca.model.knowledge import Entry, counted
from memotheca.storage.snapshot import Snapshot
from memotheca.toolkit.fields import UNSET, Unset, flag, integer, many, number, numbers, one, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.focus_shapes import MemoryShape, memory_shape, rounded


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    session_id: str = text("", UNSET, maxLength=256)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsShape:
    healthy: float = number()
    warning: float = number()
    degraded: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionShape:
    previous_status: str = text()
    current_status: str = text()
    status_changed: bool = flag()
    entering_crisis: bool = flag()
    entering_critical: bool = flag()
    recovering: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinuityShape:
    ic: float | None = number("How far what is worked on now agrees with what was before.", nullable=True)
    status: str = text()
    in_crisis: bool = flag("At some of the last ten steps it was something else altogether.")
    history_len: int = integer()
    last_detection: DetectionShape | None = one(DetectionShape, nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicShareShape:
    topic_id: str = text()
    name: str = text()
    share_now: float = number("Of the last questions.")
    share_before: float = number("Of those before.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    purpose_vector: tuple[float | None, ...] = numbers(
        "Of each space, how far now and before agree. Null: nothing to compare.", nullable=True
    )
    identity_coherence: float | None = number("The mean of the steps that are known.", nullable=True)
    coherence_with_actions: float | None = number("How far what was stored agrees with what is asked.", nullable=True)
    identity_status: str = text()
    trajectory_length: int = integer("Questions that are looked back at.")
    thresholds: LimitsShape = one(LimitsShape)
    identity_continuity: ContinuityShape = one(ContinuityShape)
    topics: tuple[TopicShareShape, ...] = many(TopicShareShape, "Of which the last questions, or those before, are.")
    topics_overlap: float | None = number("The share of them that is as before.", nullable=True)
    topics_reason: str | Unset = text("Why none can be told.", UNSET)
    works_on: tuple[MemoryShape, ...] = many(MemoryShape, "What the last questions brought first.")
    worked_on: tuple[MemoryShape, ...] = many(MemoryShape, "And those before them.")
    meaning: str = text()


EXAMPLE = Example(
    arguments={},
    after=(
        ("store_memory", {"content": "The nightly job holds the lock.", "rationale": "Seen on Tuesday."}),
        ("store_memory", {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}),
        ("search_graph", {"query": "Who holds the lock?"}),
    ),
)


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def get_ego_state(call: Call[Kernel], input: Input) -> Answer:
    """What this agent works on, by what its last questions brought first, and whether that is still what it worked on
    before: in each space and together, with the step at which it changed."""
    session = said(input).get("session_id") or call.session
    with call.kernel.read() as snapshot:
        ego = look_at_ego(call.kernel, snapshot, session)
        topics, reason = _topics(call.kernel, snapshot, ego)
    coherence = sum(ego.history) / len(ego.history) if ego.history else None
    output = Output(
        purpose_vector=tuple(map(rounded, ego.agreed)),
        identity_coherence=rounded(coherence),
        coherence_with_actions=rounded(ego.actions),
        identity_status=status_of(ego.continuity),
        trajectory_length=ego.questions,
        thresholds=LimitsShape(healthy=HEALTHY, warning=WARNING, degraded=DEGRADED),
        identity_continuity=ContinuityShape(
            ic=rounded(ego.continuity),
            status=status_of(ego.continuity),
            in_crisis=ego.is_in_crisis,
            history_len=len(ego.history),
            last_detection=_detection(ego),
        ),
        topics=topics,
        topics_overlap=_overlap(topics, ego),
        topics_reason=reason,
        works_on=_distinct(ego.now),
        worked_on=_distinct(ego.before),
        meaning=f"{tell_ego(ego)} {_tell_topics(topics, reason)}".rstrip(),
    )
    return Answer(output.meaning, NODES, output)


def _distinct(entries: Sequence[Entry]) -> tuple[MemoryShape, ...]:
    found = {entry.id: memory_shape(entry) for entry in entries}
    return tuple(shape for shape in found.values() if shape is not None)


def _topics(kernel: Kernel, snapshot: Snapshot, ego: Ego) -> tuple[tuple[TopicShareShape, ...], str | Unset]:
    """Of which topics the last questions and those before them are, the most asked about first."""
    known = read_topics(kernel, snapshot)
    if known is None or not known.topics:
        return (), "No topics were found in this memory yet."
    placed = place_entries(kernel, snapshot, known, list({each.id: each for each in (*ego.now, *ego.before)}.values()))
    counts = [Counter(id for each in part if (id := placed[each.id])) for part in (ego.now, ego.before)]
    shares = [(id, counts[0][id] / max(1, len(ego.now)), counts[1][id] / max(1, len(ego.before))) for id in known.by_id]
    told = [
        TopicShareShape(topic_id=id, name=known.by_id[id].name, share_now=round(now, 4), share_before=round(before, 4))
        for id, now, before in sorted(shares, key=lambda each: (-each[1], -each[2], each[0]))
        if now or before
    ]
    return tuple(told), UNSET if told else "What was asked about is of none of the topics."


def _overlap(topics: Sequence[TopicShareShape], ego: Ego) -> float | None:
    if not topics or not ego.before:
        return None
    return round(sum(min(each.share_now, each.share_before) for each in topics), 4)


def _tell_topics(topics: Sequence[TopicShareShape], reason: str | Unset) -> str:
    if not isinstance(reason, Unset):
        return reason
    now = "; ".join(each.name for each in topics if each.share_now)
    gone = "; ".join(each.name for each in topics if each.share_before and not each.share_now)
    return (f"It works on {now}." if now else "") + (f" It no longer works on {gone}." if gone else "")


def _detection(ego: Ego) -> DetectionShape | None:
    """What changed at the last step; None where there is only one."""
    if len(ego.history) < 2:
        return None
    now, before = ego.history[0], ego.history[1]
    return DetectionShape(
        previous_status=status_of(before),
        current_status=status_of(now),
        status_changed=status_of(now) != status_of(before),
        entering_crisis=now < WARNING <= before,
        entering_critical=now < DEGRADED <= before,
        recovering=now >= WARNING > before,
    )


def tell_ego(ego: Ego) -> str:
    if not ego.now:
        return "Nothing that this agent asked brought anything yet, so that it cannot be told what it works on."
    if ego.continuity is None:
        return "This agent has asked too little to tell whether it still works on the same."
    told = {
        "Healthy": "This agent goes on with what it worked on before",
        "Warning": "This agent works on something close to what it worked on before",
        "Degraded": "This agent has moved some way from what it worked on before",
        "Critical": "This agent now works on something else than before",
    }[status_of(ego.continuity)]
    strayed = " At one of its last ten steps it was on something else." if ego.has_strayed else ""
    return f"{told} (agreement {ego.continuity:.2f} over {counted(ego.questions, 'question')}).{strayed}"
