"""A session's focus as clients are told of it."""

import cmath
import math
from dataclasses import dataclass

from memotheca.kernel.citations import citation_of, name_of
from memotheca.memory.focus.workspace import Workspace
from memotheca.memory.spaces.space_table import IDS, SPACES
from memotheca.model.knowledge import Entry
from memotheca.toolkit.fields import text
from memotheca.toolkit.tool import Example

# A session that has stored and asked something, so that there is a focus to tell of.
FOCUSED = Example(
    arguments={},
    after=(
        ("store_memory", {"content": "The nightly job holds the lock.", "rationale": "Seen on Tuesday."}),
        ("store_memory", {"content": "Deploys wait for the lock.", "rationale": "Seen on Tuesday."}),
        ("search_graph", {"query": "Who holds the lock?"}),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryShape:
    id: str = text()
    name: str = text()
    citation: str = text()


def memory_shape(entry: Entry | None) -> MemoryShape | None:
    return None if entry is None else MemoryShape(id=entry.id, name=name_of(entry), citation=citation_of(entry))


def rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def phases_of(focus: Workspace) -> tuple[float | None, ...]:
    """Full agreement is the phase 0, none at all is π."""
    return tuple(None if each is None else round(math.pi * (1 - each), 4) for each in focus.agreed)


def voting(focus: Workspace) -> list[float]:
    """How far the spaces agree that see what is said and have something to compare."""
    return [each for each, space in zip(focus.agreed, SPACES, strict=True) if each is not None and space.sees_content]


def mean_phase(focus: Workspace) -> float | None:
    agreed = voting(focus)
    if not agreed:
        return None
    return round(cmath.phase(sum(cmath.exp(1j * math.pi * (1 - each)) for each in agreed)), 4)


def told_focus(focus: Workspace) -> str:
    """What a session's attention is on, in plain words."""
    if focus.is_empty:
        return "Nothing near to the last question is stored: ask, or store what you learn."
    if focus.on is None:
        return "This session has asked and stored nothing yet, so that nothing is in focus."
    on = f"{'Pinned' if focus.pinned is not None else 'In focus'}: {name_of(focus.on)} {citation_of(focus.on)}."
    if focus.order is None:
        return f"{on} Nothing else is in focus to compare it with."
    agrees = "agree well" if focus.order >= focus.threshold else "agree in part" if focus.order >= 0.3 else "disagree"
    told = f"{on} The spaces {agrees} that it belongs to the rest of what this session is about ({focus.order:.2f})."
    apart = [id for id, each in zip(IDS, focus.agreed, strict=True) if each is not None and each < 0.5]
    told += f" {', '.join(apart)} see it apart." if apart and focus.order < focus.threshold else ""
    return told + (" Some of it is disputed: settle that first." if focus.disputed else "")
