"""Evidence: which stretches of an entry answer a question, where they stand, and why they match."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memotheca.model.knowledge import fold
from memotheca.text.words import (
    find_runs,
    identifiers,
    is_unspaced,
    parts_of_name,
    parts_of_names,
    quoted,
    spelled_words,
    spoken,
    stem,
)

SNIPPET = 240  # chosen: two or three lines
LEAD = 40  # chosen: some words before the first that matches


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """What a passage and a question have in common: words, quoted phrases, compound names, and how near they are
    in meaning, where that is near enough to count."""

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    meaning: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A stretch of an entry's text: its offsets in code points, its place in the source (page, slide, sheet, cells,
    heading, as far as they are known), and why it matches."""

    start: int
    stop: int
    text: str
    place: Mapping[str, Any] = field(default_factory=dict[str, Any])
    matched: Matched = Matched()


class ExcerptQuery:
    """A question taken apart once, to be held against many passages; or the very letters that are sought in them."""

    def __init__(self, text: str, letters: str = "") -> None:
        self._letters = fold(letters)
        self._terms = {**parts_of_names(text), **spelled_words(text)}
        self._phrases = quoted(text)
        self._names = identifiers(text)
        self._written = set(self._terms.values())
        # The stemmer never touches how a word begins.
        self._beginnings = {term[:2] for term in self._terms}

    def explain(self, title: str, text: str, *, meaning: float | None = None) -> Matched:
        """Why a passage matches, by its title or its text."""
        folded = fold(f"{title}\n{text}")
        held = {run for run in set(spoken(folded)) if run[:2] in self._beginnings}
        found = {stem(run) for run in held} | parts_of_names(f"{title}\n{text}").keys()
        spaced = " ".join(folded.split()) if self._phrases else ""
        return Matched(
            words=tuple(
                word
                for term, word in self._terms.items()
                if term in found or word in held or (is_unspaced(term) and term in folded)
            ),
            phrases=tuple(phrase for phrase in self._phrases if phrase in spaced),
            names=tuple(name for name in dict.fromkeys(self._names) if name in folded),
            meaning=meaning,
        )

    def highlights(self, text: str) -> list[tuple[int, int]]:
        """Where words of the question stand in a text."""
        found: list[tuple[int, int]] = []
        for match in find_runs(text):
            run = fold(match.group())
            has_term = stem(run) in self._terms or run in self._written
            if has_term or not self._terms.keys().isdisjoint(parts_of_name(match.group())):
                found.append(match.span())
            elif is_unspaced(run) and len(run) == len(match.group()):
                found += _places_of([term for term in self._terms if is_unspaced(term)], run, match.start())
        return found

    def narrow(self, excerpt: Excerpt, size: int = SNIPPET) -> Excerpt:
        """The stretch of an excerpt in which the most words of the question stand, cut between words."""
        return self.narrow_to(excerpt, (size,))[0]

    def narrow_to(self, excerpt: Excerpt, sizes: Sequence[int]) -> list[Excerpt]:
        """Such a stretch for each size; the words are looked for only once, and only where something is cut."""
        places = self._places(excerpt.text) if len(excerpt.text) > min(sizes) else []
        cuts = [_stretch(excerpt.text, places, size) for size in sizes]
        return [
            replace(excerpt, start=excerpt.start + start, stop=excerpt.start + stop, text=excerpt.text[start:stop])
            for start, stop in cuts
        ]

    def _places(self, text: str) -> list[int]:
        if self._terms:
            return [start for start, _ in self.highlights(text)]
        folded = fold(text) if self._letters else ""
        # Where folding makes a text longer or shorter, places in the one are none in the other.
        place = folded.find(self._letters) if len(folded) == len(text) else -1
        return [place] if place >= 0 else []


def _stretch(text: str, places: list[int], size: int) -> tuple[int, int]:
    """The part of a text of about a size in which the most of some places are."""
    if len(text) <= size:
        return 0, len(text)
    best, most, last = 0, 0, 0
    for first, place in enumerate(places):
        while last < len(places) and places[last] < place + size - LEAD:
            last += 1
        if last - first > most:
            best, most = place, last - first
    start = _word_start(text, max(0, min(best - LEAD, len(text) - size)))
    return start, _word_end(text, start, start + size)


def _places_of(terms: list[str], run: str, offset: int) -> list[tuple[int, int]]:
    """Stretches of a run without blanks that terms cover, joined where they overlap."""
    covered = sorted((at, at + len(term)) for term in terms for at in range(len(run)) if run.startswith(term, at))
    joined: list[tuple[int, int]] = []
    for start, stop in covered:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return [(start + offset, stop + offset) for start, stop in joined]


def _word_start(text: str, near: int) -> int:
    """The next beginning of a word, unless that is far, as in a script without blanks."""
    if near == 0 or text[near - 1].isspace():
        return near
    blank = re.search(r"\s+", text[near : near + LEAD])
    return near if blank is None else near + blank.end()


def _word_end(text: str, start: int, near: int) -> int:
    if near >= len(text) or text[near].isspace():
        return min(near, len(text))
    blank = text.rfind(" ", max(start, near - LEAD), near)
    return near if blank <= start else blank


def read_place(spelled: str | None) -> dict[str, Any]:
    """A chunk's place as it is kept: the text of a JSON object, or nothing."""
    return {} if spelled is None else json.loads(spelled)


def describe(excerpt: Excerpt) -> dict[str, Any]:
    """An excerpt without its text as every family tells it: offsets, place, and why it matches; what is not known, or
    did not match, is left out."""
    matched = excerpt.matched
    why = {"words": matched.words, "phrases": matched.phrases, "names": matched.names, "meaning": matched.meaning}
    said = {name: value for name, value in why.items() if value is not None and value != ()}
    return {"start": excerpt.start, "stop": excerpt.stop, **excerpt.place, **({"matched": said} if said else {})}
