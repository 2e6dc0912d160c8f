"""Lines of markdown: which one is a heading, which one opens a fence of code, and which one closes it; and what stands
in fences where the text is no page.

`vault/structure.py` has a scanner of its own: it follows Obsidian to the letter, and
keeps the offset of everything it finds."""

import re
from typing import NamedTuple

MARKS = "```"
# Code in what people say and remember, where a fence may open and close within a line; what stays open goes to the end.
FENCED = rf"(?s:{MARKS}.*?(?:{MARKS}|\Z))"

_FENCE = re.compile(r" {0,3}(`{3,}+|~{3,}+)[ \t]*+([\w+#.-]*+)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]++")


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


def heading_of(line: str) -> tuple[int, str] | None:
    """The level and the words of the heading that a line is, without the hashes that close it."""
    opening = _HEADING.match(line)
    if opening is None:
        return None
    return len(opening[1]), line[opening.end() :].rstrip().rstrip("#").rstrip(" \t")
