"""The entry of a note's file; `note_bytes.py` makes the file of an entry, to the byte."""

import base64
from dataclasses import dataclass, replace
from typing import Any

from memotheca.kernel.handles import NOTE_NAMES
from memotheca.model.kinds import NOTE
from memotheca.model.knowledge import Alias, Entry
from memotheca.storage.heads import is_live
from memotheca.storage.store import Transaction
from memotheca.vault.lossless_text import encode, readable
from memotheca.vault.note_file import ParsedNote

OWNED = ("owner", "vault", "path", "digest", "head", "encoding", "names", "links", "raw", "unread")


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Where a note's file is: its vault, its path with the vault's prefix; and the digest of what it says."""

    vault: str
    path: str
    digest: str


@dataclass(frozen=True, slots=True)
class _FileText:
    title: str
    body: str = ""
    tags: tuple[str, ...] = ()


def to_entry(transaction: Transaction, present: Entry | None, parsed: ParsedNote, place: FilePlace) -> Entry:
    """The entry of a file."""
    body = parsed.text[parsed.body_start :]
    attributes: dict[str, Any] = {
        "head": readable(parsed.text[: parsed.body_start]),
        "encoding": parsed.encoding,
        "names": [*parsed.aliases, *([parsed.id] if parsed.id else [])],
        "links": list_links(parsed),
    }
    if readable(parsed.text) != parsed.text:
        attributes["raw"] = base64.b64encode(encode(parsed.text, parsed.encoding)).decode()
    said = _FileText(parsed.title, readable(body), parsed.tags)
    return _filed(transaction, present, said, place=place, attributes=attributes)


def to_unread_entry(
    transaction: Transaction, present: Entry | None, title: str, reason: str, *, place: FilePlace
) -> Entry:
    """The entry of a file whose text is not taken in: it has its place in the graph and no words."""
    attributes: dict[str, Any] = {"unread": reason, "names": [], "links": []}
    return _filed(transaction, present, _FileText(title), place=place, attributes=attributes)


def list_links(parsed: ParsedNote) -> list[list[Any]]:
    """The distinct targets outside the note, as they are kept."""
    found = [(readable(link.target), str(link.form), link.is_attachment) for link in parsed.links if not link.is_inside]
    return [list(link) for link in dict.fromkeys(found)]


def _filed(
    transaction: Transaction,
    present: Entry | None,
    said: _FileText,
    *,
    place: FilePlace,
    attributes: dict[str, Any],
) -> Entry:
    path = place.path
    id = transaction.new_id() if present is None else present.id
    kept = {} if present is None else {name: value for name, value in present.attributes.items() if name not in OWNED}
    placed = {**kept, **attributes, "owner": "file", "vault": place.vault, "path": path, "digest": place.digest}
    entry = Entry(
        id=id,
        kind=NOTE,
        title=readable(said.title),
        body=said.body,
        tags=tuple(readable(tag) for tag in said.tags),
        attributes=placed,
        aliases=(Alias(NOTE_NAMES, path),) if _is_free(transaction, path, id) else (),
        created_at=transaction.time if present is None else present.created_at,
        updated_at=transaction.time,
    )
    return entry if present is None else replace(entry, validity=present.validity, expires_at=present.expires_at)


def _is_free(transaction: Transaction, path: str, id: str) -> bool:
    """Two files may differ in case alone; the second is found by its exact path, but bears no name of its own."""
    owner = transaction.find_alias(NOTE_NAMES, path)
    return owner in (None, id) or not is_live(transaction.session, transaction.collection, str(owner))
