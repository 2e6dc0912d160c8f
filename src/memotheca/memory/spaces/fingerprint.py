"""The fingerprint of an entry: what it is in the spaces that are not the shared search's, from its own text and time.

E1 and the words (E6, E13) are those of the shared search and are not kept twice; the graph (E8) is in the edges."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.spaces import causal, code, entities, form, hyperdimensional, late_interaction
from memotheca.memory.spaces.causal import Causes
from memotheca.memory.spaces.form import Form
from memotheca.memory.spaces.sparse import Sparse, count_words, from_bytes
from memotheca.memory.spaces.temporal import implicit_position
from memotheca.model.knowledge import Entry
from memotheca.text.caches import Kept, key_of
from memotheca.text.terms import number_of

Array = NDArray[Any]

_HEAD = struct.Struct("<qQqBB?B")
SESSION, POSITION, MODALITY = "session_id", "session_position", "modality"
KEPT = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """Time and place in the session (E2 to E4), clauses (E5), names (E7), bits (E9), form (E10), entities (E11) and
    single words (E12)."""

    moment: int
    session: int
    position: int
    causes: Causes
    names: Sparse
    bits: bytes
    form: Form
    entities: Sparse
    tokens: Array


_counted: Kept[bytes, Sparse] = Kept(KEPT)
_represented: Kept[bytes, Fingerprint] = Kept(KEPT)


def text_of(entry: Entry) -> str:
    """What an entry says, with its title."""
    return f"{entry.title}\n{entry.body}" if entry.title else entry.body


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
    return Fingerprint(
        moment=0,
        session=0,
        position=0,
        causes=causal.represent(text),
        names=code.represent(text),
        bits=hyperdimensional.represent(text),
        form=form.represent(text, modality),
        entities=entities.represent(text),
        tokens=late_interaction.represent(text),
    )


def pack(print_: Fingerprint) -> bytes:
    causes = print_.causes
    head = _HEAD.pack(
        print_.moment,
        print_.session,
        print_.position,
        print_.form.modality,
        print_.form.intents,
        causes.is_said,
        len(print_.tokens),
    )
    effect = causes.effect.to_bytes() if causes.is_said else b""
    sparse = causes.cause.to_bytes() + effect + print_.names.to_bytes() + print_.form.caption.to_bytes()
    return head + sparse + print_.entities.to_bytes() + print_.bits + print_.tokens.tobytes()


def to_bytes(entry: Entry) -> bytes:
    return pack(represent(entry))


@lru_cache(maxsize=KEPT)
def unpack(packed: bytes) -> Fingerprint:
    moment, session, position, modality, intents, is_said, size = _HEAD.unpack_from(packed)
    cause, place = from_bytes(packed, _HEAD.size)
    effect, place = from_bytes(packed, place) if is_said else (cause, place)
    named, place = from_bytes(packed, place)
    caption, place = from_bytes(packed, place)
    found, place = from_bytes(packed, place)
    end = place + hyperdimensional.BYTES
    return Fingerprint(
        moment=moment,
        session=session,
        position=position,
        causes=Causes(cause, effect, is_said),
        names=named,
        bits=packed[place:end],
        form=Form(modality, intents, caption),
        entities=found,
        tokens=np.frombuffer(packed, np.uint64, size, end),
    )
