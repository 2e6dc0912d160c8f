"""Bytes to text and back without losing one: UTF-8, UTF-16 with its mark, and what is neither."""

import codecs
import re

UTF8 = "utf-8"
UTF8_MARKED = "utf-8-sig"

_MARKS = ((codecs.BOM_UTF8, UTF8_MARKED), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_SINGLE_BYTE = ("cp1252", "latin-1")
_SURROGATE = re.compile("[\ud800-\udfff]")


def decode(raw: bytes) -> tuple[str, str]:
    """The text without its byte order mark, and the name of the encoding that gives the same bytes back."""
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            text = _try(raw[len(mark) :], encoding)
            if text is not None and encode(text, encoding) == raw:
                return text, encoding
    try:
        return raw.decode(UTF8), UTF8
    except UnicodeDecodeError:
        return _decode_odd(raw)


def encode(text: str, encoding: str) -> bytes:
    """The bytes of `decode`; raises `UnicodeEncodeError` where the encoding has no such character."""
    mark = next((mark for mark, name in _MARKS if name == encoding), b"")
    if encoding in (UTF8, UTF8_MARKED):
        return mark + text.encode(UTF8, "surrogateescape")
    if mark:
        return mark + text.encode(encoding, "surrogatepass")
    return text.encode(encoding)


def is_binary(raw: bytes) -> bool:
    """Whether these bytes are no text: a zero near their beginning, and no mark of UTF-16."""
    return b"\x00" in raw[:8192] and not raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def readable(text: str) -> str:
    """The same text with what is no character replaced one for one, so that offsets stay."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _try(raw: bytes, encoding: str) -> str | None:
    try:
        return raw.decode(UTF8) if encoding == UTF8_MARKED else raw.decode(encoding, "surrogatepass")
    except UnicodeDecodeError:
        return None


def _decode_odd(raw: bytes) -> tuple[str, str]:
    """A UTF-8 file with a few bad bytes stays UTF-8; anything else is read one byte to a character."""
    mostly = raw.decode(UTF8, "surrogateescape")
    bad = len(_SURROGATE.findall(mostly))
    good = sum(1 for character in mostly if character > "\x7f") - bad
    if good > bad:
        return mostly, UTF8
    for encoding in _SINGLE_BYTE:
        try:
            return raw.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    raise AssertionError("latin-1 has a character for every byte")
