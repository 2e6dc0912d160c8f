"""Transactions and the changes they are made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memotheca.model.knowledge import Subject, Thing

# Under which key a commit's note says what was done, where its operation does not.
VERB = "verb"
# Under which key it says that a machine decided it, so that it has a reversal hash whatever its operation.
MACHINE = "machine"
# Under which key it says which other commits the same command made.
BATCH = "batch"

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


@dataclass(frozen=True, slots=True)
class CommitBatch:
    """What the transactions of one command have in common: its id, and the transaction that all of them come after."""

    id: str
    after: int


def to_batch(said: Mapping[str, Any] | None) -> CommitBatch | None:
    """The batch that was written down, if any."""
    return None if said is None else CommitBatch(str(said["id"]), int(said["after"]))


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

    @property
    def verb(self) -> str:
        """What was done, where the note says it. Older notes have the name of a tool, whose first word is the verb."""
        return str(self.note.get(VERB) or str(self.note.get("tool") or "").partition("_")[0])

    @property
    def batch(self) -> CommitBatch | None:
        """What it has in common with the other commits of one command, where that made several."""
        return to_batch(self.note.get(BATCH))
