"""Letting Python's collector rest: while much is made that stays, and in a process that stays."""

import gc
import time
from collections.abc import Generator
from contextlib import contextmanager

SELDOM = 600.0
_looked = [0.0]


def calm_collector() -> None:
    """For a process that stays and looks after itself: what is there now is never looked at again, and what comes later
    only between the calls, since looking through it takes longer than most tools."""
    gc.freeze()
    gc.disable()


def tidy_up() -> None:
    """Collect what came since the last time; now and then, all that is kept."""
    if gc.isenabled():
        return
    now = time.monotonic()
    seldom = now - _looked[0] > SELDOM
    gc.collect(2 if seldom else 1)
    if seldom:
        _looked[0] = now


@contextmanager
def resting_collector() -> Generator[None]:
    """It would look again and again through what is only growing; afterwards it looks once."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
