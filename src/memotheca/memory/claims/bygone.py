"""Bygone: what a sentence tells as something that happened once, or as what was so before, and so not of now."""

import re

from memotheca.memory.claims.past import formerly_in
from memotheca.memory.claims.small_words import (
    BEING,
    DEFINITE,
    DENIALS,
    FIRST_PERSON,
    FUNCTION,
    HAVING,
    INDEFINITE,
    IRREGULAR_PAST,
    PAST_BEING,
)
from memotheca.memory.claims.statement import Statement
from memotheca.memory.claims.values import Value
from memotheca.text.words import spoken

# Who, where and when are other ones each time something happens.
_CIRCUMSTANCES = frozenset(("date", "weekday"))
_REGULAR_PAST = re.compile(r"(?!\w*(?:eed|hundred)$)[a-z]{3,}ed")
_PARTICIPLE = re.compile(
    r"(?:(?!ge)\w)*+ge\w{2,}(?:t|en|d)|\w{3,}(?:iert|é|ée|és|ées|ado|ido|ato|ito|uto|et|at)|\w{2,}bt"
)


def tells_what_was(newer: Statement, older: Statement) -> bool:
    """Whether the newer one says what something was, and the older one what it is, nothing being said to have
    changed."""
    if "change" in newer.cues or PAST_BEING.isdisjoint(newer.bare):
        return False
    return (BEING - PAST_BEING).isdisjoint(newer.bare) and PAST_BEING.isdisjoint(older.bare)


def tells_of_before(newer: Statement, older: Statement, value: Value) -> bool:
    """Whether the newer one gives a value as the one of before ("used to close at 17:00"), and no other of its sort,
    and the older one does not."""
    found = formerly_in(newer.text)
    if (
        found is None
        or formerly_in(older.text) is not None
        or sum(each.sort == value.sort for each in newer.values) > 1
    ):
        return False
    if value.place < found.start():
        return all(each.place <= value.place for each in newer.values)
    # Before 9 o'clock, antes de las 9: there it is no word for what was.
    return not all(word in FUNCTION for word in spoken(newer.text[found.end() : value.place]))


def is_told_once(statement: Statement) -> bool:
    """Whether a sentence tells something that happened, not what is so: Kim met Sara, Lena hat Bob angerufen."""
    said = statement.bare
    if not BEING.isdisjoint(said) or not DENIALS.isdisjoint(said):
        return False
    for at, word in enumerate(said):
        if _is_past(word):
            return at > 0 and said[at - 1] not in HAVING | DEFINITE | INDEFINITE
        if word in HAVING and any(_PARTICIPLE.fullmatch(each) for each in (*said[at + 1 : at + 2], said[-1])):
            return True
    return False


def is_another_time(one: Statement, other: Statement, differing: tuple[tuple[Value, Value], ...]) -> bool:
    """Whether both tell something that happened, with another name or on another day: it happened twice; what somebody
    notes of their own doings, also with another figure."""
    if not (is_told_once(one) and is_told_once(other)):
        return _is_noted(one) and _is_noted(other)
    is_own = all(said.bare[0] in FIRST_PERSON for said in (one, other))
    return is_own or {old.kind for old, _ in differing} <= _CIRCUMSTANCES


def _is_noted(statement: Statement) -> bool:
    """Whether a sentence begins with what was done and how much of it: spent 40 euros."""
    said = statement.text.split(maxsplit=2)
    if len(said) < 2 or not (said[1][0].isdigit() or said[1][0] in "€£$"):
        return False
    return bool(statement.bare) and _is_past(statement.bare[0])


def _is_past(word: str) -> bool:
    return word in IRREGULAR_PAST or _REGULAR_PAST.fullmatch(word) is not None
