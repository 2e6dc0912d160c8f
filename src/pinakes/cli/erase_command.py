"""pinakes erase: remove something for good."""

import argparse
from dataclasses import asdict

from pinakes.app import BACKUPS, App, open_copy
from pinakes.cli.call_command import ACTOR
from pinakes.cli.terminal import app_of, print_json
from pinakes.engine.erasure import BACKUP_ROLE, backup_files, erase, purge, remove_partial_backups
from pinakes.model.clock import DAY
from pinakes.model.errors import Failure, Refusal
from pinakes.storage.locks import role

EPILOG = """Deleting leaves a tombstone, so that undo can bring it back; erasing cannot be undone. It takes the
content out of every version, out of the write-ahead log, and out of the backups in the data directory.
What you exported or copied elsewhere is yours to look after.

  pinakes erase e-42 --yes
  pinakes erase --deleted-before 30 --yes   everything that was deleted more than 30 days ago"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("handle", nargs="?", help="what to erase: e-42, t-7, a name or an id")
    parser.add_argument(
        "--deleted-before", type=int, metavar="DAYS", help="erase what was deleted longer ago than this"
    )
    parser.add_argument("--yes", action="store_true", help="really do it")


def run(parsed: argparse.Namespace) -> int:
    if (parsed.handle is None) == (parsed.deleted_before is None):
        raise Refusal(Failure.INVALID, "Name what to erase, or give --deleted-before DAYS.")
    if not parsed.yes:
        raise Refusal(Failure.CONFIRMATION_REQUIRED, "Erasing cannot be undone; say --yes to do it.")
    app = app_of(parsed)
    with role(app.data, BACKUP_ROLE) as held:
        if not held:
            raise Refusal(Failure.BUSY, "A backup is being made, which may hold it; try again when it is done.")
        return _erase(parsed, app)


def _erase(parsed: argparse.Namespace, app: App) -> int:
    remove_partial_backups(app.data / BACKUPS)
    copies = [open_copy(path) for path in backup_files(app.data / BACKUPS)]
    try:
        if parsed.handle is not None:
            done = erase(app.kernel, parsed.handle, actor=ACTOR, backups=copies)
        else:
            done = purge(app.kernel, actor=ACTOR, older_than=parsed.deleted_before * DAY, backups=copies)
    finally:
        for copy in copies:
            copy.close()
    if parsed.json:
        print_json(None if done is None else asdict(done))
    elif done is None:
        print("Nothing was deleted that long ago.")
    else:
        print(
            f"Erased {done.versions} versions of {done.things} things in transaction {done.tx}; {done.backups} backups."
        )
    return 0
