"""A command that is told to stop ends as at Ctrl-C: what it has open is closed."""

import signal
import threading
from collections.abc import Callable
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
    for number in (getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)):
        if signal.getsignal(number) is signal.SIG_DFL:
            before[number] = signal.signal(number, _stop)

    def give_back() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    return give_back


def _stop(number: int, frame: FrameType | None) -> None:
    raise Stopped(number)
