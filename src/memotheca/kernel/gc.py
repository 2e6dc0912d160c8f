"""Letting Python's collector rest: while much is made that stays, and in a process that stays."""

import gc
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager

SELDOM = 300  # chosen: a look through everything after so many of the newest alone
# Chosen: how long a thread that calculates keeps others from running, in seconds. Answering the least call
# takes the turn some dozens of times, so that Python's five milliseconds would be a tenth of a second and more.
TURN = 0.0005
# Chosen: a look through everything that takes longer than this is a pause that callers feel.
PAUSE = 0.03


def calm_collector() -> None:
    """For a process that stays and looks after itself: what is there now is never looked at again, and what comes later
    only between the calls, since looking through it takes longer than most tools."""
    gc.freeze()
    gc.disable()


def share_turns() -> None:
    """For a process that answers many at once: nobody who calculates holds up the others for long."""
    sys.setswitchinterval(TURN)


def tidy_up() -> None:
    """Collect what came since the last time; now and then, all that is kept. Where there is so much of it that looking
    through it would be felt, what is there now is not looked at again either."""
    if gc.isenabled():
        return
    began = time.perf_counter()
    # Python counts how often the younger ones were looked through since the last time that all were.
    gc.collect(2 if gc.get_count()[2] >= SELDOM else 1)
    if time.perf_counter() - began > PAUSE:
        gc.freeze()


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
