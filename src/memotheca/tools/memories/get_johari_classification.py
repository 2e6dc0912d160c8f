"""Get a node's Johari classification."""

from dataclasses import dataclass

from memotheca.kernel.citations import citation_of
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.claims.distil import is_code
from memotheca.memory.claims.stated_causes import may_say_why
from memotheca.memory.session.quadrants import ACTIONS, QUADRANTS, Grounds, Quadrant, confidence, insights, quadrant
from memotheca.memory.session.state import activity_of
from memotheca.memory.spaces.space_table import IDS, SPACES
from memotheca.memory.standing.judge import judge
from memotheca.memory.standing.whole import learn
from memotheca.memory.traits import text_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.model.kinds import CAUSAL
from memotheca.model.knowledge import Entry
from memotheca.storage.snapshot import Snapshot
from memotheca.toolkit.fields import many, numbers, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.names import TOOLS


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    node_id: str = text("", format="uuid")


@dataclass(frozen=True, slots=True, kw_only=True)
class SilenceShape:
    space: str = text()
    reason: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    node_id: str = text()
    spaces: tuple[str, ...] = texts()
    quadrants: tuple[str, ...] = texts("Of a space that abstains Unknown, with confidence 0.", values=QUADRANTS)
    confidence: tuple[float, ...] = numbers()
    insights: tuple[str, ...] = texts()
    delta_s: tuple[float | None, ...] = numbers("Null where a space abstains.", nullable=True)
    delta_c: tuple[float | None, ...] = numbers(nullable=True)
    abstaining: tuple[SilenceShape, ...] = many(SilenceShape, "Spaces with nothing to compare: they count nowhere.")
    aggregate: str = text()
    suggested_action: str = text()


EXAMPLE = Example(
    arguments={"node_id": "$node_id"},
    after=(("store_memory", {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}),),
)


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def get_johari_classification(call: Call[Kernel], input: Input) -> Answer:
    """Say, space by space, how new a memory is and how well it fits: Open (known and fitting), Blind (new, loose),
    Hidden (old, loose) or Unknown (new and fitting), with what that means together. A space that has nothing of it to
    compare abstains."""
    kernel = call.kernel
    with kernel.read() as snapshot:
        entry = find_node(snapshot, input.node_id).thing
        assert isinstance(entry, Entry)
        judged = judge(kernel, snapshot, entry)
        grounds = _grounds(snapshot, entry, is_linked=judged.speaking[IDS.index("E8")])
        gates = gates_at(snapshot, entry.attributes.get("domain"))
        learned = learn(entry, judged, activity_of(kernel).count(snapshot.session, kernel.collection), gates)
    bar = gates["johari"]
    stands = [
        (new, fitting) if speaks else None
        for new, fitting, speaks in zip(judged.delta_s, judged.delta_c, judged.speaking, strict=True)
    ]
    quadrants: list[Quadrant] = ["Unknown" if stand is None else quadrant(*stand, bar) for stand in stands]
    seen: dict[str, Quadrant] = {
        id: found for id, found, stand in zip(IDS, quadrants, stands, strict=True) if stand is not None
    }
    output = Output(
        node_id=entry.id,
        spaces=IDS,
        quadrants=tuple(quadrants),
        confidence=tuple(0.0 if stand is None else round(confidence(*stand, bar), 4) for stand in stands),
        insights=tuple(insights(seen, grounds)),
        delta_s=tuple(None if stand is None else round(stand[0], 4) for stand in stands),
        delta_c=tuple(None if stand is None else round(stand[1], 4) for stand in stands),
        abstaining=tuple(SilenceShape(space=each.id, reason=each.silence) for each in SPACES if each.id not in seen),
        aggregate=learned.quadrant,
        suggested_action=TOOLS[ACTIONS[learned.quadrant]],
    )
    return Answer(f"{citation_of(entry)} is {learned.quadrant} as a whole.", f"{NODES}/{entry.id}", output)


def _grounds(snapshot: Snapshot, entry: Entry, *, is_linked: bool) -> Grounds:
    edges, said = snapshot.edges_of(entry.id), text_of(entry)
    return Grounds(
        has_cause=may_say_why(said) or any(edge.type == CAUSAL and edge.target == entry.id for edge in edges),
        is_linked=is_linked,
        has_code=is_code(said),
    )
