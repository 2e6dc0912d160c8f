"""Whoever wants to hear that somebody searches, in whichever family: what goes on only while nobody asks anything."""

from collections.abc import Callable
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel


@dataclass(frozen=True, slots=True)
class QuestionListener:
    """Who hears of each question before it is answered, as the program was built."""

    hear: Callable[[Kernel], None]


def tell_of_question(kernel: Kernel) -> None:
    listener = kernel.parts.find(QuestionListener)
    if listener is not None:
        listener.hear(kernel)
