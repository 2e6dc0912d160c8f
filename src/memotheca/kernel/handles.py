"""Handles: the many names under which one thing is found."""

from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.ids import is_id
from memotheca.model.knowledge import Subject
from memotheca.storage.heads import is_live
from memotheca.storage.snapshot import Snapshot

ENTRY_NAMES = "entry"
ENTITY_NAMES = "entity"
EDGE_NAMES = "triple"
IMPORTED_NAMES = "handle"
NOTE_NAMES = "note"
DOCUMENT_NAMES = "doc"
PATTERN_NAMES = "pattern"
MEMORY_NAMES = "node"
TALK_NAMES = "talk"
# What a client calls a conversation, by which it is known when it is kept again.
SESSION_NAMES = "session"

NAMESPACES = (
    ENTRY_NAMES,
    ENTITY_NAMES,
    EDGE_NAMES,
    IMPORTED_NAMES,
    NOTE_NAMES,
    DOCUMENT_NAMES,
    PATTERN_NAMES,
    MEMORY_NAMES,
    TALK_NAMES,
)


class ManyMeant(Refusal):
    """A handle that several things bear."""

    def __init__(self, handle: str, ids: list[str], *, field: str) -> None:
        message = f"{handle!r} names {len(ids)} things; use one of the ids."
        super().__init__(Failure.AMBIGUOUS, message, field=field, details={"candidates": ids})
        self.ids = ids


def resolve(snapshot: Snapshot, handle: str, subject: Subject, *, field: str = "id") -> Version:
    """The live thing under a handle: an id, a prefixed name, or a bare name that only one thing bears."""
    ids = _owners(snapshot, handle.strip())
    live = [found for id in ids if (found := snapshot.head(id)) is not None and found.subject == subject]
    if len(live) == 1:
        return live[0]
    if live:
        raise ManyMeant(handle, [found.id for found in live], field=field)
    raise _gone(snapshot, handle, ids, subject=subject, field=field)


def resolve_any(snapshot: Snapshot, handle: str) -> Version:
    """The newest version of whatever a handle names, dead or alive."""
    ids = _owners(snapshot, handle.strip())
    found = [version for id in ids if (version := snapshot.version(id, snapshot.tx)) is not None]
    if len(found) > 1:
        raise ManyMeant(handle, [version.id for version in found], field="id")
    if not found or found[0].erased:
        raise Refusal(Failure.NOT_FOUND, f"There is nothing under {handle!r}.", field="id")
    return found[0]


def _owners(snapshot: Snapshot, handle: str) -> list[str]:
    if is_id(handle):
        # A document's public id is an alias that looks like an id.
        return [snapshot.find_alias(DOCUMENT_NAMES, handle) or handle.lower()]
    prefix, _, rest = handle.partition(":")
    if rest and prefix in NAMESPACES:
        owner = snapshot.find_alias(prefix, rest)
        if owner is None and prefix in (DOCUMENT_NAMES, TALK_NAMES):
            # A place in a document, as doc:ID#page=5, is the document; a turn, as talk:c-1#5, its conversation.
            owner = snapshot.find_alias(prefix, rest.partition("#")[0])
        return [] if owner is None else [owner]
    found = list(dict.fromkeys(id for _, id in snapshot.find_aliases(handle)))
    talk, _, turn = handle.partition("#")
    if not found and turn.isdecimal() and (owner := snapshot.find_alias(TALK_NAMES, talk)) is not None:
        return [owner]
    return found


def _gone(snapshot: Snapshot, handle: str, ids: list[str], *, subject: Subject, field: str) -> Refusal:
    dead = [
        version
        for id in ids
        if not is_live(snapshot.session, snapshot.collection, id) and (version := snapshot.version(id, snapshot.tx))
    ]
    if any(version.erased for version in dead):
        return Refusal(Failure.ERASED, f"{handle!r} was erased for good.", field=field)
    if any(version.subject == subject for version in dead):
        deleted = next(version.tx for version in dead if version.subject == subject)
        return Refusal(
            Failure.TOMBSTONED,
            f"{handle!r} was deleted in transaction {deleted}; undo it to have it back.",
            field=field,
            details={"tx_id": deleted},
        )
    return Refusal(Failure.NOT_FOUND, f"There is nothing under {handle!r}.", field=field)
