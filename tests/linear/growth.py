"""How work grows with its input: twice the input may take twice the time and memory, never four times."""

import gc
import signal
import time
import tracemalloc
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

# Four times the input: linear work takes four times as long, quadratic work sixteen times.
FACTOR = 4
MOST = 9.0
# Less than this says nothing: caches fill, the collector runs, the machine does something else.
FLOOR = 0.02
FLOOR_BYTES = 2_000_000
PATIENCE = 30.0  # chosen: CPU seconds for some tries on a machine that is several times slower
# Ten times the input at each step: linear work takes ten times as long, quadratic work a hundred times.
SIZES = (10_000, 100_000, 1_000_000)
TRIES = 4
MOST_TENFOLD = 25.0

Work = Callable[[str], Any]


class TooSlow(BaseException):
    """The work was stopped; nothing in between may take it for a failure of its own."""


@contextmanager
def stopped_after(seconds: float) -> Generator[None]:
    """Stop work that goes on for so much CPU time; also in the middle of a regular expression."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds_for(work: Callable[[Any], Any], text: Any) -> float:
    started = time.process_time()
    work(text)
    return time.process_time() - started


def growth_of(work: Work, make: Callable[[int], str], size: int, *, tries: int = 3) -> float:
    """How many times as long the work takes on four times the input: the least of some tries, 0 where it is too short
    to be measured, infinity where it was stopped."""
    least = float("inf")
    try:
        with stopped_after(PATIENCE):
            for _ in range(tries):
                long = seconds_for(work, make(FACTOR * size))
                if long < FLOOR:
                    return 0.0
                least = min(least, long / max(seconds_for(work, make(size)), FLOOR / FACTOR))
                if least < MOST:
                    return least
    except TooSlow:
        return float("inf")
    return least


def tenfold_growth_of(work: Callable[[Any], Any], make: Callable[[int], Any], sizes: Sequence[int] = SIZES) -> float:
    """The most that a step from one size to the next multiplies the time by, the least of some tries where it is too
    much; infinity where it was stopped each time."""
    least = float("inf")
    for _ in range(TRIES):
        least = min(least, _steepest(work, make, sizes))
        if least < MOST_TENFOLD:
            break
    return least


def _steepest(work: Callable[[Any], Any], make: Callable[[int], Any], sizes: Sequence[int]) -> float:
    steepest, before = 0.0, FLOOR
    for number, size in enumerate(sizes):
        given = make(size)
        try:
            with stopped_after(2 * MOST_TENFOLD * before):
                took = seconds_for(work, given)
        except TooSlow:
            return float("inf")
        if number and took > 2 * FLOOR:
            steepest = max(steepest, took / before)
        before = max(took, FLOOR)
    return steepest


def memory_growth_of(
    work: Callable[[Any], Any], make: Callable[[int], Any], size: int, *, factor: int = FACTOR
) -> float:
    """As `growth_of`, for the most memory that the work holds at once."""
    peaks = [_peak(work, make(each)) for each in (size, factor * size)]
    return peaks[1] / max(peaks[0], 1) if peaks[1] > FLOOR_BYTES else 0.0


def _peak(work: Callable[[Any], Any], text: Any) -> int:
    gc.collect()
    tracemalloc.start()
    try:
        work(text)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
