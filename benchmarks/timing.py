"""How long something took: on the wall and on the processor, summed up so that noise shows."""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any


def percentile(samples: Sequence[float], share: float) -> float:
    """The sample below which this share of them lies, without interpolation."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def median(samples: Sequence[float]) -> float:
    return statistics.median(samples)


def paired_ratio(samples: Sequence[float], baseline: Sequence[float], *, each: int = 1) -> float:
    """The median of the rounds' own ratios, each round being `each` samples long: what slowed a whole round
    down slowed both sides of it."""
    rounds = range(0, len(samples), each)
    return median([median(samples[at : at + each]) / median(baseline[at : at + each]) for at in rounds])


class Stopwatch:
    """Samples of one kind of call, in seconds: wall time, and CPU time of the calling thread."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.cpu: list[float] = []

    def time(self, work: Callable[[], Any]) -> Any:
        began, cpu_began = time.perf_counter(), time.thread_time()
        result = work()
        self.cpu.append(time.thread_time() - cpu_began)
        self.wall.append(time.perf_counter() - began)
        return result


def per_second(count: int, seconds: float) -> float:
    return count / seconds if seconds else float("inf")
