"""The numbers a chunk is found by are those of its words, pairs and names, counted one by one."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memotheca.text import terms
from memotheca.text.caches import WordCache
from memotheca.text.terms import (
    MAX_FREQUENCY,
    TITLE_WEIGHT,
    Terms,
    analyse,
    identifier_number,
    pack,
    pair_number,
    word_number,
)
from memotheca.text.words import identifiers, pairs, parts_of_name, words

PIECES = (
    "the", "of", "S", "rates", "Error", "parse_config", "src/app.py", "v1.2.3", "__init__", "a-b", "-x-", "#tag/sub",
    "[[some-note|Label]]", "x@y.z,", "Straße", "Müllers", "naïve_path/ß.md", "数据库", "数", "かな", "308分钟abc数",
    "naïve", "1", "_", "...", "\u00a0", "\x1f", "\u2028", "E\u0301", "한국어",
    "parseConfig", "XMLHttpRequest", "PDFs", "getX",
)  # fmt: skip
texts = some.lists(some.sampled_from((*PIECES, "", " ", "\n")), max_size=30).map("".join) | some.lists(
    some.sampled_from(PIECES), max_size=30
).map(" ".join)


def spelled(title: str, body: str) -> Terms:
    """The same by the definition, a term at a time."""
    counted: Counter[int] = Counter()
    length = 0
    for text, weight in ((title, TITLE_WEIGHT), (body, 1)):
        numbers = [word_number(word) for word in words(text, keep_stop_words=True)]
        numbers += [pair_number(pair) for pair in pairs(words(text))]
        numbers += [identifier_number(name) for name in identifiers(text)]
        parts = [word_number(part) for run in re.findall(r"[^\W_]+", text) for part in parts_of_name(run)]
        length += len(words(text)) + len(parts)
        numbers += parts
        for number in numbers:
            counted[number] += weight
    return Terms(length, counted)


@given(texts, texts)
def test_a_text_is_found_by_the_numbers_of_all_its_words_pairs_and_names(title: str, body: str):
    assert analyse(title, body) == spelled(title, body)


@given(some.text(), some.text())
def test_whatever_the_letters_are(title: str, body: str):
    assert analyse(title, body) == spelled(title, body)


@given(texts, texts, some.integers(1, 300))
def test_terms_are_packed_by_number_with_their_frequencies(title: str, body: str, times: int):
    found = analyse(title, f"{body} " * times)
    numbers = sorted(found.frequencies)
    counts = bytes(min(found.frequencies[number], MAX_FREQUENCY) for number in numbers)
    written = b"".join(number.to_bytes(8, "little") for number in numbers)
    assert pack(found) == found.length.to_bytes(4, "little") + written + counts


def test_words_are_read_alike_after_others_were_forgotten(monkeypatch):
    monkeypatch.setattr(terms, "_readings", WordCache(terms._read, 3))
    for body in ("one two three four five", "two of the five numbers", "five one"):
        assert analyse("", body) == spelled("", body)
        assert 1 <= len(terms._readings) <= 3


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("parseConfigFiles", ["pars", "config", "file"]),
        ("HTTPServer", ["http", "server"]),
        ("XMLHttpRequest", ["xml", "http", "request"]),
        ("utf8Decode", ["utf8", "decod"]),
        ("toString", ["string"]),
        ("PDFs", []),
        ("Config", []),
        ("getX", []),
        ("aGVsbG8gd29ybGQxMjM", []),
        ("aB" * 10_000, []),
    ],
)
def test_a_name_that_capitals_part_is_found_by_its_words_too(name: str, parts: list[str]):
    assert list(parts_of_name(name)) == parts
    found = set(analyse("", f"call {name}() here").frequencies)
    assert found >= {word_number(part) for part in [*parts, *words(name)]}
