"""How outcomes are asked for, and how λ and the labels behind it are told."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.outcomes.labels import NEEDED
from memotheca.text.tokens import count_tokens
from memotheca.toolkit.fields import flag, integer, number
from memotheca.toolkit.tool import Call

OBSERVING = "observe_outcome"


@dataclass(frozen=True, slots=True, kw_only=True)
class LambdaShape:
    s: float = number("Novelty.")
    c: float = number("Fit.")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsShape:
    stated: int = integer("Outcomes that somebody observed.")
    weak: int = integer("Retrievals of which something was used.")
    counted: float = number("Weak ones count 0.3.")
    needed: float = number()
    enough: bool = flag()


def lambda_shape(novelty: float) -> LambdaShape:
    return LambdaShape(s=round(novelty, 4), c=round(1 - novelty, 4))


def labels_shape(stated: int, weak: int, counted: float, *, enough: bool) -> LabelsShape:
    return LabelsShape(stated=stated, weak=weak, counted=counted, needed=NEEDED, enough=enough)


def shorten(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def tell_asking(call: Call[Kernel], text: str, prediction_id: str) -> str:
    """An answer with how to say whether it helped, for whoever only reads the text; where that tool is shown."""
    return f"{text}\nHelped? {OBSERVING} {prediction_id}" if call.shows(OBSERVING) else text


def room_for_asking(call: Call[Kernel]) -> int:
    """The tokens that takes."""
    return count_tokens(tell_asking(call, "", f"pred_{'0' * 10}"))
