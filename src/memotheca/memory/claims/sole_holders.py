"""Holders: who or what has something of which one has it, told by its article: the tech lead, the billing service."""

from collections.abc import Collection

from memotheca.memory.claims.small_words import (
    BEING,
    CHANGES,
    DEFINITE,
    FUNCTION,
    HOLDING,
    INDEFINITE,
    RESPONSIBLE,
)
from memotheca.memory.claims.statement import Statement, terms_of_text

LONGEST = 2  # chosen: words of who holds it
NAME = 3  # chosen: words of a name


def is_another_holder(old: Statement, new: Statement) -> bool:
    """Whether two sentences differ only in who holds something, told in the same order or the other way round."""
    return _is_turned_round(old, new) or _is_held_by_another(old, new)


def _is_turned_round(old: Statement, new: Statement) -> bool:
    """Whether one says what the other does the other way round, of something else: the tech lead is Priya, Tomás is the
    tech lead. What there is one of has an article or an owner that says so."""
    older, newer = (_around_being(side) for side in (old, new))
    if older is None or newer is None:
        return False
    for (role, who), (other, same) in ((older, newer), (older[::-1], newer[::-1])):
        told = [word for word in role if word not in FUNCTION]
        is_one = bool(told) and role[0] in FUNCTION and role[0] not in INDEFINITE
        if is_one and role == same and who != other and max(len(who), len(other)) <= LONGEST:
            return not {*who, *other} & FUNCTION
    return False


def _is_held_by_another(old: Statement, new: Statement) -> bool:
    """Whether both say word for word who or what has something of which one has it: Priya is the tech lead, Alice owns
    the billing service."""
    one, other = ([word for word in side.bare if word not in CHANGES] for side in (old, new))
    same = 0
    while same < min(len(one), len(other)) and one[-1 - same] == other[-1 - same]:
        same += 1
    held = one[len(one) - same :] if same else []
    holders = (one[: len(one) - same], other[: len(other) - same])
    if len(held) < 3 or not all(0 < len(who) <= LONGEST and not {*who} & FUNCTION for who in holders):
        return False
    said, of = held[0], held[1]
    if said in BEING and of in RESPONSIBLE:
        return True
    return (said in BEING or said in HOLDING) and of in DEFINITE and held[2] not in FUNCTION


def is_what_it_is(terms: Collection[str], statement: Statement) -> bool:
    """Whether a sentence ends with these, behind the one form of being in it: the head nurse is Lena Voss."""
    around = _around_being(statement)
    return around is not None and len(around[1]) <= NAME and set(terms_of_text(" ".join(around[1]))) == {*terms}


def _around_being(statement: Statement) -> tuple[list[str], list[str]] | None:
    """What stands before and behind the one form of being in a sentence, without words for a change."""
    said = [word for word in statement.bare if word not in CHANGES]
    places = [at for at, word in enumerate(said) if word in BEING]
    return (said[: places[0]], said[places[0] + 1 :]) if len(places) == 1 else None
