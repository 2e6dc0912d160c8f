"""What stands in a markdown text outside code, comments and math: links, tags and headings."""

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from pinakes.vault.wikilinks import Form, Link, markdown_link, wiki_link

_INTERESTING = re.compile(r"[\\\[\]`~$#<%]")
_ESCAPE = re.compile(r"\\[!-/:-@\[-`{-~]")
_WIKI = re.compile(r"\[\[([^\[\]\n|]*+(?:\|(?:(?!\[\[|\]\])[^\n])*+)?)\]\]")
_ANGLED = r"<(?P<angled>[^<>\n]*)>"
_PIECE = r"[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*+\)"
_TITLE = r"(?:[ \t]*\n?[ \t]*(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?"
_INLINE = re.compile(rf"\]\([ \t]*(?:{_ANGLED}|(?P<plain>(?!<)(?:{_PIECE})++)){_TITLE}[ \t]*\)")
_DEFINITION = re.compile(rf"\[(?!\^)[^\[\]\n]+\]:[ \t]*(?:{_ANGLED}|(?P<plain>(?!<)\S++)){_TITLE}[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*", re.MULTILINE)
_PREFIX = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+([^\n]*?))??(?:[ \t]+#+)?[ \t]*$", re.MULTILINE)
_SETEXT = re.compile(
    r"^(?! {4}|\t| *(?:[>#|]|[-*+][ \t]|\d{1,9}[.)][ \t]|-{2,}[ \t]*$)) *(\S[^\n]*)\n {0,3}(=+|-+)[ \t]*$", re.MULTILINE
)
_TICKS = re.compile(r"`+")
_BLANK = re.compile(r"\n[ \t]*\n")
_RAW = re.compile(r"<(style|script)\b", re.IGNORECASE)
_ATTRIBUTE = r"\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+))?"
_ELEMENT = re.compile(rf"</?[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*+\s*/?>|<[A-Za-z][A-Za-z0-9+.-]+:[^\s<>]*>")
_MATH_END = re.compile(r"(?<![\s\\])\$(?!\d)")
_TAG = re.compile(r"#([^\s\u2000-\u200c\u200e-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\]+)")
_INDENTED = re.compile(r"(?:\A|\n[ \t]*\n)((?:(?: {4}| {0,3}\t)[^\n]*(?:\n|\Z)|[ \t]*\n)*(?: {4}| {0,3}\t)[^\n]*)")
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


def read_structure(text: str, start: int = 0) -> Structure:
    """Read the text from `start`; offsets count from the beginning of the text."""
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    return _Scanner(text, start).run()


@dataclass(slots=True)
class _Scanner:
    """Goes from one telling character to the next; whatever opens first hides what is inside it."""

    text: str
    start: int
    links: list[Link] = field(default_factory=list[Link])
    tags: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    headings: list[Heading] = field(default_factory=list[Heading])
    brackets: list[int] = field(default_factory=list[int])
    hidden: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    texts: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    absent: set[str] = field(default_factory=set[str])
    missing: dict[re.Pattern[str], int] = field(default_factory=dict[re.Pattern[str], int])
    paragraph: tuple[int, int] = (0, 0)

    def run(self) -> Structure:
        code = _indented_code(self.text, self.start)
        position = self.start
        next_code = 0
        while found := _INTERESTING.search(self.text, position):
            at = found.start()
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

    def _line_prefix(self, at: int) -> str:
        return self.text[max(self.text.rfind("\n", self.start, at) + 1, self.start) : at]

    def _find_end(self, mark: str, at: int) -> int:
        """Where the mark that closes stands, -1 where there is none; what is absent once is absent from there on."""
        if mark in self.absent:
            return -1
        found = self.text.find(mark, at)
        if found < 0:
            self.absent.add(mark)
        return found

    def _close_in_paragraph(self, closing: re.Pattern[str], at: int) -> int | None:
        """The end of what closes before the next blank line; again, a miss is remembered."""
        if self.missing.get(closing, -1) >= at:
            return None
        if not self.paragraph[0] <= at < self.paragraph[1]:
            blank = _BLANK.search(self.text, at)
            self.paragraph = (at, blank.start() if blank else len(self.text))
        found = closing.search(self.text, at, self.paragraph[1])
        if found is None:
            self.missing[closing] = self.paragraph[1]
            return None
        return found.end()

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
        if not self._line_prefix(at).strip(" \t>"):
            defined = _DEFINITION.match(self.text, at)
            if defined:
                self._add(Form.DEFINITION, at, defined)
                return defined.end()
        self.brackets.append(at)
        return at + 1

    def close_bracket(self, at: int) -> int:
        opened = self.brackets.pop() if self.brackets else None
        inline = _INLINE.match(self.text, at)
        if opened is None or inline is None or _BLANK.search(self.text, opened, at):
            return at + 1
        self._add(Form.MARKDOWN, opened, inline)
        self.texts.append((opened, inline.end()))
        return inline.end()

    def _add(self, form: Form, start: int, match: re.Match[str]) -> None:
        name = "angled" if match["angled"] is not None else "plain"
        link = markdown_link(form, (start, match.end()), match[name], match.start(name), is_angled=name == "angled")
        if link is None:
            return
        is_embed = form is Form.MARKDOWN and start > self.start and self.text[start - 1] == "!"
        label = self.text[start + 1 : match.start()] if form is Form.MARKDOWN else None
        self.links.append(link._replace(start=link.start - is_embed, label=label, is_embed=is_embed))

    def ticks(self, at: int) -> int:
        if self.text.startswith("```", at) and (fenced := self.fence(at)):
            return fenced
        run = _TICKS.match(self.text, at)
        assert run is not None
        end = self._close_in_paragraph(_closing_ticks(run.end() - at), run.end())
        return self._hide(at, end) if end else run.end()

    def tildes(self, at: int) -> int:
        return (self.text.startswith("~~~", at) and self.fence(at)) or at + 1

    def fence(self, at: int) -> int:
        """The end of the fenced block that opens here, 0 where none does."""
        opened = _FENCE.match(self.text, at)
        prefix = self._line_prefix(at)
        if opened is None or not _PREFIX.fullmatch(prefix):
            return 0
        closing = _closing_fence(opened[1][0], len(opened[1]), prefix).search(self.text, opened.end())
        return self._hide(at, closing.end() if closing else len(self.text))

    def hash(self, at: int) -> int:
        prefix = self._line_prefix(at)
        heading = _HEADING.match(self.text, at) if _PREFIX.fullmatch(prefix) else None
        if heading:
            self.headings.append(Heading(len(heading[1]), (heading[2] or "").strip(), at - len(prefix)))
            return at + len(heading[1])
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
            return len(self.text) if not self._line_prefix(at).strip() else at + 4
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
        return len(self.text) if not self._line_prefix(at).strip() else at + 2

    def dollar(self, at: int) -> int:
        if self.text.startswith("$$", at):
            closing = self._find_end("$$", at + 2)
            return self._hide(at, closing + 2) if closing >= 0 else at + 2
        following = self.text[at + 1 : at + 2]
        if not following or following.isspace():
            return at + 1
        end = self._close_in_paragraph(_MATH_END, at + 2)
        return self._hide(at, end) if end else at + 1

    def _read_underlined(self) -> None:
        if "\n==" not in self.text and "\n--" not in self.text:
            return
        is_hidden = _covering(self.hidden)
        for match in _SETEXT.finditer(self.text, self.start):
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


@lru_cache(64)
def _closing_ticks(count: int) -> re.Pattern[str]:
    return re.compile(rf"(?<!`)`{{{count}}}(?!`)")


@lru_cache(256)
def _closing_fence(mark: str, count: int, prefix: str) -> re.Pattern[str]:
    """What ends a fence: its closing line, or the line that leaves the quote or list item in which it opened."""
    leaving = ""
    if ">" in prefix:
        leaving = r"|(?=\n(?![ \t]*>))"
    elif prefix.strip():
        leaving = rf"|(?=\n {{0,{len(prefix) - 1}}}\S)"
    return re.compile(rf"^[ \t>]*{mark}{{{count},}}[ \t]*${leaving}", re.MULTILINE)


def _indented_code(text: str, start: int) -> list[tuple[int, int]]:
    """Blocks indented by four after a blank line, unless they continue a list item."""
    if "\n    " not in text and "\n\t" not in text and not text.startswith(("    ", "\t"), start):
        return []
    return [
        match.span(1)
        for match in _INDENTED.finditer(text, start)
        if not match[1].isspace() and not _continues_list(text, start, match.start(1))
    ]


def _continues_list(text: str, start: int, at: int) -> bool:
    """Whether the nearest line above that is not indented by four belongs to a list."""
    end = at - 1
    while end > start:
        begin = max(text.rfind("\n", start, end) + 1, start)
        line = text[begin:end]
        if line.strip() and not line.startswith(("    ", "\t")):
            if _LIST_ITEM.match(line):
                return True
            if not line.startswith(" "):
                return False
        end = begin - 1
    return False
