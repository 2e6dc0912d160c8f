"""The fingerprint of an entry: what it is in the spaces that are not the shared search's, from its own text and time.

E1 and the words (E6, E13) are those of the shared search and are not kept twice; the graph (E8) is in the edges."""

import struct
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from memotheca.memory.spaces.space import Fingerprint, KeptSpace
from memotheca.memory.spaces.space_table import KEPT_SPACES
from memotheca.memory.spaces.sparse import Sparse, count_words
from memotheca.memory.spaces.temporal import implicit_position
from memotheca.memory.traits import text_of
from memotheca.model.knowledge import Entry
from memotheca.text.caches import LruCache, key_of
from memotheca.text.terms import number_of

SESSION, POSITION, MODALITY = "session_id", "session_position", "modality"
KEPT = 1024  # chosen: what is judged, stored and read again within a session


def _as_stored(*first: str) -> list[type[KeptSpace[Any]]]:
    """The spaces that keep something in the order of the first stored fingerprints; later ones follow."""
    return sorted(KEPT_SPACES, key=lambda space: first.index(space.id) if space.id in first else len(first))


_MARKED, _FOLLOWING = _as_stored("E10", "E5", "E12"), _as_stored("E5", "E7", "E10", "E11", "E9", "E12")
_HEAD = struct.Struct("<qQq" + "".join(space.marks for space in _MARKED))


_counted: LruCache[bytes, Sparse] = LruCache(KEPT)
_represented: LruCache[bytes, Fingerprint] = LruCache(KEPT)


def words_of(entry: Entry) -> Sparse:
    """E6: the words the shared search finds an entry by."""
    return words_of_all([entry])[0]


def words_of_all(entries: Sequence[Entry]) -> list[Sparse]:
    """As `words_of`, with all texts that were not met lately counted at once."""
    texts = [text_of(entry) for entry in entries]
    keys = [key_of(text) for text in texts]
    held = _counted.find(keys)
    fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in held}
    for key, counted in zip(fresh, count_words(list(fresh.values())), strict=True):
        held[key] = counted
        _counted.put(key, counted)
    return [held[key] for key in keys]


def represent(entry: Entry) -> Fingerprint:
    """A pure function of the entry's text, its time and its place; annotations do not enter."""
    attributes = entry.attributes
    session, position = implicit_position(entry.created_at)
    if attributes.get(SESSION):
        session, position = str(attributes[SESSION]), int(attributes.get(POSITION, 0))
    said = _represent_text(text_of(entry), str(attributes.get(MODALITY, "text")))
    return replace(said, moment=entry.created_at, session=number_of("s", session), position=position)


def _represent_text(text: str, modality: str) -> Fingerprint:
    """Kept for a while: a text is judged before it is stored, and what is no memory has no fingerprint in the store."""
    key = key_of(f"{modality}\0{text}")
    found = _represented.get(key)
    if found is None:
        found = _say(text, modality)
        _represented.put(key, found)
    return found


def _say(text: str, modality: str) -> Fingerprint:
    parts = {space.id: space.represent(text, modality) for space in KEPT_SPACES}
    return Fingerprint(moment=0, session=0, position=0, parts=parts)


def pack(print_: Fingerprint) -> bytes:
    marks = chain.from_iterable(space.to_marks(print_.parts[space.id]) for space in _MARKED)
    head = _HEAD.pack(print_.moment, print_.session, print_.position, *marks)
    return b"".join([head, *(space.to_bytes(print_.parts[space.id]) for space in _FOLLOWING)])


def to_bytes(entry: Entry) -> bytes:
    return pack(represent(entry))


@lru_cache(maxsize=KEPT)
def unpack(packed: bytes) -> Fingerprint:
    moment, session, position, *rest = _HEAD.unpack_from(packed)
    values = iter(rest)
    marks = {space.id: tuple(islice(values, len(space.marks))) for space in _MARKED}
    parts: dict[str, Any] = {}
    place = _HEAD.size
    for space in _FOLLOWING:
        parts[space.id], place = space.from_bytes(marks[space.id], packed, place)
    return Fingerprint(moment=moment, session=session, position=position, parts=parts)
