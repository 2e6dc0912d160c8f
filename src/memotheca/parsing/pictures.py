"""Pictures inside of office documents and books: recognised when asked for, or when there is hardly any text."""

from dataclasses import replace
from functools import partial

from memotheca.model.errors import Refusal
from memotheca.parsing.builder import DocumentBuilder
from memotheca.parsing.document import HYBRID, OCR, Document
from memotheca.parsing.formats import magic_of
from memotheca.parsing.image_files import TURNABLE, confidence, measure, turned
from memotheca.parsing.ocr import Recognised, recognise
from memotheca.parsing.office.package import Package
from memotheca.parsing.source import Source

PACKAGES = frozenset({"docx", "pptx", "xlsx", "odt", "odp", "ods", "epub"})
FEW_CHARACTERS = 50  # chosen: as `parsing/pdf.py`
MAX_PICTURES = 200  # chosen: bounds the time, a second or two each
SMALLEST = 40  # chosen: an icon; no line of type is lower
WORTH = 3  # chosen: fewer letters are specks

_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp")


def with_pictures(source: Source, document: Document) -> Document:
    """The document with what its pictures say, if that is wanted or needed."""
    few = len(document.text.strip()) < FEW_CHARACTERS
    if document.format not in PACKAGES or not (source.wishes.force_ocr or few):
        return document
    package = Package(source.name, source.content)
    members = [name for name in package.names if name.lower().endswith(_ENDINGS)]
    draft = DocumentBuilder()
    draft.include(document)
    draft.move(part="pictures")
    found: list[Recognised] = []
    for number, member in enumerate(members[:MAX_PICTURES], 1):
        recognised = _read(package, member, source)
        source.report(number, len(members), f"Recognising picture {number} of {len(members)}")
        if recognised and recognised.letters >= WORTH:
            found.append(recognised)
            draft.paragraph(recognised.text)
    if not found:
        return document
    put = draft.finish(document.format)
    method = HYBRID if document.text.strip() else OCR
    return replace(document, text=put.text, marks=put.marks, processing_method=method, ocr_confidence=confidence(found))


def _read(package: Package, member: str, source: Source) -> Recognised | None:
    """What a picture says; one that is broken, huge or an icon is passed over."""
    content = package.read(member)
    format = magic_of(content) or ""
    if format not in TURNABLE:
        return None
    try:
        size = measure(member, content)
    except Refusal:
        return None
    return recognise(partial(turned, content, format, size), source.wishes) if min(size) >= SMALLEST else None
