"""Rounds of work between the calls: whether this process has any, and when it did which job."""

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.state import activity_of
from memotheca.model.clock import MINUTE

ROUNDS_END = 10 * MINUTE  # chosen: rounds come every few seconds while somebody serves
RAN = "ran:"


class UpkeepRounds:
    """When this process last had a round; never where it has none."""

    def __init__(self) -> None:
        self.last: int | None = None


def note_round(kernel: Kernel) -> None:
    kernel.keep(UpkeepRounds).last = kernel.now()


def is_working(kernel: Kernel) -> bool:
    """Whether this process does the jobs."""
    last = kernel.keep(UpkeepRounds).last
    return last is not None and kernel.now() - last < ROUNDS_END


def note_run(kernel: Kernel, name: str) -> None:
    """A job was done; written with the next batch."""
    activity_of(kernel).set_state(kernel.collection, RAN + name, kernel.now())
