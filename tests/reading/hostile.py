"""Files made to do harm, each small on disk."""

import os
import struct
import zlib

from tests.reading.conftest import archive, pdf, pdf_stream, png, word_document

LAUGHS = (
    '<!DOCTYPE lol [<!ENTITY a "lollollollol">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + "]>"
)
STEALING = '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<<%s>>>>"
TREE = b"<</Type/Pages/Count 1/Kids[3 0 R]>>"
ROOT = b"<</Type/Catalog/Pages 2 0 R>>"
FONT = b"/Font<</F 5 0 R>>"
HELVETICA = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def zip_bomb() -> bytes:
    return word_document("<w:p><w:r><w:t>" + "a" * 210_000_000 + "</w:t></w:r></w:p>")


def lying_zip() -> bytes:
    """An archive whose directory says that a member of 30 MB has one byte."""
    made = bytearray(archive({"word/document.xml": b"a" * 30_000_000}))
    made[22:26] = struct.pack("<I", 1)
    central = made.rfind(b"PK\x01\x02")
    made[central + 24 : central + 28] = struct.pack("<I", 1)
    return bytes(made)


def entities(doctype: str, code: str = "utf-8") -> bytes:
    document = (
        f'<?xml version="1.0" encoding="{code}"?>{doctype}<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>&x;&j;'
        "</w:t></w:r></w:p></w:body></w:document>"
    )
    return archive({"word/document.xml": document.encode(code)})


def many_parts() -> bytes:
    return archive({"word/document.xml": "<w:document/>", **{f"x/{number}": "" for number in range(60_000)}})


def workbook(sheet: str, doctype: str = "") -> bytes:
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    return archive(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
            "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="r" Type="{office}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook {space} xmlns:r="{office}"><sheets><sheet name="Far" sheetId="1" r:id="s"/>'
            "</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}"><Relationship Id="s" '
            f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": f"{doctype}<worksheet {space}><sheetData>{sheet}</sheetData></worksheet>",
        }
    )


def far_cells() -> bytes:
    near = '<row r="1"><c r="A1" t="inlineStr"><is><t>near</t></is></c></row>'
    far = '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>far away</t></is></c></row>'
    return workbook(near + far)


def form_in_itself() -> bytes:
    form = pdf_stream(b"/X Do /X Do", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>")
    return pdf(ROOT, TREE, PAGE % b"/XObject<</X 5 0 R>>", pdf_stream(b"/X Do /X Do"), form)


def many_operators() -> bytes:
    content = zlib.compress(b"BT /F 1 Tf " + b"(a) Tj " * 3_000_000 + b"ET", 9)
    return pdf(ROOT, TREE, PAGE % FONT, pdf_stream(content, b"/Filter/FlateDecode"), HELVETICA)


def endless_pages() -> bytes:
    return pdf(ROOT, b"<</Type/Pages/Count 2000000000/Kids[2 0 R]>>")


def nested_arrays() -> bytes:
    return pdf(ROOT, TREE, b"<</Type/Page/Parent 2 0 R/X" + b"[" * 100_000 + b"]" * 100_000 + b">>")


def locked_pdf() -> bytes:
    made = pdf(ROOT, TREE, PAGE % b"", pdf_stream(b""))
    lock = b"/Encrypt<</Filter/Standard/V 1/R 2/O(%s)/U(%s)/P -4>>/ID[(a)(a)]/Root" % (b"o" * 32, b"u" * 32)
    return made.replace(b"/Root", lock, 1)


def locked_office() -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + "EncryptedPackage".encode("utf-16-le") + bytes(500)


def locked_member() -> bytes:
    """A zip whose member is marked as encrypted."""
    made = bytearray(word_document("<w:p/>"))
    for start, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = made.find(start)
        while place >= 0:
            made[place + offset] |= 1
            place = made.find(start, place + 4)
    return bytes(made)


def locked_odt() -> bytes:
    return archive(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "META-INF/manifest.xml": "<manifest><file-entry><encryption-data/></file-entry></manifest>",
            "content.xml": os.urandom(100),
        },
        first="mimetype",
    )


def deep_word() -> bytes:
    return word_document("<w:sdt>" * 50_000 + "</w:sdt>" * 50_000)


def huge_picture() -> bytes:
    return png(100_000, 100_000, rows=b"\x00" * 1000)


def deep_svg() -> bytes:
    return b'<svg xmlns="http://www.w3.org/2000/svg">' + b"<g>" * 100_000 + b"</g>" * 100_000 + b"</svg>"


def svg(content: str, more: str = "") -> bytes:
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f"<svg {spaces} {more}>{content}</svg>".encode()


def old_office(stream: str) -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + stream.encode("utf-16-le") + bytes(500)
