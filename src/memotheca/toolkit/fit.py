"""Fitting lists into an answer: what a shape takes of it, and how many there is room for."""

import json
from collections.abc import Sequence

from memotheca.toolkit.fields import to_json

# What an answer has room for, in bytes, unless more was asked for; what else it says takes the rest of 24 KB.
ROOM = 20_000

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def weigh(shape: object) -> int:
    """The bytes of a shape in what takes more of an answer, which is its JSON within the JSON of a block."""
    return len(_encode(_encode(to_json(shape))).encode())


def room_for(limit: int, usual: int) -> int:
    """What a page of so many has room for: more where more than usual was asked for."""
    return int(ROOM * max(1.0, limit / usual))


def count_fitting(shapes: Sequence[object], room: int = ROOM, *, beside: int = 0) -> int:
    """How many of some shapes there is room for, at least one; each takes something beside its JSON."""
    taken = 0
    for place, shape in enumerate(shapes):
        taken += weigh(shape) + beside
        if taken > room:
            return max(place, 1)
    return len(shapes)
