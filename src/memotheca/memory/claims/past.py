"""Whether a question is about the past, and about which stretch of it, told from its small words (memory-model:
Ranking)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memotheca.text.calendar_words import BEFORE_SEASON, FORMERLY, SEASONS
from memotheca.text.named_dates import Span, find_dates, place, season_before

READ = 1_000  # chosen: more than anybody asks in one question


@dataclass(frozen=True, slots=True)
class PastQuestion:
    """A question about what was; the stretch of time where it names one that is over."""

    span: Span | None = None


def _any(words: Iterator[str]) -> str:
    return "|".join(
        re.escape(word).replace(r"\ ", r"\s+") for word in sorted(words, key=lambda word: (-len(word), word))
    )


_FORMERLY = re.compile(
    rf"(?<!\w)(?:{_any(word for words in FORMERLY.values() for word in words.split('|'))})(?!\w)", re.IGNORECASE
)
_SEASON = re.compile(
    rf"(?<!\w)(?:{_any(iter(BEFORE_SEASON))})\s+"
    rf"(?P<season>{_any(word for words in SEASONS for word in words.split())})(?!\w)",
    re.IGNORECASE,
)


def read_past(question: str, now: int) -> PastQuestion | None:
    """Nothing where a question is about now, or does not say."""
    asked = " ".join(question[:READ].split())
    spans = [span for span in _spans(asked, now) if span.last < now]
    if spans:
        return PastQuestion(spans[0])
    return PastQuestion() if _FORMERLY.search(asked) else None


def formerly_in(text: str) -> re.Match[str] | None:
    """Where a text says that something was so before."""
    return _FORMERLY.search(text[:READ])


def _spans(asked: str, now: int) -> Iterator[Span]:
    """What a question names; since a day is up to now."""
    for named in find_dates(asked):
        if not {role for role, _ in named.roles} & {"since", "until"}:
            is_weekday = named.weekday is not None and named.day is None
            span = place(named, now, "past" if is_weekday else "near")
            if span is not None:
                yield span
    for found in _SEASON.finditer(asked):
        number = next(at for at, words in enumerate(SEASONS) if found["season"].casefold() in words.split())
        yield season_before(number, now)
