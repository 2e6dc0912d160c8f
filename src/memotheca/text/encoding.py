"""From bytes to characters: a byte order mark, a declaration, UTF-8, a guess, and at last Windows' western letters."""

import codecs
import re
import unicodedata

from charset_normalizer import from_bytes

from memotheca.text.language import guess_language

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]+)|^<\?xml[^>]*encoding=["']([\w.-]+)""", re.IGNORECASE
)
_SAMPLE = 64 * 1024  # chosen: enough letters to tell encodings apart, milliseconds
_EASTERN = frozenset({"cp1250", "iso8859_2", "iso8859_16", "cp1254", "cp1257", "mac_latin2", "cp852"})
_WESTERN = frozenset({"en", "de", "fr", "es", "it", "pt", "nl", "sv"})
_UNWANTED = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff\ufeff]")
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")


def decode(content: bytes, *, declared: str = "") -> str:
    """The characters of a text file; nothing is lost, at worst a letter is a wrong one."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return content.decode(name, "replace")
    for name in (declared, declared_encoding(content), "utf-8"):
        if (text := _try(content, name)) is not None:
            return text
    sample = content[:_SAMPLE]
    best = from_bytes(sample).best()
    guessed = _try(content, best.encoding) if best else None
    if guessed is None or (best and best.encoding in _EASTERN and _is_western(content)):
        return content.decode("cp1252", "replace")
    return guessed


def _is_western(content: bytes) -> bool:
    """Whether small words show that a guess at an eastern page took western letters for its own."""
    return guess_language(content[:_SAMPLE].decode("cp1252", "replace")) in _WESTERN


def declared_encoding(content: bytes) -> str:
    """What a page or an XML document says of itself near its beginning."""
    found = _DECLARED.search(content[:4096])
    return (found[1] or found[2]).decode("ascii") if found else ""


def looks_binary(content: bytes) -> bool:
    """Whether this is no text in any encoding we know: zero bytes without a byte order mark, or too many controls."""
    if content.startswith(tuple(mark for mark, _ in _MARKS)):
        return False
    sample = content[:_SAMPLE]
    controls = sum(sample.count(bytes((code,))) for code in (*range(1, 8), *range(14, 27), *range(28, 32)))
    return b"\x00" in sample or controls > len(sample) // 20


def clean(text: str) -> str:
    """One form for what is the same: composed letters, one kind of line end, no control characters."""
    return unicodedata.normalize("NFC", _UNWANTED.sub("", _LINE_ENDS.sub("\n", text)))


def _try(content: bytes, name: str) -> str | None:
    if not name:
        return None
    try:
        return content.decode(name)
    except (LookupError, UnicodeError):
        return None
