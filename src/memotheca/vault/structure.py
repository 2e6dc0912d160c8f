"""What stands in a markdown text outside code, comments and math: links, tags and headings."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from time import monotonic

from memotheca.model.cancellation import heed
from memotheca.vault.wikilinks import Link, LinkSyntax, markdown_link, wiki_link

# Chosen: a link in a link in a link … is read as far as this many brackets are open.
DEEPEST = 8
# Chosen: how many signs are read between two looks at the clock.
OFTEN = 1000
PIECE = 32_768  # chosen: milliseconds, after which somebody may call it off

_INTERESTING = re.compile(r"[\\\[\]`~$#<%]")
_ESCAPE = re.compile(r"\\[!-/:-@\[-`{-~]")
_WIKI = re.compile(r"\[\[([^\[\]\n|]*+(?:\|(?:(?!\[\[|\]\])[^\n])*+)?)\]\]")
_ANGLED = r"<(?P<angled>[^<>\n]*+)>"
_PIECE = r"[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*+\)"
_TITLE = r"(?:[ \t]*+(?:\n[ \t]*+)?(?:\"[^\"\n]*+\"|'[^'\n]*+'|\([^()\n]*+\)))?"
_INLINE = re.compile(rf"\]\([ \t]*+(?:{_ANGLED}|(?P<plain>(?!<)(?:{_PIECE})++)){_TITLE}[ \t]*+\)")
_DEFINITION = re.compile(
    rf"\[(?!\^)[^\[\]\n]++\]:[ \t]*+(?:{_ANGLED}|(?P<plain>(?!<)\S++)){_TITLE}[ \t]*+$", re.MULTILINE
)
_FENCE = re.compile(r"(`{3,}+(?=[^`\n]*+$)|~{3,}+)[^\n]*+", re.MULTILINE)
_PREFIX = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*+")
_QUOTING = re.compile(r"[ \t>]*+")
_BLANKS = re.compile(r"[^\S\n]*+")
_HASHES = re.compile(r"#{1,6}(?![^ \t\n])")
_SETEXT = re.compile(
    r"^(?! {4}|\t| *+(?:[>#|]|[-*+][ \t]|\d{1,9}[.)][ \t]|--++[ \t]*+$)) *+(\S[^\n]*+)\n {0,3}(=++|-++)[ \t]*+$",
    re.MULTILINE,
)
_TICKS = re.compile(r"`++")
_BLANK = re.compile(r"\n(?=([ \t]*+\n))")
_RAW = re.compile(r"<(style|script)\b", re.IGNORECASE)
_ATTRIBUTE = r"\s++[A-Za-z_:][\w.:-]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'=<>`]++))?"
_ELEMENT = re.compile(rf"</?[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*+\s*+/?>|<[A-Za-z][A-Za-z0-9+.-]++:[^\s<>]*+>")
_MATH_END = re.compile(r"(?<![\s\\])\$(?!\d)")
_TAG = re.compile(r"#([^\s\u2000-\u200c\u200e-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\]+)")
_INDENTED = re.compile(r" {4}| {0,3}\t")
_LIST_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and where its line begins."""

    level: int
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Structure:
    """What was found, each with offsets into the text that was read."""

    links: tuple[Link, ...]
    tags: tuple[str, ...]
    headings: tuple[Heading, ...]


class TooLong(Exception):
    """The time that was given has passed."""


def read_structure(text: str, start: int = 0, deadline: float = math.inf) -> Structure:
    """Read the text from `start`; offsets count from the beginning of the text. Raises `TooLong` after the deadline, a
    monotonic time."""
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    return _Scanner(text, start, deadline).run()


@dataclass
class _Scanner:
    """Goes from one telling character to the next; whatever opens first hides what is inside it."""

    text: str
    start: int
    deadline: float
    links: list[Link] = field(default_factory=list[Link])
    tags: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    headings: list[Heading] = field(default_factory=list[Heading])
    brackets: list[int] = field(default_factory=list[int])
    hidden: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    texts: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    absent: set[str] = field(default_factory=set[str])
    line: tuple[int, int] = (0, -1)
    prefixes: dict[re.Pattern[str], int] = field(default_factory=dict[re.Pattern[str], int])
    no_math_before: int = -1

    @cached_property
    def blanks(self) -> list[tuple[int, int]]:
        """Where each blank line stands, with the ends of line on both of its sides."""
        return [(found.start(), found.end(1)) for found in _BLANK.finditer(self.text, self.start)]

    @cached_property
    def tick_runs(self) -> dict[int, list[int]]:
        """Where runs of ticks begin, by how many ticks they are."""
        runs: dict[int, list[int]] = {}
        for found in _TICKS.finditer(self.text, self.start):
            runs.setdefault(found.end() - found.start(), []).append(found.start())
        return runs

    def run(self) -> Structure:
        code = _indented_code(self.text, self.start)
        position = self.start
        next_code = steps = 0
        while found := _INTERESTING.search(self.text, position):
            at = found.start()
            steps += 1
            if steps % OFTEN == 1:
                heed()
                if monotonic() > self.deadline:
                    raise TooLong
            while next_code < len(code) and code[next_code][1] <= at:
                next_code += 1
            if next_code < len(code) and code[next_code][0] <= at:
                position = self._hide(at, code[next_code][1])
            else:
                position = _READERS[self.text[at]](self, at)
        self._read_underlined()
        is_linked = _covering(self.texts)
        tags = [tag for at, tag in self.tags if not is_linked(at)]
        return Structure(
            tuple(sorted(self.links, key=lambda link: link.start)),
            tuple(tags),
            tuple(sorted(self.headings, key=lambda heading: heading.start)),
        )

    def _hide(self, start: int, end: int) -> int:
        self.hidden.append((start, end))
        return end

    def _line_start(self, at: int) -> int:
        """Where the line of a place begins; places are asked for in their order."""
        if at > self.line[1]:
            stop = self.text.find("\n", at)
            start = max(self.text.rfind("\n", self.start, at) + 1, self.start)
            self.line = (start, stop if stop >= 0 else len(self.text))
            self.prefixes.clear()
        return self.line[0]

    def _is_after(self, prefix: re.Pattern[str], at: int) -> bool:
        """Whether nothing but this prefix stands before a place in its line; a prefix is read once a line."""
        start = self._line_start(at)
        if prefix not in self.prefixes:
            found = prefix.match(self.text, start, self.line[1])
            self.prefixes[prefix] = found.end() if found else start
        return self.prefixes[prefix] >= at

    def _find_end(self, mark: str, at: int) -> int:
        """Where the mark that closes stands, -1 where there is none; what is absent once is absent from there on."""
        if mark in self.absent:
            return -1
        found = self.text.find(mark, at)
        if found < 0:
            self.absent.add(mark)
        return found

    def _next_blank(self, at: int) -> tuple[int, int]:
        place = bisect_left(self.blanks, (at, 0))
        return self.blanks[place] if place < len(self.blanks) else (len(self.text), len(self.text) + 1)

    def escape(self, at: int) -> int:
        return at + 2 if _ESCAPE.match(self.text, at) else at + 1

    def open_bracket(self, at: int) -> int:
        wiki = _WIKI.match(self.text, at)
        if wiki:
            is_embed = at > self.start and self.text[at - 1] == "!" and self.text[at - 2 : at - 1] != "\\"
            link = wiki_link(wiki[1], at, is_embed=is_embed)
            if link:
                self.links.append(link)
                return wiki.end()
        if self._is_after(_QUOTING, at):
            defined = _DEFINITION.match(self.text, at)
            if defined:
                self._add(LinkSyntax.DEFINITION, at, defined)
                return defined.end()
        self.brackets.append(at)
        if len(self.brackets) > 2 * DEEPEST:
            del self.brackets[:DEEPEST]
        return at + 1

    def close_bracket(self, at: int) -> int:
        opened = self.brackets.pop() if self.brackets else None
        inline = _INLINE.match(self.text, at)
        if opened is None or inline is None or self._next_blank(opened)[1] <= at:
            return at + 1
        self._add(LinkSyntax.MARKDOWN, opened, inline)
        self.texts.append((opened, inline.end()))
        return inline.end()

    def _add(self, form: LinkSyntax, start: int, match: re.Match[str]) -> None:
        name = "angled" if match["angled"] is not None else "plain"
        link = markdown_link(form, (start, match.end()), match[name], match.start(name), is_angled=name == "angled")
        if link is None:
            return
        is_embed = form is LinkSyntax.MARKDOWN and start > self.start and self.text[start - 1] == "!"
        label = self.text[start + 1 : match.start()] if form is LinkSyntax.MARKDOWN else None
        self.links.append(link._replace(start=link.start - is_embed, label=label, is_embed=is_embed))

    def ticks(self, at: int) -> int:
        if self.text.startswith("```", at) and (fenced := self.fence(at)):
            return fenced
        run = _TICKS.match(self.text, at)
        assert run is not None
        count = run.end() - at
        alike = self.tick_runs.get(count, [])
        closing = bisect_right(alike, at)
        if closing < len(alike) and alike[closing] < self._next_blank(run.end())[0]:
            return self._hide(at, alike[closing] + count)
        return run.end()

    def tildes(self, at: int) -> int:
        return (self.text.startswith("~~~", at) and self.fence(at)) or at + 1

    def fence(self, at: int) -> int:
        """The end of the fenced block that opens here, 0 where none does."""
        opened = _FENCE.match(self.text, at) if self._is_after(_PREFIX, at) else None
        if opened is None:
            return 0
        prefix = self.text[self._line_start(at) : at]
        indent = -1 if ">" in prefix else len(prefix) if prefix.strip() else 0
        closing = _closing_fence(opened[1][0], len(opened[1]), indent).search(self.text, opened.end())
        return self._hide(at, closing.end() if closing else len(self.text))

    def hash(self, at: int) -> int:
        hashes = _HASHES.match(self.text, at) if self._is_after(_PREFIX, at) else None
        if hashes:
            said = _without_closing(self.text[hashes.end() : self.line[1]])
            self.headings.append(Heading(hashes.end() - at, said, self.line[0]))
            return hashes.end()
        if at > self.start and not self.text[at - 1].isspace():
            return at + 1
        tag = _TAG.match(self.text, at)
        if tag is None:
            return at + 1
        name = "/".join(part for part in tag[1].split("/") if part)
        if name and not name.replace("/", "").isdigit():
            self.tags.append((at, name))
        return tag.end()

    def angle(self, at: int) -> int:
        if self.text.startswith("<!--", at):
            closing = self._find_end("-->", at + 2)
            if closing >= 0:
                return self._hide(at, closing + 3)
            return len(self.text) if self._is_after(_BLANKS, at) else at + 4
        element = _ELEMENT.match(self.text, at)
        if element is None:
            return at + 1
        if raw := _RAW.match(self.text, at):
            closing = self._find_end(f"</{raw[1]}", element.end())
            return self._hide(at, max(closing, element.end()))
        return self._hide(at, element.end())

    def percent(self, at: int) -> int:
        if not self.text.startswith("%%", at):
            return at + 1
        closing = self._find_end("%%", at + 2)
        if closing >= 0:
            return self._hide(at, closing + 2)
        return len(self.text) if self._is_after(_BLANKS, at) else at + 2

    def dollar(self, at: int) -> int:
        if self.text.startswith("$$", at):
            closing = self._find_end("$$", at + 2)
            return self._hide(at, closing + 2) if closing >= 0 else at + 2
        following = self.text[at + 1 : at + 2]
        if not following or following.isspace():
            return at + 1
        if at < self.no_math_before:
            return at + 1
        paragraph = self._next_blank(at + 2)[0]
        closing = _MATH_END.search(self.text, at + 2, paragraph)
        if closing is None:
            self.no_math_before = paragraph - 1
        return self._hide(at, closing.end()) if closing else at + 1

    def _read_underlined(self) -> None:
        if "\n==" not in self.text and "\n--" not in self.text:
            return
        is_hidden = _covering(self.hidden)
        for match in _by_pieces(_SETEXT, self.text, self.start):
            if not is_hidden(match.start(1)):
                level = 1 if match[2][0] == "=" else 2
                self.headings.append(Heading(level, match[1].strip(), match.start()))


_READERS: dict[str, Callable[[_Scanner, int], int]] = {
    "\\": _Scanner.escape,
    "[": _Scanner.open_bracket,
    "]": _Scanner.close_bracket,
    "`": _Scanner.ticks,
    "~": _Scanner.tildes,
    "#": _Scanner.hash,
    "<": _Scanner.angle,
    "%": _Scanner.percent,
    "$": _Scanner.dollar,
}


def _by_pieces(pattern: re.Pattern[str], text: str, start: int) -> Iterator[re.Match[str]]:
    """What `finditer` finds of a pattern that begins with a line and takes the next one too. Looking through a megabyte
    at once would hold up every other thread for as long."""
    while start < len(text):
        end = text.find("\n", start + PIECE)
        end = len(text) if end < 0 else end
        after = text.find("\n", end + 1)
        last = start
        for match in pattern.finditer(text, start, len(text) if after < 0 else after):
            if match.start() > end:
                break
            last = match.end()
            yield match
        start = max(end + 1, last)


def _covering(spans: list[tuple[int, int]]) -> Callable[[int], bool]:
    """Whether a place lies in one of the spans, which may hold each other."""
    outermost: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if not outermost or outermost[-1][1] <= start:
            outermost.append((start, end))
    starts = [start for start, _ in outermost]

    def covers(at: int) -> bool:
        place = bisect_right(starts, at) - 1
        return place >= 0 and at < outermost[place][1]

    return covers


def _without_closing(said: str) -> str:
    """The words of a heading, without the hashes that close it."""
    said = said.rstrip(" \t")
    rest = said.rstrip("#")
    return (rest if rest.endswith((" ", "\t")) else said).strip()


@lru_cache(256)
def _closing_fence(mark: str, count: int, indent: int) -> re.Pattern[str]:
    """What ends a fence: its closing line, or the line that leaves the quote (an indent of -1) or list item in which it
    opened."""
    leaving = ""
    if indent < 0:
        leaving = r"|(?=\n(?![ \t]*+>))"
    elif indent:
        leaving = rf"|(?=\n {{0,{indent - 1}}}+\S)"
    return re.compile(rf"^[ \t>]*+{mark}{{{count},}}+[ \t]*+${leaving}", re.MULTILINE)


def _indented_code(text: str, start: int) -> list[tuple[int, int]]:
    """Blocks indented by four after a blank line, unless they continue a list item."""
    if "\n    " not in text and "\n\t" not in text and not text.startswith(("    ", "\t"), start):
        return []
    found: list[tuple[int, int]] = []
    block = None if start else _IndentedBlock(start)
    in_list = False
    at = start
    for line in text[start:].split("\n"):
        if block is None:
            block = _IndentedBlock(at + len(line) + 1) if at > start and not line.strip(" \t") else None
        elif _INDENTED.match(line):
            block.take(line, at, in_list=in_list)
        elif line.strip(" \t"):
            found += block.spans
            block = None
        if line.strip() and not line.startswith(("    ", "\t")):
            in_list = _LIST_ITEM.match(line) is not None or (in_list and line.startswith(" "))
        at += len(line) + 1
    return found + block.spans if block else found


@dataclass(slots=True)
class _IndentedBlock:
    """Lines that are blank or indented, as far as the last indented one; it continues a list if the nearest line above
    that is not indented by four belongs to one."""

    start: int
    end: int = -1
    has_words: bool = False
    continues_list: bool = False

    def take(self, line: str, at: int, *, in_list: bool) -> None:
        self.continues_list = in_list if self.end < 0 else self.continues_list
        self.end = at + len(line)
        self.has_words = self.has_words or not line.isspace()

    @property
    def spans(self) -> list[tuple[int, int]]:
        return [(self.start, self.end)] if self.has_words and not self.continues_list else []
