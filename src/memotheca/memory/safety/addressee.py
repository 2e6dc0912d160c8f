"""Who a text speaks to: how likely one from outside addresses the machine that reads it (memory-model: Planted text).

A page, a document or the output of a tool has readers; where it turns to a machine among them (by a label, a call, a
condition, a duty, as the one that reads this) and asks it for something, it is not the user who asks. Each sentence is
looked at with the two after it; the text is what its worst sentence is. What is quoted in the middle of a sentence is
reported, not said. The weights were learned by `benchmarks/planted.py --learn`; each sign can only add, but for talk
about attacks."""

# ruff: noqa: E501, RUF001 (closed classes of words in many languages and scripts are read better whole)

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.safety.adversarial import weight_of
from memotheca.memory.safety.concepts import ENDS, concepts_of, tokens
from memotheca.memory.safety.disguises import hidden_texts, undisguise
from memotheca.memory.safety.learned_weights import Features, read_weights
from memotheca.memory.safety.planted_forms import has_form
from memotheca.model.cancellation import heed
from memotheca.model.knowledge import fold

Array = NDArray[Any]

WEIGHTS = Path(__file__).parent / "addressee.npz"
CLEAR, VAGUE = 1.0, 0.5  # chosen: a word that only means machines, and one that people are called by, too
LABEL, VAGUE_LABEL = 16, 8  # chosen: words before a colon that still are a heading
CALL, BEFORE, AFTER = 4, 6, 5  # chosen: words around a machine's name within which a form is looked for
BESIDE = 4  # chosen: words between a verb and what it is about
FOLLOWING = 2  # chosen: sentences in which the request may follow the address
UNNAMED = 0.25  # chosen: what a request counts where a machine is named but not turned to
THREAT, FURTHEST = 0.25, 3.0  # chosen on household and lab: the voice of the other detector, within bounds

_CLEAR = frozenset(
    "ai ais ki ia ias ии llm llms gpt chatgpt claude gemini copilot copilots chatbot chatbots bot bots crawler crawlers "
    "summarizer summarizers summariser summarisers".split()
)
_CLEAR_INSIDE = ("智能", "人工", "模型", "助手", "アシスタント", "チャットボット", "인공지능", "어시스턴트")
_VAGUE = tuple(
    "ассистент помощник агент модел интеллект agent machine maschine máquina macchina model robot automat software "
    "computer parser program helper digital virtual smart system reviewer reader processor engine intelligen inteligen".split()
)
_VAGUE_INSIDE = ("assist", "asist", "asyst", "modell")
_VAGUE_END = ("system", "agent", "bot", "model")
_CONDITIONS = frozenset(
    "if when unless before whoever whichever any every should wenn falls sollte wer als indien si se quand cuando quando "
    "jeśli если hvis om jos eğer".split()
)
_DUTIES = frozenset(
    "must shall should has have need needs is are will would ought may can required instructed obliged expected asked please "
    "muss müssen soll sollen sollte bitte doit doivent devez debe deben favor deve devem devono prego moet moeten musi muszą "
    "должен должны skal bør måste ska".split()
)
_WHO = frozenset(
    "who that which reading reads read processing using working die das der liest lesen leest qui que lit lee leen lê che "
    "legge leggono который которая который którzy który som der".split()
)
_TOWARDS = frozenset(
    "to for dear hey hi note an für liebe lieber à a pour cher para estimado per caro voor dla для til till".split()
)
_READING = tuple(
    "read process summar describ translat transcri extract open receiv parse lies verarbeit zusammenf beschreib übersetz lis lit "
    "lee leg lê tradu lees læs les läs чита czyta oku".split()
)
_READING_INSIDE = ("読", "读", "閱")
_THIS = frozenset(
    "this these here diese dieser dieses diesen dies hier ce cet cette ces este esta estas esto questo questa queste dit deze "
    "dette denne detta denna это этот эту этой эти bu ten tę tego".split()
)
_THIS_INSIDE = ("本页", "本ページ", "このページ", "本文", "这")
_TELLING = tuple(
    "tell mention disclos notif inform reveal show display log record report alert flag ask confirm consult discuss repeat say "
    "erwähn sag frag zeig melde mention dis demand affich mencion diga pregunt avis dire mostr chied noem vraag vertel nevn sig "
    "spørg fråga упомин говор спраш pytaj mów söyle sor".split()
)
_DENYING = frozenset(
    "not no never without nobody none nothing don't hide hidden silently secretly nicht kein keine keiner ohne nie niemals pas "
    "sans jamais non senza mai sin nunca não sem niet geen zonder nooit ikke uden ingen inte utan не без никогда bez nikomu".split()
)
_USER = tuple(
    "user owner customer client utilisateur nutzer benutzer usuario usuário utente gebruiker bruker bruger användar пользовател "
    "użytkownik kullanıcı".split()
)
_USER_INSIDE = ("用户", "利用者", "ユーザー", "사용자")
_STOPS = frozenset(".!?\n;\u3002\uff01\uff1f\u0964")
_COLONS = frozenset(":\uff1a")
_INNER = re.compile("['\u2019_-]")
# What is said by somebody else: quotation marks that open after a word of the sentence, not after a sign as in a table.
_REPORTED = re.compile(
    r"(?<=[\w,] )(?:\"[^\"\n]{4,400}+\"|'[^'\n]{8,400}+'|\u201c[^\u201d]{4,400}+\u201d|\u201e[^\u201c\u201d]{4,400}+[\u201c\u201d]|\u00ab[^\u00bb]{4,400}+\u00bb|\u2018[^\u2019\n]{8,400}+\u2019)"
)
FORMS = ("label", "call", "condition", "apposition", "duty", "relative", "towards", "shouted")
REQUESTS = (
    "say",
    "deed",
    "send",
    "memory",
    "hide",
    "ignore",
    "reveal",
    "rules",
    "refuse",
    "secret",
    "obey",
    "tool",
    "user",
    "without",
    "always",
    "only",
    "now",
    "asked",
)
_ASKED = frozenset(REQUESTS)
_DONE = frozenset({"say", "deed", "send", "ignore", "reveal", "obey", "always"})
LOOKS = ("role markup", "border", "unseen", "comment", "note to", "from now on", "destination", "exfiltration")
NAMES = (
    *FORMS,
    "several forms",
    "machine named",
    *(f"asked to {act}" for act in REQUESTS),
    "much asked",
    "hidden from the user",
    "user and requests",
    "user and memory",
    "reads this",
    "secrecy",
    "secrecy about this",
    *LOOKS,
    "told of",
    "always",
)
FEATURES = Features(NAMES, 0)
LOWERING = np.array([name == "told of" for name in NAMES])


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    place: int
    is_reported: bool
    machine: float


@dataclass(frozen=True, slots=True)
class _Look:
    """What one sentence shows: how it turns to a machine, what it asks for, whom it names."""

    forms: dict[str, float]
    requests: frozenset[str]
    machine: float
    names_user: bool
    reads_this: bool
    is_secret: bool
    names_this: bool


def address(text: str) -> float:
    """How much speaks for a text that addresses its machine reader, as log odds; what lies hidden in it counts too."""
    (named, _) = _weights()
    spoken = float(np.max(signs(text) @ named))
    return spoken + THREAT * min(FURTHEST, max(-FURTHEST, weight_of(text)))


def signs(text: str) -> Array:
    """The signs of each sentence, a row each, in the order of `NAMES`."""
    shown = undisguise(text)
    rows = [row for each in (shown, *hidden_texts(shown)) for row in _rows(each)]
    return np.array(rows or [[*[0.0] * (len(NAMES) - 1), 1.0]])


@cache
def _weights() -> tuple[Array, Array]:
    return read_weights(WEIGHTS, FEATURES)


def _rows(shown: str) -> Iterator[list[float]]:
    folded = fold(shown)
    looks = [_look(sentence, folded, shown) for sentence in _sentences(folded)]
    whole = [float(has_form(form, folded)) for form in LOOKS]
    told = sum("discuss" in look.requests for look in looks) / max(1, len(looks))
    for place, look in enumerate(looks):
        yield [*_row(look, looks[place : place + 1 + FOLLOWING]), *whole, told, 1.0]


def _row(look: _Look, followed: Sequence[_Look]) -> list[float]:
    asked = frozenset[str]().union(*(each.requests for each in followed))
    turned = max(look.forms.values(), default=0.0)
    share = turned or (UNNAMED if look.machine else 0.0)
    is_secret = any(each.is_secret for each in followed)
    return [
        *(look.forms.get(form, 0.0) for form in FORMS),
        max(0, min(3, len(look.forms)) - 1) / 2,
        look.machine,
        *(share * (act in asked) for act in REQUESTS),
        turned * min(4, len(asked & _ASKED)) / 4,
        (turned or VAGUE) * ({"without", "hide", "user"} <= asked),
        look.names_user * min(3, len(look.requests & _DONE)) / 3,
        float(look.names_user and "memory" in look.requests),
        look.reads_this * (UNNAMED + look.machine),
        is_secret * (UNNAMED + turned),
        float(any(each.is_secret and each.names_this for each in followed)),
    ]


def _sentences(folded: str) -> Iterator[list[_Word]]:
    reported = bytearray(len(folded) + 1)
    for found in _REPORTED.finditer(folded):
        reported[found.start() : found.end()] = b"\1" * (found.end() - found.start())
    words: list[_Word] = []
    for found in tokens(folded):
        text, quoted = found.group(), bool(reported[found.start()])
        words.append(_Word(text, found.start(), quoted, 0.0 if quoted or text in ENDS else _machine(text)))
        if text in _STOPS:
            yield from _unless_empty(words)
            words = []
            heed()
    yield from _unless_empty(words)


def _unless_empty(words: list[_Word]) -> Iterator[list[_Word]]:
    if any(word.text not in ENDS for word in words):
        yield words


def _machine(word: str) -> float:
    """How surely a word names a machine."""
    parts = _INNER.split(word)
    if not _CLEAR.isdisjoint(parts) or _has(word, _CLEAR_INSIDE):
        return CLEAR
    is_vague = _has(word, _VAGUE_INSIDE) or any(part.startswith(_VAGUE) or part.endswith(_VAGUE_END) for part in parts)
    return VAGUE if is_vague else 0.0


def _has(word: str, inside: Collection[str]) -> bool:
    return any(part in word for part in inside)


def _look(sentence: list[_Word], folded: str, shown: str) -> _Look:
    said = [word.text for word in sentence if not word.is_reported and word.text not in ENDS]
    texts = [word.text for word in sentence]
    this = [place for place, text in enumerate(texts) if text in _THIS or _has(text, _THIS_INSIDE)]
    denials = [place for place, word in enumerate(sentence) if word.text in _DENYING and not word.is_reported]
    return _Look(
        forms=_forms(sentence, folded, shown),
        requests=frozenset[str]().union(*map(concepts_of, said)),
        machine=max((word.machine for word in sentence), default=0.0),
        names_user=any(part.startswith(_USER) for text in said for part in _INNER.split(text))
        or any(_has(text, _USER_INSIDE) for text in said),
        reads_this=any(
            text.startswith(_READING) or _has(text, _READING_INSIDE)
            for place in this
            for text in texts[max(0, place - BESIDE) : place + BESIDE]
        ),
        is_secret=any(text.startswith(_TELLING) for place in denials for text in texts[place + 1 : place + 1 + BESIDE]),
        names_this=bool(this),
    )


def _forms(sentence: list[_Word], folded: str, shown: str) -> dict[str, float]:
    """The ways in which a sentence turns to a machine, and how surely it is one."""
    forms: dict[str, float] = {}
    texts = [word.text for word in sentence]
    start = 0
    for place, word in enumerate(sentence):
        if word.text in _COLONS:
            named = max((each.machine for each in sentence[start:place]), default=0.0)
            if named and place - start <= (LABEL if named == CLEAR else VAGUE_LABEL):
                forms["label"] = max(forms.get("label", 0.0), named)
        if word.text in ENDS:
            start = place + 1
        if not word.machine:
            continue
        before, after = texts[start:place], texts[place + 1 : place + 1 + AFTER]
        end = word.place + len(word.text)
        met = {
            "call": len(before) <= CALL and folded[end : end + 1] in (",", ">"),
            "condition": not _CONDITIONS.isdisjoint(before[-BEFORE:]),
            "apposition": any("you" in concepts_of(text) for text in texts[max(0, place - AFTER) : place]),
            "duty": not _DUTIES.isdisjoint(after),
            "relative": not _WHO.isdisjoint(after),
            "towards": not _TOWARDS.isdisjoint(part for text in before[-CALL:] for part in _INNER.split(text)),
            "shouted": len(word.text) > 3 and len(shown) == len(folded) and shown[word.place : end].isupper(),
        }
        for form in (form for form, is_met in met.items() if is_met):
            forms[form] = max(forms.get(form, 0.0), word.machine)
    return forms
