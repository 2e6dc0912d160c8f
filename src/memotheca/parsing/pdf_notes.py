"""What people have added to a PDF page: comments, and what they filled into forms."""

import ctypes

from memotheca.parsing.pdfium import PdfPage, raw

MAX_NOTES = 1_000  # chosen: bounds the time of a page; far above what people write on one

_COMMENTS = frozenset(
    {raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_HIGHLIGHT, raw.FPDF_ANNOT_UNDERLINE}
    | {raw.FPDF_ANNOT_STRIKEOUT, raw.FPDF_ANNOT_SQUIGGLY, raw.FPDF_ANNOT_INK, raw.FPDF_ANNOT_STAMP}
)


def read_notes(page: PdfPage) -> list[tuple[str, str]]:
    """Notes in order, as (part, text): a comment's words, or a field's name and value."""
    found: list[tuple[str, str]] = []
    for index in range(min(raw.FPDFPage_GetAnnotCount(page.raw), MAX_NOTES)):
        note = raw.FPDFPage_GetAnnot(page.raw, index)
        kind = raw.FPDFAnnot_GetSubtype(note)
        if kind in _COMMENTS and (text := _string(note, b"Contents")):
            found.append(("comments", text))
        elif kind == raw.FPDF_ANNOT_WIDGET and (text := _string(note, b"V")):
            name = _string(note, b"T")
            found.append(("form", f"{name}: {text}" if name else text))
        raw.FPDFPage_CloseAnnot(note)
    return found


def _string(note: object, key: bytes) -> str:
    length = raw.FPDFAnnot_GetStringValue(note, key, None, 0)
    if length <= 2:
        return ""
    held = (ctypes.c_ushort * (length // 2))()
    raw.FPDFAnnot_GetStringValue(note, key, held, length)
    return bytes(held)[: length - 2].decode("utf-16-le", "replace").strip()
