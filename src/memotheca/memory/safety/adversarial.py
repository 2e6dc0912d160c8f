"""Instructions planted in content: whether a text speaks to the model that reads it, by what meets in it (memory-model:
Planted text).

What a text says is first freed of disguises. Then it is asked which acts are done in it (setting rules aside, asking for
what is hidden, giving a new role, sending things out ...): an act is done where its concepts, in any of many languages,
meet within a few words. An act that is quoted, or told of, is counted apart. In a long text each sentence that does an
act is also weighed with its neighbours alone, since much honest text around it would outweigh it. How much each act
weighs, and how much the look of an article, of code or of a quotation takes off, was learned from labelled texts by
`benchmarks/adversarial.py --learn`; acts can only add, such looks can only take off. Which words and letters a text is
made of, each as a number only, is weighed beside them. No wording is listed anywhere."""

# ruff: noqa: E501 (patterns are read better whole; quotation marks of several languages)

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.safety.concepts import ACTS, ENDS, concepts_of, tokens
from memotheca.memory.safety.disguises import hidden_texts, undisguise
from memotheca.memory.safety.learned_weights import Features, read_weights
from memotheca.memory.safety.planted_forms import FORMS, RAW_FORMS, has_form
from memotheca.memory.tuning.thresholds import PRIORS, Gates
from memotheca.model.cancellation import heed
from memotheca.model.knowledge import fold
from memotheca.text.markdown_lines import FENCED, MARKS
from memotheca.text.terms import number_of

Array = NDArray[Any]

WEIGHTS = Path(__file__).parent / "adversarial.npz"
PIECE, OVERLAP = 4000, 500  # chosen: what a sentence needs around it (memory-model: Planted text)
NEGATED = 3  # chosen: words between a denial and what it denies
BUCKETS = 1 << 15  # measured: more add a point at most (memory-model: Planted text)
TOKENS = 1500  # chosen: more than a piece has
SCALE = 4.0  # chosen: the weights were learned with it (memory-model: Planted text)
DILUTED = 0.5  # chosen on the development texts (memory-model: Planted text)
PLACES = 6  # chosen: a concept's first places tell enough
# A text longer than LONG letters is also weighed by passages. A passage has to be worth MARGIN more than a whole text,
# and more by TOLD and CODE the more the text around it tells of attacks or is code: comments give orders to nobody.
LONG = 450  # chosen (memory-model: Planted text)
TELLING = 0.8  # chosen: a whole that says so much is not looked through for passages
PASSAGES = 24  # chosen: bounds the time of a piece
PASSAGE = 1000  # chosen: a sentence and its neighbours
MARGIN = 1.0  # chosen on the development texts (memory-model: Planted text)
TOLD, CODE = 6.0, 10.0  # chosen on the development texts (memory-model: Planted text)

_QUOTED = re.compile(
    rf"{FENCED}|"
    r"`[^`\n]++`|\"[^\"\n]{4,300}+\"|\u201c[^\u201d]{4,300}+\u201d|\u00ab[^\u00bb]{4,300}+\u00bb|^>.*$|^(?P<table>\|)",
    re.DOTALL | re.MULTILINE,
)
_TABLE_END = re.compile(r"\|$", re.MULTILINE)
_DECLARATION = re.compile(
    r"[{};](?=[^\S\n]*+$)|^[^\S\n]*+(?:def|import|const|class|return|from|if|for|export)\b|=>", re.MULTILINE
)
_DISGUISED = re.compile(
    "[\u0335-\u0338\u0332\u1d00-\u1d7f\u2080-\u209c\u2460-\u24ff\uff21-\uff5a\U0001d400-\U0001d7ff\U0001f130-\U0001f189\u0250-\u02af]|(?<=[a-z])[\u0430-\u0458]|[\u0430-\u0458](?=[a-z])"
)
_INVISIBLE = re.compile("[\u200b\u200c\u2060-\u2064\u202d\u202e\U000e0020-\U000e007e]")
_WORD = re.compile(r"\w+|[^\w\s]")
_HEADINGS = re.compile(r"^#+ ", re.MULTILINE)
_ITEMS = re.compile(r"^[^\S\n]*+(?:[-*]|\d++\.)\s", re.MULTILINE)
_LINKS = re.compile(r"\]\(|\[\[")
_QUESTION = re.compile(
    r"\s*(?:how|what|why|when|where|who|which|is|are|does|do|did|should|could|can|would|will|explain|discuss|describe|wie|was|warum|wer|welche|create|write|design|please)\b[^.!]{0,200}[?.]?\s*$"
)

CONTEXTS = (
    "code",
    "fence",
    "headings",
    "items",
    "links",
    "long",
    "longer",
    "question",
    "quotations",
    "told of",
    "share told of",
)
_DILUTING = ("headings", "links", "fence", "told of", "code")
COUNTS = (
    "an act",
    "two acts",
    "three acts",
    "five acts",
    "eight acts",
    "hidden",
    "act in hidden",
    "dense",
    "act at end",
    "act at start",
    "short act",
    "two quoted acts",
    "disguised",
    "invisible",
)
# Signs of a text that is meant for a machine and kept from people's eyes.
CONCEALING = ("act in hidden", "disguised", "invisible")
NAMES = (
    *(f"{act}" for act in (*ACTS, *FORMS)),
    *(f"{act}, quoted" for act in (*ACTS, *FORMS)),
    *COUNTS,
    *CONTEXTS,
    "always",
)
DENSE = len(NAMES)
FEATURES = Features(NAMES, BUCKETS)
_INDEX = {name: place for place, name in enumerate(NAMES)}
LOWERING = np.array([name in CONTEXTS for name in NAMES])


@dataclass(frozen=True, slots=True)
class Threat:
    """How likely a text is to carry planted instructions, and which signs met in it."""

    score: float
    attack_type: str
    signs: tuple[str, ...]
    is_concealed: bool = False
    is_flagged: bool = False
    is_blocked: bool = False


@dataclass(slots=True)
class _ConceptPlaces:
    """Where in a sentence each concept is named, and whether the sentence is quoted or tells of attacks."""

    start: int
    held: dict[str, list[int]]
    words: int = 0
    quoted: int = 0

    def does(self, concepts: tuple[str, ...], within: int) -> bool:
        if not all(concept in self.held for concept in concepts):
            return False
        places = [self.held[concept][:PLACES] for concept in concepts]
        return any(len({*met}) == len(met) and max(met) - min(met) <= within for met in product(*places))

    @property
    def is_told(self) -> bool:
        return 2 * self.quoted > self.words or "discuss" in self.held


@dataclass(frozen=True, slots=True)
class _UndisguisedText:
    """A text without disguises, its quotations, its sentences, and the acts that are done in them."""

    shown: str
    quotations: int
    is_all_quoted: bool
    sentences: list[_ConceptPlaces]
    done: list[tuple[str, bool, int]]


def inspect(text: str, gates: Gates = PRIORS) -> Threat:
    """The worst of a text's pieces; the more there are, the likelier is it that one of them only looks like it."""
    found = [_weigh(piece) for piece in pieces(text)]
    worst, seen = max(found, key=lambda pair: pair[0])
    score = _score(worst - math.log(len(found)))
    if score < gates["planted"]:
        return Threat(score, "none", ())
    is_concealed = any(seen[_INDEX[name]] for name in CONCEALING)
    return Threat(score, "prompt_injection", _telling(seen), is_concealed, True, score >= gates["planted_hidden"])


def weight_of(text: str) -> float:
    """What the worst of a text's pieces is worth, as log odds."""
    found = [_weigh(piece)[0] for piece in pieces(text)]
    return max(found) - math.log(len(found))


def pieces(text: str) -> Iterator[str]:
    """A long text in overlapping pieces, since one sentence of it may be the attack."""
    for start in range(0, max(1, len(text) - OVERLAP), PIECE - OVERLAP):
        yield text[start : start + PIECE]


def features(text: str) -> tuple[Array, Array]:
    """Which acts are done in a text, openly or quoted, and what the whole looks like; and the numbers of its words."""
    return _features(text, _read(text))


def passages(text: str) -> list[str]:
    """The sentences of a long text that openly do an act, each with the one before and the one after it."""
    return _passages(_read(text)) if len(text) > LONG else []


def handicap(seen: Array) -> float:
    """What a passage has to be worth beyond a whole text, by the features of the text it stands in."""
    return MARGIN + TOLD * float(seen[_INDEX["told of"]]) + CODE * float(seen[_INDEX["code"]])


def _read(text: str) -> _UndisguisedText:
    shown = undisguise(text)
    quotations = list(_quotations(shown))
    is_all_quoted = _is_all_quoted(shown, quotations)
    sentences = _sentences(shown, _marked(shown, [] if is_all_quoted else quotations))
    return _UndisguisedText(shown, len(quotations), is_all_quoted, sentences, _acts(sentences))


def _passages(reading: _UndisguisedText) -> list[str]:
    folded, sentences = fold(reading.shown), reading.sentences
    # Sentences are counted in folded letters, which are not always as many.
    source = reading.shown if len(folded) == len(reading.shown) else folded
    borders = [*(each.start for each in sentences), len(source)]
    acting = sorted({place for _, told, place in reading.done if not told})
    return [
        source[borders[max(0, place - 1)] : borders[min(len(sentences), place + 2)]][:PASSAGE]
        for place in acting[:PASSAGES]
    ]


def _features(text: str, reading: _UndisguisedText) -> tuple[Array, Array]:
    shown, sentences, done = reading.shown, reading.sentences, reading.done
    hidden = hidden_texts(shown)
    seen = np.zeros(DENSE, np.float32)
    concealed = [act for each in hidden for act, told, _ in _acts(_sentences(each, bytearray(len(each)))) if not told]
    for act, told, _ in done:
        seen[_INDEX[f"{act}, quoted" if told else act]] = 1
    for act in concealed:
        seen[_INDEX[act]] = 1
    _note_forms(seen, text, reading, hidden)
    _note_counts(seen, sentences, done, concealed)
    seen[_INDEX["hidden"]] = bool(hidden)
    _note_contexts(seen, reading)
    seen[_INDEX["disguised"]] = len(_DISGUISED.findall(text)) >= 5
    seen[_INDEX["invisible"]] = len(_INVISIBLE.findall(text)) >= 3
    looks = max(float(seen[_INDEX[name]]) for name in _DILUTING)
    seen[: _INDEX[COUNTS[5]]] *= 1 - DILUTED * looks
    seen[-1] = 1
    return seen, _numbers(" ".join([fold(shown), *(fold(each) for each in hidden)]))


def _is_all_quoted(text: str, quotations: list[tuple[int, int]]) -> bool:
    """Whether hardly anything stands outside the quotation marks, so that nobody is quoting."""
    rest = _without(text, quotations, "")
    return len(rest.strip()) < 0.2 * len(text)


def _quotations(text: str) -> Iterator[tuple[int, int]]:
    """Where code and quotations stand; a table goes as far as the last line that ends as a row does."""
    last = max((found.end() for found in _TABLE_END.finditer(text)), default=0)
    at = 0
    while found := _QUOTED.search(text, at):
        start, at = found.span()
        if found["table"]:
            if last <= at:
                continue
            at = last
        yield start, at


def _without(text: str, spans: Iterable[tuple[int, int]], between: str) -> str:
    kept: list[str] = []
    at = 0
    for start, end in spans:
        kept.append(text[at:start])
        at = end
    return between.join([*kept, text[at:]])


def _count_links(text: str) -> int:
    count = at = 0
    while found := _LINKS.search(text, at):
        at = found.end()
        if found[0] == "](":
            closing = text.find(")", at)
            if closing < 0:
                return count + text.count("[[", at)
            if closing == at:
                continue
            at = closing + 1
        count += 1
    return count


def _marked(text: str, quotations: list[tuple[int, int]]) -> bytearray:
    marked = bytearray(len(text) + 1)
    for start, end in quotations:
        marked[start:end] = b"\1" * (end - start)
    return marked


def _sentences(text: str, quoted: bytearray) -> list[_ConceptPlaces]:
    folded = fold(text)
    same = len(folded) == len(text)
    found = [_ConceptPlaces(0, {})]
    for place, match in enumerate(tokens(folded)):
        word = match.group()
        if word in ENDS:
            if found[-1].words > 2 or (found[-1].words and word == "\n"):
                found.append(_ConceptPlaces(match.end(), {}))
            continue
        sentence = found[-1]
        sentence.words += 1
        sentence.quoted += quoted[match.start()] if same else 0
        concepts = concepts_of(word)
        if "ignore" in concepts and "without" in sentence.held and place - sentence.held["without"][-1] <= NEGATED:
            continue
        for concept in concepts:
            sentence.held.setdefault(concept, []).append(place)
    return [sentence for sentence in found if sentence.words]


def _acts(sentences: list[_ConceptPlaces]) -> list[tuple[str, bool, int]]:
    """Each act that a sentence does, whether it is only told of, and which sentence it is."""
    return [
        (act, sentence.is_told, place)
        for place, sentence in enumerate(sentences)
        for act, (concepts, within) in ACTS.items()
        if concepts[0] in sentence.held and sentence.does(concepts, within)
    ]


def _note_forms(seen: Array, text: str, reading: _UndisguisedText, hidden: list[str]) -> None:
    shown, raw = reading.shown, text.lower()
    folded = fold(shown) + ("\n" + raw if has_form("escaped", raw) else "")
    open_text, open_shown = folded, shown
    if reading.quotations:
        open_text = folded if reading.is_all_quoted else _without(folded, _quotations(folded), " ")
        open_shown = _without(shown, _quotations(shown), " ")
    decoded = [fold(each) for each in hidden]
    for name in FORMS:
        said, openly = (shown, open_shown) if name in RAW_FORMS else (folded, open_text)
        if has_form(name, openly) or any(has_form(name, each) for each in decoded):
            seen[_INDEX[name]] = 1
        elif said != openly and has_form(name, said):
            seen[_INDEX[f"{name}, quoted"]] = 1


def _note_counts(
    seen: Array, sentences: list[_ConceptPlaces], done: list[tuple[str, bool, int]], concealed: list[str]
) -> None:
    forms = sum(seen[_INDEX[name]] for name in FORMS)
    kinds = len({act for act, told, _ in done if not told} | {*concealed}) + forms
    acting = {place for _, told, place in done if not told}
    for name, least in zip(COUNTS[:5], (1, 2, 3, 5, 8), strict=True):
        seen[_INDEX[name]] = kinds >= least
    seen[_INDEX["act in hidden"]] = bool(concealed)
    seen[_INDEX["dense"]] = len(acting) / max(1, len(sentences))
    seen[_INDEX["act at end"]] = bool(acting & {len(sentences) - 1, len(sentences) - 2})
    seen[_INDEX["act at start"]] = 0 in acting
    seen[_INDEX["short act"]] = bool(kinds) and sum(each.words for each in sentences) < 40
    seen[_INDEX["two quoted acts"]] = len({act for act, told, _ in done if told}) >= 2


def _note_contexts(seen: Array, reading: _UndisguisedText) -> None:
    """What speaks for an honest text: the look of an article, of notes, of code, a plain question, talk about attacks."""
    shown, sentences = reading.shown, reading.sentences
    words = max(1, sum(each.words for each in sentences))
    told = [each for each in sentences if "discuss" in each.held]
    values = (
        share_of_code(shown),
        float(MARKS in shown),
        min(1.0, len(_HEADINGS.findall(shown)) / 2),
        min(1.0, len(_ITEMS.findall(shown)) / 4),
        min(1.0, _count_links(shown) / 3),
        float(words > 80),
        float(words > 250),
        float(bool(_QUESTION.match(shown.lower()))),
        min(1.0, reading.quotations / 4),
        min(1.0, len(told) / 3),
        len(told) / max(1, len(sentences)),
    )
    for name, value in zip(CONTEXTS, values, strict=True):
        seen[_INDEX[name]] = value


def share_of_code(text: str) -> float:
    """How many of a text's lines look like those of a program."""
    return min(1.0, len(_DECLARATION.findall(text)) / (text.count("\n") + 1))


def _numbers(folded: str) -> Array:
    words = _WORD.findall(folded)[:TOKENS]
    found = {number_of("d", f"b{one} {other}") % BUCKETS for one, other in pairwise(words)}
    found.update(*map(_numbers_of, set(words)))
    return np.array(sorted(found), np.int64)


@lru_cache(maxsize=65_536)
def _numbers_of(word: str) -> tuple[int, ...]:
    """The numbers of a word and of its letters in fours."""
    padded = f"#{word}#"
    grams = (f"c{padded[place : place + 4]}" for place in range(len(padded) - 3))
    return tuple({number_of("d", each) % BUCKETS for each in (f"w{word}", *grams)})


@cache
def weights() -> tuple[Array, Array]:
    """The learned weights: of the acts and looks, and of the numbered words and letters."""
    return read_weights(WEIGHTS, FEATURES)


def _weigh(text: str) -> tuple[float, Array]:
    """What a text or its worst passage is worth, and what was seen there."""
    heed()
    reading = _read(text)
    whole, numbers = _features(text, reading)
    worst, seen = _total(whole, numbers), whole
    for passage in _passages(reading) if len(text) > LONG and _score(worst) < TELLING else ():
        heed()
        there, numbers = features(passage)
        total = _total(there, numbers) - handicap(whole)
        if total > worst:
            worst, seen = total, there
    return worst, seen


def _total(seen: Array, numbers: Array) -> float:
    acts, words = weights()
    return float(seen @ acts) + SCALE * float(words[numbers].sum()) / max(1.0, len(numbers)) ** 0.5


def _score(total: float) -> float:
    return 1 / (1 + float(np.exp(-total)))


def _telling(seen: Array) -> tuple[str, ...]:
    """The acts that speak loudest for it."""
    acts, _ = weights()
    worth = {name: float(seen[place] * acts[place]) for name, place in _INDEX.items() if name not in COUNTS}
    return tuple(
        sorted((name for name in worth if worth[name] > 0 and name != "always"), key=lambda name: -worth[name])[:3]
    )
