"""How long others are kept waiting: Python passes the turn on between two steps of its own, never within one."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import thread_time
from typing import Any


@dataclass(slots=True)
class Longest:
    """The most CPU seconds between two calls or returns, of Python or of C, and where: a pattern that goes through a
    long text is one such stretch."""

    seconds: float = 0.0
    name: str = "none"
    _since: float = 0.0

    def of(self, work: Callable[[], Any]) -> "Longest":
        self._since = thread_time()
        sys.setprofile(self._look)
        try:
            work()
        finally:
            sys.setprofile(None)
        return self

    def _look(self, frame: Any, event: str, called: Any) -> None:
        took = thread_time() - self._since
        if took > self.seconds:
            self.seconds, self.name = took, f"{event} {called} in {frame.f_code.co_qualname}"
        self._since = thread_time()
