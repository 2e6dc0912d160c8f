"""Markdown on a terminal: headings, tables, lists and code laid out for the width there is."""

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

from memotheca.cli.terminal import styled
from memotheca.text.markdown_lines import closes, fence_of

WIDEST = 100  # chosen: as `cli/layout.py`
NARROWEST_COLUMN = 12  # chosen: a word of usual length
CODE_INDENT = "    "

Style = Callable[[str, str], str]

_HEADING = re.compile(r"^(#{1,6}) +(.*)$")
_ITEM = re.compile(r"^(\s*)([-*+]|\d+[.)]) +(.*)$")
_RULE = re.compile(r"^\s*([-*_])(\s*\1){2,}\s*$")
_DIVIDER = re.compile(r"^\|?[\s:|-]+\|?$")
_MARKERS = re.compile(r"^<!-- kind:[\w:-]+ -->\n\n?", re.MULTILINE)
_SPANS = re.compile(r"\*\*(?P<bold>.+?)\*\*|`(?P<code>[^`]+)`|(?<!\w)\*(?P<soft>[^*\s][^*]*)\*(?!\w)")


def render(text: str, width: int, style: Style = styled) -> str:
    """A page of markdown as lines for a terminal of this width."""
    lines = _MARKERS.sub("", text).split("\n")
    return "\n".join(_blocks(lines, min(width, WIDEST), style)).strip("\n") + "\n"


def _blocks(lines: Sequence[str], width: int, style: Style) -> Iterator[str]:
    place = 0
    while place < len(lines):
        line = lines[place]
        fence = fence_of(line)
        if fence:
            stop = _end_of_code(lines, place + 1, fence.mark)
            yield from (style(CODE_INDENT + each, "green") if each else "" for each in lines[place + 1 : stop])
            place = stop + 1
        elif line.lstrip().startswith("|") and place + 1 < len(lines) and _DIVIDER.match(lines[place + 1].strip()):
            stop = next((n for n in range(place, len(lines)) if not lines[n].lstrip().startswith("|")), len(lines))
            yield from _table([lines[place], *lines[place + 2 : stop]], width, style)
            place = stop
        elif _is_text(line):
            stop = next((n for n in range(place + 1, len(lines)) if not _continues(lines[n])), len(lines))
            yield from _paragraph(" ".join(each.strip() for each in lines[place:stop]), line, width, style)
            place = stop
        else:
            yield from _line(line, width, style)
            place += 1


def _end_of_code(lines: Sequence[str], start: int, mark: str) -> int:
    return next((n for n in range(start, len(lines)) if closes(lines[n], mark)), len(lines))


def _is_text(line: str) -> bool:
    return bool(line.strip()) and not (_HEADING.match(line) or _RULE.match(line) or line.startswith("<!--"))


def _continues(line: str) -> bool:
    return _is_text(line) and not (_ITEM.match(line) or fence_of(line) or line.lstrip().startswith("|"))


def _line(line: str, width: int, style: Style) -> Iterator[str]:
    heading = _HEADING.match(line)
    if heading:
        title = _plain(heading[2])
        yield style(title, "bold")
        if len(heading[1]) == 1:
            yield style("═" * min(len(title), width), "dim")
    elif _RULE.match(line):
        yield style("─" * width, "dim")
    elif not line.startswith("<!--"):
        yield line


def _paragraph(text: str, first: str, width: int, style: Style) -> Iterator[str]:
    listed = _ITEM.match(first)
    lead = hang = ""
    if listed:
        mark = "•" if listed[2] in "-*+" else listed[2]
        lead = f"{listed[1]}{mark} "
        hang = " " * len(lead)
        text = text[len(listed[2]) :].strip()
    for number, row in enumerate(textwrap.wrap(text, max(width - len(hang), 20), break_on_hyphens=False)):
        yield (hang if number else lead) + _spans(row, style)


def _spans(text: str, style: Style) -> str:
    def shown(match: re.Match[str]) -> str:
        if match["bold"]:
            return style(match["bold"], "bold")
        return style(match["code"], "yellow") if match["code"] else style(match["soft"], "dim")

    return _SPANS.sub(shown, text)


def _plain(text: str) -> str:
    return _SPANS.sub(lambda match: match["bold"] or match["code"] or match["soft"], text)


def _table(lines: Sequence[str], width: int, style: Style) -> Iterator[str]:
    """Columns as wide as their content, the widest made narrower until the row fits; long cells go on below."""
    rows = [[_plain(cell) for cell in _cells(line)] for line in lines]
    count = max(len(row) for row in rows)
    rows = [row + [""] * (count - len(row)) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(count)]
    least = [max((len(word) for row in rows for word in row[column].split()), default=0) for column in range(count)]
    for bound in (least, [NARROWEST_COLUMN] * count, [NARROWEST_COLUMN // 2] * count):
        # No column gets narrower than its longest word while another can.
        while sum(widths) + 2 * (count - 1) > width:
            room = [size - kept for size, kept in zip(widths, bound, strict=True)]
            if max(room) <= 0:
                break
            widths[max(range(count), key=lambda column: (room[column] > 0, widths[column]))] -= 1
    for number, row in enumerate(rows):
        wrapped = [
            textwrap.wrap(cell, size, break_on_hyphens=False) or [""] for cell, size in zip(row, widths, strict=True)
        ]
        for line in zip_longest(*wrapped, fillvalue=""):
            spelled = "  ".join(part.ljust(size) for part, size in zip(line, widths, strict=True)).rstrip()
            if spelled:
                yield style(spelled, "bold") if number == 0 else spelled


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
