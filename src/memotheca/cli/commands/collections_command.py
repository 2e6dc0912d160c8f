"""memotheca collections: what collections there are, another name for one, one less."""

import argparse
from contextlib import suppress
from dataclasses import replace

from memotheca.admin.access_tokens import rename_in_tokens
from memotheca.admin.collections import end_renaming, read_renaming, remove_collection, rename_collection
from memotheca.admin.health import count_everything
from memotheca.admin.manifest import manifest_file
from memotheca.admin.token_shelves import shelf_of
from memotheca.app import SEGMENTS, App
from memotheca.cli.layout import say, table
from memotheca.cli.terminal import app_of, print_json
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import KINDS, SECTION, STARTER_COLLECTION
from memotheca.model.knowledge import counted

EPILOG = """examples:
  memotheca collections
  memotheca collections rename handbook guide
  memotheca collections remove old-project --yes

Stop the servers first. What is removed is gone with its history, and cannot be
undone; backups and exports keep it until you let them go. `memotheca export
--collection NAME` before keeps a copy."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    choices = ("list", "rename", "remove")
    parser.add_argument("action", nargs="?", choices=choices, default="list", help="list them (default), or change one")
    parser.add_argument("name", nargs="?", default="", help="which")
    parser.add_argument("to", nargs="?", default="", help="its new name")
    parser.add_argument("--yes", action="store_true", help="really remove it")


def run(parsed: argparse.Namespace) -> int:
    if parsed.action == "list":
        return _list(parsed)
    if not parsed.name or (parsed.action == "rename") != bool(parsed.to):
        words = "NAME NEW-NAME" if parsed.action == "rename" else "NAME"
        raise Refusal(Failure.INVALID, f"Say which: memotheca collections {parsed.action} {words}")
    return _rename(parsed) if parsed.action == "rename" else _remove(parsed)


def _rename(parsed: argparse.Namespace) -> int:
    app = app_of(parsed)
    _finish_renaming(app)
    rename_collection(app.kernel.store, parsed.name, parsed.to)
    tokens = _finish_renaming(app)
    if parsed.json:
        print_json({"collection": parsed.to, "was": parsed.name, "tokens": tokens})
    else:
        told = f"; {counted(tokens, 'token')} changed with it" if tokens else ""
        say(f"The collection {parsed.name} is called {parsed.to}{told}.")
    return 0


def _finish_renaming(app: App) -> int:
    """Tell the tokens and the manifest the new name, also where a command was cut off before; how many tokens."""
    renamed = read_renaming(app.kernel.store)
    if renamed is None:
        return 0
    name, wanted = renamed
    with suppress(FileNotFoundError):
        (app.data / manifest_file(name)).rename(app.data / manifest_file(wanted))
    tokens = rename_in_tokens(shelf_of(app.kernel.store, app.data, is_shared=app.is_shared), name, wanted)
    end_renaming(app.kernel.store)
    return tokens


def _remove(parsed: argparse.Namespace) -> int:
    if not parsed.yes:
        raise Refusal(Failure.CONFIRMATION_REQUIRED, "What is removed cannot be brought back; say --yes to do it.")
    app = app_of(parsed)
    _finish_renaming(app)
    removed = remove_collection(app.kernel.store, parsed.name)
    for name in removed.segments:
        (app.data / SEGMENTS / name).unlink(missing_ok=True)
    (app.data / manifest_file(parsed.name)).unlink(missing_ok=True)
    if parsed.json:
        print_json({"collection": parsed.name, "rows": removed.rows, "beyond_reach": _beyond(app)})
    else:
        say(f"Removed {parsed.name} with {counted(removed.rows, 'row')}. {_beyond(app)}")
    return 0


def _beyond(app: App) -> str:
    where = "PostgreSQL's own log, its replicas and your copies of it" if app.is_shared else "Backups and exports"
    return f"{where} hold it until you let them go."


def _list(parsed: argparse.Namespace) -> int:
    app = app_of(parsed)
    _finish_renaming(app)
    kernel = app.kernel
    found = {
        name: count_everything(replace(kernel, collection=name))
        for name in kernel.store.collections()
        if name != STARTER_COLLECTION
    }
    if parsed.json:
        print_json([{"collection": name, **counts} for name, counts in found.items()])
    elif not found:
        print("There is no collection yet; the first thing that is stored makes one.")
    else:
        rows = [(name, _spelled(counts)) for name, counts in found.items()]
        print("\n".join(table(rows)))
    return 0


def _spelled(counts: dict[str, int]) -> str:
    kinds = [counted(counts[kind], kind) for kind in KINDS if kind != SECTION and counts[kind]]
    return ", ".join([*kinds, counted(counts["transactions"], "transaction")])
