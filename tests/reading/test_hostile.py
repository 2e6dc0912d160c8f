"""Files that are broken, locked, mislabelled or made to do harm: each fails alone, soon, and with its own reason."""

import base64
import shutil
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.isolation.sandbox import Sandbox
from tests.reading import hostile
from tests.reading.conftest import FILES, archive, pdf_stream, png, read_in, text_pdf, word_document

OF_A_PDF = (Failure.CORRUPT, Failure.TOO_LARGE, Failure.TIMEOUT)


def sample(name: str, share: float = 1.0) -> bytes:
    content = (FILES / name).read_bytes()
    return content[: int(len(content) * share)]


REFUSED: dict[str, tuple[str, Callable[[], bytes], tuple[Failure, ...]]] = {
    "a zip bomb": ("bomb.docx", hostile.zip_bomb, (Failure.TOO_LARGE,)),
    "a zip that lies about sizes": ("lie.docx", hostile.lying_zip, (Failure.CORRUPT, Failure.TOO_LARGE)),
    "an XML bomb in Word": ("laughs.docx", lambda: hostile.entities(hostile.LAUGHS), (Failure.CORRUPT,)),
    "an XML bomb in Excel": ("laughs.xlsx", lambda: hostile.workbook("", hostile.LAUGHS), (Failure.CORRUPT,)),
    "an XML bomb in SVG": ("laughs.svg", lambda: hostile.LAUGHS.encode() + hostile.svg("&j;"), (Failure.CORRUPT,)),
    "an external entity in Word": ("steal.docx", lambda: hostile.entities(hostile.STEALING), (Failure.CORRUPT,)),
    "an external entity in SVG": (
        "steal.svg",
        lambda: hostile.STEALING.encode() + hostile.svg("&x;"),
        (Failure.CORRUPT,),
    ),
    "an entity in other letters": (
        "wide.docx",
        lambda: hostile.entities('<!DOCTYPE x [<!ENTITY x "a"><!ENTITY j "b">]>', "utf-16"),
        (Failure.CORRUPT,),
    ),
    "an archive of sixty thousand parts": ("parts.docx", hostile.many_parts, (Failure.TOO_LARGE,)),
    "XML nested too deeply": ("deep.docx", hostile.deep_word, (Failure.CORRUPT,)),
    "a PDF form that draws itself": ("self.pdf", hostile.form_in_itself, OF_A_PDF),
    "a PDF of three million operators": ("many.pdf", hostile.many_operators, OF_A_PDF),
    "a PDF of two billion pages": ("pages.pdf", hostile.endless_pages, OF_A_PDF),
    "zeros named PDF": ("zeros.pdf", lambda: bytes(10_000), (Failure.CORRUPT,)),
    "text named PDF": ("text.pdf", lambda: b"only words", (Failure.CORRUPT,)),
    "a PDF of garbage": ("garbage.pdf", lambda: b"%PDF-1.7\n" + b"rubbish " * 500, (Failure.CORRUPT,)),
    "a picture of ten billion pixels": ("huge.png", hostile.huge_picture, (Failure.TOO_LARGE,)),
    "a drawing nested too deeply": ("deep.svg", hostile.deep_svg, (Failure.CORRUPT,)),
    "a list of files named PNG": ("list.png", lambda: str(FILES / "scan.jpg").encode() + b"\n", (Failure.CORRUPT,)),
    "a locked PDF": ("locked.pdf", hostile.locked_pdf, (Failure.ENCRYPTED,)),
    "a locked Word file": ("locked.docx", hostile.locked_office, (Failure.ENCRYPTED,)),
    "a locked zip": ("member.docx", hostile.locked_member, (Failure.ENCRYPTED,)),
    "a locked open document": ("locked.odt", hostile.locked_odt, (Failure.ENCRYPTED,)),
    "an old Word file": ("old.docx", lambda: hostile.old_office("WordDocument"), (Failure.UNSUPPORTED,)),
    "a plain zip named DOCX": ("zip.docx", lambda: archive({"a.txt": "a"}), (Failure.UNSUPPORTED,)),
    "a program named TXT": ("program.txt", lambda: b"\x7fELF\x02\x01\x01" + bytes(2000), (Failure.UNSUPPORTED,)),
    "an unknown name": ("file.xyz", lambda: b"words", (Failure.UNSUPPORTED,)),
    **{
        f"half of {name}": (name, lambda name=name: sample(name, 0.5), (Failure.CORRUPT,))
        for name in (
            "report.docx",
            "talk.pptx",
            "tides.xlsx",
            "tides.ods",
            "report.odt",
            "report.epub",
            "turned.png",
            "scan.jpg",
            "scan.gif",
            "scan.webp",
        )
    },
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_file_is_refused_with_its_reason(case: str, hasty: Sandbox, tmp_path: Path) -> None:
    name, make, failures = REFUSED[case]
    (tmp_path / name).write_bytes(make())
    began = time.monotonic()
    with pytest.raises(Refusal) as refused:
        read_in(hasty, tmp_path / name)
    assert refused.value.failure in failures, refused.value.message
    assert name in refused.value.message or name.rpartition(".")[2] in refused.value.message
    assert time.monotonic() - began < 60
    assert read_in(hasty, FILES / "tides.csv").text.startswith("| Day"), "the next file is read as ever"


READ: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a PDF with nested arrays": ("nested.pdf", hostile.nested_arrays, ""),
    "a picture under the name of a page": ("scan.html", lambda: sample("scan.jpg"), "supply boat"),
    "a page under the name of a PDF": ("page.pdf", lambda: b"<!doctype html><p>Plain words", "Plain words"),
    "a Word file under the name of a PDF": ("word.pdf", lambda: sample("report.docx"), "northerly gale"),
    "a PDF under the name of a text": ("pdf.txt", lambda: text_pdf("Typed on a page"), "Typed on a page"),
    "a sheet with cells at both ends": ("far.xlsx", hostile.far_cells, "far away"),
    "50,000 nested divisions": ("deep.html", lambda: b"<div>" * 50_000 + b"bottom", "bottom"),
    "a field of 200,000 letters": ("wide.csv", lambda: b'a,b\n1,"' + b"x" * 200_000 + b'"\n', "xxxx"),
    "JSON 200,000 deep": ("deep.json", lambda: b"[" * 200_000 + b'"end"' + b"]" * 200_000, "end"),
    "a number of 5,000 digits": ("long.json", lambda: b'{"n": ' + b"7" * 5000 + b"}", "7777"),
    "a picture without text": ("blank.png", lambda: png(90, 60), "Image blank.png (PNG, 90 x 60 pixels)"),
    "a drawing 200,000 wide": (
        "wide.svg",
        lambda: hostile.svg("<g/>", 'width="200000" height="9"'),
        "Drawing wide.svg",
    ),
}


@pytest.mark.parametrize("case", READ)
def test_an_odd_file_is_read_as_what_it_is(case: str, sandbox: Sandbox, tmp_path: Path) -> None:
    name, make, expected = READ[case]
    (tmp_path / name).write_bytes(make())
    assert expected in read_in(sandbox, tmp_path / name).text


def test_a_slow_page_ends_in_time(hasty: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "slow.html").write_bytes(b"<p a=" * 60_000 + b"<!--" * 60_000)
    began = time.monotonic()
    try:
        read_in(hasty, tmp_path / "slow.html")
    except Refusal as refusal:
        assert refusal.failure is Failure.TIMEOUT  # noqa: PT017 — newer Pythons read it at once
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("share", [0.9, 0.99])
def test_a_cut_off_pdf_is_recovered_and_says_so(share: float, sandbox: Sandbox, tmp_path: Path) -> None:
    whole = text_pdf("The first page speaks of lamps", "The second page speaks of tides")
    (tmp_path / "cut.pdf").write_bytes(whole[: int(len(whole) * share)])
    document = read_in(sandbox, tmp_path / "cut.pdf")
    assert "The first page speaks of lamps" in document.text
    assert document.recovered
    assert any("repaired" in warning for warning in document.warnings)


def test_objects_packed_into_streams_are_found_again(sandbox: Sandbox, tmp_path: Path) -> None:
    page = hostile.PAGE % hostile.FONT
    parts = [hostile.ROOT, hostile.TREE, page]
    offsets = [sum(len(part) + 1 for part in parts[:place]) for place in range(3)]
    head = b" ".join(b"%d %d" % (place + 1, offset) for place, offset in enumerate(offsets)) + b" "
    packed = zlib.compress(head + b" ".join(parts))
    stream = pdf_stream(packed, b"/Type/ObjStm/N 3/First %d/Filter/FlateDecode" % len(head))
    words = pdf_stream(b"BT /F 12 Tf 72 700 Td (Packed away) Tj ET")
    objects = enumerate([words, hostile.HELVETICA, stream], 4)
    (tmp_path / "packed.pdf").write_bytes(b"%PDF-1.5\n" + b"".join(b"%d 0 obj\n%s\nendobj\n" % one for one in objects))
    document = read_in(sandbox, tmp_path / "packed.pdf")
    assert document.text == "Packed away"
    assert document.recovered


def drawings(secret: Path) -> dict[str, bytes]:
    """Drawings that try to show another file of the machine."""
    size = 'width="1240" height="900"'
    inner = hostile.svg(f'<image href="{secret}" {size}/>', 'viewBox="0 0 1240 900"')
    nested = base64.b64encode(inner).decode()
    return {
        "href": inner,
        "xlink": hostile.svg(f'<image xlink:href="{secret}" {size}/>', 'viewBox="0 0 1240 900"'),
        "address": hostile.svg(f'<image href="file://{secret}" {size}/>', 'viewBox="0 0 1240 900"'),
        "inner drawing": hostile.svg(
            f'<image href="data:image/svg+xml;base64,{nested}" {size}/>', 'viewBox="0 0 1240 900"'
        ),
        "base": hostile.svg(
            f'<g xml:base="{secret.parent}/"><image href="{secret.name}" {size}/></g>', 'viewBox="0 0 1240 900"'
        ),
        "feImage": hostile.svg(
            f'<filter id="f"><feImage href="{secret}"/></filter><rect filter="url(#f)" {size}/>',
            'viewBox="0 0 1240 900"',
        ),
    }


@pytest.mark.parametrize("way", ["href", "xlink", "address", "inner drawing", "base", "feImage"])
def test_a_drawing_never_shows_another_file(way: str, sandbox: Sandbox, tmp_path: Path) -> None:
    secret = tmp_path / "secret.jpg"
    shutil.copy(FILES / "scan.jpg", secret)
    (tmp_path / "drawing.svg").write_bytes(drawings(secret)[way])
    assert "supply boat" not in read_in(sandbox, tmp_path / "drawing.svg").text


def test_a_picture_inside_a_drawing_is_recognised(sandbox: Sandbox, tmp_path: Path) -> None:
    code = base64.b64encode(sample("scan.jpg")).decode()
    image = f'<image href="data:image/jpeg;base64,{code}" width="1240" height="900"/>'
    (tmp_path / "drawing.svg").write_bytes(hostile.svg(image, 'viewBox="0 0 1240 900"'))
    document = read_in(sandbox, tmp_path / "drawing.svg")
    assert "supply boat" in document.text
    assert document.processing_method == "image_analysis"


def test_a_file_inside_a_letter_fails_alone(sandbox: Sandbox, tmp_path: Path) -> None:
    bad = base64.b64encode(hostile.locked_office()).decode()
    good = base64.b64encode(word_document("<w:p><w:r><w:t>Good attachment</w:t></w:r></w:p>")).decode()
    parts = "".join(
        f'--b\nContent-Type: application/octet-stream\nContent-Disposition: attachment; filename="{name}"\n'
        f"Content-Transfer-Encoding: base64\n\n{code}\n"
        for name, code in (("bad.docx", bad), ("good.docx", good))
    )
    head = "From: a@example.org\nSubject: Two files\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
    (tmp_path / "letter.eml").write_text(f"{head}--b\nContent-Type: text/plain\n\nSee both.\n{parts}--b--\n")
    document = read_in(sandbox, tmp_path / "letter.eml")
    assert "See both." in document.text
    assert "Good attachment" in document.text
    assert any("bad.docx is protected" in warning for warning in document.warnings)
