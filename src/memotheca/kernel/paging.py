"""Cursors: where a page ended, in which snapshot, and for which question."""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.model.errors import Failure, Refusal

EXPIRED = "cursor_expired"
LARGEST = (1 << 63) - 1  # specification: what a column of 64 bits holds


@dataclass(frozen=True, slots=True)
class PagePosition:
    """Where to go on: after `last`, which was the `shown`th, in the state after `tx`, at the moment `now`."""

    tx: int
    now: int
    last: str = ""
    shown: int = 0


def start(question: Mapping[str, Any], cursor: str | None, *, newest: int, now: int) -> PagePosition:
    """Where a page starts: where the last one ended, or at the top of the snapshot that was asked for."""
    if cursor is not None:
        return from_cursor(cursor, question, newest=newest)
    wanted = question.get("as_of_tx_id")
    if wanted is not None and not 0 <= wanted <= newest:
        raise Refusal(Failure.INVALID, f"as_of_tx_id must be a transaction up to {newest}.", field="as_of_tx_id")
    return PagePosition(newest if wanted is None else wanted, now)


def to_cursor(place: PagePosition, question: Mapping[str, Any]) -> str:
    content = json.dumps([place.tx, place.now, place.last, place.shown, _fingerprint(question)], separators=(",", ":"))
    return base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")


def from_cursor(cursor: str, question: Mapping[str, Any], *, newest: int) -> PagePosition:
    """Read a cursor back; it must belong to the same question and to a state this collection has."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        tx, now, last, shown, fingerprint = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        place = PagePosition(int(tx), int(now), str(last), int(shown))
        if max(abs(place.tx), abs(place.now), abs(place.shown)) > LARGEST:
            raise ValueError
    except (binascii.Error, UnicodeDecodeError, ValueError, TypeError, OverflowError, RecursionError):
        raise Refusal(
            Failure.INVALID, "The cursor is not one of ours; start from the first page.", field="cursor"
        ) from None
    if fingerprint != _fingerprint(question):
        raise Refusal(Failure.INVALID, "The cursor belongs to other arguments; repeat them unchanged.", field="cursor")
    if not 0 <= place.tx <= newest:
        raise Refusal(
            Failure.EXPIRED,
            "The cursor's snapshot is gone; start from the first page.",
            field="cursor",
            details={"reason": EXPIRED},
        )
    return place


def _fingerprint(question: Mapping[str, Any]) -> str:
    spelled = json.dumps(question, sort_keys=True, ensure_ascii=False, default=list)
    return hashlib.blake2b(spelled.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
