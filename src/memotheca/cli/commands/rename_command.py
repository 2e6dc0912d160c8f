"""memotheca rename: give a note or an entry another name."""

import argparse
from typing import Any

from memotheca.app import refresh_vaults
from memotheca.cli.layout import say
from memotheca.cli.terminal import ACTOR, app_of, plain, print_json
from memotheca.entries.entries import EntryChange, update_entry
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.names import find_thing, path_of
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import ENTRY, NOTE
from memotheca.model.knowledge import Entry, counted, handle_of
from memotheca.notes.write_notes import NoteEdit, update_note

OPTIONS = ("vault", "vault-ignore", "vault-gitignore")

EPILOG = """examples:
  memotheca rename notes/tea.md "Black tea"   the file, and every link to it
  memotheca rename notes/tea.md "Black tea" --dry-run
  memotheca rename e-1 "how Ada takes tea"    the topic of an entry

memotheca undo takes it back."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("thing", metavar="THING", help="a note's path, or the handle of an entry")
    parser.add_argument("name", metavar="NAME", help="its new title")
    parser.add_argument("--dry-run", action="store_true", help="only say which files would change")


def run(parsed: argparse.Namespace) -> int:
    app = app_of(parsed)
    refresh_vaults(app)
    name = parsed.name.strip()
    if not name:
        raise Refusal(Failure.INVALID, "Give a name that is not blank.")
    with app.kernel.read() as snapshot:
        thing = find_thing(snapshot, parsed.thing).thing
        path = path_of(snapshot, thing) if isinstance(thing, Entry) and thing.kind == NOTE else ""
    if path:
        told, said = _rename_note(app.kernel, path, name, dry_run=parsed.dry_run)
    elif isinstance(thing, Entry) and thing.kind == ENTRY:
        told, said = _rename_entry(app.kernel, thing, name, dry_run=parsed.dry_run)
    elif thing is None:
        told = f"{parsed.thing} was deleted; memotheca show {parsed.thing} says how it comes back."
        raise Refusal(Failure.NOT_FOUND, told)
    else:
        raise Refusal(Failure.UNSUPPORTED, f"{parsed.thing} has no name to change; notes and entries have.")
    if parsed.json:
        print_json(told)
    else:
        say(plain(said))
    return 0


def _rename_note(kernel: Kernel, path: str, name: str, *, dry_run: bool) -> tuple[dict[str, Any], str]:
    done = update_note(kernel, path, NoteEdit(title=name), actor=ACTOR, dry_run=dry_run)
    files = [{"id": each.id, "change": each.change, "links": each.links} for each in done.changes]
    links = sum(each.links for each in done.changes)
    now = done.node.id if done.node is not None else name
    would = "would change" if dry_run else "changed"
    said = f"{path} -> {now}: {counted(len(files), 'file')} {would}, {counted(links, 'link')} with them."
    told = {"from": path, "to": now, "dry_run": dry_run, "files": files, "warnings": list(done.warnings)}
    return told, " ".join([said, *done.warnings])


def _rename_entry(kernel: Kernel, entry: Entry, name: str, *, dry_run: bool) -> tuple[dict[str, Any], str]:
    if not dry_run:
        update_entry(kernel, handle_of(entry), EntryChange(title=name), actor=ACTOR)
    told: dict[str, Any] = {"from": entry.title, "to": name, "dry_run": dry_run, "files": [], "warnings": []}
    return told, f"{handle_of(entry)}: {entry.title} {'would be' if dry_run else 'is now'} {name}."
