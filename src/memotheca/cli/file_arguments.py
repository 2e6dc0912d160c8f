"""Which files a person means: names, folders with everything readable below them, and patterns."""

import glob
import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.formats import promised_format

LOOKS = 5  # chosen: where names change faster than they are read, what is missing is found the next time


def gather(given: Iterable[str], *, patient: bool = False) -> list[str]:
    """Every file that was named, once, in order; nothing under a name is an error unless somebody waits for it."""
    found: dict[str, None] = {}
    for name in given:
        paths = _paths(name)
        if not paths and not patient:
            raise Refusal(Failure.INVALID, f"{name}: there is no such file, and no file in it that can be read.")
        found |= dict.fromkeys(paths)
    return list(found)


def _paths(name: str) -> list[str]:
    place = Path(name).expanduser()
    if place.is_dir():
        return _readable_below(place)
    if os.path.lexists(place) or (place.suffix and not glob.has_magic(name)):
        return [str(place)]
    if not glob.has_magic(name):
        # Without an ending it was perhaps meant to be a folder: its name is no format that could be unsupported.
        return []
    matched = sorted(glob.iglob(str(place), recursive=True))  # noqa: PTH207  # a pattern may begin anywhere
    return [path for each in matched for path in (_readable_below(Path(each)) if Path(each).is_dir() else [each])]


def _readable_below(folder: Path) -> list[str]:
    """Files of a format we read, in hidden folders and behind links excepted."""
    found: list[str] = []
    for above, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(above) / name
            if not name.startswith(".") and not path.is_symlink() and _is_readable(name):
                found.append(str(path))
    return found


def _is_readable(name: str) -> bool:
    try:
        promised_format(name)
    except Refusal:
        return False
    return True


def look_around(given: Sequence[str], known: Collection[str] = ()) -> dict[str, tuple[int, int]]:
    """The state of every file that is named. One that is renamed while folders are read stands under neither name:
    where a known one is missing, there is another look until two have seen the same."""
    seen = snapshot(gather(given, patient=True))
    for _ in range(LOOKS):
        if all(path in seen for path in known):
            break
        before, seen = seen, snapshot(gather(given, patient=True))
        if seen.keys() == before.keys():
            break
    return seen


def snapshot(paths: Iterable[str]) -> dict[str, tuple[int, int]]:
    """When each file last changed and how large it is; what has gone is left out."""
    states: dict[str, tuple[int, int]] = {}
    for path in paths:
        try:
            status = Path(path).stat()
        except OSError:
            continue
        states[path] = (status.st_mtime_ns, status.st_size)
    return states
