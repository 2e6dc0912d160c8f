"""Boost the importance of a node."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.boost import boost
from memotheca.memory.graph.cancer import FEWEST, Examined
from memotheca.memory.session.retrieval_log import BOOSTED
from memotheca.memory.session.state import note_use
from memotheca.toolkit.fields import UNSET, Unset, flag, integer, number, one, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    node_id: str = text("", format="uuid")
    delta: float = number("Importance adjustment", minimum=-0.5, maximum=0.5)
    rationale: str = text("", minLength=10, maxLength=1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckShape:
    neighbors: int = integer()
    neighbor_entropy: float | None = number(default=None, nullable=True)
    reason: str | Unset = text(default=UNSET)
    importance_limit: float = number()
    entropy_limit: float = number()
    at_risk: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    node_id: str = text()
    previous_importance: float = number()
    new_importance: float = number()
    clamped: bool = flag()
    cancer_check: CheckShape = one(CheckShape)
    tx_id: int = integer()


EXAMPLE = Example(
    arguments={"node_id": "nightly job", "delta": 0.2, "rationale": "It explains every failed deploy."},
    after=(
        (
            "store_memory",
            {"content": "The nightly job takes the lock.", "rationale": "Seen in the log.", "name": "nightly job"},
        ),
    ),
)


@tool(contract="memories", component="curation", effect="change", models=(Input, Output), example=EXAMPLE)
def boost_importance(call: Call[Kernel], input: Input) -> Answer:
    """Say that a memory matters more, or less, than it is held to; between 0 and 1."""
    done = boost(call.kernel, input.node_id, input.delta, input.rationale, actor=call.actor)
    version, before, after = done.version, done.before, done.after
    if after > before:
        note_use(call.kernel, call.session, [version.id], BOOSTED)
    output = Output(
        node_id=version.id,
        previous_importance=round(before, 6),
        new_importance=round(after, 6),
        clamped=abs(before + input.delta - after) > 1e-9,
        cancer_check=_check(done.examined),
        tx_id=version.tx,
    )
    return Answer(f"Its importance is now {after:.2f} (it was {before:.2f}).", f"{NODES}/{version.id}", output)


def _check(examined: Examined) -> CheckShape:
    entropy = examined.entropy
    return CheckShape(
        neighbors=examined.neighbours,
        neighbor_entropy=None if entropy is None else round(entropy, 4),
        reason=UNSET if entropy is not None else f"It takes {FEWEST} neighbours to say.",
        importance_limit=examined.limits[0],
        entropy_limit=examined.limits[1],
        at_risk=examined.is_cancer,
    )
