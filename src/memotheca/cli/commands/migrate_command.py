"""memotheca migrate: move everything to another database."""

import argparse
import os
from pathlib import Path

from memotheca.admin.relocation import Relocated, Site, relocate_all
from memotheca.admin.token_shelves import shelf_of
from memotheca.app import SEGMENTS, App, open_server_store, open_store
from memotheca.cli.layout import say
from memotheca.cli.terminal import app_of, plain, print_json, progress
from memotheca.equipment import UPLOADS, machine_of
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import counted
from memotheca.storage.presence import gate, present
from memotheca.storage.store import Store

EPILOG = """examples:
  memotheca migrate --to postgresql://memotheca@db.example/memotheca
  memotheca migrate --database postgresql://… --to ~/memotheca-back

Everything goes over, of every collection: history, aliases, tunings, tasks,
jobs, settings and the index. The target must be empty; it is compared table by
table before anybody can open it. A move that was cut off goes on where it was
when the command is run again. What was moved stays where it is:
remove it yourself. Stop the servers of the data first. Tokens go with it, in
the place of any there; memotheca.toml stays with its directory, and vaults are
not mounted on PostgreSQL."""

SERVER = ("postgresql://", "postgres://")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--to", required=True, metavar="WHERE", help="postgresql://… or an empty directory to move everything into"
    )


def run(parsed: argparse.Namespace) -> int:
    app = app_of(parsed)
    _refuse_company(app)
    source = _site(app.kernel.store, app.data, app.place)
    target = _open_target(parsed.to, app)
    try:
        with progress("moving", quiet=parsed.json) as report:
            moved = relocate_all(source, target, report)
        _tell(moved, source, target, as_json=parsed.json)
    finally:
        target.store.close()
    return 0


def _refuse_company(app: App) -> None:
    """What others write meanwhile would stay behind."""
    if app.is_shared:
        others = app.kernel.store.database.others()
    else:
        with gate(app.data):
            others = next((str(holder) for holder in present(app.data) if holder.pid != os.getpid()), "")
    if others:
        raise Refusal(Failure.BUSY, f"The data is open elsewhere: {others}. Stop that first.")


def _open_target(to: str, app: App) -> Site:
    if to.startswith(SERVER):
        store = open_server_store(to, app.data)
        return _site(store, app.data, str(getattr(store.database, "name", "")))
    data = Path(to).expanduser()
    if not app.is_shared and data.exists() and data.samefile(app.data):
        raise Refusal(Failure.INVALID, "That is where the data is already; name another target.", field="to")
    return _site(open_store(data, command="memotheca migrate"), data, "")


def _site(store: Store, data: Path, place: str) -> Site:
    """`place` names the database where machines share it."""
    machine = machine_of(data) if place else ""
    tokens = shelf_of(store, data, is_shared=bool(place))
    return Site(store, place or str(data.resolve()), data / SEGMENTS, data / UPLOADS, tokens, machine)


def _tell(moved: Relocated, source: Site, target: Site, *, as_json: bool) -> None:
    if as_json:
        tables = {
            table: {name: {"rows": count, "digest": digest} for name, (count, digest) in groups.items()}
            for table, groups in moved.account.items()
            if groups
        }
        print_json(
            {
                "from": source.place,
                "to": target.place,
                "rows": moved.rows,
                "segments": moved.segments,
                "files": moved.files,
                "resumed": moved.resumed,
                "verified": True,
                "tables": tables,
            }
        )
        return
    collections = len(moved.account["collection"])
    files = f", {counted(moved.files, 'waiting file')}" if moved.files else ""
    say(
        plain(
            f"Moved {counted(moved.rows, 'row')} of {counted(collections, 'collection')} and "
            f"{counted(moved.segments, 'part')} of the index{files} to {target.place}, and compared them. "
            f"What is in {source.place} is as it was."
        )
    )
