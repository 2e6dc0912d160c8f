"""Disguises: the ways in which a text can be hidden from a reader, each taken off (memory-model: Planted text)."""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from urllib.parse import unquote

LONGEST = 20_000  # chosen: bounds the time of taking disguises off
SHORTEST = 12  # chosen: shorter says nothing by itself

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]")
_TAGS = re.compile("[\U000e0020-\U000e007e]+")
_BASE64 = re.compile(r"(?<![\w+/=])(?:[A-Za-z0-9+/]{4}){5,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?(?![\w+/=])")
_HEX = re.compile(r"(?<!\w)(?:(?:\\x|0x|%)?[0-9a-fA-F]{2}[\s,:]?){10,}(?!\w)")
_BINARY = re.compile(r"(?<!\w)(?:[01]{8}[\s,]*){5,}(?!\w)")
_POINTS = re.compile(r"(?<!\w)(?:(?:&#|U\+|\\u)?\d{2,4};?[\s,]+){8,}\d{2,4}(?!\w)")
_SPACED = re.compile(r"(?:(?<=\s)|^)(?:[^\W\d_][\s.\-_*|']{1,4}){7,}[^\W\d_](?=\W|$)")
_LEET = str.maketrans("013457@$!|", "oieastasii")
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕһԁɡӏոԛᴡτνικρυωαϲսɩℓᏀᎪᏢƖγβ",
    "aeopcyxijshdglnqwtvikpuwacuilgaplyb",
)
_SMALL_CAPITALS = str.maketrans("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴢʏ", "abcdefghijklmnoprstuvzy")
_UPSIDE_DOWN = str.maketrans("ɐqɔpǝɟƃɓɥᴉ\u0131ɾʞl\u026fuodbɹsʇnʌʍxʎz", "abcdefgghiijklmnopqrstuvwxyz")
_WORD = re.compile(r"\w+")
_COMMON = frozenset(
    "the and you your ignore all instruction instructions previous prompt system this that with from what tell say "
    "password secret new now not for are how follow output print answer rule rules forget reveal show".split()
)


def undisguise(text: str) -> str:
    """The text as a reader would see it, were nothing hidden: normalised letters, no invisible ones, no look-alikes."""
    shown = _TAGS.sub(lambda found: " " + "".join(chr(ord(letter) - 0xE0000) for letter in found.group()), text)
    shown = html.unescape(_INVISIBLE.sub("", shown))
    if shown.isascii():
        return shown
    shown = unicodedata.normalize("NFKD", shown)
    shown = "".join(letter for letter in shown if not unicodedata.combining(letter) or ord(letter) > 0x36F)
    shown = unicodedata.normalize("NFKC", shown)
    return _plain_letters(shown)


def _plain_letters(text: str) -> str:
    """Look-alikes become what they look like, in words that also have Latin letters, where nobody writes them."""
    if text.isascii():
        return text
    plain = text.translate(_SMALL_CAPITALS)
    return re.sub(r"\w+", lambda word: _latinised(word.group()), plain)


def _latinised(word: str) -> str:
    if word.isascii() or not re.search(r"[A-Za-z]", word):
        return word
    return word.translate(_LOOKALIKES)


def hidden_texts(text: str) -> list[str]:
    """What a text says in another writing: encoded, reversed, rotated, spelled with digits or with blanks."""
    text = text[:LONGEST]
    found = [plain for pattern, decode in _DECODERS for match in pattern.findall(text) if (plain := decode(match))]
    found += [_respace(match.group()) for match in _SPACED.finditer(text)]
    rest = _BASE64.sub(" ", text)
    here = _count_common(rest)
    spelled = rest.translate(_LEET)
    # Only words with digits change, so what they add is told by itself.
    if _count_common(spelled) >= here + 2:
        found.append(spelled)
    for turned in (rest[::-1], codecs.decode(rest, "rot13"), rest.translate(_UPSIDE_DOWN)[::-1]):
        # More of the words that every text has, and enough of them.
        if turned != rest and _count_common(turned) > max(1, 2 * here):
            found.append(turned)
    if "%" in text and (plain := unquote(text)) != text:
        found.append(plain)
    return [undisguise(each) for each in found if len(each) >= SHORTEST]


def _count_common(text: str) -> int:
    return sum(word in _COMMON for word in _WORD.findall(text.lower()))


def _readable(raw: bytes) -> str:
    try:
        plain = raw.decode()
    except UnicodeDecodeError:
        return ""
    letters = sum(letter.isalpha() or letter.isspace() for letter in plain)
    return plain if plain and letters / len(plain) > 0.75 else ""


def _from_sixty_four(match: str) -> str:
    try:
        return _readable(base64.b64decode(match + "=" * (-len(match) % 4)))
    except (binascii.Error, ValueError):
        return ""


def _from_hex(match: str) -> str:
    digits = re.sub(r"\\x|0x|[%\s,:]", "", match)
    return _readable(bytes.fromhex(digits)) if len(digits) % 2 == 0 else ""


def _from_binary(match: str) -> str:
    return _readable(bytes(int(digits, 2) for digits in re.findall(r"[01]{8}", match)))


def _from_points(match: str) -> str:
    values = [int(digits) for digits in re.findall(r"\d+", match)]
    return _readable("".join(chr(value) for value in values if 0 < value < 0xD800).encode())


def _respace(match: str) -> str:
    """Letters set apart: wider gaps are between words."""
    return " ".join(re.sub(r"[\s.\-_*|']", "", word) for word in re.split(r"\s{2,}", match))


_DECODERS = ((_BASE64, _from_sixty_four), (_HEX, _from_hex), (_BINARY, _from_binary), (_POINTS, _from_points))
