"""YAML at the head of a file, read within bounds: it is data from anywhere, built to exhaust a reader now and then.
What its values mean differs by who wrote it: `vault/frontmatter.py`, `patterns/pattern_frontmatter.py`."""

import re
from typing import Any

import yaml

# Chosen: people's own frontmatter stays far below all of them.
MAX_SIZE = 64 * 1024
MAX_DEPTH = 32  # chosen: as above
MAX_ALIASES = 20  # chosen: as above

_ANCHOR = re.compile(r"(?:^|[\s\[{,])&\w")
_untyped: Any = yaml
SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class TooMuch(Exception):
    """The block is out of bounds; the message says of which."""


def load_yaml(block: str, loader: Any = SafeLoader) -> Any:
    """What a block says, as the loader, a safe one, takes words; raises `TooMuch`, or `yaml.YAMLError` where it is no
    YAML or says what no value can hold."""
    try:
        guard(block, loader)
        return _untyped.load(block, loader)
    except (ValueError, RecursionError, OverflowError) as error:
        raise yaml.YAMLError(str(error)) from error


def guard(block: str, loader: Any = SafeLoader) -> None:
    """Refuse what is too long, too deep or refers to itself too often; raises `TooMuch`, or `yaml.YAMLError` where
    it is no YAML. The loader's own recursion would end the process, not raise."""
    if len(block) > MAX_SIZE:
        raise TooMuch(f"it is longer than {MAX_SIZE:,} characters")
    marks = sum(block.count(mark) for mark in ("[", "{", "- ", "? ", ": ", "-\t"))
    if marks < MAX_DEPTH and not _ANCHOR.search(block):
        return
    depth = aliases = 0
    for event in _untyped.parse(block, loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            aliases += 1
        if depth > MAX_DEPTH:
            raise TooMuch(f"it is nested more than {MAX_DEPTH} deep")
        if aliases > MAX_ALIASES:
            raise TooMuch(f"it has more than {MAX_ALIASES} aliases")
