"""memotheca erase: remove something for good."""

import argparse
from dataclasses import asdict

from memotheca.admin.erasure import BACKUP_ROLE, OCCUPIED, erase, purge
from memotheca.app import App, open_backups
from memotheca.cli.layout import say
from memotheca.cli.terminal import ACTOR, app_of, at_least, print_json
from memotheca.kernel.names import find_thing
from memotheca.model.clock import DAY
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import counted
from memotheca.storage.locks import role

EPILOG = """Deleting leaves a tombstone, so that undo can bring it back; erasing cannot be
undone. It takes the content out of every version, out of the write-ahead log,
and out of the backups in the data directory. Erasing a note deletes its file in
the vault; the file that a document was read from stays where it is. What you
exported or copied elsewhere is yours to look after.

  memotheca erase e-42 --yes
  memotheca erase handbook.pdf --yes
  memotheca erase --deleted-before 30 --yes   what was deleted 30 days ago"""

BEYOND = (
    "the tables were written anew. PostgreSQL's own log, its replicas and your copies of it (pg_dump, snapshots) hold "
    "it until you let them go."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("handle", nargs="?", help="what to erase: e-42, t-7, a file, a note, a name")
    parser.add_argument(
        "--deleted-before", type=at_least(0), metavar="DAYS", help="erase what was deleted longer ago than this"
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
            raise Refusal(Failure.BUSY, OCCUPIED)
        return _erase(parsed, app)


def _erase(parsed: argparse.Namespace, app: App) -> int:
    copies = open_backups(app.data)
    try:
        if parsed.handle is not None:
            done = erase(app.kernel, _meant(app, parsed.handle), actor=ACTOR, backups=copies)
        else:
            done = purge(app.kernel, actor=ACTOR, older_than=parsed.deleted_before * DAY, backups=copies)
    finally:
        for copy in copies:
            copy.close()
    beyond = BEYOND if app.is_shared else ""
    if parsed.json:
        print_json(None if done is None else {**asdict(done), **({"beyond_reach": beyond} if beyond else {})})
    elif done is None:
        print("Nothing was deleted that long ago.")
    else:
        what = f"{counted(done.versions, 'version')} of {counted(done.things, 'thing')}"
        copies_told = beyond or f"{counted(done.backups, 'backup')}."
        say(f"Erased {what} in transaction {done.tx}; {copies_told}")
    return 0


def _meant(app: App, handle: str) -> str:
    """The id of what a person names; as it was named where there is nothing, so that traces of it are cleared."""
    try:
        with app.kernel.read() as snapshot:
            return find_thing(snapshot, handle).id
    except Refusal as refusal:
        if refusal.failure is Failure.AMBIGUOUS:
            raise
        return handle
