"""Fences of code in markdown: which line opens one, and which line closes it.

Headings are in `headings.py`. `vault/structure.py` has a scanner of its own: it follows Obsidian to the letter, and
keeps the offset of everything it finds."""

import re
from typing import NamedTuple

_FENCE = re.compile(r" {0,3}(`{3,}+|~{3,}+)[ \t]*+([\w+#.-]*+)")


class Fence(NamedTuple):
    """The marks that open a fence, and the language that is named behind them."""

    mark: str
    language: str


def fence_of(line: str) -> Fence | None:
    """The fence that a line opens, if it is read outside of one."""
    found = _FENCE.match(line)
    return None if found is None else Fence(found[1], found[2])


def closes(line: str, mark: str) -> bool:
    """Whether a line closes the fence that these marks opened: as many of them or more, and nothing else."""
    said = line.strip()
    return said.startswith(mark) and not said.strip(mark[0])


def closes_chunk(line: str, mark: str) -> bool:
    """The same as chunks have always been cut: what follows the marks is not looked at. Stricter, the borders of stored
    chunks would be others."""
    return line.strip().startswith(mark)
