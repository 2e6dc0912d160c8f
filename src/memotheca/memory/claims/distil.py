"""Distillation: what of a text is shown where all of it does not fit (memory-model: Distillation). Pure."""

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memotheca.memory.claims.contradiction import contradict_texts
from memotheca.memory.claims.summary import SAME
from memotheca.memory.tuning.thresholds import PRIORS
from memotheca.text.markdown_lines import closes, fence_of
from memotheca.text.sentences import split_sentences
from memotheca.text.words import words

Mode = Literal["raw", "narrative", "structured", "code_focused"]
MODES: tuple[Mode, ...] = ("raw", "narrative", "structured", "code_focused")

MOSTLY = 0.5  # chosen: more than half
BEST = 3  # chosen: what a context is mostly made of
SEPARATORS = 2  # chosen: a row has three cells
GAP = 1  # chosen: a token, the mark of what was left out

_CODE = re.compile(
    r"```|^[^\S\n]*+(?:(?:def|class|fn|func|function|public|private|static|import|from|#include|struct|interface|type|"
    r"const|let|var|SELECT|CREATE|\$)\b.*[({:;=]|[\w.]++\s*+\(.*\)[^\S\n]*+[;{:]?[^\S\n]*+$)|[{};][^\S\n]*+$",
    re.MULTILINE,
)
_LISTED = re.compile(r"\s*+(?:[-*•]\s|\d{1,3}[.)]\s|[|])")
_INDENTED = re.compile(r"\s{2,}+\S")

Cost = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Piece:
    """What of a text is shown or left out as one: a sentence; or a list, a table, a stretch of code as a whole."""

    text: str
    is_block: bool = False


def pieces(text: str) -> list[Piece]:
    """A text taken apart, in its order."""
    found: list[Piece] = []
    prose: list[str] = []
    block: list[str] = []
    fence = ""

    def end_prose() -> None:
        found.extend(Piece(sentence) for sentence in split_sentences("\n".join(prose)))
        prose.clear()

    def end_block() -> None:
        if block:
            found.append(Piece("\n".join(block).strip("\n"), is_block=True))
        block.clear()

    for line in text.splitlines():
        opened = None if fence else fence_of(line)
        if fence or opened is not None:
            if opened is not None:
                end_prose()
                end_block()
            block.append(line)
            if fence and closes(line, fence):
                end_block()
                fence = ""
            fence = opened.mark if opened is not None else fence
        elif _is_row(line) or (block and _INDENTED.match(line)):
            if not block and prose and prose[-1].rstrip().endswith(":"):
                block.append(prose.pop())
            end_prose()
            block.append(line)
        else:
            end_block()
            prose.append(line)
    end_prose()
    end_block()
    return [piece for piece in found if piece.text.strip()]


def _is_row(line: str) -> bool:
    return _LISTED.match(line) is not None or any(line.count(mark) >= SEPARATORS for mark in ("|", ";", "\t"))


def choose_mode(texts: Sequence[str], *, asks_for_all: bool, fits: bool) -> Mode:
    """What `auto` stands for: all of it where there is room; a list where one is asked for; code where the best texts
    are mostly code; otherwise sentences."""
    if fits:
        return "raw"
    if asks_for_all:
        return "structured"
    best = texts[:BEST]
    return "code_focused" if sum(map(_is_mostly_code, best)) > len(best) / 2 else "narrative"


def _is_mostly_code(text: str) -> bool:
    parts = pieces(text)
    return sum(len(piece.text) for piece in parts if is_code(piece.text)) > MOSTLY * sum(len(p.text) for p in parts)


def is_code(text: str) -> bool:
    return _CODE.search(text) is not None


def weigh_words(query: str, spoken: Sequence[Collection[str]]) -> Mapping[str, float]:
    """The words of a question, each the weightier the fewer of some texts, given by their words, have it."""
    counted = {word: sum(word in held for held in spoken) for word in set(words(query))}
    return {word: math.log(1 + (1 + len(spoken)) / (1 + times)) for word, times in counted.items()}


def share_of(asked: Mapping[str, float], text: str) -> float:
    """How much of what is asked a text has words for, from 0 to 1."""
    whole, held = sum(asked.values()), set(words(text))
    return sum(weight for word, weight in asked.items() if word in held) / whole if whole else 0.0


def shorten(text: str, asked: Mapping[str, float], *, budget: int, cost: Cost, code_first: bool = False) -> str:
    """The pieces that say most of what is asked and fit, in the order of the text, a gap between them marked; empty
    where the best does not. What stands first tells what the rest is about, so that it wins where nothing else does."""
    parts = pieces(text)
    spoken = [share_of(asked, piece.text) for piece in parts]
    order = sorted(
        range(len(parts)), key=lambda at: (code_first and not is_code(parts[at].text), -round(spoken[at], 6), at)
    )
    chosen: set[int] = set()
    for at in order:
        if chosen and not spoken[at] and not code_first:
            break
        taken = cost(parts[at].text) + GAP
        if taken <= budget:
            budget -= taken
            chosen.add(at)
        elif not chosen and not code_first:
            return ""
    return _joined(parts, chosen)


def _joined(parts: Sequence[Piece], chosen: set[int]) -> str:
    told: list[str] = []
    last = -1
    for at in sorted(chosen):
        gap = "… " if at > last + 1 and (last >= 0 or parts[at].is_block is False) else ""
        is_apart = parts[at].is_block or (last >= 0 and parts[last].is_block)
        told.append(("\n" if is_apart and told else " " if told else "") + gap + parts[at].text)
        last = at
    return "".join(told)


def without_repeats(texts: Sequence[str], clash: float = PRIORS["clash"]) -> list[int]:
    """The places of texts that say something which none before them says: another word, a number, a denial."""
    kept: list[int] = []
    spoken = [frozenset(words(text)) for text in texts]
    for at, text in enumerate(texts):
        held = (other for other in kept if spoken[at] <= spoken[other] and len(spoken[at]) >= SAME * len(spoken[other]))
        if not any(texts[other] == text or contradict_texts(text, texts[other], clash) is None for other in held):
            kept.append(at)
    return kept
