"""Questions as the benchmarks of search ask them, and what asking took."""

from dataclasses import dataclass, field

from haystack import Array
from report import Line, Target
from timing import Stopwatch, median, percentile

P95, RECALL = "p95 ms", "recall@10"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, its vector, and how its words are joined for FTS5."""

    text: str
    vector: Array
    match: str


@dataclass(slots=True)
class Times:
    """One manner of asking and what it took."""

    watch: Stopwatch = field(default_factory=Stopwatch)
    found: list[float] = field(default_factory=list[float])

    def line(self, label: str, target: Target | None = None) -> Line:
        numbers = {
            "p50 ms": median(self.watch.wall) * 1e3,
            P95: percentile(self.watch.wall, 0.95) * 1e3,
            "CPU p50 ms": median(self.watch.cpu) * 1e3,
            "CPU p95 ms": percentile(self.watch.cpu, 0.95) * 1e3,
        }
        if self.found:
            numbers[RECALL] = sum(self.found) / len(self.found)
        return Line(label=label, numbers=numbers, target=target)
