"""One reader for each format, chosen by what a file holds; its name only helps where the content does not tell."""

import io
import zipfile
from collections.abc import Callable
from dataclasses import replace

from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.delimited import read_csv
from memotheca.parsing.document import TEXT_EXTRACTION, Document
from memotheca.parsing.epub import read_epub
from memotheca.parsing.formats import TEXTUAL, compound_format, magic_of, markup_of, package_format, promised_format
from memotheca.parsing.html import read_html
from memotheca.parsing.image_files import read_image
from memotheca.parsing.json_text import read_json
from memotheca.parsing.mail import read_mail
from memotheca.parsing.markdown import read_markdown, read_plain
from memotheca.parsing.office.docx import read_docx
from memotheca.parsing.office.odf import read_odp, read_odt
from memotheca.parsing.office.pptx import read_pptx
from memotheca.parsing.office.sheets import read_ods, read_xls, read_xlsx
from memotheca.parsing.pdf import read_pdf
from memotheca.parsing.pictures import with_pictures
from memotheca.parsing.rtf import read_rtf
from memotheca.parsing.source import Source
from memotheca.parsing.source_code import read_code
from memotheca.parsing.svg import read_svg
from memotheca.text.encoding import decode, looks_binary

READERS: dict[str, Callable[[Source], Document]] = {
    "pdf": read_pdf,
    "html": read_html,
    "md": read_markdown,
    "txt": read_plain,
    "code": read_code,
    "docx": read_docx,
    "pptx": read_pptx,
    "xlsx": read_xlsx,
    "xls": read_xls,
    "ods": read_ods,
    "odt": read_odt,
    "odp": read_odp,
    "csv": read_csv,
    "json": read_json,
    "epub": read_epub,
    "eml": lambda source: read_mail(source, read),
    "rtf": read_rtf,
    "svg": read_svg,
    **dict.fromkeys(("jpg", "png", "tiff", "bmp", "gif", "webp"), read_image),
}


def read(source: Source) -> Document:
    """Read a file as what it is; a refusal names the file, the cause and what to do."""
    format = find_format(source)
    document = with_pictures(source, READERS[format](source))
    warnings = document.warnings
    if not document.text.strip() and not warnings:
        warnings = (f"{source.name} holds no text",)
    if source.wishes.force_ocr and document.processing_method == TEXT_EXTRACTION:
        warnings = (*warnings, f"{source.name} holds no pictures with text: there was nothing to recognise")
    return replace(document, warnings=warnings)


def find_format(source: Source) -> str:
    """The format of the content, whatever the name says."""
    promised = promised_format(source.name)
    held = magic_of(source.content)
    if held == "zip":
        held = _look_into_package(source)
    elif held == "ole":
        held = _look_into_compound(source)
    if held:
        if held not in READERS:
            raise Refusal(
                Failure.UNSUPPORTED, f"{source.name} holds {held.upper()}, which cannot be read. Convert it first"
            )
        return held
    if looks_binary(source.content):
        raise _mismatch(source, promised, "unknown binary content")
    if markup := markup_of(decode(source.content[:8192])):
        return markup
    if promised in TEXTUAL:
        return "html" if promised == "html" else promised if promised != "svg" else "txt"
    raise _mismatch(source, promised, "plain text")


def _mismatch(source: Source, promised: str, held: str) -> Refusal:
    if promised in TEXTUAL:
        return Refusal(Failure.UNSUPPORTED, f"{source.name} holds {held}, not text. Give it the name of what it is")
    return Refusal(
        Failure.CORRUPT,
        f"{source.name} is damaged or mislabelled: it holds {held}, not {promised.upper()}. Rename it or get it again",
    )


def _look_into_package(source: Source) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(source.content)) as archive:
            names = archive.namelist()
            mimetype = archive.read("mimetype")[:100].decode("ascii", "replace") if "mimetype" in names else ""
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError, EOFError) as problem:
        raise Refusal(
            Failure.CORRUPT, f"{source.name} is damaged: its archive is cut off or broken. Get the file again"
        ) from problem
    return package_format(names, mimetype.strip()) or "zip"


def _look_into_compound(source: Source) -> str:
    held = compound_format(source.content)
    if held == "encrypted":
        raise Refusal(
            Failure.ENCRYPTED, f"{source.name} is protected by a password. Save a copy without it and add that"
        )
    if held in ("doc", "ppt", None):
        kind = {"doc": "an old Word document", "ppt": "an old PowerPoint presentation"}.get(
            held or "", "an old Office file"
        )
        raise Refusal(
            Failure.UNSUPPORTED,
            f"{source.name} is {kind}. Save it as {'PPTX' if held == 'ppt' else 'DOCX'} and add that",
        )
    return held
