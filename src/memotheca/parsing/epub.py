"""Electronic books: their chapters in reading order."""

from posixpath import dirname, join, normpath
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.builder import DocumentBuilder
from memotheca.parsing.document import Document
from memotheca.parsing.html import HtmlStream
from memotheca.parsing.office.package import Package, attribute, child, children, descend, local
from memotheca.parsing.source import Source
from memotheca.text.encoding import decode

_TEXTS = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def read_epub(source: Source) -> Document:
    package = Package(source.name, source.content)
    main = next(
        (attribute(one, "full-path") for one in descend(package.need_xml("META-INF/container.xml"), "rootfile")), ""
    )
    book = package.need_xml(main)
    chapters = _chapters(book, main)
    _check_rights(package, chapters)
    draft = DocumentBuilder()
    for number, member in enumerate(chapters, 1):
        if member in package:
            draft.leave_headings()
            stream = HtmlStream(draft)
            stream.feed(decode(package.read(member)))
            stream.close()
        source.report(number, len(chapters), f"Reading chapter {number} of {len(chapters)}")
    return draft.finish("epub", **_said(book))


def _chapters(book: Element, main: str) -> list[str]:
    listed = {attribute(one, "id"): one for one in children(child(book, "manifest"), "item")}
    spine = [listed.get(attribute(one, "idref")) for one in children(child(book, "spine"), "itemref")]
    return [
        normpath(join(dirname(main), unquote(attribute(one, "href"))))
        for one in spine
        if one is not None and attribute(one, "media-type") in _TEXTS
    ]


def _check_rights(package: Package, chapters: list[str]) -> None:
    """Fonts may be scrambled; a book whose chapters are is locked."""
    locked = package.xml("META-INF/encryption.xml")
    if locked is None:
        return
    names = {unquote(attribute(one, "URI")) for one in descend(locked, "CipherReference")}
    if names & set(chapters):
        raise Refusal(Failure.ENCRYPTED, f"{package.name} is protected by digital rights. Add an open copy of the book")


def _said(book: Element) -> dict[str, str | None]:
    said: dict[str, str] = {}
    metadata = child(book, "metadata")
    for one in () if metadata is None else metadata:
        said.setdefault(local(one), (one.text or "").strip())
    return {
        "title": said.get("title") or None,
        "author": said.get("creator") or None,
        "created": said.get("date") or None,
        "language": said.get("language", "")[:2].lower() or None,
    }
