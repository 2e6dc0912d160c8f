"""What the modulators of a session did to its last question, as clients are told."""

from collections.abc import Mapping
from dataclasses import dataclass

from memotheca.toolkit.fields import integer


@dataclass(frozen=True, slots=True, kw_only=True)
class LastQueryShape:
    candidates: int = integer("Looked at, by noradrenaline.")
    usual_candidates: int = integer("At rest.")
    results: int = integer("That passed dopamine's cut-off.")
    usual_results: int = integer("At rest.")
    moved: int = integer("That stand elsewhere by serotonin.")


def last_query(effects: Mapping[str, int] | None) -> LastQueryShape | None:
    return None if effects is None else LastQueryShape(**effects)


def told_effects(shape: LastQueryShape | None) -> str:
    """The same in a sentence."""
    if shape is None:
        return "Nothing was asked in this session, so that they did nothing yet."
    return (
        f"In the last question {shape.candidates} candidates were looked at (usually {shape.usual_candidates}), "
        f"{shape.results} results passed the cut-off (usually {shape.usual_results}), and {shape.moved} of them "
        "changed places for variety."
    )
