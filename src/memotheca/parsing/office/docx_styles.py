"""What Word's styles and numbering say of a paragraph: how deep a heading it is, and which sign stands before it."""

import re
from typing import NamedTuple
from xml.etree.ElementTree import Element

from memotheca.parsing.office.package import attribute, child, children

_HEADING = re.compile(r"heading\s*(\d)", re.IGNORECASE)
_BULLETS = frozenset({"bullet", "none", ""})
_ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
MAX_DEPTH = 30  # chosen: styles that inherit from each other in a circle end


def _value(parent: Element | None, *path: str) -> str:
    found = child(parent, *path)
    return attribute(found, "val") if found is not None else ""


class _Level(NamedTuple):
    """How a list counts at one depth: in which signs, with what around them, and from where."""

    format: str
    text: str
    start: int


class Styles:
    """Paragraph styles by their id; each may be based on another."""

    def __init__(self, tree: Element | None) -> None:
        self._styles = {attribute(style, "styleId"): style for style in children(tree, "style")}

    def heading_level(self, settings: Element | None) -> int:
        """From the paragraph's own outline level, or the style's name or level; 0 is no heading."""
        own = _value(settings, "outlineLvl")
        if own.isdecimal():
            return int(own) + 1 if int(own) < 9 else 0
        for style in self._ancestry(_value(settings, "pStyle")):
            name = _value(style, "name")
            if name.lower() == "title":
                return 1
            if found := _HEADING.match(name):
                return int(found[1])
            outline = _value(style, "pPr", "outlineLvl")
            if outline.isdecimal() and int(outline) < 9:
                return int(outline) + 1
        return 0

    def numbering(self, settings: Element | None) -> tuple[str, int] | None:
        """The list a paragraph is in and how deep, of its own or by its style."""
        found = child(settings, "numPr")
        if found is None:
            styles = self._ancestry(_value(settings, "pStyle"))
            found = next((one for style in styles if (one := child(style, "pPr", "numPr")) is not None), None)
        if found is None:
            return None
        level = _value(found, "ilvl")
        return _value(found, "numId"), int(level) if level.isdecimal() else 0

    def _ancestry(self, id: str) -> list[Element]:
        line: list[Element] = []
        while id in self._styles and len(line) < MAX_DEPTH:
            line.append(self._styles[id])
            id = _value(self._styles[id], "basedOn")
        return line


class Numbering:
    """Lists and how far each has counted."""

    def __init__(self, tree: Element | None) -> None:
        shapes = {attribute(one, "abstractNumId"): one for one in children(tree, "abstractNum")}
        self._levels: dict[str, dict[int, _Level]] = {}
        self._shapes: dict[str, str] = {}
        for number in children(tree, "num"):
            id, shape = attribute(number, "numId"), _value(number, "abstractNumId")
            restarted = any(True for _ in children(number, "lvlOverride"))
            self._shapes[id] = id if restarted else f"shape {shape}"
            self._levels[id] = {_depth(level): _level(level) for level in children(shapes.get(shape), "lvl")}
        self._counts: dict[str, dict[int, int]] = {}

    def marker(self, settings: Element | None, styles: Styles) -> tuple[int, str] | None:
        """How deep a list's paragraph stands, and its bullet or number."""
        found = styles.numbering(settings)
        if found is None or found[0] in ("", "0"):
            return None
        list_id, depth = found[0], min(found[1], 8)
        levels = self._levels.get(list_id, {})
        level = levels.get(depth)
        if level is None or level.format in _BULLETS:
            return depth, "-"
        counts = self._counts.setdefault(self._shapes[list_id], {})
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [one for one in counts if one > depth]:
            del counts[deeper]

        def number(found: re.Match[str]) -> str:
            place = int(found[1]) - 1
            known = levels.get(place, level)
            return _shown(counts.get(place, known.start), known.format)

        return depth, re.sub(r"%(\d)", number, level.text) or "-"


def _shown(count: int, format: str) -> str:
    """A number as its list writes it: in digits, letters or Roman numerals."""
    if format in ("lowerLetter", "upperLetter") and 1 <= count <= 26:
        letter = chr(96 + count)
    elif format in ("lowerRoman", "upperRoman") and 1 <= count < 40:
        letter = "x" * (count // 10) + _ROMAN[count % 10]
    else:
        return str(count)
    return letter.upper() if format.startswith("upper") else letter


def _depth(level: Element) -> int:
    given = attribute(level, "ilvl")
    return int(given) if given.isdecimal() else 0


def _level(level: Element) -> _Level:
    start = _value(level, "start")
    return _Level(_value(level, "numFmt"), _value(level, "lvlText"), int(start) if start.isdecimal() else 1)
