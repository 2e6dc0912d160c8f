"""Say whether a context or a search helped."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.outcomes.observation import StatedOutcome, observe
from memotheca.memory.tuning.thresholds import DOMAINS
from memotheca.toolkit.fields import UNSET, choice, fill, flag, number, one, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.lambda_shapes import shorten


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutShape:
    domain: str = choice(DOMAINS, "What it was about, where that differs from what it showed.", UNSET)
    query_type: str = text("A word for its kind; accuracy is told for each.", "", maxLength=64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    prediction_id: str = text("Of a context or a search of the last 24 hours.", minLength=1, maxLength=64)
    actual_outcome: float = number("How well it helped: 0 not at all, 1 it answered.", minimum=0, maximum=1)
    context: Mapping[str, Any] = one(AboutShape, "", UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    accepted: bool = flag()
    predicted_value: float | None = number("Null where nothing could be predicted.", nullable=True)
    prediction_error: float | None = number(nullable=True)
    lambda_adjusted: bool = flag("An error above 0.2 moves λ a little.")
    new_accuracy: float | None = number("Of the domain.", nullable=True)
    overall_accuracy: float | None = number(nullable=True)
    domain: str = text()


EXAMPLE = Example(
    arguments={"prediction_id": "$prediction_id", "actual_outcome": 1, "context": {"query_type": "fact"}},
    after=(
        ("store_memory", {"content": "The heron nests on the island.", "rationale": "Seen on Tuesday."}),
        ("inject_context", {"query": "Where does the heron nest?"}),
    ),
)


@tool(contract="memories", component="gwt", effect="change", models=(Input, Output), example=EXAMPLE)
def observe_outcome(call: Call[Kernel], input: Input) -> Answer:
    """Say how well a context or a search helped, by its prediction_id, within a day: the memory learns what helps.
    Saying it again corrects it."""
    about = fill(AboutShape, input.context or {})
    said = StatedOutcome(
        prediction_id=input.prediction_id,
        value=input.actual_outcome,
        session=call.session,
        domain=about.domain or None,
        query_type=about.query_type,
    )
    held = observe(call.kernel, said)
    output = Output(
        accepted=True,
        predicted_value=shorten(held.predicted),
        prediction_error=shorten(held.error),
        lambda_adjusted=held.is_adjusted,
        new_accuracy=shorten(held.accuracy),
        overall_accuracy=shorten(held.overall),
        domain=held.domain,
    )
    told = "Nothing had been predicted of it." if held.predicted is None else f"Predicted was {held.predicted:.2f}."
    return Answer(f"Noted: it helped {input.actual_outcome:g}. {told}", NODES, output)
