"""Sentences: where a text can be taken apart so that each part still says something alone.

`split_sentences` reads prose, in which a line may go on below; `split_statements` reads claims, of which a line
holds at least one and a semicolon parts two. Not for chunks, whose borders are stored (`text/chunking.py`)."""

import re
from collections.abc import Iterator

from memotheca.text.words import STOP_WORDS

# Chosen: longer than any abbreviation or list number, with the blanks before it, and than any stop-word after it.
_MARK, _WORD = 16, 16
# Chosen: a word of so many letters is no abbreviation; the longest below has six.
_LONG = 7
# Chosen: nobody says a sentence of so many letters; of what goes on without an end the beginning is read.
LONGEST = 2000

# Signs that need a blank after them, and signs that need none: of Chinese, Japanese, Hindi and their neighbours.
_SIGNS, _FULL_STOPS = ".!?\u2026\u061f\u06d4", "\u3002\uff01\uff1f\uff61\u0964\u0965"
_CLOSING = "\"'\u201d\u2019\u00bb)\\]*_"
_CLOSING_WIDE = "\u300d\u300f\u201d\u2019\uff09\u3011"
# How a line begins that does not go on with the one before it: an item of a list, a heading, a row of a table, a quote.
_BEGINS = r"[^\S\n]*+(?:[-*#|>]|[+\u2022\u2023\u25e6\u2013]\s|\(?(?:\d{1,3}|[A-Za-z])[.)][^\S\n])"
# One set of letters first, which is looked for fast; then what has to follow them.
_ENDS = (
    rf"(?<=[{_SIGNS}])[{_CLOSING}]{{0,4}}+\s++|(?<=[{_FULL_STOPS}])[{_CLOSING_WIDE}]{{0,3}}+|(?<=\u2022)(?=\s)"
    r"|(?<=\n)"
)
_SENTENCE = re.compile(rf"[{_SIGNS}{_FULL_STOPS}\u2022\n](?:{_ENDS}(?:[^\S\n]*+\n\s*+|(?={_BEGINS})))")
_STATEMENT = re.compile(rf"[{_SIGNS}{_FULL_STOPS}\u2022;\n](?:(?<=;)\s++|{_ENDS}\s*+)")
_LINE = re.compile(_BEGINS)

# After these a name or an explanation follows, whatever its first letter.
_BEFORE_NAMES = (
    "Dr|Mr|Mrs|Ms|Mss|Mx|Prof|Sr|Sra|Rev|Hon|Gen|Capt|Lt|Sgt|Hr|Hrn|Fr|Frl|Mme|Mlle|Dipl|Ing|"
    r"e\.\s?g|i\.\s?e|cf|vs|viz|approx|ca|vgl|bzw|sog|inkl|incl|zzgl|evtl|ggf|resp|z\.\s?B|d\.\s?h|u\.\s?a|i\.\s?d\.\s?R|"
    r"u\.\s?U|o\.\s?\u00e4|m\.\s?E|p\.\s?ex"
)
# After these a number follows, where they are abbreviations.
_BEFORE_NUMBERS = (
    "No|Nos|Nr|Num|Fig|Figs|Abb|Tab|Eq|Eqs|Sec|Sect|Ch|Chap|Kap|Art|Abs|Vol|Bd|Pt|pp|Ref|Ver|Rev|Op|Tel|Ext|"
    "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Okt|Nov|Dec|Dez|Rm"
)
# These go on unless a word with a capital letter follows.
_WITHIN = r"etc|usw|al|Inc|Ltd|Co|Corp|Bros|Jr|Ave|Blvd|Rd|dept|misc|[ap]\.\s?m|max|min|est|fig|tel|eds?"
_NAMING = re.compile(rf"\b(?:{_BEFORE_NAMES})\.$")
_COUNTING = re.compile(rf"\b(?:{_BEFORE_NUMBERS})\.$", re.IGNORECASE)
_GOING = re.compile(rf"\b(?:{_WITHIN})\.$", re.IGNORECASE)
# A letter by itself, or several with a stop each: an initial, a page, U.S.; and the street or saint.
_LETTER = re.compile(r"(?<![^\W_])(?<!\w[.'\u2019])(?:(?:[^\W\d_]\.[^\S\n]?)*[^\W\d_]|St)\.$")
_NUMBERED = re.compile(r"(?:\s|[-*+\u2022(\[])*+(?:\d{1,3}(?:\.\d{1,3}){0,4}|[A-Za-z]|[ivxIVX]{1,4})\.")
_ITEM = re.compile(r"(?:[-*+\u2022]\s++)?(?:\(?\d{1,3}(?:\.\d{1,3}){0,4}[.)]|\(?[a-z]\))\s++(?=\S)")
_FIRST = re.compile(r"[:;(]\s*+(?:1|[aAiI])\.$")
_ORDINAL = re.compile(r"(?<![\w.,])\d{1,2}\.$")
_MONTH = re.compile(r"(?:jan|feb|m\u00e4r|mar|apr|mai|maj|jun|jul|aug|sep|okt|oct|nov|de[sz])", re.IGNORECASE)
# From the 2. to the 13. of a month, as German and Danish write it; and the 14.08. within a sentence.
_BEFORE_DAYS = frozenset(("bis", "und", "oder", "til", "og", "eller"))
_DATED = re.compile(r"(?<![\w.,])[0-3]?\d\.[01]?\d\.$")
_NEXT = re.compile(r"[\"'\u201c\u201e\u2018\u00ab(\[]?(\w+)")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text in their order. Neither an abbreviation, an initial, the number of a list's item nor
    that of a day ends one; an item, a heading or a row of a table does not go on with the line before it; a closing
    quotation mark belongs to what it closes; a full stop of Chinese or Japanese needs no blank after it."""
    return [text[start:stop] for start, stop in sentence_spans(text)]


def brief_sentences(text: str) -> Iterator[str]:
    """The same one by one, none longer than a sentence can be: a pattern that is tried at every letter of it holds the
    interpreter no longer than that."""
    for start, stop in sentence_spans(text):
        yield text[start : min(stop, start + LONGEST)]


def split_statements(text: str) -> Iterator[str]:
    """The same of text that claims something, one by one: besides, every line and every semicolon ends a statement, and
    the number of a list's item is no part of what it says."""
    for start, stop in _spans(text, _STATEMENT):
        marked = _ITEM.match(text, start, stop)
        yield text[marked.end() if marked else start : stop]


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a text begin and end, without the blanks around them."""
    return _spans(text, _SENTENCE)


def _spans(text: str, ends: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    start = 0
    for end in ends.finditer(text):
        found = end[0]
        if found[0] in _SIGNS:
            if not (ends is _STATEMENT and "\n" in found) and _goes_on(text, start, end):
                continue
        elif _is_told_on(text, end):
            continue
        span = _without_blanks(text, start, end.start() + len(found.rstrip().rstrip("\u2022")))
        if span[0] < span[1]:
            yield span
        start = end.start() if found == "\u2022" else end.end()
    span = _without_blanks(text, start, len(text))
    if span[0] < span[1]:
        yield span


def _without_blanks(text: str, start: int, stop: int) -> tuple[int, int]:
    said = text[start:stop]
    return start + len(said) - len(said.lstrip()), start + len(said.rstrip())


def _is_told_on(text: str, end: re.Match[str]) -> bool:
    """Whether a Japanese quotation is only what somebody said."""
    return end[0][0] in _FULL_STOPS and len(end[0]) > 1 and text.startswith("\u3068", end.end())


def _goes_on(text: str, start: int, end: re.Match[str]) -> bool:
    """Whether a sentence only seems to end at a sign: by what stands before the sign, and by the word after it."""
    stop, found = end.start(), end[0]
    if start <= stop - _LONG and text[stop - _LONG : stop].isalpha() and found[0] in ".!?" and found[1].isspace():
        # The most usual end: a long word, which nobody abbreviates, and a sign.
        return False
    if "\n" in found and (found.count("\n") > 1 or _LINE.match(text, stop + found.index("\n") + 1)):
        return False
    following = _NEXT.match(text, end.end(), end.end() + _WORD)
    word = following[1] if following else ""
    if len(word) == 1 and word.isupper() and following and not text.startswith(".", following.end(1)):
        # A letter that is a name by itself ("B leads to C") begins anew; an initial has a stop of its own.
        word = ""
    closing, sign = found.rstrip()[1:], found[0]
    if closing.strip("*_") or sign == "\u2026" or text.endswith("..", start, stop + 1):
        return word[:1].islower()
    return sign == "." and not closing and _is_abbreviated(text, (start, stop + 1), word)


def _is_abbreviated(text: str, span: tuple[int, int], word: str) -> bool:
    """Whether a full stop at the end of a span belongs to an abbreviation or a number, before the word that follows."""
    start, stop = span
    if stop - start <= _MARK and _NUMBERED.fullmatch(text, start, stop):
        return True
    before = text[max(start, stop - _MARK) : stop]
    if _NAMING.search(before) or _FIRST.search(before):
        return True
    if word[:1].isdigit():
        return any(pattern.search(before) for pattern in (_COUNTING, _GOING, _LETTER))
    if _LETTER.search(before):
        return bool(word) and (word[0].islower() or word.lower() not in STOP_WORDS)
    if _ORDINAL.search(before):
        return _MONTH.match(word) is not None or word in _BEFORE_DAYS
    if _DATED.search(before):
        return word[:1].islower()
    return word[:1].islower() and _GOING.search(before) is not None
