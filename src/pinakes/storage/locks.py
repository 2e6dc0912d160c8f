"""Roles that one process at a time may hold: file locks, free at once when their holder dies."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

FOLDER = "locks"


@contextmanager
def role(data: Path, name: str) -> Generator[bool]:
    """Try to take a role without waiting; says whether it was taken."""
    folder = data / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(folder / f"{name}.lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        yield _try_lock(descriptor)
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    if sys.platform == "win32":
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
