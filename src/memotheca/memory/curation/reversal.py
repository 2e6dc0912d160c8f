"""Reversal hashes: a transaction's number and its seal, read from the journal, by which it can be taken back."""

import hashlib

from memotheca.model.clock import DAY
from memotheca.model.commits import Transaction
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.snapshot import Reading

WINDOW = 30 * DAY
_NUMBER = 12
_SEAL = 52


def hash_of(transaction: Transaction) -> str:
    """Sixty-four letters: a seal over what the journal says of the transaction, and its number."""
    said = f"{transaction.tx}\0{transaction.time}\0{transaction.operation}\0{transaction.subject_id}"
    seal = hashlib.sha256(said.encode()).hexdigest()[:_SEAL]
    return f"{seal}{transaction.tx:0{_NUMBER}x}"


def find_transaction(reading: Reading, reversal_hash: str) -> Transaction:
    """The transaction a hash was given for."""
    said = reversal_hash.strip()
    try:
        number = int(said[_SEAL:], 16) if len(said) == _SEAL + _NUMBER else 0
    except ValueError:
        number = 0
    found = reading.transaction(number) if number else None
    if found is None or hash_of(found) != reversal_hash.strip().lower():
        raise Refusal(Failure.NOT_FOUND, "No forgetting or merging has that reversal hash.", field="reversal_hash")
    return found
