"""A note as its file holds it: parsed without loss, so that what was read can be written back byte for byte."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic
from typing import Any

from memotheca.vault.frontmatter import Properties, UnreadableProperties, read_properties
from memotheca.vault.lossless_text import UTF8, decode, encode, readable
from memotheca.vault.structure import Heading, Structure, TooLong, read_structure
from memotheca.vault.wikilinks import Link, folded, title_of, wiki_link

RESERVED = frozenset({"id", "title", "tags", "tag", "aliases", "alias"})

# Chosen: what one note may have; what is beyond stays in its text and is told of in a warning.
MOST_TAGS = 1000
MOST_LEVELS = 32  # chosen: as above
LONGEST_TAG = 500  # chosen: as above
MOST_LINKS = 100_000  # chosen: as above
MOST_TOLD = 3  # chosen: examples; the rest is alike
# Chosen: how long a note is read, in seconds, before it is taken as plain text; a note of 10 MB takes a few.
PATIENCE = 30.0

_LINE_END = r"(?:\r\n?+|\n)"
_DASHES = "---"
_OPENING = re.compile(rf"---[ \t]*+{_LINE_END}")
_CLOSING = re.compile(rf"---[ \t]*+(?:{_LINE_END}|\Z)")
_GAP = re.compile(rf"(?:[ \t]*+{_LINE_END})?")
_ENDS = re.compile(_LINE_END)
_LINES = re.compile(r"[^\r\n]++")
_SEPARATORS = re.compile(r"[,\s]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedNote:
    """One file's note. `text` is all of it without a byte order mark; offsets count its characters."""

    path: str
    text: str
    encoding: str
    newline: str
    block: tuple[int, int] | None
    body_start: int
    title: str
    id: str | None
    own_tags: tuple[str, ...]
    text_tags: tuple[str, ...]
    aliases: tuple[str, ...]
    properties: Mapping[str, Any]
    links: tuple[Link, ...]
    headings: tuple[Heading, ...]
    has_own_title: bool = False
    unreadable: str | None = None
    warnings: tuple[str, ...] = field(default=())

    @property
    def frontmatter(self) -> str:
        """The YAML between the dashes, as it was written."""
        return self.text[slice(*self.block)] if self.block else ""

    @property
    def body(self) -> str:
        """What follows the frontmatter and the blank line after it, with every character printable as text."""
        return readable(self.text[self.body_start :])

    @property
    def tags(self) -> tuple[str, ...]:
        """Those of the frontmatter, then those in the text, each once whatever its case."""
        return tuple(_distinct([*self.own_tags, *self.text_tags]))


def parse(raw: bytes, path: str = "") -> ParsedNote:
    """Read a file's bytes; never fails, and `render` gives the same bytes back."""
    text, encoding = decode(raw)
    return read(text, path=path, encoding=encoding)


def keep_plain(raw: bytes, path: str, reason: str) -> ParsedNote:
    """A file that could not be read as a note: all of it is text, and nothing in it means anything."""
    text, encoding = decode(raw)
    return ParsedNote(
        path=path,
        text=text,
        encoding=encoding,
        newline="\n",
        block=None,
        body_start=0,
        title=title_of(path),
        id=None,
        own_tags=(),
        text_tags=(),
        aliases=(),
        properties={},
        links=(),
        headings=(),
        warnings=(f"{reason}: this note is kept as plain text, without links and tags.",),
    )


def render(note: ParsedNote) -> bytes:
    """The file's bytes; a character that the file's encoding lacks turns the file into UTF-8."""
    try:
        return encode(note.text, note.encoding)
    except UnicodeEncodeError:
        return encode(note.text, UTF8)


def read(text: str, *, path: str = "", encoding: str = UTF8, patience: float = PATIENCE) -> ParsedNote:
    block, end = _find_block(text)
    body_start = _skip_gap(text, end) if block else 0
    properties, unreadable = _read_block(text[slice(*block)]) if block else ({}, None)
    shown = readable(text)
    structure, excess = _structure(shown, body_start, patience)
    written = [word for tag in _words(properties, "tags", "tag", split=_SEPARATORS) if (word := _as_tag(tag))]
    own = [word for word in written if _is_fit(word)][:MOST_TAGS]
    excess += [f"Only {len(own):,} of {len(written):,} tags of the frontmatter are read."] if own != written else []
    title = properties.get("title")
    has_own_title = isinstance(title, str | int | float) and not isinstance(title, bool) and bool(str(title).strip())
    warnings = [f"Unreadable frontmatter: {unreadable}"] if unreadable else []
    return ParsedNote(
        path=path,
        text=text,
        encoding=encoding,
        newline=_newline(text),
        block=block,
        body_start=body_start,
        title=" ".join(str(title).split()) if has_own_title else title_of(path),
        id=str(properties["id"]) if properties.get("id") not in (None, "") else None,
        own_tags=tuple(as_tags(own)),
        text_tags=structure.tags,
        aliases=tuple(_distinct(_words(properties, "aliases", "alias", split=re.compile(",")))),
        properties={key: value for key, value in properties.items() if key not in RESERVED},
        links=(*_property_links(shown, block), *structure.links),
        headings=structure.headings,
        has_own_title=has_own_title,
        unreadable=unreadable,
        warnings=(*warnings, *excess, *(f"Duplicate tag ignored: {tag}" for tag in _repeated(own))),
    )


def _structure(text: str, start: int, patience: float) -> tuple[Structure, list[str]]:
    """Links, tags and headings as far as a note may have them, and what was left out."""
    try:
        found = read_structure(text, start, monotonic() + patience)
    except TooLong:
        told = f"Reading took more than {patience:g} seconds: this note is kept as plain text, without links and tags."
        return Structure((), (), ()), [told]
    tags = _distinct(tag for tag in found.tags if _is_fit(tag))
    warnings = [
        f"Tag ignored, of more than {MOST_LEVELS} levels or {LONGEST_TAG} letters: #{tag[:40]}…"
        for tag in islice((tag for tag in found.tags if not _is_fit(tag)), MOST_TOLD)
    ]
    if len(tags) > MOST_TAGS:
        warnings.append(f"Only the first {MOST_TAGS:,} of {len(tags):,} tags are read.")
    if len(found.links) > MOST_LINKS:
        warnings.append(f"Only the first {MOST_LINKS:,} of {len(found.links):,} links are read.")
    return Structure(found.links[:MOST_LINKS], tuple(tags[:MOST_TAGS]), found.headings), warnings


def _is_fit(tag: str) -> bool:
    return len(tag) <= LONGEST_TAG and tag.count("/") < MOST_LEVELS


def _find_block(text: str) -> tuple[tuple[int, int] | None, int]:
    """The span of the frontmatter between its dashes, and where they end. Looked for from dashes to dashes: one pattern
    for all of it would keep every other thread waiting while it goes through megabytes."""
    opening = _OPENING.match(text)
    if opening is None:
        return None, 0
    at = start = opening.end()
    while (at := text.find(_DASHES, at)) >= 0:
        closing = _CLOSING.match(text, at) if at == start or text[at - 1] in "\r\n" else None
        if closing is not None:
            return (start, at), closing.end()
        at += len(_DASHES)
    return None, 0


def _read_block(block: str) -> tuple[Properties, str | None]:
    try:
        return read_properties(block), None
    except UnreadableProperties as error:
        return {}, str(error)


def _skip_gap(text: str, at: int) -> int:
    """Past the blank line between frontmatter and body; a second one is the body's own."""
    matched = _GAP.match(text, at)
    return matched.end() if matched else at


def _newline(text: str) -> str:
    if "\r" not in text:
        return "\n"
    both = text.count("\r\n")
    ends = {"\r\n": both, "\r": text.count("\r") - both, "\n": text.count("\n") - both}
    most = max(ends.values())
    return next(found[0] for found in _ENDS.finditer(text) if ends[found[0]] == most)


def _words(properties: Properties, *keys: str, split: re.Pattern[str]) -> list[str]:
    """A list of words, which people also write as one string."""
    found: list[str] = []
    for key in keys:
        value = properties.get(key)
        each: list[Any] = [value]
        if isinstance(value, str):
            each = split.split(value)
        elif isinstance(value, list):
            each = list[Any](value)  # pyright: ignore[reportUnknownArgumentType]
        found += [str(word).strip() for word in each if word is not None and not isinstance(word, dict | list)]
    return [word for word in found if word]


def as_tags(words: Iterable[str]) -> list[str]:
    """Words as tags: no sign before them, no empty level, each once."""
    return _distinct(tag for word in words if (tag := _as_tag(word)))


def _as_tag(word: str) -> str:
    return "/".join(part for part in word.strip().removeprefix("#").split("/") if part)


def _distinct(words: Iterable[str]) -> list[str]:
    first: dict[str, str] = {}
    for word in words:
        first.setdefault(folded(word), word)
    return list(first.values())


def _repeated(words: list[str]) -> list[str]:
    seen: set[str] = set()
    return [word for word in words if folded(word) in seen or seen.add(folded(word))]


def _property_links(text: str, block: tuple[int, int] | None) -> list[Link]:
    """Links in the values of the frontmatter, outside its comments."""
    if block is None or text.find("[[", *block) < 0:
        return []
    found: list[Link] = []
    for line in _LINES.finditer(text, *block):
        if not line[0].lstrip().startswith("#"):
            links = (
                wiki_link(text[start:stop], start - 2, is_embed=line.start() < start - 2 and text[start - 3] == "!")
                for start, stop in _linked(text, line.end(), line.start())
            )
            found += [link for link in links if link]
    return found


def _linked(text: str, end: int, at: int) -> Iterator[tuple[int, int]]:
    """What stands between two brackets and the next two, without such in it; looked for from one to the next, so that
    others have their turn meanwhile."""
    close = at
    while (at := text.find("[[", at, end)) >= 0:
        start = at + 2
        close = text.find("]]", start, end) if close < start else close
        if close < 0:
            return
        if close == start or text.find("[[", start, close) >= 0:
            at += 1
        else:
            yield start, close
            at = close + 2
