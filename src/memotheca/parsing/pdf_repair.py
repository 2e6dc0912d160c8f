"""Damaged PDFs: find the objects that are still there, also those packed into streams, and give them a new root."""

import re
import zlib
from collections.abc import Iterator

MAX_UNPACKED = 50_000_000  # chosen: tables of objects, not pages; a bomb unpacks to more

_OBJECT = re.compile(rb"(?<![\d.])(\d{1,8})\s+(\d{1,5})\s+obj\b")
_TYPE = re.compile(rb"/Type\s*/(Catalog|Pages|Page)\b")
_PAGES = re.compile(rb"/Pages\s+(\d+)\s+\d+\s+R")
_PARENT = re.compile(rb"/Parent\b")
_PACKED = re.compile(rb"/Type\s*/ObjStm\b")
_FIRST = re.compile(rb"/First\s+(\d+)")
_STREAM = re.compile(rb"stream\r?\n")
_WITHIN = 4096  # chosen: the head of an object, and what may follow the end of a file

Objects = dict[str, dict[int, int]]


def is_cut_off(content: bytes) -> bool:
    """Whether the end is missing, which says where everything is; PDFium often finds its way without."""
    return b"%%EOF" not in content[-_WITHIN:]


def repairs(content: bytes) -> Iterator[bytes]:
    """The file with a new trailer; then, if its catalogue points nowhere, with a new list of pages too."""
    whole = content[: content.rfind(b"endobj") + 6] + b"\n" + b"".join(_unpacked(content))
    found = _find_objects(whole)
    catalogs = list(found["Catalog"])
    first = _with_root(whole, found, catalogs)
    if first:
        yield first
    sound = [number for number in catalogs if _pages_of(whole, found["Catalog"][number]) in found["Pages"]]
    second = _with_root(whole, found, sound) if sound != catalogs else None
    if second:
        yield second
    third = _with_root(whole, {**found, "Pages": {}}, []) if found["Page"] else None
    if third:
        yield third


def _unpacked(content: bytes) -> Iterator[bytes]:
    """Objects from object streams, written out; without the lost table PDFium does not look into these."""
    left = MAX_UNPACKED
    for packed in _PACKED.finditer(content):
        start = max(content.rfind(b"obj", 0, packed.start()), 0)
        stream = _STREAM.search(content, packed.end(), packed.end() + _WITHIN)
        first = _FIRST.search(content, start, packed.end() + _WITHIN)
        if not stream or not first:
            continue
        try:
            text = zlib.decompressobj().decompress(content[stream.end() :], left)
        except zlib.error:
            continue
        left -= len(text)
        head = text[: int(first[1])].split()
        places = [
            (int(number), int(first[1]) + int(place)) for number, place in zip(head[::2], head[1::2], strict=False)
        ]
        ends = [*(place for _, place in places[1:]), len(text)]
        for (number, place), end in zip(places, ends, strict=True):
            yield b"%d 0 obj\n%s\nendobj\n" % (number, text[place:end])
        if left <= 0:
            return


def _find_objects(content: bytes) -> Objects:
    """Where the last object of each number begins, by its type."""
    found: Objects = {"Catalog": {}, "Pages": {}, "Page": {}}
    starts = [(match.start(), int(match[1]), match.end()) for match in _OBJECT.finditer(content)]
    for place, (_, number, begin) in enumerate(starts):
        end = min(starts[place + 1][0] if place + 1 < len(starts) else len(content), begin + _WITHIN)
        if kind := _TYPE.search(content, begin, end):
            found[kind[1].decode()][number] = begin
    return found


def _pages_of(content: bytes, begin: int) -> int | None:
    reference = _PAGES.search(content, begin, begin + _WITHIN)
    return int(reference[1]) if reference else None


def _with_root(content: bytes, found: Objects, catalogs: list[int]) -> bytes | None:
    """With a trailer that names a catalogue: one that is there, or a new one over what pages there are."""
    if catalogs:
        return content + b"\ntrailer<</Root %d 0 R>>\n" % catalogs[-1]
    fresh = max([*found["Pages"], *found["Page"], *found["Catalog"], 0]) + 100_000
    root = b"\n%d 0 obj<</Type/Catalog/Pages %d 0 R>>endobj\ntrailer<</Root %d 0 R>>\n"
    trees = [number for number, begin in found["Pages"].items() if not _has_parent(content, begin)]
    if trees:
        return content + root % (fresh, trees[0], fresh)
    if not found["Page"]:
        return None
    kids = b" ".join(b"%d 0 R" % number for number in sorted(found["Page"], key=lambda one: found["Page"][one]))
    tree = b"\n%d 0 obj<</Type/Pages/Count %d/Kids[%s]>>endobj" % (fresh + 1, len(found["Page"]), kids)
    return content + tree + root % (fresh, fresh + 1, fresh)


def _has_parent(content: bytes, begin: int) -> bool:
    end = content.find(b"endobj", begin)
    return _PARENT.search(content, begin, end if end >= 0 else len(content)) is not None
