"""Distillation: what of a text is shown where all of it does not fit (memory-model: Distillation). Pure."""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from memotheca.memory.claims.contradiction import contradict_texts
from memotheca.memory.claims.summary import SAME
from memotheca.memory.tuning.thresholds import PRIORS
from memotheca.text.markdown_lines import MARKS, closes, fence_of
from memotheca.text.sentences import split_sentences
from memotheca.text.words import words

Mode = Literal["raw", "narrative", "structured", "code_focused"]
MODES: tuple[Mode, ...] = ("raw", "narrative", "structured", "code_focused")

MOSTLY = 0.5  # chosen: more than half
BEST = 3  # chosen: what a context is mostly made of
SEPARATORS = 2  # chosen: a row has three cells
GAP = 1  # chosen: a token, the mark of what was left out
NARROW = 40  # chosen: letters; nobody wraps lines that are shorter

_CODE = re.compile(
    rf"{MARKS}|"
    r"^[^\S\n]*+(?:(?:def|class|fn|func|function|public|private|static|import|from|#include|struct|interface|type|"
    r"const|let|var|SELECT|CREATE|\$)\b.*[({:;=]|[\w.]++\s*+\(.*\)[^\S\n]*+[;{:]?[^\S\n]*+$)|[{};][^\S\n]*+$",
    re.MULTILINE,
)
_LISTED = re.compile(r"\s*+(?:[-*•]\s|\d{1,3}[.)]\s|[|])")
_NUMBERED = re.compile(r"\s*+\d{1,3}[.)]\s")
_INDENTED = re.compile(r"\s{2,}+\S")
_RULED = re.compile(r"[\s|:+-]++$")

Cost = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Piece:
    """What of a text is shown or left out as one: a sentence; or a list, a table, a stretch of code as a whole. `rows`
    are those of a table and the items of a list without numbers, which say something each for itself."""

    text: str
    is_block: bool = False
    rows: tuple[str, ...] = ()


def pieces(text: str) -> list[Piece]:
    """A text taken apart, in its order."""
    found: list[Piece] = []
    prose: list[str] = []
    block: list[str] = []
    fence = ""

    def end_prose() -> None:
        found.extend(Piece(sentence) for part in _unwrapped(prose) for sentence in split_sentences(part))
        prose.clear()

    def end_block() -> None:
        if block:
            found.append(Piece("\n".join(block).strip("\n"), is_block=True, rows=_rows_of(block)))
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


def _unwrapped(lines: Sequence[str]) -> Iterator[str]:
    """Lines of prose, those together that only go on because the line was full: had the next word fitted there, whoever
    wrote them would not have begun a new one."""
    for is_empty, paragraph in groupby(lines, key=lambda line: not line.strip()):
        told = list(paragraph)
        width = max(NARROW, *map(len, told))
        start = 0
        for at in range(1, len(told)):
            if not is_empty and len(told[at - 1]) + 1 + len(told[at].split(maxsplit=1)[0]) <= width:
                yield "\n".join(told[start:at])
                start = at
        yield "\n".join(told[start:])


def _rows_of(block: Sequence[str]) -> tuple[str, ...]:
    """What of a block may be told without the rest, the first being the heading of all, with what stands over the rule
    of a table: no code, nor what is numbered, of which each follows from the one before."""
    if is_code("\n".join(block)) or any(map(_NUMBERED.match, block)):
        return ()
    rows: list[str] = []
    for line in block:
        if rows and _RULED.match(line):
            rows = ["\n".join([*rows, line])]
        elif rows and _INDENTED.match(line):
            rows[-1] += f"\n{line}"
        elif line.strip():
            rows.append(line)
    return tuple(rows)


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
        if not chosen and cost(parts[at].text) + GAP > budget:
            parts[at] = _by_rows(parts[at], asked, budget=budget - GAP, cost=cost)
        taken = cost(parts[at].text) + GAP
        if taken <= budget:
            budget -= taken
            chosen.add(at)
        elif not chosen and not code_first:
            return ""
    return _joined(parts, chosen)


def _by_rows(piece: Piece, asked: Mapping[str, float], *, budget: int, cost: Cost) -> Piece:
    """A piece by its heading and the rows that say most of what is asked, as far as they fit, gaps marked; as it was
    where none does."""
    heading, *others = piece.rows or ("",)
    spoken = [share_of(asked, row) for row in others]
    budget -= cost(heading)
    chosen: set[int] = set()
    for at in sorted(range(len(others)), key=lambda at: (-round(spoken[at], 6), at)):
        taken = cost(others[at]) + GAP
        if spoken[at] and taken <= budget:
            budget -= taken
            chosen.add(at)
    told = [others[at] if at == 0 or at - 1 in chosen else f"…\n{others[at]}" for at in sorted(chosen)]
    return replace(piece, text="\n".join([heading, *told])) if told else piece


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
