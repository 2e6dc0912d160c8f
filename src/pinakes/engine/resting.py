"""Letting Python's collector rest: while much is made that stays, and in a process that stays."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

SELDOM = 300


def calm_collector() -> None:
    """For a process that stays and looks after itself: what is there now is never looked at again, and what comes later
    only between the calls, since looking through it takes longer than most tools."""
    gc.freeze()
    gc.disable()


def tidy_up() -> None:
    """Collect what came since the last time; now and then, all that is kept."""
    if gc.isenabled():
        return
    # Python counts how often the younger ones were looked through since the last time that all were.
    gc.collect(2 if gc.get_count()[2] >= SELDOM else 1)


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
