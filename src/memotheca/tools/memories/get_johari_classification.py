"""Get a node's Johari classification."""

from dataclasses import dataclass

from memotheca.kernel.citations import citation_of
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.claims.distil import is_code
from memotheca.memory.claims.stated_causes import may_say_why
from memotheca.memory.session.quadrants import ACTIONS, Grounds, Quadrant, confidence, insights, quadrant
from memotheca.memory.session.state import activity_of
from memotheca.memory.spaces.fingerprint import text_of
from memotheca.memory.spaces.space_table import IDS
from memotheca.memory.standing.judge import judge, learn
from memotheca.model.kinds import CAUSAL
from memotheca.model.knowledge import Entry
from memotheca.storage.snapshot import Snapshot
from memotheca.toolkit.fields import numbers, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.names import TOOLS


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    node_id: str = text("", format="uuid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    node_id: str = text()
    spaces: tuple[str, ...] = texts()
    quadrants: tuple[str, ...] = texts()
    confidence: tuple[float, ...] = numbers()
    insights: tuple[str, ...] = texts()
    delta_s: tuple[float, ...] = numbers()
    delta_c: tuple[float, ...] = numbers()
    aggregate: str = text()
    suggested_action: str = text()


EXAMPLE = Example(
    arguments={"node_id": "$node_id"},
    after=(("store_memory", {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}),),
)


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def get_johari_classification(call: Call[Kernel], input: Input) -> Answer:
    """Say, space by space, how new a memory is and how well it fits: Open (known and fitting), Blind (new, loose),
    Hidden (old, loose) or Unknown (new and fitting), with what that means together."""
    kernel = call.kernel
    with kernel.read() as snapshot:
        entry = find_node(snapshot, input.node_id).thing
        assert isinstance(entry, Entry)
        judged = judge(kernel, snapshot, entry)
        grounds = _grounds(snapshot, entry)
        learned = learn(entry, judged, activity_of(kernel).count(snapshot.session, kernel.collection))
    stands = list(zip(judged.delta_s, judged.delta_c, strict=True))
    quadrants: tuple[Quadrant, ...] = tuple(quadrant(new, fitting) for new, fitting in stands)
    output = Output(
        node_id=entry.id,
        spaces=IDS,
        quadrants=quadrants,
        confidence=tuple(round(confidence(new, fitting), 4) for new, fitting in stands),
        insights=tuple(insights(dict(zip(IDS, quadrants, strict=True)), grounds)),
        delta_s=tuple(round(new, 4) for new, _ in stands),
        delta_c=tuple(round(fitting, 4) for _, fitting in stands),
        aggregate=learned.quadrant,
        suggested_action=TOOLS[ACTIONS[learned.quadrant]],
    )
    return Answer(f"{citation_of(entry)} is {learned.quadrant} as a whole.", f"{NODES}/{entry.id}", output)


def _grounds(snapshot: Snapshot, entry: Entry) -> Grounds:
    edges, said = snapshot.edges_of(entry.id), text_of(entry)
    return Grounds(
        has_cause=may_say_why(said) or any(edge.type == CAUSAL and edge.target == entry.id for edge in edges),
        is_linked=bool(edges),
        has_code=is_code(said),
    )
