"""The text of a pattern taken apart: sections by heading, examples by fence, prose without either."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memotheca.model.knowledge import fold
from memotheca.text.markdown_lines import Fence, closes, fence_of, heading_of

TYPES = (
    ("avoid-when", re.compile(r"\bwhen not\b|\bwhen to avoid\b|\bavoid when\b|\bnot to use\b|\bdon.?t use\b")),
    ("use-when", re.compile(r"\bwhen to (use|choose|apply)\b|\buse when\b|\buse cases?\b|\bapplicability\b")),
    ("anti-pattern", re.compile(r"\banti.?patterns?\b|\bpitfalls?\b|\bmistakes?\b|\bbad example\b|\bdon.?ts?\b")),
    ("see-also", re.compile(r"\bsee also\b|\brelated\b|\breferences\b|\bfurther reading\b")),
    ("rationale", re.compile(r"\brationale\b|\bwhy\b|\bmotivation\b")),
    ("example", re.compile(r"\bexamples?\b|\bsolution\b|\bimplementation\b|\busage\b|\bsample\b|\bcode\b")),
    (
        "description",
        re.compile(r"\bdescription\b|\boverview\b|\bguidelines?\b|\bproblem\b|\bcontext\b|\bintent\b|\bsummary\b"),
    ),
)
LANGUAGES = {"py": "python", "ts": "typescript", "js": "javascript", "sh": "bash", "shell": "bash", "yml": "yaml"}

_COMPONENT = re.compile(r"</?[A-Z][\w.]*+(?:\s[^>]*+)?/?>")
_MODULE_LINE = re.compile(r"import\s++['\"]|export\s++(?:const|default|let)\s")
_IMPORT = re.compile(r"import\s")
_IMPORTED = re.compile(r"\sfrom\s++['\"]")
_LEADING, _TRAILING = "#>*- \t", "*: \t"


@dataclass(frozen=True, slots=True)
class PatternSection:
    """A part of a pattern under its heading; what comes before any heading has no title."""

    title: str
    content: str
    type: str


@dataclass(frozen=True, slots=True)
class CodeExample:
    code: str
    language: str
    description: str


@dataclass(frozen=True, slots=True)
class _PatternLine:
    text: str
    in_code: bool
    heading: tuple[int, str] | None = None
    opens: Fence | None = None
    closes: bool = False


def clean_text(text: str) -> str:
    """Markdown without what only an MDX compiler would want: imports, exports and tags of components."""
    kept = [line.text for line in _lines(text) if line.in_code or not _is_machinery(line.text)]
    return "\n".join(kept).strip("\n")


def _is_machinery(line: str) -> bool:
    said = line.strip()
    is_component = _COMPONENT.fullmatch(said) or (len(said) > 5 and said.startswith("{/*") and said.endswith("*/}"))
    is_import = _IMPORT.match(line) and _IMPORTED.search(line, len("import ") + 1)
    return bool(is_component or is_import or _MODULE_LINE.match(line))


def split_sections(text: str, title: str) -> list[PatternSection]:
    """The sections of a text in their order, split at its highest headings; its title's own heading is left out."""
    lines = list(_lines(text))
    levels = [line.heading[0] for line in lines if line.heading]
    top = min(levels, default=1)
    first = next((line.heading[1] for line in lines if line.heading), "")
    if levels and levels[0] == top and (levels.count(top) == 1 or _same(first, title)):
        top = min(levels[1:], default=top)
        lines = _without_first_heading(lines)
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in lines:
        if line.heading and line.heading[0] <= top:
            found.append((line.heading[1], []))
        else:
            found[-1][1].append(line.text)
    parts = [(name, "\n".join(content).strip("\n")) for name, content in found]
    return [
        PatternSection(name, content, _type_of(name, content)) for name, content in parts if name or content.strip()
    ]


def find_examples(sections: list[PatternSection]) -> list[CodeExample]:
    """The code of every section but those that show how not to do it."""
    return [example for section in sections if section.type != "anti-pattern" for example in _examples_in(section)]


def prose(text: str) -> str:
    """What a text says between its code and its headings."""
    kept = [line.text for line in _lines(text) if not line.in_code and not line.heading]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def _lines(text: str) -> Iterator[_PatternLine]:
    """The lines of a text; the marks of a fence count as code."""
    closing = ""
    for line in text.split("\n"):
        if closing:
            is_over = closes(line, closing)
            closing = "" if is_over else closing
            yield _PatternLine(line, in_code=True, closes=is_over)
        elif fence := fence_of(line):
            closing = fence.mark
            yield _PatternLine(line, in_code=True, opens=fence)
        else:
            heading = heading_of(line)
            yield _PatternLine(line, in_code=False, heading=heading if heading and heading[1] else None)


def _without_first_heading(lines: list[_PatternLine]) -> list[_PatternLine]:
    place = next(place for place, line in enumerate(lines) if line.heading)
    return lines[:place] + lines[place + 1 :]


def _same(heading: str, title: str) -> bool:
    return re.sub(r"\W", "", fold(heading)) == re.sub(r"\W", "", fold(title))


def _type_of(title: str, content: str) -> str:
    if not title:
        return "description"
    for name, words in TYPES:
        if words.search(fold(title)):
            return name
    return "example" if any(line.in_code for line in _lines(content)) else "other"


def _examples_in(section: PatternSection) -> Iterator[CodeExample]:
    code: list[str] = []
    language = said = ""
    for line in _lines(section.content):
        if not line.in_code:
            said = line.text.strip() or said
        elif line.opens:
            language, code = fold(line.opens.language), []
        elif line.closes:
            caption = said.lstrip(_LEADING).rstrip(_TRAILING) or section.title
            yield CodeExample("\n".join(code), LANGUAGES.get(language, language) or "text", caption)
            said = ""
        else:
            code.append(line.text)
