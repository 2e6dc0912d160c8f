"""Discover topics."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.reversal import hash_of
from memotheca.memory.topics.north_star import read_goal
from memotheca.memory.topics.survey import up_to_date
from memotheca.memory.topics.topics import TopicMap, field_id, find_topic, read_topics, say_of_topic
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import counted
from memotheca.storage.snapshot import Snapshot
from memotheca.toolkit.fields import UNSET, Unset, flag, integer, many, number, one, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.goal_shapes import FoundShape, TopicShape, tell_found, tell_topic


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    min_confidence: float = number("", 0.6, minimum=0, maximum=1)
    max_goals: int = integer("", 5, minimum=1, maximum=20)
    parent_goal_id: str = text("Only the topics of this goal.", UNSET, maxLength=64)
    topic_id: str = text("The topic to rename or reject.", UNSET, maxLength=64)
    rename: str = text("What topic_id is called from now on; empty for the name that was found.", UNSET, maxLength=120)
    reject: bool = flag("Whether topic_id is no topic; false takes that back.", UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationShape:
    parent_id: str = text()
    child_id: str = text()
    share: float = number("Of the parent's memories.")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisShape:
    k: int = integer("Topics that were found.")
    silhouette: float = number("How much nearer memories are to their own topic than to the next, from -1 to 1.")
    noise: float = number("The share of memories of no topic.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedShape:
    topic_id: str = text()
    name: str = text()
    rejected: bool = flag()
    reversal_hash: str | None = text("Takes it back with restore_from_hash.", nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    discovered_goals: tuple[TopicShape, ...] = many(TopicShape)
    hierarchy_relationships: tuple[RelationShape, ...] = many(RelationShape)
    cluster_analysis: AnalysisShape | None = one(AnalysisShape, default=None, nullable=True)
    discovery_metadata: FoundShape = one(FoundShape)
    left_out: int = integer("Topics that are less sure, or more than max_goals.")
    reason: str | None = text("insufficient_data, and why.", default=None, nullable=True)
    changed: ChangedShape | Unset = one(ChangedShape, default=UNSET)


EXAMPLE = Example(
    arguments={"max_goals": 2, "min_confidence": 0.4},
    after=tuple(
        (
            "store_memory",
            {"content": f"The {part} of the reactor was {state} by Ada.", "rationale": "Seen on the tour."},
        )
        for part in ("pump", "valve", "gauge", "core")
        for state in ("cleaned", "checked", "replaced")
    ),
)


@tool(contract="memories", component="storage", effect="change", models=(Input, Output), example=EXAMPLE)
def discover_sub_goals(call: Call[Kernel], input: Input) -> Answer:
    """The topics this memory is about, named by their words, with typical members and trend. A person's word counts:
    topic_id with rename or reject changes one, and stays with it."""
    given, kernel = said(input), call.kernel
    known = up_to_date(kernel)
    changed = _say(call, known, given) if {"topic_id", "rename", "reject"} & given.keys() else UNSET
    with kernel.read() as snapshot:
        known = read_topics(kernel, snapshot) or known
        output = _tell(snapshot, known, input, given.get("parent_goal_id"), changed=changed)
    return Answer("\n".join(_lines(known, output)), NODES, output)


def _lines(known: TopicMap, output: Output) -> list[str]:
    """What was said of one, each topic, and how many there are besides."""
    if output.reason is not None:
        return [output.reason]
    lines: list[str] = []
    if not isinstance(output.changed, Unset):
        stands = "rejected" if output.changed.rejected else "kept under this name"
        lines.append(f"{output.changed.name} is {stands}; restore_from_hash: {output.changed.reversal_hash}")
    lines += [f"{each.name} ({each.member_count}, {each.trend}) {each.goal_id}" for each in output.discovered_goals]
    if output.left_out and not output.discovered_goals:
        surest = max(topic.confidence(known.memories) for topic in known.topics)
        lines.append(
            f"{counted(output.left_out, 'topic')}, none of the min_confidence asked for; most has {surest:.3f}."
        )
    elif output.left_out:
        lines.append(f"{output.left_out} more: lower min_confidence, or raise max_goals.")
    return lines


def _say(call: Call[Kernel], known: TopicMap, given: dict[str, object]) -> ChangedShape:
    if "topic_id" not in given:
        raise Refusal(Failure.INVALID, "Say with topic_id which topic is to be renamed or rejected.", field="topic_id")
    topic = find_topic(known, str(given["topic_id"]), field="topic_id")
    name = None if "rename" not in given else str(given["rename"])
    rejected = None if "reject" not in given else bool(given["reject"])
    if name is None and rejected is None:
        raise Refusal(Failure.INVALID, "Say with rename or reject what is to become of the topic.", field="topic_id")
    commit = say_of_topic(call.kernel, topic, name=name, rejected=rejected, actor=call.actor)
    with call.kernel.read() as snapshot:
        now = find_topic(read_topics(call.kernel, snapshot), topic.id, field="topic_id")
    return ChangedShape(
        topic_id=now.id,
        name=now.name,
        rejected=now.is_rejected,
        reversal_hash=None if commit is None else hash_of(commit),
    )


def _tell(
    snapshot: Snapshot, known: TopicMap, input: Input, parent: str | None, *, changed: ChangedShape | Unset
) -> Output:
    goal = read_goal(snapshot, known)
    parents = {topic.id: field_id(field.topics[0]) for field in known.fields for topic in field.topics}
    if goal is not None:
        parents |= dict.fromkeys(goal.ids, goal.id)
    if parent is not None and parent not in parents.values():
        raise Refusal(Failure.NOT_FOUND, f"There is no goal {parent!r}.", field="parent_goal_id")
    among = [topic for topic in known.topics if parent in (None, parents[topic.id])]
    sure = [topic for topic in among if topic.confidence(known.memories) >= input.min_confidence][: input.max_goals]
    sizes = {id: sum(topic.count for topic in known.topics if parents[topic.id] == id) for id in parents.values()}
    reason = None
    if not known.topics:
        reason = f"insufficient_data: no topic was found among {counted(known.memories, 'memory')}."
    return Output(
        discovered_goals=tuple(tell_topic(snapshot, known, topic, parents[topic.id]) for topic in sure),
        hierarchy_relationships=tuple(
            RelationShape(
                parent_id=parents[topic.id], child_id=topic.id, share=round(topic.count / sizes[parents[topic.id]], 4)
            )
            for topic in sure
        ),
        cluster_analysis=AnalysisShape(
            k=len(known.topics),
            silhouette=known.silhouette,
            noise=round(known.unsorted / max(known.memories, 1), 4),
        )
        if known.topics
        else None,
        discovery_metadata=tell_found(known),
        left_out=len(among) - len(sure),
        reason=reason,
        changed=changed,
    )
