"""Sessions that wait to be kept: a file for each, so that a hook is done at once and nothing is lost with it.

A client gives the hook of its end a second or two, and may be gone before that. What the hook does is write down which
session ended; a program of its own keeps it, and where that is killed too, the next one does.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

FOLDER = "hooks"
SETTLED = 600.0  # chosen: seconds without a turn, after which a session that said no farewell is taken to have ended
TRIES = 3  # chosen: what ends every program that takes it up is let go of


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingSession:
    """A session and the file it is written to; what has ended is due, one that goes on only when it has been silent."""

    client: str
    session: str
    transcript: str
    folder: str
    collection: str
    is_due: bool = True
    tries: int = 0

    @property
    def name(self) -> str:
        told = "\0".join((self.collection, self.client, self.session, self.transcript))
        return f"{hashlib.blake2b(told.encode('utf-8', 'replace'), digest_size=12).hexdigest()}.json"


def let_wait(data: Path, waiting: WaitingSession) -> None:
    """Write down that a session is to be kept. What is due stays so."""
    folder = data / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / waiting.name
    held = _read(path)
    if held is not None and held.is_due:
        waiting = replace(waiting, is_due=True)
    _write(path, waiting)


def take_up(data: Path, now: float | None = None) -> Iterator[tuple[Path, WaitingSession]]:
    """Those that are due, one after the other, each counted as tried before it is given; and where it stands."""
    now = time.time() if now is None else now
    folder = data / FOLDER
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        held = _read(path)
        if held is None:
            with suppress(OSError):
                path.unlink()
            continue
        try:
            is_silent = now - path.stat().st_mtime > SETTLED
        except FileNotFoundError:
            continue
        if held.is_due or is_silent:
            tried = replace(held, tries=held.tries + 1)
            _write(path, tried)
            yield path, tried


def count_waiting(data: Path) -> int:
    return sum(1 for _ in (data / FOLDER).glob("*.json"))


def settle(path: Path, taken: WaitingSession) -> None:
    """It is kept, or never will be; unless it was heard of again meanwhile."""
    held = _read(path)
    if held is not None and held.tries >= taken.tries:
        with suppress(FileNotFoundError):
            path.unlink()


def withdraw_try(path: Path, taken: WaitingSession) -> None:
    """It could not be kept for a reason that passes, and is none the worse for it."""
    held = _read(path)
    if held is not None and held.tries == taken.tries:
        _write(path, replace(held, tries=held.tries - 1))


def _write(path: Path, waiting: WaitingSession) -> None:
    new = path.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps(asdict(waiting)), "utf-8")
    new.replace(path)


def _read(path: Path) -> WaitingSession | None:
    try:
        said = json.loads(path.read_text("utf-8"))
        kinds = {each.name: each.default for each in fields(WaitingSession)}
        known = {name: value for name, value in said.items() if name in kinds}
        waiting = WaitingSession(**known)
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return waiting if all(isinstance(each, str) for each in (waiting.client, waiting.transcript)) else None
