"""Said to keep: what of a person's words asks to be remembered, by rule and word for word (memory-model: Proposals).

Four kinds: an explicit wish, a decision, a preference, a correction. Precision goes before all else: what is asked,
supposed or said of the task at hand is passed over, and so are code, quotations and what was pasted. The phrases are
those of `wish_phrases.py`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memotheca.memory.claims.wish_phrases import (
    AT_HAND,
    CORRECTION,
    DECISION,
    LATER,
    NO_WISH,
    NOT_THAT,
    NOW,
    PREFERENCE,
    SAYS_THAT,
    STATES,
    SUPPOSED,
    TASK,
    TO_DO,
    TOLD,
    WISH,
    WISH_AFTER,
    WISH_ALONE,
    WISH_ASKED,
    WISH_LOOSELY,
    WISH_WITHIN,
    WRONG_ALONE,
)
from memotheca.text.markdown_lines import FENCED
from memotheca.text.sentences import split_sentences

Wish = Literal["remember", "decision", "preference", "correction"]

LONGEST, SHORTEST = 400, 3  # chosen: letters and words of a sentence that stands by itself
FEWEST = 2  # chosen: words to be remembered, as "I'm vegetarian"
LOOKED_AT = 6000  # chosen: letters of a turn; a longer one was pasted
_CODE = re.compile(rf"{FENCED}|`[^`\n]{{1,300}}`")
_PASTED = re.compile(r"^\s*(?:>|\||\+|-{3}|@@|at \w|Traceback|[{}\[\]<]|\$ |# |//|/\*|\d{4}-\d\d-\d\d[T ]\d\d:)")
_HEADED = re.compile(r"^#{1,6} \w", re.MULTILINE)  # a page, which nobody says
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
_QUOTED = re.compile(
    r"\"[^\"\n]{2,300}\"|“[^“”\n]{2,300}”|„[^„“”\n]{2,300}[“”]|«[^«»\n]{2,300}»|»[^«»\n]{2,300}«|"
    "(?<!\\w)['\u2018](?=\\w)[^\n]{2,300}?['\u2019](?!\\w)"
)
_STAND_IN = 0xE000  # specification: Unicode, the first letter of private use; one stands for each quotation

_RULES: tuple[tuple[Wish, re.Pattern[str]], ...] = (
    ("decision", DECISION),
    ("preference", PREFERENCE),
    ("correction", CORRECTION),
)


@dataclass(frozen=True, slots=True)
class SaidToKeep:
    """Words of a person that ask to be remembered, as they stand, and in which way they ask."""

    text: str
    wish: Wish


def find_said_to_keep(turn: str) -> list[SaidToKeep]:
    """Each once, in the order of saying."""
    if len(turn) > LOOKED_AT or _HEADED.search(turn):
        return []
    quoted: dict[str, str] = {}

    def stand_in(quotation: re.Match[str]) -> str:
        letter = chr(_STAND_IN + len(quoted))
        quoted[letter] = quotation[0]
        return letter

    found: dict[str, SaidToKeep] = {}
    before = ""
    for sentence in _spoken(_QUOTED.sub(stand_in, _CODE.sub(" … ", turn))):
        each = _read(sentence, before)
        if each is not None:
            text = "".join(quoted.get(letter, letter) for letter in each.text)
            found.setdefault(text.casefold(), SaidToKeep(text, each.wish))
        before = sentence
    return list(found.values())


def _spoken(turn: str) -> Iterator[str]:
    """The sentences that a person says in a turn, without what was pasted."""
    for line in turn.splitlines():
        if not _PASTED.match(line):
            yield from (" ".join(each.split()) for each in split_sentences(_BULLET.sub("", line)))


def _read(sentence: str, before: str) -> SaidToKeep | None:
    if not _stands_alone(sentence):
        return None
    what = _wished(sentence, before)
    if what:
        return SaidToKeep(_as_sentence(what), "remember")
    if sentence.endswith("?") or WISH.match(sentence) or WISH_LOOSELY.match(sentence):
        return None
    return _told(sentence, before)


def _stands_alone(sentence: str) -> bool:
    return len(sentence) <= LONGEST and "…" not in sentence and len(sentence.split()) >= SHORTEST


def _wished(sentence: str, before: str) -> str:
    """What somebody asks for in so many words to be remembered; empty where they do not."""
    if WISH_ALONE.match(sentence):
        return before if _stands_alone(before) and not before.endswith("?") else ""
    asked = WISH_ASKED.match(sentence)
    if asked is not None:
        return _if_said((asked["what"] or asked["what_de"]).rstrip("?"), sentence)
    if sentence.endswith("?"):
        return ""
    after = WISH_AFTER.match(sentence)
    if after is not None:
        return _if_said(after["what"], sentence)
    wish = WISH.match(sentence)
    if wish is not None:
        return _if_said(wish["what"], sentence)
    loosely = WISH_LOOSELY.match(sentence)
    if loosely is not None:
        return _if_stated(loosely["what"], sentence)
    within = WISH_WITHIN.search(sentence)
    return (
        _if_said(within["what"], sentence) if within is not None and not TOLD.search(sentence[: within.start()]) else ""
    )


def _if_said(what: str, sentence: str) -> str:
    """What is to be remembered; the whole sentence where that is to do something later."""
    what = what.strip(" ,:")
    if len(what.split()) < FEWEST or NO_WISH.match(what) or NOW.search(sentence):
        return ""
    return what


def _if_stated(what: str, sentence: str) -> str:
    """The same after words that may be about the task at hand, or about a thing that is only named."""
    if TO_DO.match(what):
        return sentence if LATER.search(what) and not AT_HAND.search(what) and not NOW.search(what) else ""
    is_stated = SAYS_THAT.search(sentence) or STATES.search(what.partition(",")[0])
    is_stated = is_stated and not AT_HAND.search(what)
    return _if_said(what, sentence) if is_stated else ""


def _told(sentence: str, before: str) -> SaidToKeep | None:
    """What is told as decided, preferred or corrected."""
    if SUPPOSED.search(sentence) or TASK.search(sentence) or NOW.search(sentence):
        return None
    if len(sentence.split()) <= SHORTEST:
        return None
    for name, rule in _RULES:
        if rule.search(sentence) and not (name == "correction" and AT_HAND.search(sentence)):
            return SaidToKeep(sentence, name)
    is_put_right = WRONG_ALONE.match(before) and NOT_THAT.search(sentence) and not AT_HAND.search(sentence)
    return SaidToKeep(sentence, "correction") if is_put_right else None


def _as_sentence(what: str) -> str:
    """The same words with a capital letter at their beginning, as they stand alone."""
    return what[0].upper() + what[1:]
