"""The block of YAML at the head of a note, read with care: it is data from anywhere, and never fails a note."""

import math
import re
from dataclasses import dataclass, field
from typing import Any, ClassVar

import yaml

from memotheca.text.yaml_bounds import MAX_DEPTH, SafeLoader, TooMuch, load_yaml
from memotheca.vault.lossless_text import readable

MAX_VALUES = 10_000  # chosen: far above what people write at the head of a note

_LARGEST = 2**63 - 1  # specification: what a whole number of 64 bits holds

Properties = dict[str, Any]


class _Loader(SafeLoader):
    """YAML as people mean it: a date, `yes` and `12:30` stay the words that were written."""

    # What a plain word may stand for: of the loader's own table nothing, and then only what follows.
    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:int", re.compile(r"^(?:0|[-+]?[1-9][0-9]{0,17})$"), list("-+0123456789")
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:[0-9]{1,300}\.[0-9]{0,300}|\.[0-9]{1,300})(?:[eE][-+]?[0-9]{1,3})?$"),
    list("-+.0123456789"),
)
_Loader.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile(r"^<<$"), ["<"])


class UnreadableProperties(Exception):
    """The block is no YAML mapping; the message says where and why."""


@dataclass(slots=True)
class _CountedValues:
    values: int = 0
    depth: int = field(default=0)


def read_properties(block: str) -> Properties:
    """The keys of a block of YAML as JSON values; raises `UnreadableProperties`."""
    loaded = _load(block)
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise UnreadableProperties("it is no mapping of keys to values")
    return _plain(loaded, _CountedValues())


def _load(block: str) -> Any:
    try:
        return load_yaml(block, _Loader)
    except TooMuch as error:
        raise UnreadableProperties(str(error)) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 2}: " if mark else ""
        raise UnreadableProperties(f"{place}{error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise UnreadableProperties(str(error).partition("\n")[0]) from error


def _plain(value: Any, counted: _CountedValues) -> Any:
    """The value as JSON can hold it."""
    counted.values += 1
    if counted.values > MAX_VALUES:
        raise UnreadableProperties(f"it has more than {MAX_VALUES:,} values")
    if counted.depth > MAX_DEPTH * 2:
        raise UnreadableProperties("it refers to itself")
    if isinstance(value, dict | list | tuple | set):
        counted.depth += 1
        made = _plain_collection(value, counted)
        counted.depth -= 1
        return made
    if isinstance(value, str):
        return value if value.isascii() else readable(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _LARGEST else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _plain_collection(value: Any, counted: _CountedValues) -> Any:
    if isinstance(value, dict):
        return {_key(key): _plain(held, counted) for key, held in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return [_plain(held, counted) for held in value]


def _key(key: Any) -> str:
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    return readable(str(key))
