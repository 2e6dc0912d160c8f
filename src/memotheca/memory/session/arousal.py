"""Arousal: the modulators of a session as they stand, and what moves them besides rewards (memory-model:
Modulators)."""

from collections.abc import Callable

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.modulators import Levels, levels_at, sharpen, startle
from memotheca.memory.session.state import activity_of
from memotheca.storage.database import Session

MODULATORS = "modulators"
NAMELESS = "default"
POOR, POOR_IN_A_ROW = 0.5, 5  # specification (memory-model: Poor recall)
POOR_RECALLS = "poor_recalls"


def modulator_levels(kernel: Kernel, session: Session, name: str, *, now: int | None = None) -> Levels:
    """The levels of a session as they are now."""
    held = activity_of(kernel).state(session, kernel.collection, f"{MODULATORS}:{name or NAMELESS}")
    return levels_at(kernel.now() if now is None else now, held)


def keep_levels(kernel: Kernel, name: str, levels: Levels) -> None:
    activity_of(kernel).set_state(kernel.collection, f"{MODULATORS}:{name or NAMELESS}", levels.to_json())


def note_nothing_found(kernel: Kernel, name: str) -> None:
    """A search in vain wakes: the next one looks more widely."""
    _move(kernel, name, lambda levels: startle(levels, 0.1))


def note_effects(kernel: Kernel, name: str, searched: list[int]) -> None:
    """What the levels did to a search: candidates looked at, how many usually are, results that were let go."""
    with kernel.store.database.read() as session:
        activity_of(kernel).mood(session, kernel.collection, name).searched = searched
    activity_of(kernel).keep((kernel.collection, name))


def note_threat(kernel: Kernel, name: str) -> None:
    _move(kernel, name, lambda levels: startle(levels, 0.5))


def note_recall(kernel: Kernel, name: str, recall: float) -> None:
    """Who has been shown five times in a row to find less than half learns faster for a while (memory-model: Poor
    recall)."""
    with kernel.store.database.read() as session:
        before = int(activity_of(kernel).state(session, kernel.collection, f"{POOR_RECALLS}:{name}") or 0)
    poor = before + 1 if recall < POOR else 0
    if poor >= POOR_IN_A_ROW:
        _move(kernel, name, sharpen)
    activity_of(kernel).set_state(kernel.collection, f"{POOR_RECALLS}:{name}", poor % POOR_IN_A_ROW)


def _move(kernel: Kernel, name: str, change: Callable[[Levels], Levels]) -> None:
    with kernel.store.database.read() as session:
        levels = modulator_levels(kernel, session, name)
    keep_levels(kernel, name, change(levels))
