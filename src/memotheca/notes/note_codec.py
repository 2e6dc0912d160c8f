"""The entry of a note's file; `engine.filed` makes the file of an entry, to the byte."""

import base64
from dataclasses import replace
from typing import Any

from memotheca.kernel.handles import NOTE_NAMES
from memotheca.model.kinds import NOTE
from memotheca.model.knowledge import Alias, Entry
from memotheca.storage.heads import is_live
from memotheca.storage.store import Transaction
from memotheca.vault.lossless_text import encode, readable
from memotheca.vault.note_file import ParsedNote

OWNED = ("owner", "vault", "path", "digest", "head", "encoding", "names", "links", "raw", "unread")


def to_entry(transaction: Transaction, present: Entry | None, parsed: ParsedNote, place: tuple[str, str, str]) -> Entry:
    """The entry of a file; `place` is its vault, its path with the vault's prefix, and its digest."""
    body = parsed.text[parsed.body_start :]
    attributes: dict[str, Any] = {
        "head": readable(parsed.text[: parsed.body_start]),
        "encoding": parsed.encoding,
        "names": [*parsed.aliases, *([parsed.id] if parsed.id else [])],
        "links": list_links(parsed),
    }
    if readable(parsed.text) != parsed.text:
        attributes["raw"] = base64.b64encode(encode(parsed.text, parsed.encoding)).decode()
    return _filed(transaction, present, (parsed.title, readable(body), parsed.tags), place=place, attributes=attributes)


def to_unread_entry(
    transaction: Transaction, present: Entry | None, title: str, reason: str, *, place: tuple[str, str, str]
) -> Entry:
    """The entry of a file whose text is not taken in: it has its place in the graph and no words."""
    attributes: dict[str, Any] = {"unread": reason, "names": [], "links": []}
    return _filed(transaction, present, (title, "", ()), place=place, attributes=attributes)


def list_links(parsed: ParsedNote) -> list[list[Any]]:
    """The distinct targets outside the note, as they are kept."""
    found = [(readable(link.target), str(link.form), link.is_attachment) for link in parsed.links if not link.is_inside]
    return [list(link) for link in dict.fromkeys(found)]


def _filed(
    transaction: Transaction,
    present: Entry | None,
    said: tuple[str, str, tuple[str, ...]],
    *,
    place: tuple[str, str, str],
    attributes: dict[str, Any],
) -> Entry:
    vault, path, digest = place
    title, body, tags = said
    id = transaction.new_id() if present is None else present.id
    kept = {} if present is None else {name: value for name, value in present.attributes.items() if name not in OWNED}
    placed = {**kept, **attributes, "owner": "file", "vault": vault, "path": path, "digest": digest}
    entry = Entry(
        id=id,
        kind=NOTE,
        title=readable(title),
        body=body,
        tags=tuple(readable(tag) for tag in tags),
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
