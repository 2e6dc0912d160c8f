"""Drawings: their own words; only where there are none, what can be recognised, with no file followed."""

import re
from xml.etree.ElementTree import Element, ParseError, fromstring, tostring

from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.builder import DocumentBuilder, one_line
from memotheca.parsing.document import IMAGE_ANALYSIS, OCR, Document
from memotheca.parsing.image_files import confidence, draw
from memotheca.parsing.ocr import recognise
from memotheca.parsing.office.package import descend, local
from memotheca.parsing.source import Source
from memotheca.text.encoding import decode

DRAWN = 1600  # chosen: type of usual size is then large enough to be recognised
MAX_DEPTH = 1_000  # chosen: far above drawings of people; the library's own recursion would end the process

_ADDRESS = re.compile(r"url\s*\(\s*['\"]?(?!#|data:)[^)]*+\)?+", re.IGNORECASE)
# A drawing inside a drawing could name files again; pictures cannot.
_HARMLESS = re.compile(r"\s*(?:#|data:image/(?:png|jpe?g|gif|webp)[;,])", re.IGNORECASE)
_DOCTYPE = re.compile(r"<!DOCTYPE\s++[^<>\[]*+>", re.IGNORECASE)


def read_svg(source: Source) -> Document:
    tree = _parse(source)
    draft = DocumentBuilder()
    title = next((one_line("".join(one.itertext())) for one in tree if _named(one, "title")), "")
    if not source.wishes.force_ocr:
        for element in descend(tree, "title", "desc", "text"):
            draft.paragraph("\n".join(filter(None, (one_line(part) for part in _lines(element)))))
    if len(draft):
        return draft.finish("svg", title=title or None)
    return _recognise(source, tree, draft, title)


def _parse(source: Source) -> Element:
    text = _DOCTYPE.sub("", decode(source.content), count=1)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise Refusal(Failure.CORRUPT, f"{source.name} declares entities, which are not followed. Save it as plain SVG")
    try:
        return fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text).encode())  # noqa: S314 — it declares no entities
    except ParseError as problem:
        raise Refusal(
            Failure.CORRUPT,
            f"{source.name} is damaged: its XML is broken ({problem}). Get the file again or save it anew",
        ) from problem


def _named(element: Element, name: str) -> bool:
    return isinstance(element.tag, str) and local(element) == name


def _lines(element: Element) -> list[str]:
    """A text with its spans; a span that sets its own height begins a line."""
    lines = [element.text or ""]
    for span in element:
        own = "".join(span.itertext())
        if span.get("y") or span.get("dy"):
            lines.append(own)
        else:
            lines[-1] += own
        lines[-1] += span.tail or ""
    return lines


def _recognise(source: Source, tree: Element, draft: DocumentBuilder, title: str) -> Document:
    drawing, (width, height) = _tamed(source.name, tree)
    found = recognise(lambda turn: draw(drawing, (width, height)) if turn == 0 else None, source.wishes)
    for paragraph in found.text.split("\n\n"):
        draft.paragraph(paragraph)
    method = OCR if len(draft) and source.wishes.force_ocr else IMAGE_ANALYSIS
    if not len(draft):
        draft.paragraph(f"Drawing {source.name} (SVG)")
    warnings = () if found.letters else (f"No text was found in {source.name}",)
    return draft.finish(
        "svg", title=title or None, processing_method=method, ocr_confidence=confidence([found]), warnings=warnings
    )


def harmless_drawing(source: Source) -> tuple[str, tuple[int, int]]:
    """The drawing with all that names something outside removed, and how large it is drawn."""
    return _tamed(source.name, _parse(source))


def _tamed(name: str, tree: Element) -> tuple[str, tuple[int, int]]:
    _check_depth(name, tree)
    _cut_ties(tree)
    return tostring(tree, encoding="unicode"), _shape(tree)


def _cut_ties(tree: Element) -> None:
    """Remove whatever names something outside: the drawing must never show another file of this machine."""
    for element in tree.iter():
        for key, value in list(element.items()):
            name = key.rpartition("}")[2]
            if name in ("href", "src", "base") and not _HARMLESS.match(value):
                del element.attrib[key]
            elif "url" in value.lower():
                element.set(key, _ADDRESS.sub("none", value))
        if _named(element, "style") and element.text:
            element.text = _ADDRESS.sub("none", re.sub(r"@import[^;]*;?", "", element.text))


def _check_depth(name: str, tree: Element) -> None:
    level = [tree]
    for _ in range(MAX_DEPTH):
        level = [below for element in level for below in element]
        if not level:
            return
    raise Refusal(Failure.CORRUPT, f"{name} is nested too deeply to be drawn. Simplify the drawing")


def _shape(tree: Element) -> tuple[int, int]:
    """Always so many pixels, in the proportions of the drawing; its own size may be absurd."""
    numbers = [
        float(one) for one in re.findall(r"[-+]?(?:\d++(?:\.\d++)?|\.\d++)(?:e[-+]?\d++)?", tree.get("viewBox", ""))[:4]
    ]
    if len(numbers) == 4:
        width, height = numbers[2:]
    else:
        width, height = (_length(tree.get(side, "")) for side in ("width", "height"))
    ratio = min(max(width / height if width > 0 and height > 0 else 1.0, 0.1), 10.0)
    return (DRAWN, max(1, int(DRAWN / ratio))) if ratio >= 1 else (max(1, int(DRAWN * ratio)), DRAWN)


def _length(given: str) -> float:
    found = re.match(r"\s*+(\d++(?:\.\d++)?|\.\d++)", given)
    return float(found[1]) if found else 0.0
