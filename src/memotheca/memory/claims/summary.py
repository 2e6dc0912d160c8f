"""Extractive summaries: the sentences that say most about a question and least about each other, each cited
(memory-model: Summaries)."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memotheca.memory.claims.contradiction import contradict_texts
from memotheca.memory.tuning.thresholds import PRIORS
from memotheca.text.likeness import likeness
from memotheca.text.markdown_lines import FENCED
from memotheca.text.sentences import split_sentences
from memotheca.text.tokens import count_tokens
from memotheca.text.words import words

RELEVANCE = 0.7  # chosen (memory-model: Summaries)
SAME = 0.8  # chosen (memory-model: Summaries)
# So many sentences are compared, each with each: the first of every text.
COMPARED = 400  # chosen (memory-model: Summaries)

_FENCE = re.compile(FENCED)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with the tag of what it comes from, how relevant that is, and its place in it."""

    text: str
    tag: str
    relevance: float
    place: int = 0


def sentences(text: str) -> list[str]:
    """The sentences of a text in their order; a fenced piece of code is one."""
    found: list[str] = []
    start = 0
    for fence in _FENCE.finditer(text):
        found += split_sentences(text[start : fence.start()])
        found.append(fence.group().strip())
        start = fence.end()
    return found + split_sentences(text[start:])


def select(
    candidates: Sequence[Sentence], *, budget: int, cost: Callable[[Sentence], int], balance: float = RELEVANCE
) -> list[Sentence]:
    """Maximal marginal relevance within a budget of tokens (memory-model: Summaries): the next sentence is the most
    relevant one that repeats least of what was chosen; near-duplicates never come twice."""
    spoken = [words(each.text) for each in candidates]
    left = list(range(len(candidates)))
    repeated = [0.0] * len(candidates)
    chosen: list[int] = []
    while left:
        best = max(left, key=lambda at: (balance * candidates[at].relevance - (1 - balance) * repeated[at], -at))
        left.remove(best)
        if repeated[best] >= SAME or cost(candidates[best]) > budget:
            continue
        budget -= cost(candidates[best])
        chosen.append(best)
        for at in left:
            repeated[at] = max(repeated[at], likeness(spoken[at], spoken[best]))
    return [candidates[at] for at in chosen]


def summarise(
    texts: Sequence[tuple[str, str]], *, share: float = 0.5, clash: float = PRIORS["clash"]
) -> tuple[str, list[tuple[str, str]]]:
    """One text of several, as (tag, text): every sentence that adds something, cited; contradictions stay side by side
    and are named. Returns the text and the contradicting pairs of tags."""
    flat = [
        Sentence(sentence, tag, 1 / (1 + place), place)
        for tag, text in texts
        for place, sentence in enumerate(sentences(text))
    ]
    first = sorted(range(len(flat)), key=lambda at: (flat[at].place, at))[:COMPARED]
    flat = [flat[at] for at in sorted(first)]
    budget = max(64, int(share * sum(count_tokens(sentence.text) for sentence in flat)))
    clashes = [
        (one, other)
        for at, one in enumerate(flat)
        for other in flat[at + 1 :]
        if one.tag != other.tag and contradict_texts(one.text, other.text, clash) is not None
    ]
    disputed = list(dict.fromkeys(sentence for pair in clashes for sentence in pair))
    spent = sum(count_tokens(sentence.text) for sentence in disputed)
    set_apart = set(disputed)
    rest = [sentence for sentence in flat if sentence not in set_apart]
    kept = select(rest, budget=max(32, budget - spent), cost=lambda sentence: count_tokens(sentence.text))
    order = {sentence: at for at, sentence in enumerate(flat)}
    lines = [f"{sentence.text} [{sentence.tag}]" for sentence in sorted(kept, key=lambda each: order[each])]
    for one, other in clashes:
        lines.append(f"Disputed: {one.text} [{one.tag}] / {other.text} [{other.tag}]")
    return "\n".join(lines), [(one.tag, other.tag) for one, other in clashes]
