"""Fitting answers into a caller's budget of tokens: first as many hits as fit, then more of the best ones."""

import re
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from memotheca.model.errors import Failure, Refusal

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

ASCII_LETTERS = 4  # chosen with the next: rather high for every model (docs/behaviour.md, Finding)
OTHER_BYTES = 3  # chosen: as above
GLANCE = 20_000  # chosen: longer than any budget shows

_PIECES = re.compile(r"\w+|[^\w\s]")
_ASCII_TOKENS = re.compile(rf"\w{{1,{ASCII_LETTERS}}}|[^\w\s]")


def count_tokens(text: str) -> int:
    """How many tokens a text takes, guessed high and alike for every model: four ASCII letters or digits of a word
    are one, three bytes of other scripts are one, and so is every mark."""
    if text.isascii():
        return len(_ASCII_TOKENS.findall(text))
    return sum(map(_count_piece, _PIECES.findall(text)))


def _count_piece(piece: str) -> int:
    if piece.isascii():
        return -(-len(piece) // ASCII_LETTERS)
    return -(-len(piece.encode("utf-8", "surrogatepass")) // OTHER_BYTES)


# Chosen: neither the blocks of an answer nor its structured content take more bytes than this unless more was
# asked for: a client shows one of the two, and cuts off what is longer.
REPLY_BYTES = 24_000


def count_at_least(text: str) -> int:
    """Fewer tokens than a text takes, or as many, found without looking at more than its beginning."""
    return -(-sum(map(len, text[:GLANCE].split())) // ASCII_LETTERS)


class Forms(Protocol[T_co]):
    """What can be shown of a hit, shortest first; of most, only the longest is ever looked at."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: int, /) -> T_co: ...


def fit(
    forms: Sequence[Forms[T]],
    tokens: int,
    weigh: Callable[[T], int],
    *,
    least: Callable[[T], int] = lambda form: 0,
    at_least_one: bool = False,
) -> tuple[list[T], int]:
    """What to show of each hit, given the forms it can take, shortest first, best hit first; and the tokens it takes.
    As many hits as fit in their shortest form, then longer forms, the best hits first, while there is room. The first
    is refused where it does not fit, unless at least one is wanted. What cannot fit by the least that it takes is not
    weighed, so that the time this takes is that of what is shown, however long the rest would be."""
    longest = [hit[-1] for hit in forms]
    if sum(map(least, longest)) <= tokens:
        whole = sum(map(weigh, longest))
        if whole <= tokens:
            return longest, whole
    chosen: list[T] = []
    costs: list[int] = []
    for hit in forms:
        cost = weigh(hit[0])
        if sum(costs) + cost > tokens and (chosen or not at_least_one):
            break
        chosen.append(hit[0])
        costs.append(cost)
    if forms and not chosen:
        alone = weigh(forms[0][0])
        raise Refusal(Failure.INVALID, f"The first result alone takes {alone} tokens.", field="budget_tokens")
    for level in range(1, max(map(len, forms), default=0)):
        for place in range(len(chosen)):
            room = tokens - sum(costs) + costs[place]
            if level >= len(forms[place]) or least(forms[place][level]) > room:
                continue
            longer = forms[place][level]
            cost = weigh(longer)
            if cost <= room:
                chosen[place], costs[place] = longer, cost
    return chosen, sum(costs)
