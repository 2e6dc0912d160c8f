"""Query what a node entails and what entails it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.recall.entailment import Kin, entail
from memotheca.memory.session.state import activity_of
from memotheca.model.knowledge import Entry
from memotheca.toolkit.fields import UNSET, Unset, choice, integer, many, number, one, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

DIRECTIONS = ("ancestors", "descendants", "both")
SPACES = ("E1", "E5", "E7")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    node_id: str = text("", format="uuid")
    direction: str = choice(DIRECTIONS, "", "both")
    embedding_space: str = choice(SPACES, "Which space to query (typically E1 semantic)", "E1")


@dataclass(frozen=True, slots=True, kw_only=True)
class KinShape:
    id: str = text()
    name: str = text()
    kind: str = text()
    citation: str = text()
    membership: float = number()
    depth: int = integer()
    via: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConeShape:
    aperture: float = number()
    depth: int = integer()
    radius: float | None = number(default=None, nullable=True)
    reason: str | Unset = text(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    node_id: str = text()
    embedding_space: str = text()
    ancestors: tuple[KinShape, ...] = many(KinShape)
    descendants: tuple[KinShape, ...] = many(KinShape)
    count: int = integer()
    cone: ConeShape = one(ConeShape)
    entailment_confidence: float | None = number("Null where nothing is told.", nullable=True)
    inferred_reason: str | Unset = text(default=UNSET)


NONE_INFERRED = "Nothing near lies in a cone and takes up the name of the other; only what was stated is told."

EXAMPLE = Example(
    arguments={"node_id": "locks"},
    after=(
        ("store_memory", {"content": "Locks keep writers apart.", "rationale": "The general idea.", "name": "locks"}),
        (
            "store_memory",
            {
                "content": "The migration lock is held by the nightly job.",
                "rationale": "A case of it.",
                "link_to": ["locks"],
                "metadata": {"relation": "hierarchical"},
            },
        ),
    ),
)


@tool(contract="memories", component="retrieval", effect="read", models=(Input, Output), example=EXAMPLE)
def entailment_query(call: Call[Kernel], input: Input) -> Answer:
    """What is more general than a node and what is a case of it: as somebody said (explicit) or as far as its meaning
    lies in a cone (inferred)."""
    with call.kernel.read() as snapshot:
        entry = cast(Entry, find_node(snapshot, input.node_id).thing)
        found = entail(call.kernel, snapshot, entry, input.embedding_space)
    activity_of(call.kernel).look(call.kernel.collection, [entry.id], call.kernel.now())
    above = found.ancestors if input.direction != "descendants" else ()
    below = found.descendants if input.direction != "ancestors" else ()
    cone, kin = found.cone, (*above, *below)
    output = Output(
        node_id=entry.id,
        embedding_space=input.embedding_space,
        ancestors=_shapes(above),
        descendants=_shapes(below),
        count=len(kin),
        cone=ConeShape(
            aperture=round(cone.aperture, 4),
            depth=cone.depth,
            radius=None if cone.radius is None else round(cone.radius, 4),
            reason=UNSET if cone.radius is not None else f"It has nothing in {input.embedding_space} to stand by.",
        ),
        entailment_confidence=round(sum(each.membership for each in kin) / len(kin), 4) if kin else None,
        inferred_reason=UNSET if any(each.via == "inferred" for each in kin) else NONE_INFERRED,
    )
    sentence = f'"{name_of(entry)}" is a case of {len(above)} and has {len(below)} cases.'
    return Answer(sentence, f"{NODES}/{entry.id}", output)


def _shapes(kin: Sequence[Kin]) -> tuple[KinShape, ...]:
    return tuple(
        KinShape(
            id=each.entry.id,
            name=name_of(each.entry),
            kind=each.entry.kind,
            citation=citation_of(each.entry),
            membership=round(each.membership, 4),
            depth=each.depth,
            via=each.via,
        )
        for each in kin
    )
