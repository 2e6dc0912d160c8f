"""Frontmatter as catalogues really have it: YAML or TOML, with the slips that people make in it."""

import re
import tomllib
from dataclasses import dataclass
from typing import Any, cast

import yaml

from memotheca.text.yaml_bounds import TooMuch, load_yaml

_FENCES = {"---": ("---", "..."), "+++": ("+++",)}
_PLAIN = re.compile(r"^(?P<name>[A-Za-z_][\w .-]*):[ \t]+(?P<value>[^\s'\"|>\[{&*!#][^\n]*)$", re.MULTILINE)
_RESERVED = re.compile(r"^(?P<name>[A-Za-z_][\w .-]*):[ \t]+(?P<value>[`@%*&!\[{][^\n]*)$", re.MULTILINE)


class UnreadablePattern(Exception):
    """A file that holds no pattern we can read; the message says why."""


@dataclass(frozen=True, slots=True)
class PatternParts:
    """A file taken apart: its fields by their folded names, its text, and what had to be mended."""

    fields: dict[str, Any]
    text: str
    warnings: tuple[str, ...] = ()


def open_text(text: str) -> PatternParts:
    """Split a file into its frontmatter and its text."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").lstrip("\n")
    first, _, rest = text.partition("\n")
    closing = _FENCES.get(first.rstrip())
    if closing is None:
        raise UnreadablePattern("it has no frontmatter")
    lines = rest.split("\n")
    end = next((place for place, line in enumerate(lines) if line.rstrip() in closing), None)
    if end is None:
        raise UnreadablePattern("its frontmatter does not end")
    head = "\n".join(lines[:end])
    fields, warnings = _read_toml(head) if first.startswith("+") else _read_yaml(head)
    return PatternParts(
        {_spelled(name): value for name, value in fields.items()}, "\n".join(lines[end + 1 :]), warnings
    )


def _spelled(name: object) -> str:
    """skillLevel, skill_level and Skill-Level are one field."""
    return re.sub(r"[\s_-]", "", str(name)).lower()


def _read_toml(head: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    try:
        return tomllib.loads(head), ()
    except tomllib.TOMLDecodeError as error:
        raise UnreadablePattern(f"its frontmatter is no TOML: {error}") from None


def _read_yaml(head: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    try:
        return _mapping(_load(head)), ()
    except yaml.YAMLError as error:
        mended = _PLAIN.sub(_quoted_colon, _RESERVED.sub(_quoted, head.replace("\t", "  ")))
        try:
            return _mapping(_load(mended)), (f"{_complaint(error)}; read as plain text",)
        except yaml.YAMLError:
            raise UnreadablePattern(f"its frontmatter is no YAML: {_complaint(error)}") from None


def _load(head: str) -> Any:
    try:
        return load_yaml(head, yaml.SafeLoader)
    except TooMuch as error:
        raise UnreadablePattern(f"its frontmatter is refused: {error}") from None


def _quoted_colon(match: re.Match[str]) -> str:
    """A title with a colon in it is a mapping to YAML, and a title to whoever wrote it."""
    value = match["value"]
    return _quoted(match) if ": " in value or value.endswith(":") or " #" in value else match[0]


def _quoted(match: re.Match[str]) -> str:
    value = match["value"].rstrip()
    if value[0] in "[{" and value[-1] in "]}":
        return match[0]
    return f"{match['name']}: '{value.replace(chr(39), chr(39) * 2)}'"


def _mapping(loaded: Any) -> dict[str, Any]:
    if not isinstance(loaded, dict):
        raise UnreadablePattern("its frontmatter has no fields")
    return cast(dict[str, Any], loaded)


def _complaint(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = str(getattr(error, "problem", None) or error)
    # The frontmatter begins on the second line of the file, and marks count from zero.
    return f"{problem} (line {mark.line + 2})" if mark is not None else problem
