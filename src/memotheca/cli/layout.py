"""Words laid out for the width there is: broken between words, wide letters counted as two, nothing cut in a word."""

import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

WIDEST = 100  # chosen: longer lines are hard to read
NARROWEST = 20  # chosen: below this words are torn apart anyway
_WORDS = re.compile(r"[ \t\r\n]")
# A path that is broken cannot be copied; terminals fold it by themselves.
_PATH = re.compile(r"[(\"'`]*(?:~?/|[A-Za-z]:\\)")
_STYLE = re.compile(r"\033\[[0-9;]*m")


def columns(stream: Any = None) -> int:
    """How wide the terminal is that a stream goes to; where it goes elsewhere, what COLUMNS says, or 80."""
    stream = sys.stdout if stream is None else stream
    try:
        found = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        found = 0
    return found or shutil.get_terminal_size().columns


def page(stream: Any = None) -> int:
    """How wide text is laid out: as the terminal, but no wider than it is pleasant to read. What goes into a file or a
    program keeps its lines whole, unless COLUMNS says how wide it is to be."""
    stream = sys.stdout if stream is None else stream
    if not stream.isatty() and not os.environ.get("COLUMNS", "").isdigit():
        return sys.maxsize
    return max(NARROWEST, min(columns(stream), WIDEST))


def width_of(text: str) -> int:
    """The columns a text takes, its colours left out."""
    text = _STYLE.sub("", text)
    return len(text) if text.isascii() else sum(map(_letter_width, text))


def _letter_width(letter: str) -> int:
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in ("W", "F") else 1


def cut(text: str, width: int) -> str:
    """The beginning of a text that fits, with a mark where something is left out."""
    if width_of(text) <= width:
        return text
    kept, taken = "", 1
    for letter in text:
        taken += _letter_width(letter)
        if taken > width:
            break
        kept += letter
    return kept.rstrip() + "…" if width > 0 else ""


def fill(text: str, width: int) -> str:
    """A text with blanks up to a width."""
    return text + " " * max(0, width - width_of(text))


def wrap(text: str, *, lead: str = "", hang: str = "", width: int | None = None) -> list[str]:
    """Lines of a text, broken at blanks; the first begins with `lead`, the others with `hang`. A word is broken only
    where it is longer than a line, a path never."""
    width = page() if width is None else width
    lines: list[str] = []
    line, bare = lead, True
    for word in _WORDS.split(text):
        for piece in _pieces(word, width - width_of(hang)):
            if not bare and width_of(line) + 1 + width_of(piece) > width:
                lines.append(line.rstrip())
                line, bare = hang, True
            if piece or not bare:
                line += piece if bare else f" {piece}"
                bare = False
    return [*lines, line.rstrip()]


def _pieces(word: str, width: int) -> Iterable[str]:
    """A word, or where it is longer than a line and no path, parts of it."""
    if width_of(word) <= width or _STYLE.search(word) or _PATH.match(word):
        yield word
        return
    part = ""
    for letter in word:
        if part and width_of(part) + _letter_width(letter) > width:
            yield part
            part = ""
        part += letter
    yield part


def say(text: str, *, lead: str = "", hang: str = "", stream: Any = None) -> None:
    """Print a paragraph as wide as the terminal."""
    print("\n".join(wrap(text, lead=lead, hang=hang, width=page(stream))), file=stream)


def table(rows: Sequence[tuple[str, str]], *, lead: str = "  ") -> list[str]:
    """Names with what is to be said of each beside them, or below where the names are long."""
    beside = max((width_of(name) for name, _ in rows), default=0) + width_of(lead) + 2
    if beside > page() // 2:
        return [line for name, said in rows for line in (f"{lead}{name}", *wrap(said, lead=lead * 2, hang=lead * 2))]
    hang = " " * beside
    return [line for name, said in rows for line in wrap(said, lead=fill(f"{lead}{name}", beside), hang=hang)]


def sized(size: int) -> str:
    """Bytes as people say them."""
    amount = float(size)
    for unit in ("B", "KB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if amount >= 10 or unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GB"
