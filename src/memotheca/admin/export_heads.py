"""What an export of ours comes to: the newest state of each thing, and what each was before."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memotheca.model import kinds
from memotheca.model.errors import Failure, Refusal
from memotheca.model.ids import is_id
from memotheca.model.knowledge import Edge, Entry, Subject, Thing
from memotheca.storage.serialization import from_image, to_image, to_text

_KINDS = (*kinds.KINDS, kinds.TUNING)
_DIGEST = 8  # chosen: bytes; tells the few states of one thing apart
_MOST = 1 << 53  # chosen: no counter or time comes near it, and every database can hold it

Report = Callable[[float, float | None, str], None]


@dataclass(frozen=True, slots=True)
class ExportHeads:
    """The things of a collection as they were when it was exported, entries first; what was gone by then, and whether
    for good; the states that each thing had before; the counters behind its handles."""

    things: tuple[Thing, ...]
    gone: Mapping[str, bool]
    past: Mapping[str, frozenset[bytes]]
    serials: Mapping[str, int]


@dataclass(slots=True)
class _Reading:
    things: dict[str, Thing] = field(default_factory=dict[str, Thing])
    gone: dict[str, bool] = field(default_factory=dict[str, bool])
    past: dict[str, set[bytes]] = field(default_factory=dict[str, set[bytes]])


def state_digest(thing: Thing) -> bytes:
    """By what a state of a thing is known again, whatever it is called and whenever it was made."""
    state = replace(thing, aliases=(), created_at=0, updated_at=0)
    return hashlib.blake2b(to_image(state).encode(), digest_size=_DIGEST).digest()


def read_heads(header: Mapping[str, Any], lines: Iterable[Mapping[str, Any]], report: Report) -> ExportHeads:
    """Read an export to its end before anything is done with it, so that a bad one leaves nothing behind."""
    reading = _Reading()
    count, is_whole = 0, False
    try:
        serials = {str(name): _number(last) for name, last in header["serials"].items()}
        for line in lines:
            if "end" in line:
                is_whole = line["transactions"] == count
                break
            for version in line["versions"]:
                _take(reading, version)
            count += 1
            report(line["tx"], header["tx"], "reading")
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Refusal(Failure.INVALID, f"A line lacks what an export has ({error}); nothing was imported.") from None
    if not is_whole:
        raise Refusal(Failure.CORRUPT, "The export is cut off: its end is missing. Nothing was imported.")
    ordered = sorted(reading.things.values(), key=_order)
    past = {id: frozenset(states) for id, states in reading.past.items()}
    return ExportHeads(tuple(ordered), reading.gone, past, serials)


def _order(thing: Thing) -> tuple[bool, bool, str]:
    """What others belong to, or lead to, comes before them."""
    return isinstance(thing, Edge), isinstance(thing, Entry) and thing.kind == kinds.SECTION, thing.id


def _take(reading: _Reading, version: Mapping[str, Any]) -> None:
    id, before = _known_id(version["id"]), reading.things.pop(version["id"], None)
    if before is not None:
        reading.past.setdefault(id, set()).add(state_digest(before))
    if version["image"] is None:
        if version["kind"] not in (kinds.NOTE, kinds.TUNING):
            reading.gone[id] = bool(version["erased"])
        return
    reading.gone.pop(id, None)
    reading.things[id] = _sound(version["subject"], id, version["image"])


def _sound(subject: Subject, id: str, image: Mapping[str, Any]) -> Thing:
    if subject not in ("entry", "edge"):
        raise ValueError(f"subject of {id}")
    try:
        thing = from_image(subject, id, to_text(image))
    except Refusal:
        raise ValueError(f"image of {id}") from None
    texts: tuple[object, ...]
    if isinstance(thing, Entry):
        texts = (thing.kind, thing.title, thing.body, *thing.tags)
        is_known = thing.kind in _KINDS
    else:
        texts = (thing.type, thing.predicate, _known_id(thing.source), _known_id(thing.target))
        is_known = thing.type in kinds.EDGE_TYPES
    texts += tuple(said for alias in thing.aliases for said in (alias.namespace, alias.name))
    attributes: object = thing.attributes
    if not is_known or not isinstance(attributes, dict) or not all(isinstance(each, str) for each in texts):
        raise ValueError(f"image of {id}")
    for moment in (thing.created_at, thing.updated_at):
        _number(moment)
    to_image(thing).encode()  # what cannot be written down is refused here, not half way
    return thing


def _known_id(id: object) -> str:
    if not isinstance(id, str) or not is_id(id):
        raise ValueError(f"id {id!r}")
    return id


def _number(said: object) -> int:
    if not isinstance(said, int) or not 0 <= said < _MOST:
        raise ValueError(f"number {said!r}")
    return said
