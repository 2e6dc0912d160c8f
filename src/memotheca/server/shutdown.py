"""Leaving when told to: signals are heard even while the main thread waits for a client that does not read."""

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from memotheca.app import App

log = logging.getLogger(__name__)

# Chosen: longer than a database waits for the calls under way before it stops them.
PATIENCE = 15.0
STOPPED, ABANDONED = 0, 1  # specification: 0 is done, all else is not
_NAMES = ("SIGTERM", "SIGINT", "SIGHUP")


def leave_at_once(app: App) -> None:
    """End the process without waiting for whoever holds its pipes, but not without closing what is open."""
    closing = threading.Thread(target=_close, args=(app,), name="closing", daemon=True)
    closing.start()
    closing.join(PATIENCE)
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(ABANDONED if closing.is_alive() else STOPPED)


def _close(app: App) -> None:
    try:
        app.close()
    except Exception:
        log.exception("the data could not be closed")


def leave_on_signals(app: App) -> None:
    """Leave at SIGTERM, SIGINT and SIGHUP, unless whoever started us wants one of them ignored."""
    hearing, telling = os.pipe()
    os.set_blocking(telling, False)
    for number in heeded():
        signal.signal(number, _hear)
    signal.set_wakeup_fd(telling, warn_on_full_buffer=False)

    def wait() -> None:
        awaited = set(heeded())
        while received := os.read(hearing, 64):
            if awaited & set(received):
                leave_at_once(app)

    threading.Thread(target=wait, name="signals", daemon=True).start()


def _hear(number: int, frame: FrameType | None) -> None:
    """Nothing, in the main thread; but without a handler nobody would be told."""


def heeded() -> list[int]:
    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    return [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]


def leave_in_the_end(app: App, after: float = 0.0) -> Callable[[], None]:
    """A watch over an end under way: a call that does not end must not keep the process for ever, once it has had its
    time. Returns how to say that the end has come."""
    ended = threading.Event()

    def watch() -> None:
        if not ended.wait(after + PATIENCE):
            log.warning("a call does not end; it is abandoned")
            leave_at_once(app)

    threading.Thread(target=watch, name="farewell", daemon=True).start()
    return ended.set
