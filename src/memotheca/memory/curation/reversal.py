"""Reversal hashes: a transaction's number and its seal, read from the journal, by which it can be taken back."""

import hashlib
from typing import Any

from memotheca.model.clock import DAY
from memotheca.model.commits import MACHINE, VERB, Commit
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.snapshot import Snapshot

WINDOW = 30 * DAY  # specification (memory-model: Reversal)
_NUMBER = 12  # chosen: 64 letters with the seal (docs/decisions/memories.md)
_SEAL = 52  # chosen: 64 letters with the number (docs/decisions/memories.md)
FIELD = "reversal_hash"
TAKEN_BACK = ("DELETE", "MERGE")


def machine_note(verb: str, rationale: str, **more: Any) -> dict[str, Any]:
    """What the one transaction of some machine's work says of itself; its reversal hash takes it back."""
    return {VERB: verb, MACHINE: True, "rationale": rationale, **more}


def hash_of(commit: Commit) -> str:
    """Sixty-four letters: a seal over what the journal says of the transaction, and its number."""
    said = f"{commit.tx}\0{commit.time}\0{commit.operation}\0{commit.subject_id}"
    seal = hashlib.sha256(said.encode()).hexdigest()[:_SEAL]
    return f"{seal}{commit.tx:0{_NUMBER}x}"


def find_transaction(snapshot: Snapshot, reversal_hash: str) -> Commit:
    """The transaction a hash was given for."""
    said = reversal_hash.strip()
    if not said:
        raise Refusal(
            Failure.INVALID,
            "A reversal hash is needed, or a dream_id: whatever can be taken back answers one.",
            field=FIELD,
        )
    try:
        number = int(said[_SEAL:], 16) if len(said) == _SEAL + _NUMBER else 0
    except ValueError:
        number = 0
    found = snapshot.commit(number) if number else None
    if found is None or hash_of(found) != said.lower():
        raise Refusal(Failure.NOT_FOUND, "Nothing that can be taken back has that reversal hash.", field=FIELD)
    return found
