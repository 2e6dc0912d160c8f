"""The thirteen spaces side by side: many entries hung in each of them, and how near another one is to all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.spaces import graph_walk, hyperdimensional, temporal
from memotheca.memory.spaces.causal import CausalColumns
from memotheca.memory.spaces.expansion import ExpandedColumns
from memotheca.memory.spaces.fingerprint import Fingerprint
from memotheca.memory.spaces.form import FormColumns
from memotheca.memory.spaces.graph_walk import Walk, WalkColumns
from memotheca.memory.spaces.late_interaction import TokenColumns
from memotheca.memory.spaces.space_table import COUNT, IDS
from memotheca.memory.spaces.sparse import Columns, Sparse, join, saturated

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hung:
    """An entry as all spaces see it; without an embedder, its words stand in for its meaning."""

    id: str
    print: Fingerprint
    words: Sparse
    vector: Array | None = None
    walk: Walk = field(default_factory=dict[str, float])


class Gallery:
    """Entries to compare with; statistics over them (how rare, what goes together) enter here and only here."""

    def __init__(self, members: Sequence[Hung]) -> None:
        self.members = tuple(members)
        self.ids = tuple(member.id for member in members)
        self.places = {id: place for place, id in enumerate(self.ids)}
        self._prints = [member.print for member in members]
        self._nearness: tuple[Callable[[Sequence[Hung]], Array], ...] = (
            _each(self._meant),
            lambda probes: temporal.freshness(self._moments, _moments_of(probes)[:, None]),
            lambda probes: temporal.periodicity(self._phases, temporal.phases(_moments_of(probes))),
            self._ordered,
            lambda probes: self._causes.nearness([probe.print.causes for probe in probes]),
            lambda probes: self._words.cosines_of([probe.words for probe in probes]),
            lambda probes: self._names.cosines_of([probe.print.names for probe in probes]),
            _each(lambda probe: self._walked(probe.walk)),
            _each(lambda probe: hyperdimensional.nearness(self._bits, np.frombuffer(probe.print.bits, np.uint64))),
            lambda probes: self._forms.nearness([probe.print.form for probe in probes]),
            lambda probes: self._entities.overlaps_of([probe.print.entities for probe in probes]),
            lambda probes: self._tokens.nearness([probe.print.tokens for probe in probes]),
            lambda probes: self._expanded.nearness([probe.words for probe in probes]),
        )

    # What a space needs is laid out when something is first compared in it.
    @cached_property
    def _moments(self) -> Array:
        return _moments_of(self.members)

    @cached_property
    def _phases(self) -> Array:
        return temporal.phases(self._moments)

    @cached_property
    def _order(self) -> tuple[Array, Array]:
        return _order_of(self.members)

    @cached_property
    def _causes(self) -> CausalColumns:
        return CausalColumns([each.causes for each in self._prints])

    @cached_property
    def _words(self) -> Columns:
        return Columns([member.words for member in self.members])

    @cached_property
    def _names(self) -> Columns:
        return Columns([each.names for each in self._prints])

    @cached_property
    def _walks(self) -> WalkColumns:
        return WalkColumns([member.walk for member in self.members])

    @cached_property
    def _bits(self) -> Array:
        return _bits_of(self.members)

    @cached_property
    def _forms(self) -> FormColumns:
        return FormColumns([each.form for each in self._prints])

    @cached_property
    def _entities(self) -> Columns:
        return Columns([each.entities for each in self._prints])

    @cached_property
    def _tokens(self) -> TokenColumns:
        return TokenColumns([each.tokens for each in self._prints])

    @cached_property
    def _expanded(self) -> ExpandedColumns:
        return ExpandedColumns(self._words)

    @cached_property
    def _vectors(self) -> Array | None:
        """The vectors of all, where all have one."""
        vectors = [member.vector for member in self.members]
        return None if any(vector is None for vector in vectors) else np.array(vectors, np.float32)

    def __len__(self) -> int:
        return len(self.members)

    def nearness(self, space: int, probe: Hung) -> Array:
        """How near a probe is to every member in one space, from 0 to 1."""
        return self.nearness_of(space, [probe])[0]

    def nearness_of(self, space: int, probes: Sequence[Hung]) -> Array:
        """As `nearness`, a row for each of several probes."""
        if not self.members or not probes:
            return np.zeros((len(probes), len(self)), np.float32)
        return self._nearness[space](probes).astype(np.float32, copy=False)

    def matrix(self, space: int) -> Array:
        """How near the members are to each other in one space."""
        return self.nearness_of(space, self.members)

    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        """How near each of some entries is to its counterpart, a space a row; members or not, with the statistics of
        the members."""
        pairs = list(zip(ones, others, strict=True))
        if not pairs:
            return np.zeros((COUNT, 0), np.float32)
        mine, theirs = [one.print for one in ones], [other.print for other in others]
        moments, counterparts = _moments_of(ones), _moments_of(others)
        spoken, answered = [one.words for one in ones], [other.words for other in others]
        rows = (
            [self.meaning(one, other) for one, other in pairs],
            temporal.freshness(counterparts, moments),
            temporal.periodicity(temporal.phases(counterparts), temporal.phases(moments)).diagonal(),
            temporal.ordering(_order_of(others), _order_of(ones)),
            self._causes.between([each.causes for each in mine], [each.causes for each in theirs]),
            self._words.cosines_between(spoken, answered),
            self._names.cosines_between([each.names for each in mine], [each.names for each in theirs]),
            [graph_walk.nearness(one.walk, other.walk) for one, other in pairs],
            hyperdimensional.nearness(_bits_of(others), _bits_of(ones)),
            self._forms.between([each.form for each in mine], [each.form for each in theirs]),
            self._entities.overlaps_between([each.entities for each in mine], [each.entities for each in theirs]),
            TokenColumns([each.tokens for each in theirs]).nearness([each.tokens for each in mine]).diagonal(),
            self._expanded.between(spoken, answered),
        )
        return np.array(rows, np.float32)

    def rarity(self, probe: Hung) -> float:
        """How rare the probe's words are among the members, on average: near 0 if all have them, 1 if none has."""
        rare = self._words.rarities(probe.words)
        return float(rare.mean()) / self._words.unseen if len(rare) else 0.0

    def weights(self, space: int, probe: Hung) -> tuple[Sparse, Array]:
        """The terms by which a probe stands in a sparse space, each with its weight."""
        if IDS[space] == "E5":
            both = join(probe.print.causes.cause, probe.print.causes.effect)
            return both, saturated(both.counts)
        terms, columns = (probe.print.names, self._names) if IDS[space] == "E7" else (probe.words, self._words)
        return terms, saturated(terms.counts) * columns.rarities(terms)

    def meaning(self, one: Hung, other: Hung) -> float:
        """E1 of two entries: the cosine of their vectors, or of their words where one has none."""
        if one.vector is not None and other.vector is not None and len(one.vector) == len(other.vector):
            return min(1.0, max(0.0, float(one.vector @ other.vector)))
        return self.wording(one.words, other.words)

    def wording(self, one: Sparse, other: Sparse) -> float:
        """How near two texts are by their words, the rarer the word the more."""
        return float(self._words.cosines_between([one], [other])[0])

    def _ordered(self, probes: Sequence[Hung]) -> Array:
        sessions, positions = _order_of(probes)
        return temporal.ordering(self._order, (sessions[:, None], positions[:, None]))

    def _walked(self, probe: Walk) -> Array:
        """An entry that nothing is joined to is near nothing."""
        return self._walks.nearness(probe) if probe else np.zeros(len(self), np.float32)

    def _meant(self, probe: Hung) -> Array:
        if self._vectors is None or probe.vector is None or len(probe.vector) != self._vectors.shape[1]:
            return self._words.cosines(probe.words)
        return np.clip(np.einsum("ij,j->i", self._vectors, probe.vector), 0.0, 1.0).astype(np.float32)


def _moments_of(probes: Sequence[Hung]) -> Array:
    return np.array([probe.print.moment for probe in probes], np.int64)


def _order_of(probes: Sequence[Hung]) -> tuple[Array, Array]:
    sessions = np.array([probe.print.session for probe in probes], np.uint64)
    return sessions, np.array([probe.print.position for probe in probes], np.int64)


def _bits_of(probes: Sequence[Hung]) -> Array:
    joined = np.frombuffer(b"".join(probe.print.bits for probe in probes), np.uint64)
    return joined.reshape(len(probes), hyperdimensional.BYTES // 8)


def _each(nearness: Callable[[Hung], Array]) -> Callable[[Sequence[Hung]], Array]:
    """What is quick enough for one probe after the other."""
    return lambda probes: np.array([nearness(probe) for probe in probes])
