"""The one writer's lock of a data file, held by a test: while it lasts, whoever stores something waits."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import apsw

from tests.patience import PATIENCE


@contextmanager
def nobody_can_write(file: Path) -> Generator[apsw.Connection]:
    """A server does things by itself, so the lock may not be free at once."""
    other = apsw.Connection(str(file))
    try:
        other.set_busy_timeout(int(PATIENCE * 1000))
        other.execute("BEGIN IMMEDIATE")
        yield other
    finally:
        other.close()
