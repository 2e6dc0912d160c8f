"""What of our SQL PostgreSQL says in other words: placeholders, lists in one parameter, types of columns."""

import json
import re
from functools import lru_cache
from typing import Any

from memotheca.storage.database import SKIP_LOCKED

# Chosen: more than there are statements; those that name their values one by one have many lengths.
_KNOWN = 2048

_LIST = re.compile(r"json_each\(\?\)(?: (?!CROSS\b|JOIN\b|WHERE\b|ORDER\b)(\w+))?")
# In SQLite it fixes the order of reading; here the planner finds one, and it takes no condition.
_ORDERED_JOIN = re.compile(r"\bCROSS JOIN (\w+(?: \w+)?) ON\b")
_MEMBER = re.compile(r"json_extract\(([\w.]+), '\$\.([\w.\[\]]+)'\)")
_NO_VALUES = re.compile(r"\bIN \(\)")
_TYPES = {
    # Texts are compared by their bytes, as in SQLite, whatever the database's own order is.
    "TEXT": 'TEXT COLLATE "C"',
    "BLOB": "BYTEA",
    "REAL": "DOUBLE PRECISION",
}
_TYPE = re.compile(rf"\b({'|'.join(_TYPES)})\b")
_PAIR = re.compile("\1[\1\2]")
# No text may hold NUL there, so it is written as two letters that nobody else writes so.
_NUL, _MARK, _SECOND = "\0", "\1", "\2"

_SPREAD = "json_array_elements_text(CAST(replace(?, '\\u0000', '\\u0001\\u0001') AS json))"
_DEFINITION = re.compile(r"\s*(CREATE|ALTER) TABLE\b")


@lru_cache(maxsize=_KNOWN)
def translate(sql: str) -> bytes:
    """A statement of the common subset as PostgreSQL takes it."""
    if _DEFINITION.match(sql):
        return _TYPE.sub(lambda found: _TYPES[found[1]], sql).encode()
    sql = _LIST.sub(lambda found: f"{_SPREAD} {found[1] or 'listed'} (value)", sql)
    sql = _ORDERED_JOIN.sub(r"JOIN \1 ON", sql)
    sql = _MEMBER.sub(_to_member, sql)
    sql = _NO_VALUES.sub("IN (SELECT CAST(NULL AS TEXT) WHERE FALSE)", sql)
    sql = sql.replace(SKIP_LOCKED, "FOR UPDATE SKIP LOCKED")
    first, *rest = sql.split("?")
    return (first + "".join(f"${place}{part}" for place, part in enumerate(rest, 1))).encode()


def _to_member(found: re.Match[str]) -> str:
    path = ",".join(re.findall(r"\w+", found[2]))
    return f"(CAST(replace({found[1]}, '\\u0000', '\\u0001') AS json) #> '{{{path}}}')"


def to_stored(value: Any) -> Any:
    """A value as it can be kept."""
    if type(value) is str and (_NUL in value or _MARK in value):
        return value.replace(_MARK, _MARK + _SECOND).replace(_NUL, _MARK + _MARK)
    return value


def from_stored(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows as they were given."""
    for row in rows:
        for value in row:
            if type(value) is str and _MARK in value:
                return [tuple([_read(each) for each in row]) for row in rows]
    return rows


def _read(value: Any) -> Any:
    if type(value) is str and _MARK in value:
        return _PAIR.sub(lambda found: _NUL if found[0] == _MARK + _MARK else _MARK, value)
    return value


def member_of(said: bytes) -> Any:
    """What SQLite's `json_extract` gives: a number or a text as it is, anything larger as JSON."""
    found = json.loads(said)
    if isinstance(found, bool):
        return int(found)
    return said.decode() if isinstance(found, dict | list) else found
