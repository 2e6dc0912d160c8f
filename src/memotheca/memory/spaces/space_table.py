"""The thirteen spaces by name: what each is for, and how it is represented here."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Space:
    """One notion of nearness: its name, what it is for, and how it is represented here."""

    id: str
    name: str
    purpose: str
    representation: str


SPACES = (
    Space("E1", "Semantic", "meaning", "sentence vectors of the shared search"),
    Space("E2", "Temporal recent", "freshness", "decay over an hour, a day, a week and a month"),
    Space("E3", "Temporal periodic", "periodicity", "phases of hour, day, week, month and year"),
    Space("E4", "Temporal positional", "ordering", "steps within a session"),
    Space("E5", "Causal", "causality", "words of cause clauses and of effect clauses, directed"),
    Space("E6", "Sparse", "selectivity", "stems of the shared search, weighted by rarity"),
    Space("E7", "Code", "correctness", "identifiers, their parts and letters"),
    Space("E8", "Graph", "connectivity", "chances of a walk of two steps over the edges"),
    Space("E9", "Hyperdimensional", "robustness", "4,096 bits of bundled letters in threes"),
    Space("E10", "Form", "multimodality", "medium, intents and caption"),
    Space("E11", "Entity", "factuality", "names, identifiers, addresses and amounts"),
    Space("E12", "Late interaction", "precision", "each word's 64 signs, best match"),
    Space("E13", "Expanded keywords", "keyword precision", "stems and those that keep their company"),
)
IDS = tuple(space.id for space in SPACES)
COUNT = len(SPACES)
