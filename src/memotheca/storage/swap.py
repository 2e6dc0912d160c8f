"""Putting another database in place of the present one: whatever happens meanwhile, it is the old or the new.

The new one waits in a folder beside it. Once the plan lies there too it counts: whoever opens the directory next
carries it out to its end, and where there is no plan the folder goes."""

import errno
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from memotheca.storage.locks import FOLDER, try_lock

if sys.platform != "win32":
    import fcntl

STAGE = "restoring"
PLAN = "plan.json"
# Specification: where SQLite has its locks in a file: everybody who has it open shares this range.
_SHARED = ((1 << 30) + 2, 510)


@dataclass(frozen=True, slots=True)
class SwapPlan:
    """Where the present state is kept, nowhere if empty, which other files are kept with it, and which folder keeps
    which files alone."""

    kept: str
    others: tuple[str, ...]
    folder: str
    keeping: tuple[str, ...]


def stage_of(database: Path) -> Path:
    """Beside the file itself, wherever links to it are: only there a rename is one step."""
    return Path(os.path.realpath(database)).parent / STAGE


def staged(database: Path) -> Path:
    return stage_of(database) / database.name


def begin(database: Path) -> Path:
    """An empty folder for the new one; returns where in it to put the file."""
    folder = stage_of(database)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    return staged(database)


def decide(database: Path, plan: SwapPlan) -> None:
    """From here on the new one counts."""
    new = staged(database)
    _sync(new)
    part = stage_of(database) / f"{PLAN}.part"
    part.write_text(json.dumps(asdict(plan)), "utf-8")
    _sync(part)
    os.replace(part, stage_of(database) / PLAN)
    _sync(stage_of(database))
    _sync(stage_of(database).parent)


def is_pending(database: Path) -> bool:
    """Whether something was decided and not carried out to its end."""
    return (stage_of(database) / PLAN).exists()


def finish(database: Path) -> None:
    """Carry out what was decided, from wherever it was left, and remove what was not. For who is alone there."""
    folder = stage_of(database)
    if not folder.is_dir():
        return
    try:
        plan = SwapPlan(**json.loads((folder / PLAN).read_text("utf-8")))
    except FileNotFoundError:
        shutil.rmtree(folder, ignore_errors=True)
        return
    if staged(database).exists():
        _keep(database, plan)
        os.replace(staged(database), os.path.realpath(database))
        _sync(folder.parent)
    for left in sorted(Path(plan.folder).glob("*")) if plan.folder else ():
        if left.name not in plan.keeping:
            left.unlink(missing_ok=True)
    (folder / PLAN).unlink()
    shutil.rmtree(folder, ignore_errors=True)


def side_files(database: Path) -> Iterator[Path]:
    for suffix in ("-wal", "-shm", "-journal"):
        yield Path(f"{os.path.realpath(database)}{suffix}")


def _keep(database: Path, plan: SwapPlan) -> None:
    """The file stays where it is until the new one takes its name: a directory without one would begin anew."""
    kept = Path(plan.kept) if plan.kept else None
    here = Path(os.path.realpath(database))
    if kept is not None and here.exists():
        kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _link(here, kept)
        _sync(kept.parent)
    for side in side_files(database):
        if side.exists():
            _put_aside(side, None if kept is None else Path(f"{kept}{side.name.removeprefix(here.name)}"))
    for other in map(Path, plan.others):
        if other.exists():
            _put_aside(other, None if kept is None else kept.with_suffix(other.suffix))


def _put_aside(path: Path, target: Path | None) -> None:
    if target is None:
        path.unlink()
    else:
        shutil.move(path, target)


def _link(source: Path, target: Path) -> None:
    """A second name for the file; a copy where the disk knows no second names, or it lies on another."""
    if target.exists():
        return
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise
        part = Path(f"{target}.part")
        copy_file(source, part)
        os.replace(part, target)


def copy_file(source: Path, target: Path) -> None:
    """A copy for its owner alone, durable when this returns."""
    target.unlink(missing_ok=True)
    descriptor = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "wb") as made, source.open("rb") as given:
        shutil.copyfileobj(given, made, 1 << 20)
        made.flush()
        os.fsync(made.fileno())


def settle(part: Path, target: Path) -> None:
    """Give a file that is whole its name, durably."""
    _sync(part)
    os.replace(part, target)
    with suppress(OSError):
        _sync(target.parent)


def _sync(path: Path) -> None:
    if os.name == "posix" or path.is_file():
        descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def held_roles(directory: Path) -> list[str]:
    """The roles that somebody holds; programs of before there was a presence are known by them alone."""
    found: list[str] = []
    for path in sorted((directory / FOLDER).glob("*.lock")):
        descriptor = os.open(path, os.O_RDWR)
        try:
            if not try_lock(descriptor):
                found.append(path.stem)
        finally:
            os.close(descriptor)
    return found


def is_open(database: Path) -> bool:
    """Whether any other program has the file open, ours or not. Only for who has not: closing it drops locks."""
    if sys.platform == "win32" or not database.exists():
        return False
    with suppress(PermissionError), database.open("rb+") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED[1], _SHARED[0])
        except OSError:
            return True
    return False
