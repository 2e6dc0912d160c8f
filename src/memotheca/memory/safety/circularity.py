"""Circular reasoning: a text whose reasons lead back to what they are given for (memory-model: Circular reasoning)."""

from dataclasses import dataclass

from memotheca.memory.spaces.causal import clauses
from memotheca.text.likeness import likeness
from memotheca.text.words import query_words

ALIKE = 0.5  # chosen (memory-model: Circular reasoning)
CLAUSES = 60  # chosen: each is compared with each (memory-model: Circular reasoning)


@dataclass(frozen=True, slots=True)
class Circle:
    """Statements of which each is the reason for the next, and the last for the first; and how surely they meet."""

    statements: tuple[str, ...]
    score: float


def find_circle(text: str) -> Circle | None:
    """The surest circle among the causes and effects a text states: its score is that of its weakest joint."""
    said = [(cause, effect) for cause, effect in clauses(text)[:CLAUSES] if query_words(cause) and query_words(effect)]
    spoken = [(frozenset(query_words(cause)), frozenset(query_words(effect))) for cause, effect in said]
    joints = [[likeness(effect, cause) for cause, _ in spoken] for _, effect in spoken]
    found = [circle for start in range(len(said)) if (circle := _close(joints, start)) is not None]
    if not found:
        return None
    score, path = max(found, key=lambda circle: (circle[0], -len(circle[1])))
    return Circle(tuple(said[place][0] for place in path), round(score, 4))


def _close(joints: list[list[float]], start: int) -> tuple[float, list[int]] | None:
    """The widest way from a statement back to itself, by always going on from the surest place reached so far."""
    width: dict[int, tuple[float, list[int]]] = {}
    waiting: dict[int, tuple[float, list[int]]] = {start: (1.0, [])}
    while waiting:
        place = max(waiting, key=lambda each: waiting[each][0])
        sure, path = waiting.pop(place)
        if path:
            if place == start:
                return sure, path
            width[place] = (sure, path)
        for following, alike in enumerate(joints[place]):
            reached = min(sure, alike)
            known = waiting.get(following, (0.0, []))[0]
            if alike >= ALIKE and following not in width and reached > known:
                waiting[following] = (reached, [*path, place])
    return None
