"""Ties of a context: which of its candidates are about the same, which cannot both hold, and what replaced what
(memory-model: Context)."""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.care.critique import ContradictoryPair, find_clashes
from memotheca.memory.claims import distil
from memotheca.memory.graph.relations import CONTRADICTS, SUPERSEDES
from memotheca.memory.recall.candidates import ContextSource, Pool
from memotheca.memory.standing.meanings import meanings
from memotheca.memory.standing.subject import TAGS
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.tuning.thresholds import Gates
from memotheca.model.kinds import TRIPLE
from memotheca.model.knowledge import Entry
from memotheca.storage.snapshot import Snapshot
from memotheca.text.tokens import count_tokens

# So many pairs are compared by their statements: those that are likeliest to clash, which finds 19 of 20 that do.
COMPARED = 16  # measured on one corpus (docs/benchmarks.md: answers)
OLDER = 40  # chosen: tokens; what was replaced is named, not told
TEMPORAL = "temporal"

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Ties:
    """What the candidates have to do with each other. `replaced` names what took the place of each; of `guessed` nobody
    said so, but the two sentences show it."""

    alike: frozenset[frozenset[str]] = frozenset()
    clashes: Sequence[ContradictoryPair] = ()
    replaced: Mapping[str, str] = field(default_factory=dict[str, str])
    guessed: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def disputes(self) -> list[ContradictoryPair]:
        """Clashes of which nobody can tell which side holds; what held at another time is no side."""
        return [clash for clash in self.clashes if clash.contradiction.type != TEMPORAL]

    def head(self, id: str) -> str:
        """What is at the end of a chain of replacements."""
        seen = {id}
        while (newer := self.replaced.get(id)) is not None and newer not in seen:
            seen.add(newer)
            id = newer
        return id


def tie(snapshot: Snapshot, candidates: Sequence[ContextSource], spoken: Sequence[frozenset[str]], pool: Pool) -> Ties:
    """All that may be shown, each with each: the likest pairs by their statements."""
    entries = {each.entry.id: replace(each.entry, body=_prose(each.text)) for each in candidates}
    near = _Nearness(snapshot, list(entries.values()), spoken)
    alike = near.alike(gates_at(snapshot))
    wanted = [(a, b) for a, b, said in pool.said if said == CONTRADICTS and a in entries and b in entries]
    wanted += sorted(alike, key=near.likelihood, reverse=True)[:COMPARED]
    told = {id: entry for id, entry in entries.items() if entry.kind != TRIPLE}
    clashes = find_clashes(snapshot, [(told[a], told[b]) for a, b in dict.fromkeys(wanted) if a in told and b in told])
    stated = {old: new for new, old, said in pool.said if said == SUPERSEDES and new in entries and old in entries}
    guessed = _guess(clashes, entries.keys() - stated.keys())
    return Ties(
        frozenset(map(frozenset, alike)),
        clashes,
        {old: clash.newer.id for old, clash in guessed.items()} | stated,
        {old: clash.contradiction.explanation for old, clash in guessed.items()},
    )


def _guess(clashes: Sequence[ContradictoryPair], unsaid: Collection[str]) -> dict[str, ContradictoryPair]:
    """What the newest of what is otherwise now has taken the place of; only what is short says nothing besides."""
    found: dict[str, ContradictoryPair] = {}
    for clash in sorted(clashes, key=lambda each: each.newer.created_at):
        older = clash.older
        if clash.contradiction.type == TEMPORAL and older.id in unsaid and count_tokens(older.body) <= OLDER:
            found[older.id] = clash
    return found


def _prose(text: str) -> str:
    """Code contradicts nothing."""
    if not distil.is_code(text):
        return text
    return "\n".join(piece.text for piece in distil.pieces(text) if not distil.is_code(piece.text))


class _Nearness:
    """How much each two of some entries are about the same, by their words and by what they mean."""

    def __init__(self, snapshot: Snapshot, entries: Sequence[Entry], spoken: Sequence[frozenset[str]]) -> None:
        self._ids = [entry.id for entry in entries]
        self._places = {id: place for place, id in enumerate(self._ids)}
        self._tags = [frozenset(entry.tags) for entry in entries]
        self._shared, self._worth = _weigh(spoken)
        vectors = meanings(snapshot, self._ids)
        self._is_meant = np.array([id in vectors for id in self._ids], bool)
        rows = [vectors[id] for id in self._ids if id in vectors]
        self._cosines = np.zeros((len(entries), len(entries)), np.float32)
        if rows:
            meant = np.array(rows)
            self._cosines[np.ix_(self._is_meant, self._is_meant)] = meant @ meant.T

    def alike(self, gates: Gates) -> list[tuple[str, str]]:
        """The pairs that are about the same, by cosine and the share of words they have in common, or by that share
        alone; each in the order of its ids."""
        least = np.minimum.outer(self._worth, self._worth)
        shares = np.divide(self._shared, least, out=np.zeros_like(least), where=least > 0)
        both = np.logical_and.outer(self._is_meant, self._is_meant)
        found = np.where(both, shares + self._cosines >= gates["alike"], shares >= gates["alike_words"])
        one, other = np.nonzero(np.triu(found, 1))
        pairs = [(self._ids[a], self._ids[b]) for a, b in zip(one.tolist(), other.tolist(), strict=True)]
        return [(min(pair), max(pair)) for pair in pairs]

    def likelihood(self, pair: tuple[str, str]) -> float:
        """How likely two clash: they mean the same, share most of their words and their tags."""
        a, b = (self._places[id] for id in pair)
        whole = float(self._worth[a] + self._worth[b] - self._shared[a, b])
        tags = self._tags[a] | self._tags[b]
        common = TAGS * len(self._tags[a] & self._tags[b]) / len(tags) if tags else 0.0
        return float(self._cosines[a, b]) + (float(self._shared[a, b]) / whole if whole else 0.0) + common


def _weigh(spoken: Sequence[frozenset[str]]) -> tuple[Array, Array]:
    """The weight of the words that each two have in common, and of all that each has; the fewer have a word, the more
    it weighs."""
    counted = Counter(word for held in spoken for word in held)
    columns = {word: column for column, word in enumerate(counted)}
    has = np.zeros((len(spoken), len(columns)), np.float32)
    for place, held in enumerate(spoken):
        has[place, [columns[word] for word in held]] = 1.0
    weights = np.array([math.log(1 + (1 + len(spoken)) / (1 + times)) for times in counted.values()], np.float32)
    shared = (has * weights) @ has.T if columns else np.zeros((len(spoken), len(spoken)), np.float32)
    return shared, shared.diagonal().copy()
