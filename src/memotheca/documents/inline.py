"""Unpacking what was sent in place of a text: base64 or a data: URI, taken as text or read as the documents are."""

import base64
import binascii
import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

from memotheca.jobs.queue import bench_of
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.formats import EXTENSIONS, magic_of
from memotheca.parsing.open_safely import hold_content
from memotheca.text.encoding import decode, looks_binary

LARGEST = 10 * 1024 * 1024  # specification: content that is sent has at most 10 MB
LONGEST = 65_536  # specification: the bound of a memory's content
AS_IT_IS = "text"

# What a medium is called where a file of that format says nothing else about itself.
_MEDIA = {
    **dict.fromkeys(("png", "jpg", "gif", "webp", "tiff", "bmp", "svg"), "image"),
    **dict.fromkeys(("csv", "json", "xlsx", "xls", "ods"), "structured"),
    "code": "code",
}
_HEARD = (b"ID3", b"OggS", b"fLaC", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2")
_PACKAGES = {"zip": "docx", "ole": "xls"}
_PLAIN = ("", "text/plain", "application/octet-stream")


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The text that was sent or read, the modality of what held it, and what is worth knowing of that."""

    text: str
    modality: str
    media: Mapping[str, Any]


class TextTooLong(Refusal):
    """What was sent holds more text than a memory can."""

    def __init__(self, length: int, *, field: str) -> None:
        message = f"It holds {length} characters, a memory at most {LONGEST}."
        super().__init__(Failure.TOO_LARGE, message, field=field, constraint={"bounds": {"maxLength": LONGEST}})


@dataclass(frozen=True, slots=True)
class _Parcel:
    field: str
    type: str
    charset: str
    content: bytes


def unpack_encoded(kernel: Kernel, said: str) -> Unpacked:
    return _unpack(kernel, _Parcel("content_base64", "", "", _decoded(said, "content_base64")))


def unpack_uri(kernel: Kernel, said: str) -> Unpacked:
    head, comma, content = said.partition(",")
    scheme, _, about = head.partition(":")
    if scheme.lower() != "data" or not comma:
        raise Refusal(Failure.INVALID, "A data URI looks like data:text/plain;base64,…", field="data_uri")
    type, *parameters = about.lower().split(";")
    charset = next((part.removeprefix("charset=") for part in parameters if part.startswith("charset=")), "")
    is_encoded = "base64" in parameters
    raw = _decoded(unquote(content), "data_uri") if is_encoded else unquote_to_bytes(content)
    return _unpack(kernel, _Parcel("data_uri", type.strip(), charset, raw))


def _decoded(said: str, field: str) -> bytes:
    try:
        return base64.b64decode("".join(said.split()), validate=True)
    except (binascii.Error, ValueError):
        raise Refusal(Failure.INVALID, "The content is not base64.", field=field) from None


def _unpack(kernel: Kernel, parcel: _Parcel) -> Unpacked:
    if not 0 < len(parcel.content) <= LARGEST:
        raise Refusal(
            Failure.INVALID,
            f"What is sent must hold at least one byte and at most {LARGEST}; it holds {len(parcel.content)}.",
            field=parcel.field,
            constraint={"bounds": {"minimum": 1, "maximum": LARGEST}},
        )
    _refuse_sound(parcel)
    format = _format_of(parcel)
    text, method = (_spelled(parcel), AS_IT_IS) if format == "txt" else _read(kernel, parcel, format)
    if not text.strip():
        raise Refusal(
            Failure.UNSUPPORTED, "Nothing could be read in it. Say in content what it shows.", field=parcel.field
        )
    if len(text) > LONGEST:
        raise TextTooLong(len(text), field=parcel.field)
    media = {
        "type": parcel.type or mimetypes.types_map.get(f".{format}", "application/octet-stream"),
        "bytes": len(parcel.content),
        "sha256": hashlib.sha256(parcel.content).hexdigest(),
        "read_by": method,
    }
    return Unpacked(text, _MEDIA.get(format, "text"), media)


def _refuse_sound(parcel: _Parcel) -> None:
    """Nothing here hears or watches; a transcript can be kept."""
    start = parcel.content[:16]
    sounds = start.startswith(_HEARD) or start[4:8] == b"ftyp" or start.startswith(b"\x1aE\xdf\xa3")
    sounds = sounds or (start.startswith(b"RIFF") and start[8:12] in (b"WAVE", b"AVI "))
    if sounds or parcel.type.startswith(("audio/", "video/")):
        raise Refusal(
            Failure.UNSUPPORTED,
            "Sound and film cannot be read here. Send a transcript as content, with modality audio or video.",
            field=parcel.field,
        )


def _format_of(parcel: _Parcel) -> str:
    """By what it holds; text that calls itself something else than plain, by that."""
    held = magic_of(parcel.content)
    if held is not None:
        return _PACKAGES.get(held, held)
    extension = (mimetypes.guess_extension(parcel.type) or "").lstrip(".")
    named = EXTENSIONS.get(extension, "")
    if parcel.type in _PLAIN or not named:
        if looks_binary(parcel.content):
            raise Refusal(
                Failure.UNSUPPORTED,
                "It is neither text nor a file that can be read. Say in content what it is.",
                field=parcel.field,
            )
        return "txt"
    return named


def _spelled(parcel: _Parcel) -> str:
    return decode(parcel.content, declared=parcel.charset)


def _read(kernel: Kernel, parcel: _Parcel, format: str) -> tuple[str, str]:
    """As a document is read: apart from us, pictures by recognising what is written on them."""
    try:
        with hold_content(parcel.content, f"content.{'py' if format == 'code' else format}") as opened:
            document = bench_of(kernel).sandbox.read(opened)
    except Refusal as refusal:
        refusal.field = refusal.field or parcel.field
        raise
    return document.text, document.processing_method
