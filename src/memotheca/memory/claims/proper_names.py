"""Proper names: what the capitals of a text say is called so, wherever its language gives that away."""

import re
from functools import lru_cache

from memotheca.model.knowledge import fold

# Above, capitals say nothing: nouns have them, as in German, or every word of a heading does.
DENSE = 0.25  # chosen: names are fewer than one word in four
SHORTEST = 3  # chosen: shorter ones are initials and units
PARTS = 4  # chosen: the words of the longest name

_WORD = re.compile(r"[^\W\d_][\w'\u2019-]*")
_POSSESSIVE = re.compile(r"['\u2019]s?$")
_BREAKS = re.compile(r"[.!?:;\n\"\u201c\u201e\u00ab(|*\u2022]")
_OPENING = re.compile(r"(?:^|(?<=[.!?] )|(?<=\n))[^\W\d_a-z][\w-]*(?: [^\W\d_a-z][\w-]*){0,3}")
# Days and months have capitals in some languages and name nobody.
_CALENDAR = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag "
    "januar februar märz mai juni juli oktober dezember maandag dinsdag woensdag donderdag vrijdag zaterdag zondag "
    "maart mei augustus januari februari augusti mån lundi mardi mercredi jeudi vendredi samedi dimanche janvier "
    "février mars avril juin juillet août septembre octobre novembre décembre lunes martes miércoles jueves viernes "
    "sábado domingo enero febrero marzo abril junio julio agosto septiembre octubre noviembre diciembre lunedì "
    "martedì mercoledì giovedì venerdì sabato domenica gennaio febbraio aprile maggio giugno luglio settembre "
    "ottobre dicembre segunda terça quarta quinta sexta janeiro fevereiro março maio junho julho setembro outubro "
    "dezembro mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec".split()
)


def proper_names(text: str) -> list[str]:
    """The names within the sentences of a text, in their order; none where capitals do not tell them."""
    return [*_names_in(text)]


def openings(text: str) -> list[str]:
    """The words with capitals that sentences begin with: names perhaps, for whoever knows them already."""
    found = [" ".join(match.group().split()) for match in _OPENING.finditer(text)]
    return [name for name in dict.fromkeys(found) if len(name) >= SHORTEST and not is_of_calendar(name)]


@lru_cache(maxsize=1024)
def _names_in(text: str) -> tuple[str, ...]:
    words = 0
    spoken: set[str] = set()
    runs: list[list[str]] = []
    end, is_going_on, is_cut = -1, False, False
    for match in _WORD.finditer(text):
        word, gap = _POSSESSIVE.sub("", match.group()), text[max(end, 0) : match.start()]
        opens = end < 0 or _BREAKS.search(gap) is not None
        is_capital = word[:1].isupper() and not opens and not is_of_calendar(word)
        words += not opens
        if word[:1].islower():
            spoken.add(word)
        # After a capital that may be there for the sentence's sake, where a name begins is unknown.
        is_unclear = is_cut and gap == " "
        if is_capital and not is_unclear and is_going_on and gap == " ":
            runs[-1].append(word)
        elif is_capital and not is_unclear:
            runs.append([word])
        elif word[:1].isupper() and is_going_on and gap == " " and not is_cut:
            runs.pop()
        is_cut = word[:1].isupper() and (not is_capital or is_unclear)
        end, is_going_on = match.end(), is_capital
    if len(runs) > DENSE * words:
        return ()
    named = dict.fromkeys(" ".join(run) for run in runs if len(run) <= PARTS)
    return tuple(name for name in named if len(name) >= SHORTEST and fold(name) not in spoken)


def is_of_calendar(word: str) -> bool:
    """Whether it is the name of a day or a month, in any of some languages."""
    folded = fold(word)
    return folded in _CALENDAR or folded.removesuffix("s") in _CALENDAR
