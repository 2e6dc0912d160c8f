"""A command that is told to stop ends as at Ctrl-C: what it has open is closed."""

import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Stopped(KeyboardInterrupt):
    """Told to stop by a signal; its code is what shells make of it."""

    def __init__(self, number: int) -> None:
        super().__init__(f"signal {number}")
        self.code = 128 + number


def stop_on_signals() -> Callable[[], None]:
    """Take SIGTERM and SIGHUP where nobody else does, and return how to give them back."""
    if threading.current_thread() is not threading.main_thread():
        return lambda: None
    before: dict[int, Any] = {}
    for number in _known("SIGTERM", "SIGHUP"):
        if signal.getsignal(number) is signal.SIG_DFL:
            before[number] = signal.signal(number, _stop)

    def give_back() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    return give_back


def _stop(number: int, frame: FrameType | None) -> None:
    raise Stopped(number)


class Deferral:
    """A wish to stop that waits for a place where stopping leaves nothing half done; a second one does not wait."""

    def __init__(self) -> None:
        self._number = 0
        self._may_break = False

    def hear(self, number: int, frame: FrameType | None) -> None:
        del frame
        is_second, self._number = self._number > 0, number
        if self._may_break or is_second:
            raise Stopped(number)

    def is_due(self) -> bool:
        return self._number > 0

    def look(self) -> None:
        """Stop here, if that is wanted."""
        if self._number:
            raise Stopped(self._number)

    @contextmanager
    def breakable(self) -> Generator[None]:
        """While it lasts, stop at once: what waits in it may wait for ever, and can be left anywhere."""
        self._may_break = True
        try:
            self.look()
            yield
        finally:
            self._may_break = False


@contextmanager
def deferring() -> Generator[Deferral]:
    """While it lasts, whoever wants the command to stop waits for the places it names."""
    deferral = Deferral()
    if threading.current_thread() is not threading.main_thread():
        yield deferral
        return
    before: dict[int, Any] = {}
    for number in _known("SIGINT", "SIGTERM", "SIGHUP"):
        if signal.getsignal(number) not in (signal.SIG_IGN, None):
            before[number] = signal.signal(number, deferral.hear)
    try:
        yield deferral
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _known(*names: str) -> list[int]:
    return [getattr(signal, name) for name in names if hasattr(signal, name)]
