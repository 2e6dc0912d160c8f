"""Evidence: what of two aligned texts speaks for an update, a contradiction or a repetition, as numbers with names."""

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime

from memotheca.memory.claims.alignment import Aligned, TermWeights, Weighing, closeness_of
from memotheca.memory.claims.bygone import is_another_time, tells_of_before, tells_what_was
from memotheca.memory.claims.small_words import (
    AMOUNTS,
    BECOMING,
    BEING,
    CHANGES,
    FUNCTION,
    NUMBERED_PERIODS,
    OPPOSED,
    PRONOUNS,
)
from memotheca.memory.claims.sole_holders import is_another_holder, is_what_it_is
from memotheca.memory.claims.statement import Statement, terms_of_text
from memotheca.memory.claims.told import USER, ToldEntry
from memotheca.memory.claims.values import Value, agree
from memotheca.model.clock import DAY, SECOND
from memotheca.model.knowledge import fold
from memotheca.text.likeness import likeness
from memotheca.text.named_dates import find_dates, place
from memotheca.text.words import spoken

KINDS = ("date", "weekday", "time", "amount", "number", "version", "identifier", "address")
CUES = ("change", "denial", "plan", "goal", "saying", "repetition", "dispute", "quote")
# Chosen: beyond so much, more tells no more.
MOST_SHARED, MOST_LEFT, MANY = 6.0, 8.0, 2
SAME_WORDS = 0.75  # chosen: three words of four
MORE = 2  # chosen: "from now on only"
NAME = 3  # chosen: words of a name
LEADING = 1 / 3  # chosen: what stands in the first third of a sentence is what it is about


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entries as they are compared, the newer one first, with how near their meanings are where that is known."""

    newer: ToldEntry
    older: ToldEntry
    aligned: Aligned
    cosine: float | None
    weigh: Weighing


def gather(pair: Pair) -> dict[str, float]:
    """Every feature of a pair by its name; see docs/memory-model.md, Updates, contradictions and repetitions."""
    mine, theirs = pair.aligned.newer, pair.aligned.older
    return {
        **_nearness(pair),
        **_values(pair),
        **_names(pair, mine, theirs),
        **_sayings(pair, mine, theirs),
        **_circumstances(pair),
    }


def _nearness(pair: Pair) -> dict[str, float]:
    aligned, newer, older = pair.aligned, pair.newer, pair.older
    left = [max(0.0, mass - aligned.shared) for mass in aligned.mass]
    either = newer.tags | older.tags
    return {
        # Chosen: what the words alone let one expect, where there is no vector.
        "cosine": 0.35 + 0.5 * aligned.closeness if pair.cosine is None else pair.cosine,
        "closeness": aligned.closeness,
        "about": closeness_of(newer.about, older.about, pair.weigh),
        "reasons": closeness_of(newer.reasons, older.reasons, pair.weigh),
        "tags": len(newer.tags & older.tags) / len(either) if either else 0.0,
        "shared": min(aligned.shared, MOST_SHARED),
        "share_newer": aligned.shared / aligned.mass[0] if aligned.mass[0] else 0.0,
        "share_older": aligned.shared / aligned.mass[1] if aligned.mass[1] else 0.0,
        "left_newer": min(left[0], MOST_LEFT),
        "left_older": min(left[1], MOST_LEFT),
        "covered_newer": _covered(aligned.newer, older, pair.weigh),
        "covered_older": _covered(aligned.older, newer, pair.weigh),
    }


def _covered(statement: Statement, other: ToldEntry, weigh: Weighing) -> float:
    """How much of a sentence's own words the other text has anywhere."""
    own, of, said = statement.own, weigh.of, other.said
    whole = sum(map(of, own))
    return sum([of(term) for term in own if term in said]) / whole if whole else 0.0


def _values(pair: Pair) -> dict[str, float]:
    aligned = pair.aligned
    differ = Counter(older.kind for older, _ in aligned.differing)
    same = Counter(value.kind for value in aligned.agreeing)
    mine, theirs = pair.newer.values, pair.older.values
    agreed = sum(any(value.kind == other.kind and agree(value, other) for value in mine) for other in theirs)
    siblings = sum(older.kind == "identifier" and older.unit == newer.unit for older, newer in aligned.differing)
    return {
        **{f"differ_{kind}": float(min(differ[kind], MANY)) for kind in KINDS},
        **{f"same_{kind}": float(min(same[kind], MANY)) for kind in KINDS},
        "differ": float(min(len(aligned.differing), 3)),
        "differ_once": float(len(aligned.differing) == 1),
        "same": float(min(len(aligned.agreeing), 4)),
        "same_only": float(bool(aligned.agreeing) and not aligned.differing),
        "valueless": float(not aligned.agreeing and not aligned.differing),
        "siblings": float(min(siblings, MANY)),
        "names_replaced": float(_names_replaced(aligned)),
        "agreed": float(min(agreed, 3)),
        "agreed_share": agreed / len(theirs) if theirs else 0.5,
    }


def _names_replaced(aligned: Aligned) -> bool:
    """Whether the newer sentence names the older value beside another of its sort: raised from 80 to 160."""
    mine = aligned.newer.values
    return any(
        any(value.sort == old.sort and agree(value, old) for value in mine)
        and any(value.sort == old.sort and not agree(value, old) for value in mine)
        for old in aligned.older.values
    )


def _names(pair: Pair, mine: Statement, theirs: Statement) -> dict[str, float]:
    newer, older = pair.newer, pair.older
    first, other = (mine.own or [""])[0], (theirs.own or [""])[0]
    named, rival = _first_name(mine), _first_name(theirs)
    fresh = mine.names - theirs.terms.keys()
    missing = theirs.names - mine.terms.keys()
    apart = float(first not in older.said and other not in newer.said)
    return {
        "fresh_names": float(min(len(fresh), 3)),
        "missing_names": float(min(len(missing), 3)),
        "replaced_names": float(min(len(fresh), len(missing), MANY)),
        "shared_names": float(min(len(mine.names & theirs.names), 3)),
        "found_names": float(min(len(missing & newer.said), MANY)),
        "other_name": float(bool(named and rival) and named not in older.said and rival not in newer.said),
        "topic_known": float(first in theirs.terms),
        "topic_kept": float(other in mine.terms),
        "same_topic": float(bool(first) and first == other),
        "other_topic": apart,
        "other_topic_near": apart * pair.aligned.closeness,
    }


def _first_name(statement: Statement) -> str:
    return next((term for term in statement.own if term in statement.names), "")


def _sayings(pair: Pair, mine: Statement, theirs: Statement) -> dict[str, float]:
    differs = bool(pair.aligned.differing)
    reason = pair.newer.cues
    return {
        **{f"{cue}_newer": float(cue in mine.cues) for cue in CUES},
        **{f"{cue}_older": float(cue in theirs.cues) for cue in ("change", "plan", "goal", "saying", "quote")},
        **{f"{cue}_reason": float(cue in reason) for cue in ("change", "repetition", "dispute", "saying", "plan")},
        "denial_differs": float(("denial" in mine.cues) != ("denial" in theirs.cues)),
        "change_anywhere": float(any("change" in each.cues for each in pair.newer.statements)),
        "change_differs": float("change" in mine.cues and differs),
        "change_reason_differs": float("change" in reason and differs),
        "repetition_reason_same": float("repetition" in reason and not differs),
    }


def _circumstances(pair: Pair) -> dict[str, float]:
    newer, older, aligned = pair.newer, pair.older, pair.aligned
    days = max(0, newer.at - older.at) / DAY
    return {
        "gap": math.log1p(days),
        "same_day": float(days < 1),
        "same_session": float(bool(newer.session) and newer.session == older.session),
        "same_source": float(newer.source == older.source),
        "user_newer": float(newer.source == USER),
        "user_older": float(older.source == USER),
        "length_newer": math.log1p(len(aligned.newer.text)),
        "length_older": math.log1p(len(aligned.older.text)),
        "sentences_newer": math.log1p(len(newer.statements)),
        "sentences_older": math.log1p(len(older.statements)),
        "fragment": float(len(aligned.newer.own) < 3),
        "subject": float(aligned.newer.has_subject and aligned.older.has_subject),
        "coming": float(any(day > _day_of(newer.at) for day in days_of(aligned.newer, newer.at))),
    }


def _day_of(at: int) -> date:
    return datetime.fromtimestamp(at / SECOND, UTC).date()


def days_of(statement: Statement, at: int) -> list[date]:
    """The days a sentence names; without a year, the one that lies nearest to when it was said."""
    found: list[date] = []
    for value in statement.values:
        parts = value.key.split("-") if value.kind == "date" else ()
        if len(parts) == 3 and parts[1] and parts[2]:
            with suppress(ValueError):
                found.append(_nearest_day(parts[0], int(parts[1]), int(parts[2]), _day_of(at)))
    return found


def _nearest_day(year: str, month: int, day: int, said: date) -> date:
    if year:
        return date(int(year), month, day)
    return min((date(said.year + step, month, day) for step in (-1, 0, 1)), key=lambda each: abs(each - said))


def are_other_days(pair: Pair) -> bool:
    """Whether both tell a figure of a day, a month or a year that had come when it was told, and not of the same: two
    readings."""
    if _is_of_another_period(pair):
        return True
    if not any(old.kind in ("amount", "number") for old, _ in pair.aligned.differing):
        return False
    mine, theirs = _all_days(pair.aligned.newer, pair.newer.at), _all_days(pair.aligned.older, pair.older.at)
    if not mine or not theirs:
        return _are_other_periods(pair)
    return not set(mine) & set(theirs) and _have_come(mine, pair.newer.at) and _have_come(theirs, pair.older.at)


def _all_days(statement: Statement, at: int) -> list[date]:
    """Also those that are named from the day on which it was said: yesterday, heute."""
    named = [each for each in find_dates(statement.text) if each.shift is not None and each.weekday is None]
    spans = [place(each, at, "near") for each in named if not {role for role, _ in each.roles} & {"since", "until"}]
    return [*days_of(statement, at), *(_day_of(span.first) for span in spans if span is not None)]


def _is_of_another_period(pair: Pair) -> bool:
    """Whether the same figure is told of another month, year or week: what was paid in May and in June."""
    differing = [old for old, _ in pair.aligned.differing]
    has_same_figure = any(value.kind in ("amount", "number") for value in pair.aligned.agreeing)
    if not has_same_figure or "change" in pair.aligned.newer.cues or len(differing) != 1:
        return False
    return differing[0].unit in ("month", "year") or _is_numbered_period(pair.aligned.older, differing[0])


def _is_numbered_period(statement: Statement, value: Value) -> bool:
    """Whether a number is that of a week, a sprint or the like: week 12."""
    if value.kind not in ("number", "version"):
        return False
    before = statement.text[: value.place].split()
    return bool(before) and fold(before[-1]) in NUMBERED_PERIODS


def _are_other_periods(pair: Pair) -> bool:
    """Whether the two begin by naming another month, or another year that is over, nothing being said to have changed:
    what is so in this year is so now."""
    mine, theirs = _periods(pair.aligned.newer), _periods(pair.aligned.older)
    if not mine or not theirs or mine & theirs or "change" in pair.aligned.newer.cues:
        return False
    return f"{_day_of(pair.newer.at).year}--" not in mine


def _periods(statement: Statement) -> set[str]:
    """The days, months, years and numbered weeks that a sentence begins with."""
    leading = [value for value in statement.values if value.place <= LEADING * len(statement.text)]
    return {value.key for value in leading if value.kind == "date" or _is_numbered_period(statement, value)}


def _have_come(days: Sequence[date], at: int) -> bool:
    return all(day <= _day_of(at) for day in days)


def are_siblings(pair: Pair) -> bool:
    """Whether each begins with one of a series that the other text does not name at all: LZ-14 and LZ-15."""
    mine, theirs = ({value.key for value in told.values} for told in (pair.newer, pair.older))
    newer, older = pair.aligned.newer, pair.aligned.older
    return any(
        _are_of_one_series(new, old) and new.key not in theirs and old.key not in mine
        for new in newer.values
        if new.place <= LEADING * len(newer.text)
        for old in older.values
        if old.place <= LEADING * len(older.text)
    )


def _are_of_one_series(one: Value, other: Value) -> bool:
    if one.kind == other.kind == "identifier":
        return one.unit == other.unit
    numbered = one.of if one.kind == "version" else one.unit if one.kind == "number" else ""
    named = other.of if other.kind == "version" else other.unit if other.kind == "number" else ""
    return bool(numbered) and numbered == named and one.key.isdigit() and other.key.isdigit()


def are_other_subjects(pair: Pair) -> bool:
    """Whether two sentences are word for word the same up to a value in which they differ, but for one word of what
    they are about: server alpha has 16 GB, server beta has 32; or one more: the library, the library café. Or both
    begin with a pronoun, and what it stands for has nothing in common."""
    if _stand_for_others(pair):
        return True
    if not pair.aligned.differing:
        return False
    old, new = pair.aligned.differing[0]
    one, other = _words_before(pair.aligned.older, old), _words_before(pair.aligned.newer, new)
    if len(one) == len(other):
        told = [each for each in zip(one, other, strict=True) if any(map(_tells, each))]
        replaced = [each for each in told if each[0] != each[1]]
        return len(told) > len(replaced) == 1 and all(map(_tells, replaced[0])) and not _says_so(pair)
    return _is_within_subject(one, other) or _is_within_subject(other, one)


def _stand_for_others(pair: Pair) -> bool:
    sides = (pair.aligned.newer, pair.aligned.older)
    if not all(side.bare and side.bare[0] in PRONOUNS for side in sides):
        return False
    one, other = ({term for term, weight in side.terms.items() if weight < 1} for side in sides)
    return bool(one and other) and not one & other


def _words_before(statement: Statement, value: Value) -> list[str]:
    """Without those that say that it is so now."""
    return [word for word in spoken(fold(statement.text[: value.place])) if word not in CHANGES]


def _tells(word: str) -> bool:
    """Whether it may name something, as a single letter does: pump A."""
    return word not in FUNCTION or (len(word) == 1 and word.isalpha())


def _says_so(pair: Pair) -> bool:
    return "change" in pair.aligned.newer.cues


def _is_within_subject(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether one says one word more, between two that both say."""
    if len(long) != len(short) + 1:
        return False
    place = next((at for at, word in enumerate(short) if word != long[at]), len(short))
    around = long[max(0, place - 1) : place + 2]
    return [*long[:place], *long[place + 1 :]] == [*short] and len(around) == 3 and all(map(_tells, around))


def is_of_before(pair: Pair) -> bool:
    """Whether the newer sentence only says which value held before."""
    differing = pair.aligned.differing
    return bool(differing) and tells_of_before(pair.aligned.newer, pair.aligned.older, differing[0][1])


def is_nothing_new(pair: Pair) -> bool:
    """Whether the newer sentence has no other value, name or denial, and no word for a change."""
    mine, theirs = pair.aligned.newer, pair.aligned.older
    if pair.aligned.differing or ("denial" in mine.cues) != ("denial" in theirs.cues):
        return False
    if is_another_holder(theirs, mine):
        return False
    return "change" not in mine.cues | pair.newer.cues and mine.names <= theirs.terms.keys()


def differs_in_one_slot(pair: Pair) -> bool:
    """Whether two sentences about the same thing agree word for word but for one value, one name that is not what they
    are about, or a denial."""
    mine, theirs = pair.aligned.newer, pair.aligned.older
    if is_another_holder(theirs, mine):
        return True
    one, other = ({*each.own} - _CHANGING for each in (mine, theirs))
    slot, rival = ({*_in_slot(pair, at)} for at in (1, 0))
    names = not pair.aligned.differing
    fresh, missing = one - other - slot, other - one - rival
    if "change" in mine.cues and pair.aligned.differing:
        # Raised to 960: how much it was need not be said in the same words.
        missing -= _AMOUNTING | {old.of for old, new in pair.aligned.differing if not new.of}
    alike = len(one & other - slot) + len(pair.aligned.agreeing)
    if alike < (2 if names else 1) or not _begin_alike(mine, theirs) or tells_what_was(mine, theirs):
        return False
    if not _says_so(pair) and is_another_time(mine, theirs, pair.aligned.differing):
        return False
    denied = ("denial" in mine.cues) != ("denial" in theirs.cues)
    if names and not denied:
        return _is_a_name(fresh, mine, says_so=_says_so(pair)) and _is_a_name(missing, theirs, says_so=_says_so(pair))
    fresh -= _said_aside(mine)
    if not BEING.isdisjoint(theirs.bare):
        fresh -= _BECOMING
    slots = len(pair.aligned.differing) + denied
    # Who says that it is so now may say it in a word or two more, leaving out nothing.
    says_so = "change" in mine.cues and not denied and not fresh & mine.names and _stand_last(mine, fresh)
    return slots == 1 and len(fresh) <= (MORE if says_so else 0) and not missing and _same_number(pair)


def _begin_alike(mine: Statement, theirs: Statement) -> bool:
    """Whether both begin with the same word, but for those that say that it is so now."""
    first, other = (next((term for term in each.own if term not in _CHANGING), "") for each in (mine, theirs))
    return bool(first) and first == other


def _is_a_name(terms: Collection[str], statement: Statement, *, says_so: bool) -> bool:
    """Whether some terms of a sentence are one name: a single word, or, where it is said that it is another now or what
    it is, a few that stand together."""
    longest = NAME if says_so or is_what_it_is(terms, statement) else 1
    if not terms or not statement.names.issuperset(terms) or len(terms) > longest:
        return False
    places = [at for at, term in enumerate(statement.own) if term in terms]
    return places[-1] - places[0] == len(terms) - 1


def _said_aside(statement: Statement) -> set[str]:
    """What stands in brackets at its end: why, since when, by whom."""
    found = _ASIDE.search(statement.text)
    return set(terms_of_text(found[0])) if found else set()


def _stand_last(statement: Statement, fresh: Collection[str]) -> bool:
    """Whether some words of a sentence come behind all others, but for those of change: what stands among them is about
    something else, as the library's café is not the library."""
    order = [term in fresh for term in statement.own if term not in _CHANGING]
    return order == sorted(order)


def is_repeated(pair: Pair) -> bool:
    """Whether two texts are the same word for word, but for capitals, signs and blanks."""
    newer, older = pair.newer.statements, pair.older.statements
    if len(newer) != len(older) or any(mine.bare != theirs.bare for mine, theirs in zip(newer, older, strict=True)):
        return False
    return any(each.bare for each in newer)


def says_the_same(pair: Pair) -> bool:
    """Whether two sentences are made of nearly the same words and of the same values, and so are the texts."""
    mine, theirs = pair.aligned.newer, pair.aligned.older
    one, other = ({*each.own} for each in (mine, theirs))
    if len(one & other) + len(pair.aligned.agreeing) < 3 or _has_other_values(pair) or not _same_number(pair):
        return False
    if are_opposed(pair):
        return False
    alike = [(one, other), (pair.newer.said, pair.older.said)]
    return all(likeness(left, right) >= SAME_WORDS for left, right in alike) and not (one ^ other) & (
        mine.names | theirs.names
    )


def are_opposed(pair: Pair) -> bool:
    """Whether two sentences are made of the same words, but one has a small word and the other its opposite: before the
    market, after the market."""
    mine, theirs = pair.aligned.newer, pair.aligned.older
    if {*mine.own} != {*theirs.own}:
        return False
    fresh, missing = ({*one.bare} - {*other.bare} for one, other in ((mine, theirs), (theirs, mine)))
    return any((a in fresh and b in missing) or (b in fresh and a in missing) for a, b in OPPOSED)


def _has_other_values(pair: Pair) -> bool:
    """Whether they differ in a value, or each has one that the other has not: 10h, 11h30."""
    aligned = pair.aligned
    alone = [
        any(
            not any(value.kind == each.kind and agree(value, each) for each in aligned.agreeing)
            for value in side.values
        )
        for side in (aligned.newer, aligned.older)
    ]
    return bool(aligned.differing) or all(alone)


def _in_slot(pair: Pair, at: int) -> list[str]:
    return [term for values in pair.aligned.differing for term in terms_of_text(values[at].text)]


def _same_number(pair: Pair) -> bool:
    """Whether neither side has a value that the other has nothing against."""
    sides = (pair.aligned.newer.values, pair.aligned.older.values)
    return len({len(side) for side in sides}) == 1


_ASIDE = re.compile(r"\([^()]{1,80}\)[.!]?\s*$")
_AMOUNTING = frozenset(term for word in AMOUNTS for term in terms_of_text(word))
_BECOMING = frozenset(term for word in BECOMING for term in terms_of_text(word))
_CHANGING = frozenset(term for word in CHANGES for term in terms_of_text(word))


def _name_features() -> frozenset[str]:
    empty = Statement("", {}, frozenset(), (), frozenset(), True)
    told = ToldEntry("", (), frozenset(), frozenset(), frozenset(), frozenset(), frozenset(), "", "", "", 0)
    aligned = Aligned(empty, empty, 0.0, 0.0, (0.0, 0.0), (), ())
    return frozenset(gather(Pair(told, told, aligned, None, Weighing(TermWeights()))))


FEATURES = _name_features()
