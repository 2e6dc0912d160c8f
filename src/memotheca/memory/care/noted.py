"""Noted tasks: what a look has found on the way and nobody has written down yet; apart from the list of tasks, which
loads heavy packages."""

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress

from memotheca.kernel.kernel import Kernel
from memotheca.storage.care_tasks import TaskRow

MOST_NOTED = 100  # chosen: found on the way between two rounds of upkeep


class NotedTasks:
    """Those of one collection in this process."""

    def __init__(self) -> None:
        self._rows: deque[TaskRow] = deque(maxlen=MOST_NOTED)
        self._write: Callable[[Kernel], None] | None = None

    def add(self, rows: Iterable[TaskRow], write: Callable[[Kernel], None]) -> None:
        """Put what was found on the list, without waiting to write: it is written between the calls, in this way."""
        self._rows.extend(rows)
        self._write = write

    def write(self, kernel: Kernel) -> None:
        if self._rows and self._write is not None:
            self._write(kernel)

    def rows(self) -> list[TaskRow]:
        return list(self._rows)

    def drop(self, rows: Iterable[TaskRow]) -> None:
        """Those are written, or are no tasks any more."""
        for row in rows:
            with suppress(ValueError):
                self._rows.remove(row)


def noted_tasks(kernel: Kernel) -> NotedTasks:
    return kernel.keep(NotedTasks, kernel.collection)
