"""A heading as markdown writes it: hashes, blanks, words."""

import re

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]++")


def heading_of(line: str) -> tuple[int, str] | None:
    """The level and the words of the heading that a line is, without the hashes that close it."""
    opening = _HEADING.match(line)
    if opening is None:
        return None
    return len(opening[1]), line[opening.end() :].rstrip().rstrip("#").rstrip(" \t")
