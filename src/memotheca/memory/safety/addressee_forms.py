"""How a sentence turns to a machine: its words, which of them name a machine, and the forms of address around them
(memory-model: Planted text)."""

# ruff: noqa: E501, RUF001 (patterns of several languages are read better whole)

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from memotheca.memory.safety.addressee_words import (
    ABOUT,
    ACCOUNTS,
    AGREEING,
    ASKING,
    BEGINNINGS,
    CALLS,
    CONDITIONS,
    CONSENTING,
    DENYING,
    DUTIES,
    DUTY_VERBS,
    HEADS,
    HUSH,
    LATER,
    MACHINE_KINDS,
    MACHINES,
    MAKERS,
    MEMORIES,
    NOTES,
    ORIGINS,
    OWN_THINGS,
    OWNERS,
    PERSONS,
    PRINCIPALS,
    PROCESSING,
    READING,
    REFUSING,
    REPORTING,
    RULING,
    SAVING,
    SESSIONS,
    STARTS_A_STATEMENT,
    TAKING_OVER,
    TELLERS,
    TELLING,
    TELLING_OF,
    TEXTS,
    THIS,
    TOWARDS,
    TRADES,
    USERS,
    WEAK_HEADS,
    YOU,
    Words,
)
from memotheca.memory.safety.concepts import ENDS, concepts_of, tokens
from memotheca.model.cancellation import heed

# Chosen: what only machines are called, what people are called, too, and what many things are called.
CLEAR, VAGUE, FAINT = 1.0, 0.5, 0.25
KIND = 2  # chosen: words between a machine's name and what makes it one
LABEL, VAGUE_LABEL = 14, 8  # chosen: words before a colon that still are a heading
OPENING = 3  # chosen: words of a heading before whom it is for
LONG_LABEL = 24  # chosen: words before a colon where it is said for whom
BEFORE, AFTER, BESIDE = 6, 9, 4  # chosen: words around a machine's name within which a form is looked for
LONGEST = 160  # chosen: words after which a sentence is taken to end, so that time grows with the text
WRITTEN = 40  # chosen: letters around a name in scripts without blanks
BRACKET = 5  # chosen: words of a remark in brackets that says whom it is for

_STOPS = frozenset(".!?\n;\u3002\uff01\uff1f\u0964")
_COLONS = frozenset(":\uff1a")
_PARTS = re.compile("['\u2019_-]")
_OPENS = re.compile(r"[()\[\]{}<\"\u201c\u201e\u00ab>|*#=%/]|(?:^|\s)[-\u2013\u2014]+(?:\s|$)")
_CLOSES = re.compile(r"[)\]}>\"\u201d\u00bb|*#=]|&gt")
_COMMA = re.compile(r"[,\uff0c\u3001>!]")
# What is said by somebody else: quotation marks that open after a word of the sentence, not after a sign as in a table.
_REPORTED = re.compile(
    r"(?<=[\w,)] )(?:\"[^\"\n]{4,400}+\"|'[^'\n]{8,400}+'|\u201c[^\u201d]{4,400}+\u201d|\u201e[^\u201c\u201d]{4,400}+[\u201c\u201d]|\u00ab[^\u00bb]{4,400}+\u00bb|\u2018[^\u2019\n]{8,400}+\u2019)"
)
_CALLING = frozenset({"call", "greeting", "bracket"})
FORMS = (
    "label",
    "loose label",
    "call",
    "greeting",
    "condition",
    "you are one",
    "duty",
    "loose duty",
    "will",
    "reader",
    "towards",
    "bracket",
    "shouted",
)


@dataclass(frozen=True, slots=True)
class SaidWord:
    """A word or a sign at which a sentence ends, with what stands before it and whether somebody else is quoted."""

    text: str
    start: int
    gap: str
    is_reported: bool


@dataclass(frozen=True, slots=True)
class Look:
    """What one sentence shows: how it turns to a machine, what it asks for, and what else it says."""

    forms: dict[str, float]
    machine: float
    is_order: bool
    requests: frozenset[str]
    signs: frozenset[str]


def sentences_of(folded: str) -> Iterator[list[SaidWord]]:
    reported = bytearray(len(folded) + 1)
    for found in _REPORTED.finditer(folded):
        reported[found.start() : found.end()] = b"\1" * (found.end() - found.start())
    words: list[SaidWord] = []
    ended = 0
    for found in tokens(folded):
        words.append(
            SaidWord(found.group(), found.start(), folded[ended : found.start()], bool(reported[found.start()]))
        )
        ended = found.end()
        if found.group() in _STOPS or len(words) >= LONGEST:
            if len(words) > 1:
                yield words
            words = []
            heed()
    if words:
        yield words


def look_at(sentence: Sequence[SaidWord], folded: str, shown: str) -> Look:
    texts = [word.text for word in sentence]
    # Scripts without blanks have few words here, so what stands around them is looked at as it is written.
    written = folded[sentence[0].start - len(sentence[0].gap) : sentence[-1].start + len(texts[-1])]
    grades = [0.0 if word.is_reported else _grade(texts, place, written) for place, word in enumerate(sentence)]
    forms, orders = _forms(sentence, grades, folded, shown)
    said = [word.text for word in sentence if not word.is_reported and word.text not in ENDS]
    open_texts = [word.text for word in sentence if not word.is_reported]
    signs = frozenset(name for name, is_met in SIGNS.items() if is_met(open_texts, written))
    if "processes this" in signs:
        forms["reader"] = CLEAR
    return Look(
        forms=forms,
        machine=max((*grades, *forms.values()), default=0.0),
        is_order=orders,
        requests=frozenset[str]().union(*map(concepts_of, said)),
        signs=signs,
    )


def _grade(texts: list[str], place: int, written: str) -> float:
    """How surely a word names a machine."""
    word = texts[place]
    if word in ENDS:
        return 0.0
    parts = _PARTS.split(word)
    if _is_machine(word, parts, written):
        # A thing that has to do with machines need not be one.
        is_one = any(parts[-1] in words for words in (MACHINES, HEADS, WEAK_HEADS))
        return CLEAR if is_one or len(parts[-1]) < KIND or not word.isascii() else FAINT
    around = [*texts[max(0, place - KIND) : place], *texts[place + 1 : place + 1 + KIND]]
    is_head = any(part in HEADS for part in (word, *parts)) or (not word.isascii() and HEADS.is_in(word))
    if word in PERSONS:
        return CLEAR if any(text in MACHINE_KINDS for text in around) else 0.0
    if not is_head and not any(part in WEAK_HEADS for part in (word, *parts)):
        return 0.0
    if "-" in word and not any(part in MACHINE_KINDS for part in parts[:-1]):
        # The name of a part of a program, or of a note for the machine.
        last = parts[-1]
        return VAGUE if last in NOTES or last == "only" else FAINT if last in HEADS or last in WEAK_HEADS else 0.0
    return _graded_head(texts, place, around, VAGUE if is_head else FAINT)


def _is_machine(word: str, parts: list[str], written: str) -> bool:
    if any(part in MACHINES for part in (word, *parts)):
        return True
    return not word.isascii() and (MACHINES.is_in(word) or (HEADS.is_in(word) and MACHINES.is_in(written)))


def _graded_head(texts: list[str], place: int, around: list[str], grade: float) -> float:
    """A word that people are called by, too, by what stands around it."""
    before = [part for text in texts[max(0, place - KIND) : place] for part in _PARTS.split(text)]
    own = _PARTS.split(texts[place])[:-1]
    is_told_of = any(text in REPORTING for text in texts[max(0, place - KIND - 1) : place])
    if is_told_of or any(part in TRADES for part in (*before[-1:], *own)):
        return 0.0
    kinds = [*before, *own, *(text for text in around if text != texts[place])]
    return CLEAR if any(text in MACHINE_KINDS for text in kinds) else grade


def _forms(sentence: Sequence[SaidWord], grades: list[float], folded: str, shown: str) -> tuple[dict[str, float], bool]:
    """The ways in which a sentence turns to a machine, how surely it is one, and whether an order follows."""
    forms: dict[str, float] = {}
    orders = False
    start = 0
    for place, word in enumerate(sentence):
        is_colon = word.text in _COLONS
        if is_colon or (place and "=" in word.gap):
            kind, grade = _label(sentence[start:place], grades[start:place])
            _note(forms, kind, grade)
            orders |= kind == "label" and _orders(sentence, place + is_colon)
        if word.text in ENDS:
            start = place + 1
        elif place and _OPENS.search(word.gap):
            start = place
        if grades[place]:
            met = [*_forms_at(sentence, place, start, folded)]
            grades[place] = CLEAR if "reader" in met else grades[place]
            if _is_shouted(word, folded, shown):
                met.append("shouted")
            for form in met:
                _note(forms, form, grades[place])
            orders |= not _CALLING.isdisjoint(met) and _orders(sentence, place + 1)
    return forms, orders


def _note(forms: dict[str, float], form: str, grade: float) -> None:
    if form:
        forms[form] = max(forms.get(form, 0.0), grade)


def _is_shouted(word: SaidWord, folded: str, shown: str) -> bool:
    end = word.start + len(word.text)
    return len(word.text) > OPENING and len(shown) == len(folded) and shown[word.start : end].isupper()


def _label(segment: Sequence[SaidWord], grades: list[float]) -> tuple[str, float]:
    """A heading that says whom what follows is for, or only has a machine in it."""
    comma = max((place for place, word in enumerate(segment) if place and _COMMA.search(word.gap)), default=0)
    if comma and len(segment) - comma <= VAGUE_LABEL and any(grades[comma:]):
        segment, grades = segment[comma:], grades[comma:]
    grade = max(grades, default=0.0)
    if grade > FAINT and len(segment) <= LONG_LABEL and _is_led_to(segment, grades.index(grade)):
        return "label", grade
    if not grade or len(segment) > (LABEL if grade == CLEAR else VAGUE_LABEL):
        return "", 0.0
    return "label" if _names_readers(segment, grades) else "loose label", grade


def _names_readers(segment: Sequence[SaidWord], grades: list[float]) -> bool:
    """Whether a heading is the name of whom it is for, and not of what it is about."""
    surest = grades.index(max(grades))
    before = [part for word in segment[: surest + 1] for part in _PARTS.split(word.text)][:-1]
    if any(text in TOWARDS or text in CALLS for text in before[-OPENING - 1 :]):
        return True
    first = next(place for place, each in enumerate(grades) if each)
    last = max(place for place, each in enumerate(grades) if each)
    is_about = any(text in ABOUT or text in OWNERS for text in before) or segment[last].text.endswith("'s")
    if first >= OPENING or is_about:
        return False
    return last + 1 >= len(segment) or _goes_on(segment[last].text, segment[last + 1].text)


def _goes_on(name: str, follows: str) -> bool:
    """Whether a name is not the beginning of another one."""
    if name in MACHINES:
        return follows not in _INSIDE
    belongs = follows in _GOES_ON or follows in MACHINE_KINDS or follows in READING
    return belongs or follows.endswith("ing") or "only" in _PARTS.split(name)


def _is_led_to(segment: Sequence[SaidWord], place: int) -> bool:
    """Whether a name follows the word for whom something is, with nothing but what belongs to the name between."""
    before = [part for word in segment[: place + 1] for part in _PARTS.split(word.text)][:-1]
    for text in reversed(before):
        if text in TOWARDS:
            return True
        if not (
            text in BEGINNINGS or text in MACHINE_KINDS or text in MACHINES or text in OWNERS or text in CONDITIONS
        ):
            return False
    return False


def _orders(sentence: Sequence[SaidWord], place: int) -> bool:
    """Whether what follows begins as an order does: not with what a statement begins with."""
    said = [word for word in sentence[place : place + LABEL] if word.text not in ENDS]
    if not said:
        return False
    if said[0].text not in STARTS_A_STATEMENT:
        return not said[0].text.isdigit()
    after_comma = next((word.text for word in said[1:BEFORE] if "," in word.gap), "")
    return bool(after_comma) and after_comma not in STARTS_A_STATEMENT


def _forms_at(sentence: Sequence[SaidWord], place: int, start: int, folded: str) -> Iterator[str]:
    texts = [word.text for word in sentence]
    before, after = texts[start:place], texts[place + 1 : place + 1 + AFTER]
    clause = texts[_clause(sentence, start, place) : place]
    end = sentence[place].start + len(texts[place])
    around = folded[max(0, end - WRITTEN) : end + WRITTEN]
    met = {
        "call": _is_called(sentence, place, clause),
        "greeting": any(text in CALLS for text in clause[-KIND - 1 :]),
        "condition": any(text in CONDITIONS for text in clause[-BEFORE:]),
        "you are one": _are_you(before[-BEFORE:]),
        "will": any(text in AGREEING for text in after[:BESIDE]),
        "reader": _any(READING, [*after, *before[-BEFORE:]], around) and _any(THIS, [*after, *before], around),
        "towards": _is_towards(clause, around),
        "bracket": bool(start)
        and len(before) < BRACKET
        and _OPENS.search(sentence[start].gap) is not None
        and _closes(sentence, place),
    }
    yield from (form for form, is_met in met.items() if is_met)
    if _any(DUTIES, (*after, *before[-KIND:]), folded[end : end + WRITTEN]) or _are_to(after):
        yield "duty" if _is_subject(clause, before, after) else "loose duty"


def _is_towards(clause: list[str], written: str) -> bool:
    """Whether a note is said to be for somebody."""
    is_led = _any(TOWARDS, [part for text in clause[-BESIDE:] for part in _PARTS.split(text)], written)
    return is_led and _any(NOTES, clause[:OPENING], written)


def _is_subject(clause: list[str], before: list[str], after: list[str]) -> bool:
    """Whether it is the named one who has a duty, and not somebody named before."""
    other = sum(
        not (text in BEGINNINGS or text in CONDITIONS or text in MACHINE_KINDS or text in MACHINES) for text in clause
    )
    if not other or (other == 1 and len(clause) <= OPENING):
        return True
    is_next = any(text in DUTIES for text in (*after[:KIND], *before[-KIND:])) or _are_to(after[: KIND + 1])
    return is_next and before[-1] in BEGINNINGS


def _clause(sentence: Sequence[SaidWord], start: int, place: int) -> int:
    """Where the clause begins in which a word stands."""
    for at in range(place, start, -1):
        if _COMMA.search(sentence[at].gap) or sentence[at - 1].text in _THAT:
            return at
    return start


def _is_called(sentence: Sequence[SaidWord], place: int, clause: list[str]) -> bool:
    """Whether a name is followed by a comma and has nothing before it but what leads to it."""
    is_last = place + 1 >= len(sentence) or sentence[place + 1].text in ENDS
    if is_last and not clause and "," in sentence[place].gap:
        return True
    ends = next(
        (at for at in range(place + 1, min(len(sentence), place + 1 + OPENING)) if _COMMA.search(sentence[at].gap)), 0
    )
    return bool(ends) and all(
        text in BEGINNINGS or text in CALLS or text in TOWARDS or text in MACHINE_KINDS or text in MACHINES
        for text in clause
    )


def _are_you(before: list[str]) -> bool:
    """Whether somebody is told to be what is named next: nothing else stands between."""
    place = next((at for at in range(len(before) - 1, -1, -1) if before[at] in YOU), -1)
    return place >= 0 and all(
        text in _BEING or text in BEGINNINGS or text in DENYING or text in MACHINE_KINDS or text in THIS
        for text in before[place + 1 :]
    )


def _are_to(after: list[str]) -> bool:
    return any(one in DUTY_VERBS and other in ("to", "te") for one, other in pairwise(after))


def _closes(sentence: Sequence[SaidWord], place: int) -> bool:
    following = sentence[place + 1 : place + 1 + BRACKET]
    return any(_CLOSES.search(word.gap) for word in following)


def _any(words: Words, texts: Sequence[str], written: str) -> bool:
    return any(text in words for text in texts) or words.is_in(written)


def _near(texts: list[str], one: Words, other: Words, within: int) -> bool:
    """Whether a word of one class is followed by one of another within a few words."""
    return any(
        text in one and any(each in other for each in texts[place + 1 : place + 1 + within])
        for place, text in enumerate(texts)
    )


def _beside(texts: list[str], one: Words, other: Words, within: int) -> bool:
    return _near(texts, one, other, within) or _near(texts, other, one, within)


_THAT = frozenset("that dass que che что że dat at att hogy".split())
_BEING = frozenset(
    "are re be being is bist seid sind sei siete es etes eres sois sao ben bent zijn er ar jestes happen to longer piu plus mas mais now as like more".split()
)
_GOES_ON = frozenset(
    "of for to in on at with that who which and or only message messages note notes hint directive notice instruction instructions msg step des der die das von für qui que de du des del della di che do da dos van voor die som av til och og oraz и который которые которая".split()
)
_INSIDE = frozenset("in on at and in im bei en dans em nel na i и for".split())
_IT_IS_ME = re.compile(
    r"\b(?:it'?s|it is|this is) (?:me|your)\b|\bc'est moi\b|\bich bin(?:'?s| es)\b|\bsoy yo\b|\bsono io\b|\bsou eu\b|\bik ben het\b|"
    r"\bdet er (?:mig|meg)\b|\bdet ar jag\b|\bto ja\b|\bэто я\b|我是|私です"
)
_YOU_WHO = re.compile(
    r"\b(?:you|du|vous|tu|usted|voi|jij|u) (?:who|that|der|die|das|qui|que|che) (?:are |now |diese\w* |ceci |esto |questo )?\w*(?:read|translat|summar|describ|transcri|process|lies|ubersetz|lis|tradui|resum|lee|tradu|legg|traduc|riassum|vertal)"
)
_AS, _ME = Words("as als comme como come som jako как"), Words("me mich moi mí mi me mij mig meg mnie меня")
_OTHER = Words(
    "my mein- mon ma mes mi mis mio mia meu minha mijn min mitt mój moje мой моя мое benim other new private old neue- andere- privat- nouveau nouvelle autre otro otra nuevo nueva nuovo nuova altro altra novo nova outro outra nieuwe andere ny nytt nya annan nowy nowe inny новый новая другой yeni başka"
)
_WHO = Words(
    "who whoever whichever whatever you that which wer der die das qui quiconque vous que quien quienes quem chi chiunque wie die som der den который кто kto który siz okuyan"
)


def _trigger(texts: list[str], written: str) -> bool:
    """The user asks for something, and that sets it off."""
    for place, text in enumerate(texts):
        if text in PRINCIPALS:
            before, after = texts[max(0, place - BESIDE) : place], texts[place + 1 : place + 1 + KIND]
            if any(each in CONDITIONS or each == "time" for each in before) and any(each in ASKING for each in after):
                return True
    return PRINCIPALS.is_in(written) and ASKING.is_in(written) and CONDITIONS.is_in(written)


def _asks_you(texts: list[str], written: str) -> bool:
    return _near(texts, CONDITIONS, ASKING, BESIDE) and _any(YOU, texts, written)


def _has_your_own(texts: list[str], written: str) -> bool:
    """Somebody has a user, a memory, makers: of people only few of these are said."""
    return _near(texts, YOU, USERS, 1) or _near(texts, YOU, OWN_THINGS, KIND)


def _is_secret(texts: list[str], written: str) -> bool:
    return _near(texts, DENYING, TELLING, BESIDE) or (DENYING.is_in(written) and TELLING.is_in(written))


def _is_consented(texts: list[str], written: str) -> bool:
    both = PRINCIPALS.is_in(written) and CONSENTING.is_in(written)
    return both or _beside(texts, PRINCIPALS, CONSENTING, BESIDE)


def _processes_this(texts: list[str], written: str) -> bool:
    is_one = _near(texts, PROCESSING, THIS, KIND) and _near(texts, _WHO, PROCESSING, KIND)
    return is_one or _YOU_WHO.search(written) is not None


def _has_other_account(texts: list[str], written: str) -> bool:
    return _near(texts, _OTHER, ACCOUNTS, KIND) or _near(texts, _AS, _ME, 1)


def _is_for_memory(texts: list[str], written: str) -> bool:
    return _near(texts, SAVING, MEMORIES, BESIDE) or _near(texts, LATER, SESSIONS, 1)


# What a sentence says whoever it is for, from its words and from how it is written.
SIGNS: dict[str, Callable[[list[str], str], bool]] = {
    "principal": partial(_any, PRINCIPALS),
    "user": partial(_any, USERS),
    "trigger": _trigger,
    "asked you": _asks_you,
    "your own": _has_your_own,
    "secrecy": _is_secret,
    "hush": partial(_any, HUSH),
    "this": partial(_any, THIS),
    "consent": _is_consented,
    "it is me": lambda texts, written: _IT_IS_ME.search(written) is not None,
    "other account": _has_other_account,
    "maker": lambda texts, written: _beside(texts, MAKERS, YOU, KIND),
    "processes this": _processes_this,
    "duty": partial(_any, DUTIES),
    "memory": _is_for_memory,
    "text told of": lambda texts, written: _beside(texts, TEXTS, TELLING_OF, BESIDE),
    "refused": lambda texts, written: _near(texts, TELLERS, REFUSING, KIND),
    "taken over": lambda texts, written: _beside(texts, ORIGINS, TAKING_OVER, BEFORE),
    "rule": lambda texts, written: any(text in RULING for text in texts),
}
