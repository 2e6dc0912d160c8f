"""How long a test waits for what has to happen: so long that a machine that does much else has done it."""

import threading
from collections.abc import Callable
from time import monotonic
from typing import TypeVar

PATIENCE = 120.0  # chosen: what takes a second on a quiet machine was seen to take twenty
PAUSE = 0.02  # chosen: whoever is waited for has the processor meanwhile

T = TypeVar("T")


def until(ask: Callable[[], T | None], seconds: float = PATIENCE) -> T:
    """Ask until the answer is one: something that is so, or that is there."""
    ends = monotonic() + seconds
    pause = threading.Event()
    while not (said := ask()):
        assert monotonic() < ends, f"not within {seconds:g} s; the last answer was {said!r}"
        pause.wait(PAUSE)
    return said
