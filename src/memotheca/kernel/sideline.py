"""Sideline: work that a process does beside its calls because somebody looks, and that may be dropped at its end."""

from collections.abc import Callable
from threading import Condition, Thread

from memotheca.kernel.precedence import step_back
from memotheca.model.cancellation import heeding

LEAVING = 5.0  # chosen: seconds that a program waits at its end, as for a dream


class Sideline:
    """Such work of one collection, each piece in a thread of its own that gives way to others."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._working = 0
        self._is_closed = False

    def begin(self, name: str, act: Callable[[], None]) -> bool:
        """Do it apart, unless the program ends; what it does heeds that end."""
        with self._changed:
            if self._is_closed:
                return False
            self._working += 1
        Thread(target=self._run, args=(act,), name=name, daemon=True).start()
        return True

    def close(self) -> None:
        """At the end of a program: what goes on ends at its next look, and nothing begins any more."""
        with self._changed:
            self._is_closed = True
            self._changed.wait_for(lambda: not self._working, LEAVING)

    def _run(self, act: Callable[[], None]) -> None:
        step_back()
        try:
            with heeding(lambda: self._is_closed):
                act()
        finally:
            with self._changed:
                self._working -= 1
                self._changed.notify_all()
