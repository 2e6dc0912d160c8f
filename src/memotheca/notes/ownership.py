"""Owners: what a change of an entry means for the file or the document that it belongs to."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from memotheca.documents.sections import remove_document, remove_with_edges
from memotheca.kernel.kernel import Kernel
from memotheca.model import kinds
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.notes.mounts import vaults_of
from memotheca.notes.note_bytes import is_filed, to_bytes
from memotheca.notes.note_codec import FilePlace, to_entry
from memotheca.notes.outbox import FileChanged, FilePlan, catch_up, finish
from memotheca.notes.sync import folder_of, sync_paths
from memotheca.storage.store import Transaction
from memotheca.vault.edit import compose
from memotheca.vault.files import TRASH, digest_of
from memotheca.vault.note_file import ParsedNote, parse, render
from memotheca.vault.paths import new_path

T = TypeVar("T")

Act = Callable[[Transaction, FilePlan], T]


def carry_out(kernel: Kernel, act: Act[T], *, actor: str) -> T:
    """Run a change in one transaction and let the files of its notes follow; a file that goes, goes to the trash."""

    def write(transaction: Transaction) -> tuple[T, bool]:
        plan = FilePlan(vaults_of(kernel), keeps=True)
        result = act(transaction, plan)
        return result, bool(plan.settle(transaction))

    catch_up(kernel)
    try:
        result, files_follow = kernel.write(write, actor=actor)
    except FileChanged as changed:
        mount, place = vaults_of(kernel).place(changed.path)
        sync_paths(kernel, mount, folder_of(kernel, mount), [place])
        # Now that it is read again, the same can be tried again.
        raise Refusal(Failure.BUSY, changed.message, details=changed.details) from changed
    if files_follow:
        finish(kernel)
    return result


def retire(transaction: Transaction, plan: FilePlan, entry: Entry) -> int:
    """Leave a tombstone for an entry, its parts, and the edges that end at it; returns how many edges that were."""
    release(transaction, plan, entry)
    if entry.kind == kinds.DOCUMENT:
        return remove_document(transaction, entry)
    return remove_with_edges(transaction, entry)


def release(transaction: Transaction, plan: FilePlan, entry: Entry) -> None:
    """See that an entry can go, and let its file go with it."""
    if entry.kind == kinds.SECTION:
        raise Refusal(
            Failure.UNSUPPORTED,
            "A section is a part of its document and goes with it; name the document.",
            details={"document": entry.attributes["document"]},
        )
    if is_filed(entry):
        to_bytes(entry)
        plan.add(entry, None)


def inscribe(transaction: Transaction, entry: Entry, edit: Callable[[ParsedNote], ParsedNote]) -> Entry:
    """A note with its file's head edited; everything that is not the file's stays as it is on the entry."""
    vault, path = entry.attributes["vault"], entry.attributes["path"]
    place = path.removeprefix(vault)
    raw = render(edit(parse(to_bytes(entry), place)))
    return to_entry(transaction, entry, parse(raw, place), FilePlace(vault, path, digest_of(raw)))


def make_note(transaction: Transaction, beside: Entry, drawn: Entry) -> Entry:
    """A new note in the folder of another one, with the title, text and tags that were drawn up."""
    vault, path = beside.attributes["vault"], beside.attributes["path"]
    place = new_path(drawn.title, path.removeprefix(vault).rpartition("/")[0])
    raw = render(compose(place, " ".join(drawn.title.split()), drawn.body, tags=drawn.tags))
    made = to_entry(transaction, None, parse(raw, place), FilePlace(vault, vault + place, digest_of(raw)))
    return replace(made, id=drawn.id, attributes={**drawn.attributes, **made.attributes}, created_at=drawn.created_at)


def empty_trash(kernel: Kernel, entries: Iterable[Entry]) -> None:
    """Take out of the vaults' trash the very files that these notes had."""
    for entry in entries:
        if is_filed(entry):
            vault, path = entry.attributes["vault"], entry.attributes["path"]
            for place in _in_trash(vaults_of(kernel).holding(vault).root, path.removeprefix(vault)):
                if digest_of(place.read_bytes()) == entry.attributes["digest"]:
                    place.unlink(missing_ok=True)


def _in_trash(root: Path, path: str) -> Sequence[Path]:
    """Where a file may be in the trash: under its own name, or under that name with a number."""
    usual = root / TRASH / path
    if not usual.parent.is_dir():
        return ()
    named = re.compile(rf"{re.escape(usual.stem)}(?: \d+)?{re.escape(usual.suffix)}")
    return [place for place in usual.parent.iterdir() if place.is_file() and named.fullmatch(place.name)]
