"""Commented JSON, as editors let people write it: read without what only people read, and changed without touching it.

With comments and commas before an end, as the settings of Zed, VS Code and OpenCode have them."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

# What is never closed reaches to the end of its line, or of the text: no JSON, but read through once.
_STRING = r'"(?:[^"\\\n]|\\.)*+"?+'
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?+")
_LAST_COMMA = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])")
_REST = re.compile(r"[^\S\n]*+(?://[^\n]*+)?(?=\n)")  # of a line on which nothing but a comment stands
_BLANKS = re.compile(r"\s*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object: its name, and where it, its value and the end of that stand."""

    name: str
    start: int
    value: int
    end: int


def read_commented(text: str) -> Any:
    """What it says; raises ValueError as the reader of plain JSON does."""
    return json.loads(_plain(text))


def with_member(text: str, path: Sequence[str], value: Any, indent: str) -> str:
    """The text with a value at a path of names; all else stays, letter by letter. Raises TypeError where a name on the
    way is no object."""
    plain = _plain(text)
    at = _skip(plain, 0)
    for depth, name in enumerate(path):
        if plain[at] != "{":
            raise TypeError(name)
        found = [member for member in _members(plain, at) if member.name == name]
        if not found:
            for inner in reversed(path[depth + 1 :]):
                value = {inner: value}
            member = f"{json.dumps(name)}: {_spelled(value, indent, depth + 1)}"
            return _inserted(text, at, member, pad=indent * depth, indent=indent)
        at = found[-1].value
        if depth == len(path) - 1:
            return text[:at] + _spelled(value, indent, depth + 1) + text[found[-1].end :]
    return text


def without_member(text: str, path: Sequence[str]) -> str:
    """The text without the member at a path, which is there, and without the comma that parted it from others."""
    plain, commas = _plain(text), _blanked(_COMMENT, text)
    at = _skip(plain, 0)
    for name in path[:-1]:
        at = next(member.value for member in _members(plain, at) if member.name == name)
    members = list(_members(plain, at))
    place = next(number for number, member in enumerate(members) if member.name == path[-1])
    before, found = members[place - 1] if place else None, members[place]
    start, end = text.rfind("\n", 0, found.start), _skip(commas, found.end)
    if start < 0 or text[start : found.start].strip():
        start = found.start
    if commas[end : end + 1] == ",":
        return text[:start] + text[end + 1 :]
    comma = found.start if before is None else _skip(commas, before.end)
    return text[:comma] + text[comma + 1 if before else comma : start] + text[found.end :]


def _inserted(text: str, at: int, member: str, *, pad: str, indent: str) -> str:
    """A member as the first of the object that begins there; behind a comment on the line on which that begins."""
    plain = _plain(text)
    is_empty = plain[_skip(plain, at + 1)] == "}"
    rest = _REST.match(text, at + 1)
    place = at + 1 if rest is None else rest.end()
    ends = "," if not is_empty else f"\n{pad}" if place == at + 1 else ""
    return "".join((text[:place], "\n", pad, indent, member, ends, text[place:]))


def _spelled(value: Any, indent: str, depth: int) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent).replace("\n", "\n" + indent * depth)


def _members(plain: str, start: int) -> Iterator[_Member]:
    at = _skip(plain, start + 1)
    while plain[at] != "}":
        name, end = _DECODER.raw_decode(plain, at)
        value = _skip(plain, _skip(plain, end) + 1)
        _, end = _DECODER.raw_decode(plain, value)
        yield _Member(name, at, value, end)
        at = _skip(plain, end)
        if plain[at] == ",":
            at = _skip(plain, at + 1)


def _plain(text: str) -> str:
    """As plain JSON of the same length."""
    return _blanked(_LAST_COMMA, _blanked(_COMMENT, text))


def _blanked(unwanted: re.Pattern[str], text: str) -> str:
    return unwanted.sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    """Blanks; a string as it is, and so a comment that is never closed, which nobody reads as one."""
    said = found[0]
    is_open = said.startswith("/*") and (len(said) < len("/**/") or not said.endswith("*/"))
    return said if found[1] or is_open else re.sub(r"[^\n]", " ", said)


def _skip(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    assert found is not None
    return found.end()
