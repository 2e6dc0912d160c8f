"""Code: the text as it stands; a function or a type is a section, named as it is written and by what it says."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memotheca.parsing.builder import close_sections, one_line
from memotheca.parsing.document import Document, Mark
from memotheca.parsing.source import Source
from memotheca.text.encoding import clean, decode
from memotheca.text.language import guess_language
from memotheca.text.words import split_words

LONGEST_LINE = 400  # chosen: a longer one was written by no person
LONGEST_TITLE = 160  # chosen: half of what stands before a passage, so that a type's name fits before its method's
DEEPEST = 6  # specification: of a section's level, as headings have them
LONGEST_SIGNATURE = 20  # chosen: lines; an argument on each, and the first lines of the body
TAB = 4  # chosen: as most people see one
SUMMARY_LINES = 3  # chosen: a first sentence is seldom longer

_LINE = re.compile(r"[^\n]*\n?")
_BEFORE = (
    "export default async public private protected internal static final abstract override virtual inline const "
    "unsafe extern pub data sealed open suspend partial local declare readonly"
)
_KEYWORDS = (
    "def class func function fn fun interface trait struct enum impl module namespace proc sub record protocol "
    "extension object macro defmodule defp defn type"
)
# A definition that begins with a word for it: `pub async fn read(`, `export class Reader`, `func (r *Reader) Read(`.
_NAMED = re.compile(
    rf"[ \t]*+(?:(?:{_BEFORE.replace(' ', '|')})(?:\([\w:]++\))?[ \t]++)*+"
    rf"(?:{_KEYWORDS.replace(' ', '|')})\b\*?[ \t]*+(?:<[\w,' ]*+>[ \t]*+)?(?:\([^()]*+\)[ \t]*+)?"
    r"(?P<name>[A-Za-z_$][\w$.:]*+[?!]?)"
)
# A function that is assigned: `const read = async (path) =>`, `read = function (`.
_ASSIGNED = re.compile(
    r"[ \t]*+(?:export[ \t]++)?(?:const|let|var)[ \t]++(?P<name>[A-Za-z_$][\w$]*+)[^=\n]{0,80}=[ \t]*+"
    r"(?:async\b[ \t]*+)?(?:function\b|\([^()\n]*+\)[^=\n]{0,80}=>|[\w$]++[ \t]*+=>)"
)
# A method as Java, C# and C++ write it: a word for who may call it, a type, a name, and no semicolon.
_METHOD = re.compile(
    r"[ \t]*+(?:(?:public|private|protected|internal|static|virtual|override|final|inline)\b[ \t]++)++"
    r"[^;={}()\n]{0,120}?\b(?P<name>[A-Za-z_]\w*+)[ \t]*+\([^;\n]*+$"
)
# A function as C writes it and a method as JavaScript does, with no word for it: perhaps a type, a name, and what it
# is given. What follows decides: nothing but the block it opens. What is given is neither text nor a function.
_BARE = re.compile(
    r"[ \t]*+(?:[A-Za-z_][\w:.]*+(?:<[^()\n]{0,80}>)?(?:\[\])?[ \t*&]++){0,5}"
    r"(?P<name>[#~]?[A-Za-z_$][\w$]*+(?:::~?\w++)*+)[ \t]*+(?=\()"
)
_NO_NAME = frozenset(
    "if else elif unless while until for foreach loop switch match case when with catch try finally do return throw "
    "raise await yield defer go guard using lock synchronized select new delete typeof sizeof not in and or is as "
    "assert print echo function super describe it test let var where".split()
)
_GIVEN = re.compile(r"[\"'`;{}]|=>")
# Where every definition has a word, and a call may be followed by a block, too.
_WORDED = (".py", ".pyi", ".rb", ".kt", ".kts", ".swift", ".gradle", ".groovy", ".scala", ".rs", ".go")
_BRACKETS = re.compile(r"[()]")
_AFTER_GIVEN = re.compile(r"(?:[ \t]*+(?:const|noexcept|override|final|throws|->|:|&&?)[^;{}=()\n]{0,120})?[ \t]*+")
_ABOVE = re.compile(r"[ \t]*+(?://|/\*|\*|--|@|#\[)")
_SPOKEN_ABOVE = re.compile(r"[ \t]*+(?:///?!?|/\*\*?|\*+/?|--+|#+)[ \t]*+([^*\n]*+)")
_QUOTES = re.compile(r"[ \t]*+[rRbBuU]?(?:\"\"\"|''')")
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


@dataclass(frozen=True, slots=True)
class _Definition:
    """Where a function or a type begins, its comment included, how far it is indented, and its title."""

    start: int
    indent: int
    title: str


def read_code(source: Source) -> Document:
    text = clean(decode(source.content))
    lines = [(found.start(), found[0].rstrip("\n")) for found in _LINE.finditer(text) if found[0]]
    marks = [Mark(0, {})]
    headings: list[tuple[str, int, int, int | None]] = []
    path: list[_Definition] = []
    is_worded = source.name.lower().endswith(_WORDED)
    for definition in _definitions(lines, is_worded=is_worded):
        around = [above for above in path if above.indent < definition.indent]
        path = [*around[: DEEPEST - 1], definition]
        if definition.start == 0:
            marks.clear()
        marks.append(Mark(definition.start, {"headings": [each.title for each in path]}))
        headings.append((definition.title, len(path), definition.start, None))
    return Document(
        format="code",
        text=text,
        marks=tuple(marks),
        sections=close_sections(headings, len(text)),
        language=guess_language(text),
    )


def _definitions(lines: Sequence[tuple[int, str]], *, is_worded: bool) -> list[_Definition]:
    """What is defined, line by line; in some languages nothing without a word for it."""
    found: list[_Definition] = []
    first_free = 0
    for number, (_, line) in enumerate(lines):
        named = _name_in(line) or (None if is_worded else _name_without_a_word(lines, number))
        if named is None:
            continue
        above = number
        while above > first_free and _ABOVE.match(lines[above - 1][1]):
            above -= 1
        title = _title(named, line, _summary(lines, above, number))
        indent = len(line.expandtabs(TAB)) - len(line.expandtabs(TAB).lstrip())
        found.append(_Definition(lines[above][0], indent, title))
        first_free = number + 1
    return found


def _name_in(line: str) -> str | None:
    """The name that a line defines."""
    if len(line) > LONGEST_LINE:
        return None
    is_whole = line.rstrip().endswith((";", ","))
    match = _ASSIGNED.match(line) or (None if is_whole else _NAMED.match(line) or _METHOD.match(line))
    return match["name"] if match else None


def _name_without_a_word(lines: Sequence[tuple[int, str]], number: int) -> str | None:
    """The name of a function that nothing announces: all that it is given is followed by the block it opens."""
    line = lines[number][1]
    match = _BARE.match(line) if "(" in line and len(line) <= LONGEST_LINE else None
    if match is None or not _NO_NAME.isdisjoint(re.findall(r"\w+", match[0])):
        return None
    given = ""
    for _, following in lines[number : number + LONGEST_SIGNATURE]:
        given += f"{following[:LONGEST_LINE]}\n"
        if given.count("(") <= given.count(")"):
            break
    end = _closing(given, match.end())
    if end < 0 or _GIVEN.search(given, match.end(), end):
        return None
    after = _AFTER_GIVEN.sub("", given[end + 1 :], count=1).strip()
    place = number + given.count("\n")
    return match["name"] if after == "{" or (not after and _opens_block(lines, place, line)) else None


def _closing(text: str, start: int) -> int:
    """Where the bracket that opens here is closed; -1 where it is not."""
    depth = 0
    for found in _BRACKETS.finditer(text, start):
        depth += 1 if found[0] == "(" else -1
        if depth == 0:
            return found.start()
    return -1


def _opens_block(lines: Sequence[tuple[int, str]], place: int, line: str) -> bool:
    """Whether the next line is nothing but the brace of a block, indented as the line that it belongs to."""
    return place < len(lines) and lines[place][1].rstrip() == line[: len(line) - len(line.lstrip())] + "{"


def _title(name: str, line: str, summary: str) -> str:
    """How it is written, the words of its name where capitals part them, and what it says of itself."""
    written = one_line(line).rstrip("{:= ")
    spoken = [part.lower() for part in _PARTS.findall(name)]
    apart = f" ({' '.join(spoken)})" if spoken != split_words(name) else ""
    return f"{written[:LONGEST_TITLE]}{apart}{': ' if summary else ''}{summary}"[: 2 * LONGEST_TITLE].strip()


def _summary(lines: Sequence[tuple[int, str]], above: int, number: int) -> str:
    """The first sentence of a docstring, or of the comment above."""
    said: list[str] = []
    for _, line in lines[above:number]:
        spoken = _SPOKEN_ABOVE.match(line)
        said += [spoken[1].strip()] if spoken and spoken[1].strip() else []
    if not said:
        said = _docstring(_body(lines, number)[: SUMMARY_LINES + 1])
    return _SENTENCE.split(one_line(" ".join(said[:SUMMARY_LINES])), maxsplit=1)[0][:LONGEST_TITLE]


def _body(lines: Sequence[tuple[int, str]], number: int) -> list[str]:
    """The lines after a signature, which may be long."""
    near = [line for _, line in lines[number : number + LONGEST_SIGNATURE]]
    ending = next((place for place, line in enumerate(near) if line.rstrip().endswith((":", "{"))), 0)
    return near[ending + 1 :]


def _docstring(lines: Sequence[str]) -> list[str]:
    """The first lines of the text that a body begins with, where it does."""
    opening = _QUOTES.match(lines[0]) if lines else None
    if opening is None:
        return []
    mark = opening[0][-3:]
    said: list[str] = []
    for line in (lines[0][opening.end() :], *lines[1:]):
        if not line.strip() and said:
            break
        said.append(line.partition(mark)[0].strip())
        if mark in line:
            break
    return [each for each in said if each]
