"""memotheca backup: copy the database."""

import argparse
import os
import shlex
from contextlib import ExitStack
from pathlib import Path

from memotheca.admin.backups import ASKED, make_backup, thin_out
from memotheca.admin.erasure import BACKUP_ROLE, remove_partial_backups
from memotheca.app import BACKUPS, DATABASE, App, backup_path, find_faults, is_backup, means_of
from memotheca.cli.layout import say, sized
from memotheca.cli.terminal import aimed, app_of, at_least, plain, print_json, refuse_taken
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.locks import role

EPILOG = """examples:
  memotheca backup             a new file in backups/ of the data directory
  memotheca backup --keep 7    and the newest seven of them stay
  memotheca backup /media/disk/memotheca.db
  memotheca restore FILE       puts one back"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", help="where to write (default: a new file in backups/ of the data directory)"
    )
    parser.add_argument(
        "--keep",
        type=at_least(1),
        metavar="N",
        help="of the backups in backups/ made by this command, keep the newest N",
    )
    parser.add_argument("--force", action="store_true", help="replace an earlier backup of that name")


def run(parsed: argparse.Namespace) -> int:
    if parsed.keep is not None and parsed.file:
        raise Refusal(Failure.INVALID, "--keep is for backups in the data directory; leave the file out.")
    app = app_of(parsed)
    if app.is_shared:
        message = "What is in PostgreSQL is copied with its own tools (pg_dump); `memotheca export` writes one out."
        raise Refusal(Failure.UNSUPPORTED, message)
    target = _target(app, parsed.file, force=parsed.force)
    with ExitStack() as leaving:
        _take_turn(app, leaving)
        make_backup(app.kernel.store.database, target, find_faults)
        removed = thin_out(means_of(app.data), parsed.keep) if parsed.keep is not None else []
    size = target.stat().st_size
    if parsed.json:
        print_json({"file": str(target), "size_bytes": size, "removed": [str(path) for path in removed]})
        return 0
    less = f" Removed {len(removed)} older." if removed else ""
    say(plain(f"Copied {sized(size)} to {target}.{less} To put it back:"))
    print(plain(f"  {aimed(parsed, 'memotheca restore')} {shlex.quote(str(target.absolute()))}"))
    return 0


def _target(app: App, said: str | None, *, force: bool) -> Path:
    if not said:
        return backup_path(app.data, app.kernel.now(), ASKED)
    target = Path(said)
    if target.is_dir():
        return target / backup_path(app.data, app.kernel.now(), ASKED).name
    if target.exists() and target.samefile(app.data / DATABASE):
        raise Refusal(Failure.INVALID, f"{target} is the data itself; name another file.")
    refuse_taken(target, "backup", is_backup, force=force)
    return target


def _take_turn(app: App, leaving: ExitStack) -> None:
    """One backup at a time; a directory that cannot be written has nothing half made in it either."""
    if not os.access(app.data, os.W_OK):
        return
    if not leaving.enter_context(role(app.data, BACKUP_ROLE)):
        raise Refusal(
            Failure.BUSY, "Another backup is being made or something is being erased; try again when that is done."
        )
    remove_partial_backups(app.data / BACKUPS)
