"""What is done between the calls for the memory: getting ready for the next one, looking through what is stored,
finding topics, and checking for drift."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.look_through import look_through
from memotheca.memory.care.prefetch import get_ready
from memotheca.memory.curation.pass_progress import is_due
from memotheca.memory.topics.drift import check_daily
from memotheca.memory.topics.purpose import drop_old_vectors
from memotheca.memory.topics.survey import go_on_surveying, is_survey_due
from memotheca.storage.database import HeldRole

Take = Callable[[str], AbstractContextManager[HeldRole | None]]


def tend_between_calls(kernel: Kernel, stop: Callable[[], bool], take: Take) -> None:
    """A little of each, until somebody calls; what one process at a time may do is done in a role that it takes."""
    get_ready(kernel, stop)
    if is_due(kernel):
        with take("review") as held:
            if held is not None:
                look_through(kernel, stop, fence=held.refuse_lost)
    if is_survey_due(kernel):
        with take("topics") as held:
            if held is not None:
                go_on_surveying(kernel, stop, fence=held.refuse_lost)
    elif not stop() and check_daily(kernel):
        drop_old_vectors(kernel)
