"""What an export of ours comes to: the newest state of each thing, and what each was before."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memotheca.admin.export_lines import Line, sound_lines
from memotheca.model import kinds
from memotheca.model.knowledge import Edge, Entry, Thing
from memotheca.storage.serialization import from_image, to_image, to_text

_DIGEST = 8  # chosen: bytes; tells the few states of one thing apart

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
class _PastRead:
    things: dict[str, Thing] = field(default_factory=dict[str, Thing])
    gone: dict[str, bool] = field(default_factory=dict[str, bool])
    past: dict[str, set[bytes]] = field(default_factory=dict[str, set[bytes]])


def state_digest(thing: Thing) -> bytes:
    """By what a state of a thing is known again, whatever it is called and whenever it was made."""
    state = replace(thing, aliases=(), created_at=0, updated_at=0)
    return hashlib.blake2b(to_image(state).encode(), digest_size=_DIGEST).digest()


def read_heads(header: Mapping[str, Any], lines: Iterable[Line], report: Report) -> ExportHeads:
    """Read an export to its end before anything is done with it, so that a bad one leaves nothing behind."""
    reading = _PastRead()
    for line in sound_lines(header, lines):
        for version in line["versions"]:
            _take(reading, version)
        report(line["tx"], header["tx"], "reading")
    ordered = sorted(reading.things.values(), key=_order)
    past = {id: frozenset(states) for id, states in reading.past.items()}
    return ExportHeads(tuple(ordered), reading.gone, past, header["serials"])


def _order(thing: Thing) -> tuple[bool, bool, str]:
    """What others belong to, or lead to, comes before them."""
    return isinstance(thing, Edge), isinstance(thing, Entry) and thing.kind == kinds.SECTION, thing.id


def _take(reading: _PastRead, version: Line) -> None:
    id: str = version["id"]
    before = reading.things.pop(id, None)
    if before is not None:
        reading.past.setdefault(id, set()).add(state_digest(before))
    if version["image"] is None:
        if version["kind"] not in (kinds.NOTE, kinds.TUNING):
            reading.gone[id] = version["erased"]
        return
    reading.gone.pop(id, None)
    reading.things[id] = from_image(version["subject"], id, to_text(version["image"]))
