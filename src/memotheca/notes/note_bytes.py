"""What a note's entry says of its file: whether there is one, and its bytes."""

import base64

from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import NOTE
from memotheca.model.knowledge import Entry
from memotheca.storage.store import Transaction
from memotheca.vault.lossless_text import encode


def is_filed(thing: object) -> bool:
    """Whether a file owns this thing."""
    return isinstance(thing, Entry) and thing.kind == NOTE and thing.attributes.get("owner") == "file"


def to_bytes(entry: Entry) -> bytes:
    """The file of an entry."""
    held = entry.attributes
    if "unread" in held:
        raise Refusal(Failure.TOO_LARGE, f"{held['path']!r} is not kept here ({held['unread']}), so it stays as it is.")
    if "raw" in held:
        return base64.b64decode(held["raw"])
    return encode(held["head"] + entry.body, held["encoding"])


def remove_note(transaction: Transaction, entry: Entry) -> None:
    """Leave a tombstone for a note and for the edges that end at it."""
    edges = {edge.id: edge for edge in transaction.edges_of(entry.id)}
    transaction.remove(entry)
    for edge in edges.values():
        transaction.remove(edge)
