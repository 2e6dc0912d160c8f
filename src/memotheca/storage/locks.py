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
# Chosen: Windows locks bytes, which nobody else can read then; so it is one that no file has.
_BYTE = 1 << 30


@contextmanager
def role(data: Path, name: str) -> Generator[bool]:
    """Try to take a role without waiting; says whether it was taken."""
    folder = data / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(folder / f"{name}.lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        yield try_lock(descriptor)
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed, without waiting; says whether nobody else has."""
    if sys.platform == "win32":
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
