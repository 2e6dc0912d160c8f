"""How well pictures of pages are recognised, against the system's Tesseract: pages are drawn from PDFs whose words are
known, clean, coarse and turned."""

import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pypdfium2

from memotheca.parsing.isolation.sandbox import Sandbox
from memotheca.parsing.open_safely import open_file
from memotheca.text.language import guess_language
from report import Line, Table, Target

WAYS = {"clean, 150 dpi": (150, 0), "coarse, 80 dpi": (80, 0), "turned by 90": (150, 90), "turned by 180": (150, 180)}

_WORD = re.compile(r"\w+")


class Picture(NamedTuple):
    way: str
    path: Path
    truth: Counter[str]


def words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(unicodedata.normalize("NFKC", text).lower()))


def accuracy(truth: Counter[str], found: Counter[str]) -> float:
    """Twice the shared words over all words of both: what is missing and what is invented both count."""
    return 2 * sum((truth & found).values()) / max(1, sum(truth.values()) + sum(found.values()))


def to_png(width: int, height: int, rows: bytes) -> bytes:
    def part(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", zlib.compress(rows, 6)) + part(b"IEND", b"")


def draw(page: Any, dpi: int, turn: int) -> bytes:
    bitmap = page.render(scale=dpi / 72, rotation=turn, grayscale=True)
    grey, stride = bytes(bitmap.buffer), bitmap.stride
    rows = b"".join(b"\x00" + grey[row * stride : row * stride + bitmap.width] for row in range(bitmap.height))
    return to_png(bitmap.width, bitmap.height, rows)


def make_pictures(pdfs: Sequence[Path], folder: Path, most: int) -> list[Picture]:
    """Pages of running English text."""
    made: list[Picture] = []
    taken = 0
    for path in pdfs:
        try:
            document: Any = pypdfium2.PdfDocument(path)
        except pypdfium2.PdfiumError:
            continue
        for number in range(min(len(document), 3)):
            text = document[number].get_textpage().get_text_range().replace("\ufffe", "")
            if taken >= most or len(text) < 1000 or guess_language(text) != "en":
                continue
            taken += 1
            for way, (dpi, turn) in WAYS.items():
                place = folder / f"{taken}-{dpi}-{turn}.png"
                place.write_bytes(draw(document[number], dpi, turn))
                made.append(Picture(way, place, words(text)))
    return made


def read_with_ours(pictures: Sequence[Picture]) -> list[str]:
    sandbox = Sandbox()
    texts: list[str] = []
    for picture in pictures:
        with open_file(str(picture.path)) as opened:
            texts.append(sandbox.read(opened).text)
    sandbox.close()
    return texts


def read_with_system(pictures: Sequence[Picture]) -> list[str]:
    def run(picture: Picture) -> str:
        command = ["tesseract", str(picture.path), "stdout", "-l", "eng"]
        environment = {"OMP_THREAD_LIMIT": "1", "PATH": "/usr/bin:/bin:/usr/local/bin"}
        return subprocess.run(command, capture_output=True, check=False, env=environment).stdout.decode(
            "utf-8", "replace"
        )

    return [run(picture) for picture in pictures]


def timed(read: Callable[[Sequence[Picture]], list[str]], pictures: Sequence[Picture]) -> tuple[float, list[str]]:
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    texts = read(pictures)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime) / max(1, len(pictures)), texts


def measure_recognition(pdfs: Sequence[Path], *, quick: bool) -> Table:
    with tempfile.TemporaryDirectory(prefix="memotheca-ocr-") as folder:
        pictures = make_pictures(pdfs, Path(folder), 2 if quick else 6)
        our_cpu, ours = timed(read_with_ours, pictures)
        has_system = shutil.which("tesseract") is not None
        system_cpu, theirs = timed(read_with_system, pictures) if has_system else (float("nan"), [])
    if not has_system:
        print("  no system Tesseract to compare with", file=sys.stderr)
    lines: list[Line] = []
    for way in [*WAYS, "all"]:
        chosen = [place for place, picture in enumerate(pictures) if way in (picture.way, "all")]
        numbers = {"pictures": float(len(chosen)), "Memotheca": mean(pictures, ours, chosen)}
        target = None
        if has_system:
            numbers["system's Tesseract"] = mean(pictures, theirs, chosen)
            target = Target(column="Memotheca", bound=round(numbers["system's Tesseract"] - 0.005, 3), at_least=True)
        lines.append(Line(label=way, numbers=numbers, target=target))
    lines.append(Line(label="CPU s a picture", numbers={"Memotheca": our_cpu, "system's Tesseract": system_cpu}))
    return Table(
        name="recognition",
        title="word accuracy on pages drawn from PDFs whose text is known",
        lines=lines,
        notes=["Printed pages in English: they say nothing of photographs or handwriting."],
    )


def mean(pictures: Sequence[Picture], texts: Sequence[str], chosen: Sequence[int]) -> float:
    scores = [accuracy(pictures[place].truth, words(texts[place])) for place in chosen]
    return sum(scores) / max(1, len(scores))
