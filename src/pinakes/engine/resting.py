"""Letting Python's collector rest while much is made that stays."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


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
