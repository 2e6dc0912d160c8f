"""Arousal: the modulators of a session as they stand, and what moves them besides rewards (memory-model:
Modulators)."""

from collections.abc import Callable
from dataclasses import asdict, replace

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.modulators import REST, Levels, SearchEffects, levels_at, sharpen, shift, startle
from memotheca.memory.session.state import activity_of
from memotheca.storage.database import Session

MODULATORS = "modulators"
NAMELESS = "default"
POOR, POOR_IN_A_ROW = 0.5, 5  # specification (memory-model: Poor recall)
POOR_RECALLS = "poor_recalls"
AT_ALL = 0.001  # chosen: less off rest than anybody could notice


def modulator_levels(kernel: Kernel, session: Session, name: str, *, now: int | None = None) -> Levels:
    """The levels of a session as they are now."""
    activity = activity_of(kernel)
    held = activity.state(session, kernel.collection, f"{MODULATORS}:{name or NAMELESS}")
    questions = activity.mood(session, kernel.collection, name).questions
    return levels_at(kernel.now() if now is None else now, held, questions)


def keep_levels(kernel: Kernel, name: str, levels: Levels) -> None:
    """Let a session have these levels from its next question on."""
    with kernel.store.database.read() as session:
        questions = activity_of(kernel).mood(session, kernel.collection, name).questions
    held = replace(levels, questions=questions).to_json()
    activity_of(kernel).set_state(kernel.collection, f"{MODULATORS}:{name or NAMELESS}", held)


def adjust_level(kernel: Kernel, name: str, modulator: str, by: float) -> tuple[Levels, Levels]:
    """Move a level of a session by hand: the levels before and after."""
    with kernel.store.database.read() as session:
        before = modulator_levels(kernel, session, name)
    after = shift(before, modulator, by)
    keep_levels(kernel, name, after)
    return before, after


def bring_to_rest(kernel: Kernel, name: str) -> list[str]:
    """Let all levels of a session be as when it began; which of them were not."""
    with kernel.store.database.read() as session:
        levels = modulator_levels(kernel, session, name)
    moved = [each for each, value in levels.values.items() if abs(value - REST[each]) > AT_ALL * REST[each]]
    if moved:
        keep_levels(kernel, name, levels_at(kernel.now(), None))
    return moved


def note_nothing_found(kernel: Kernel, name: str) -> None:
    """A search in vain wakes: the next one looks more widely."""
    _move(kernel, name, lambda levels: startle(levels, 0.1))


def note_effects(kernel: Kernel, name: str, effects: SearchEffects) -> None:
    """One more question of a session, and what its levels did to it."""
    with kernel.store.database.read() as session:
        mood = activity_of(kernel).mood(session, kernel.collection, name)
    mood.questions += 1
    mood.effects = asdict(effects)
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
