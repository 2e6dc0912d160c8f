"""A space: a notion of nearness, as a class that represents entries, compares them and keeps its statistics."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.spaces.sparse import Columns, Sparse, saturated

Array = NDArray[Any]
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """When an entry was stored, its place in its session, and its representation in each space that keeps one, by the
    space's id."""

    moment: int
    session: int
    position: int
    parts: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hung:
    """An entry as all spaces see it; without an embedder, its words stand in for its meaning."""

    id: str
    print: Fingerprint
    words: Sparse
    vector: Array | None = None
    walk: Mapping[str, float] = field(default_factory=dict[str, float])


def distinct(probes: Sequence[Hung]) -> tuple[list[Hung], Array]:
    """Each of some entries once, and where among them each of the probes stands: in pairs of a few entries each of
    them comes again and again."""
    places: dict[int, int] = {}
    at = np.array([places.setdefault(id(probe), len(places)) for probe in probes], np.intp)
    return list({id(probe): probe for probe in probes}.values()), at


class Members:
    """Entries to compare with; how rare each of their words is, which several spaces ask."""

    def __init__(self, hung: Sequence[Hung]) -> None:
        self.hung = tuple(hung)

    @cached_property
    def words(self) -> Columns:
        return Columns([each.words for each in self.hung])


class Space(ABC):
    """One notion of nearness over some members; statistics over them (how rare, what goes together) enter here and only
    here. The class says what the space is for and how it represents an entry."""

    id: ClassVar[str]
    name: ClassVar[str]
    purpose: ClassVar[str]
    representation: ClassVar[str]
    # What it is about is what an entry says; others see when it was stored or how it is written.
    sees_content: ClassVar[bool] = True
    # Why it abstains where there is nothing to compare.
    silence: ClassVar[str] = ""

    def __init__(self, members: Members) -> None:
        self.members = members

    def speaks(self, probes: Sequence[Hung]) -> Array:
        """Of which of several probes it has anything to compare; of the others it abstains (memory-model:
        Abstention)."""
        return np.ones(len(probes), bool)

    @abstractmethod
    def nearness(self, probes: Sequence[Hung]) -> Array:
        """How near several probes are to every member, from 0 to 1, a row for each probe."""

    @abstractmethod
    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        """How near each of some entries is to its counterpart; members or not, with the statistics of the members."""

    def weights(self, probe: Hung) -> tuple[Sparse, Array]:
        """The terms by which a probe stands in this space, each with its weight: its words, unless the space has terms
        of its own."""
        return probe.words, saturated(probe.words.counts) * self.members.words.rarities(probe.words)


class KeptSpace(Space, Generic[R]):
    """A space with a representation of its own, made from an entry's text alone and kept in its fingerprint."""

    # Of small numbers that stand in the fingerprint's head: their types, as `struct` spells them.
    marks: ClassVar[str] = ""

    @staticmethod
    @abstractmethod
    def represent(text: str, modality: str = "text") -> R:
        """What a text is in this space."""

    @staticmethod
    def to_marks(part: R) -> tuple[int, ...]:
        return ()

    @staticmethod
    @abstractmethod
    def to_bytes(part: R) -> bytes:
        """All of a representation that is not in its marks."""

    @staticmethod
    @abstractmethod
    def from_bytes(marks: tuple[int, ...], packed: bytes, start: int) -> tuple[R, int]:
        """A representation, and where the next one begins."""

    @classmethod
    def parts(cls, hung: Iterable[Hung]) -> list[R]:
        """The representations of some entries."""
        return [each.print.parts[cls.id] for each in hung]


class SparseSpace(KeptSpace[Sparse]):
    """A space of terms of its own, by how rare they are among the members."""

    def __init__(self, members: Members) -> None:
        super().__init__(members)
        self.columns = Columns(self.parts(members.hung))

    def speaks(self, probes: Sequence[Hung]) -> Array:
        return np.array([not part.is_empty for part in self.parts(probes)], bool)

    @staticmethod
    def to_bytes(part: Sparse) -> bytes:
        return part.to_bytes()

    @staticmethod
    def from_bytes(marks: tuple[int, ...], packed: bytes, start: int) -> tuple[Sparse, int]:
        return Sparse.from_bytes(packed, start)


def speak_by_words(probes: Sequence[Hung]) -> Array:
    """Of which of several probes there are words to compare."""
    return np.array([not probe.words.is_empty for probe in probes], bool)


def one_by_one(rows: Iterable[Array]) -> Array:
    """What is quick enough for one probe after the other."""
    return np.array(list(rows))
