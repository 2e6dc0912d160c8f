"""A note as its file holds it: parsed without loss, so that what was read can be written back byte for byte."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic
from typing import Any

from pinakes.vault.encoding import UTF8, decode, encode, readable
from pinakes.vault.frontmatter import Properties, Unreadable, read_properties
from pinakes.vault.structure import Heading, Structure, TooLong, read_structure
from pinakes.vault.wikilinks import Link, folded, title_of, wiki_link

RESERVED = frozenset({"id", "title", "tags", "tag", "aliases", "alias"})

# What one note may have; what is beyond stays in its text and is told of in a warning.
MOST_TAGS = 1000
MOST_LEVELS = 32
LONGEST_TAG = 500
MOST_LINKS = 100_000
MOST_TOLD = 3
# How long a note is read, in seconds, before it is taken as plain text; a note of 10 MB takes a few.
PATIENCE = 30.0

_LINE_END = r"(?:\r\n?+|\n)"
_FRONTMATTER = re.compile(
    rf"---[ \t]*{_LINE_END}(?P<block>(?:(?!---[ \t]*(?:[\r\n]|\Z))[^\r\n]*{_LINE_END})*+)---[ \t]*(?:{_LINE_END}|\Z)"
)
_GAP = re.compile(rf"(?:[ \t]*+{_LINE_END})?")
_ENDS = re.compile(_LINE_END)
_LINES = re.compile(r"[^\r\n]++")
_WIKI = re.compile(r"(!?)\[\[((?:(?!\[\[|\]\])[^\r\n])++)\]\]")
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
    matched = _FRONTMATTER.match(text)
    body_start = _skip_gap(text, matched.end()) if matched else 0
    properties, unreadable = _read_block(matched["block"]) if matched else ({}, None)
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
        block=matched.span("block") if matched else None,
        body_start=body_start,
        title=" ".join(str(title).split()) if has_own_title else title_of(path),
        id=str(properties["id"]) if properties.get("id") not in (None, "") else None,
        own_tags=tuple(as_tags(own)),
        text_tags=structure.tags,
        aliases=tuple(_distinct(_words(properties, "aliases", "alias", split=re.compile(",")))),
        properties={key: value for key, value in properties.items() if key not in RESERVED},
        links=(*_property_links(shown, matched), *structure.links),
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


def _read_block(block: str) -> tuple[Properties, str | None]:
    try:
        return read_properties(block), None
    except Unreadable as error:
        return {}, str(error)


def _skip_gap(text: str, at: int) -> int:
    """Past the blank line between frontmatter and body; a second one is the body's own."""
    matched = _GAP.match(text, at)
    return matched.end() if matched else at


def _newline(text: str) -> str:
    if "\r" not in text:
        return "\n"
    ends = Counter(_ENDS.findall(text))
    return max(ends, key=lambda end: ends[end]) if ends else "\n"


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


def _property_links(text: str, matched: re.Match[str] | None) -> list[Link]:
    """Links in the values of the frontmatter, outside its comments."""
    if matched is None or "[[" not in matched["block"]:
        return []
    found: list[Link] = []
    for line in _LINES.finditer(text, *matched.span("block")):
        if not line[0].lstrip().startswith("#"):
            links = (
                wiki_link(wiki[2], wiki.start(2) - 2, is_embed=bool(wiki[1]))
                for wiki in _WIKI.finditer(text, *line.span())
            )
            found += [link for link in links if link]
    return found
