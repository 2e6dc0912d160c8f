"""Letting Python's collector rest: while much is made that stays, and in a process that stays."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

# Newer objects, and how often those and the older ones are looked through: a tool leaves hardly any circles behind, and
# looking through all that a process keeps at hand takes longer than most tools.
THRESHOLDS = (10_000, 5, 1000)


def calm_collector() -> None:
    """For a process that stays: what is there now is never looked at again, and what comes later seldom."""
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)


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
