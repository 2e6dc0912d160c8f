"""Differences: what a change did to a thing, field by field, long texts only where they differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from memotheca.model.clock import DAY, to_iso
from memotheca.model.knowledge import Entry, Thing

AROUND = 160  # chosen: some words before and after what differs
LONGEST = 2000  # chosen: half a page of what differs
# What is kept for the machine, or told elsewhere.
HIDDEN = frozenset(
    "quarantine start stop document anchor level links digest path owner vault raw head encoding sha256 names "
    "position stored_path".split()
)


@dataclass(frozen=True, slots=True)
class FieldChange:
    """What a field said before and says after; cut where there is more around it."""

    field: str
    before: str | None
    after: str | None
    is_cut: bool = False


def compare_things(before: Thing | None, after: Thing | None) -> list[FieldChange]:
    """The fields in which two states of a thing differ."""
    old, new = _fields(before), _fields(after)
    names = [*new, *(name for name in old if name not in new)]
    return [_change(name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)]


def presentable(thing: Thing) -> dict[str, Any]:
    """The attributes that mean something to a person: plain values, lists of them, and notes with their days."""
    return _spoken(thing.attributes)


def _spoken(attributes: Mapping[str, Any]) -> dict[str, Any]:
    plain = {name: _timed(name, value) for name, value in attributes.items() if name not in HIDDEN and _is_plain(value)}
    said: Any = attributes.get("notes")
    if "notes" in plain or not isinstance(said, list | tuple):
        return plain
    notes = [line for each in cast(Sequence[Any], said) if (line := _dated(each))]
    return {**plain, **({"notes": notes} if notes else {})}


def _timed(name: str, value: Any) -> Any:
    """A moment as it is written; what is kept are microseconds."""
    return to_iso(value) if name.endswith("_at") and isinstance(value, int) and value > DAY else value


def _dated(note: Any) -> str:
    """A note that somebody added beside a thing, with its day."""
    try:
        return f"{note['text']} ({to_iso(note['at'])[:10]})"
    except (KeyError, TypeError):
        return ""


def _is_plain(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(isinstance(each, str | int | float) for each in value)  # pyright: ignore[reportUnknownVariableType]
    return isinstance(value, str | int | float) and value != ""


def _fields(thing: Thing | None) -> dict[str, str]:
    if thing is None:
        return {}
    told: dict[str, Any] = {}
    if isinstance(thing, Entry):
        told |= {"title": thing.title, "text": thing.body, "tags": ", ".join(thing.tags)}
        told |= {"expires": _moment(thing.expires_at)}
    else:
        told |= {"predicate": thing.predicate, "type": thing.type, "weight": f"{thing.weight:g}"}
        told |= {"confidence": None if thing.confidence is None else f"{thing.confidence:g}"}
    told |= {"valid from": _moment(thing.validity.start), "valid to": _moment(thing.validity.end)}
    told |= {name.replace("_", " "): _spelled(value) for name, value in _shown(thing.attributes).items()}
    return {name: value for name, value in told.items() if value}


def _shown(attributes: Mapping[str, Any]) -> dict[str, Any]:
    held = {"held": attributes["quarantine"].get("reason", "yes")} if attributes.get("quarantine") else {}
    return {**_spoken(attributes), **held}


def _spelled(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)  # pyright: ignore[reportUnknownArgumentType]


def _moment(time: int | None) -> str | None:
    return None if time is None else to_iso(time)


def _change(name: str, before: str | None, after: str | None) -> FieldChange:
    if before is None or after is None or max(len(before), len(after)) <= LONGEST // 4:
        cut = [None if text is None else text[:LONGEST] for text in (before, after)]
        return FieldChange(name, *cut, is_cut=cut != [before, after])
    start = _common(before, after)
    stop = _common(before[start:][::-1], after[start:][::-1])
    first, last = max(0, start - AROUND), max(0, stop - AROUND)
    shown = [text[first : len(text) - last][:LONGEST] for text in (before, after)]
    told = [f"{'…' if first else ''}{text}{'…' if last else ''}" for text in shown]
    return FieldChange(name, *told, is_cut=shown != [before, after])


def _common(one: str, other: str) -> int:
    """How many letters two texts begin with alike: by halving, since slices are compared fast and letters are not."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
