"""Distilling: the sentences of many passages that say most about a question, within a budget, each one cited
(memory-model: Distillation)."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Literal

from memotheca.memory.claims.contradiction import contradict_texts
from memotheca.memory.claims.summary import RELEVANCE, SAME, sentences
from memotheca.text.words import words

Mode = Literal["raw", "narrative", "structured", "code_focused"]
MODES: tuple[Mode, ...] = ("raw", "narrative", "structured", "code_focused")

# What a passage is worth whatever its sentences share with the question, how fast further sentences of it pale, and how
# much better a better passage is.
GROUND = 0.3  # measured (memory-model: Distillation)
FADING = 0.95  # chosen (memory-model: Distillation)
STEEPNESS = 1.5  # measured (memory-model: Distillation)
CONSIDERED = 200  # chosen: bounds the comparisons (memory-model: Distillation)
MOSTLY = 0.5  # chosen: more than half

_LISTED = re.compile(
    r"\b(?:list|enumerate|which (?:\w+ ){0,2}are|what are|all (?:the|of)|name (?:the|all|every)|every|steps?|options|"
    r"alternatives|pros and cons|overview|summar\w+|checklist)\b",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"```|^[^\S\n]*+(?:(?:def|class|fn|func|function|public|private|static|import|from|#include|struct|interface|type|"
    r"const|let|var|SELECT|CREATE|\$)\b.*[({:;=]|[\w.]++\s*+\(.*\)[^\S\n]*+[;{:]?[^\S\n]*+$)|[{};][^\S\n]*+$",
    re.MULTILINE,
)

Cost = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """A stretch of something stored: the tag it is cited by, what it is called, what it says, how well it matches."""

    tag: str
    name: str
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class RankedSentence:
    """A sentence that may be shown: of which passage, at which place, how relevant, in which words, at which cost."""

    text: str
    tag: str
    passage: int
    place: int
    relevance: float
    words: frozenset[str]
    cost: int

    @property
    def cited(self) -> str:
        return f"{self.text} {self.tag}"


def choose_mode(query: str, passages: Sequence[CitedPassage], *, fits: bool) -> Mode:
    """What `auto` stands for: all of it where there is room; a list where one is asked for; code where the best
    passages are mostly code; otherwise sentences."""
    if fits:
        return "raw"
    if _LISTED.search(query):
        return "structured"
    best = passages[:3]
    return "code_focused" if sum(map(_is_code, best)) > len(best) / 2 else "narrative"


def _is_code(passage: CitedPassage) -> bool:
    pieces = sentences(passage.text)
    return sum(len(piece) for piece in pieces if is_code(piece)) > MOSTLY * sum(map(len, pieces))


def is_code(text: str) -> bool:
    return _CODE.search(text) is not None


def to_lines(passages: Sequence[CitedPassage], query: str, cost: Cost) -> list[RankedSentence]:
    """Every sentence with its relevance: its passage's score, more so the more of the question's words it has, rare
    ones most; each further sentence of a source counts less than the one before."""
    split = [(at, place, text) for at, each in enumerate(passages) for place, text in enumerate(sentences(each.text))]
    spoken = [frozenset(words(text)) for _, _, text in split]
    asked = _weights(query, spoken)
    whole = sum(asked.values())
    matches = [sum(asked.get(word, 0.0) for word in held) / whole if whole else 0.0 for held in spoken]
    nth = Counter[str]()
    lines: list[RankedSentence] = []
    for which in sorted(range(len(split)), key=lambda which: (-matches[which], which)):
        at, place, text = split[which]
        passage = passages[at]
        worth = passage.score**STEEPNESS * (GROUND + (1 - GROUND) * matches[which]) * FADING ** nth[passage.tag]
        nth[passage.tag] += 1
        lines.append(RankedSentence(text, passage.tag, at, place, worth, spoken[which], cost(f"{text} {passage.tag}")))
    return sorted(lines, key=lambda line: (line.passage, line.place))


def _weights(query: str, spoken: Sequence[frozenset[str]]) -> Mapping[str, float]:
    counted = Counter(word for held in spoken for word in held)
    return {word: math.log(1 + len(spoken) / (1 + counted[word])) for word in set(words(query))}


def pick(
    lines: Sequence[RankedSentence], mode: Mode, *, budget: int, headings: Mapping[str, int]
) -> list[RankedSentence]:
    """Lines that fit, in the order of reading; a heading is paid for with the first line of its source, and nothing is
    said twice. Raw takes them as they come, the others by maximal marginal relevance, code first where it is wanted."""
    if mode == "raw":
        ordered = list(lines)
    else:
        ordered = sorted(lines, key=lambda line: (-line.relevance, line.passage, line.place))[:CONSIDERED]
    if mode == "code_focused":
        ordered.sort(key=lambda line: not is_code(line.text))
    chosen = _by_order(ordered, budget, headings) if mode != "narrative" else _by_margin(ordered, budget, headings)
    return sorted(chosen, key=lambda line: (line.passage, line.place))


def _by_order(lines: Sequence[RankedSentence], budget: int, headings: Mapping[str, int]) -> list[RankedSentence]:
    chosen: list[RankedSentence] = []
    opened: set[str] = set()
    told = _Told(lines)
    for line in lines:
        cost = line.cost + (0 if line.tag in opened else headings.get(line.tag, 0))
        if cost <= budget and not told.has(line):
            budget -= cost
            opened.add(line.tag)
            told.add(line)
            chosen.append(line)
    return chosen


class _Told:
    """Lines that were chosen, found by their rarest words: what shares enough of its words with another shares one of
    the few that are left when as many as may differ are set aside."""

    def __init__(self, lines: Sequence[RankedSentence]) -> None:
        self._counted = Counter(word for line in lines for word in line.words)
        self._texts: set[str] = set()
        self._by_word: defaultdict[str, list[RankedSentence]] = defaultdict(list)

    def has(self, line: RankedSentence) -> bool:
        if line.text in self._texts:
            return True
        held = chain.from_iterable(self._by_word.get(word, ()) for word in self._rarest(line))
        return any(_repeats(line, other) for other in islice(held, CONSIDERED))

    def add(self, line: RankedSentence) -> None:
        self._texts.add(line.text)
        for word in self._rarest(line):
            self._by_word[word].append(line)

    def _rarest(self, line: RankedSentence) -> list[str]:
        shared = math.ceil(SAME * len(line.words) - 1e-9)
        return sorted(line.words, key=lambda word: (self._counted[word], word))[: len(line.words) - shared + 1]


def _by_margin(lines: Sequence[RankedSentence], budget: int, headings: Mapping[str, int]) -> list[RankedSentence]:
    """The next line is the most relevant one that repeats least of what was chosen; what it repeats lessens its
    relevance, so that something unrelated never wins by being different."""
    left = list(lines)
    repeated = dict.fromkeys(range(len(left)), 0.0)
    chosen: list[RankedSentence] = []
    opened: set[str] = set()
    while repeated:
        best = max(repeated, key=lambda at: (left[at].relevance * (1 - (1 - RELEVANCE) * repeated[at]), -at))
        likest = repeated.pop(best)
        line = left[best]
        cost = line.cost + (0 if line.tag in opened else headings.get(line.tag, 0))
        if cost > budget or (likest >= SAME and any(_repeats(line, other) for other in chosen)):
            continue
        budget -= cost
        opened.add(line.tag)
        chosen.append(line)
        for at in repeated:
            repeated[at] = max(repeated[at], _likeness(left[at].words, line.words))
    return chosen


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


def _repeats(one: RankedSentence, other: RankedSentence) -> bool:
    """The same in nearly the same words; what differs in a number or a denial is not the same."""
    if one.text == other.text:
        return True
    return _likeness(one.words, other.words) >= SAME and contradict_texts(one.text, other.text) is None


def headings(passages: Sequence[CitedPassage], mode: Mode, cost: Cost) -> dict[str, int]:
    """What naming each source costs; where the text begins with the name, it is not named again."""
    return {each.tag: cost(heading(each, mode)) for each in reversed(passages)}


def heading(passage: CitedPassage, mode: Mode) -> str:
    if passage.text.lstrip().startswith(passage.name.rstrip("…")):
        return "- " if mode == "structured" else ""
    return f"- {passage.name}: " if mode == "structured" else f"{passage.name}: "


def render(lines: Sequence[RankedSentence], passages: Sequence[CitedPassage], mode: Mode) -> str:
    """Cited lines under the names of their sources: a paragraph for each source, or a bullet."""
    told: dict[str, list[str]] = {}
    named: dict[str, str] = {}
    for line in lines:
        told.setdefault(line.tag, []).append(line.cited)
        named.setdefault(line.tag, heading(next(each for each in passages if each.tag == line.tag), mode))
    return "\n".join(named[tag] + " ".join(said) for tag, said in told.items())
