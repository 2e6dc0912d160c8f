"""Transactions and the changes they are made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memotheca.model.knowledge import Subject, Thing

Operation = Literal["CREATE", "UPDATE", "DELETE", "MERGE", "REVERT", "IMPORT", "INDEX", "ERASE"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """An entry or edge as one transaction left it; `thing` is None for a tombstone or an erased image."""

    id: str
    tx: int
    time: int
    subject: Subject
    kind: str
    thing: Thing | None
    erased: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """One entry or edge before and after a transaction."""

    before: Version | None
    after: Version

    @property
    def removes(self) -> bool:
        return self.after.thing is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """An atomic, numbered, attributed group of changes."""

    tx: int
    time: int
    actor: str
    operation: Operation
    subject_id: str
    undoes: int | None = None
    note: Mapping[str, Any] = field(default_factory=dict[str, Any])
