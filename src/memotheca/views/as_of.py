"""As of: the state that somebody wants to see, by a time or by a transaction."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.validity import moment
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.lookups import newest_before
from memotheca.storage.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class PastState:
    """The state after a transaction, and when that was."""

    tx: int
    time: int


def find_state(snapshot: Snapshot, said: str | None) -> PastState | None:
    """The state that is meant by the number of a transaction or by a time; nothing where nothing was said."""
    if said is None or not said.strip():
        return None
    spelled = said.strip()
    if not spelled.isascii() or not spelled.isdigit():
        return PastState(*newest_before(snapshot, moment(spelled, "as_of")))
    # More digits than a number of 64 bits has are no transaction of anybody.
    tx = int(spelled[:19])
    if tx > snapshot.tx:
        message = f"as_of must be a time, or a transaction up to {snapshot.tx}."
        raise Refusal(Failure.INVALID, message, field="as_of")
    commit = snapshot.commit(tx)
    return PastState(tx, 0 if commit is None else commit.time)


def find_past(kernel: Kernel, said: str | None) -> PastState | None:
    """The state in which things are to be seen; nothing where that is the newest."""
    if not said:
        return None
    with kernel.read() as snapshot:
        state = find_state(snapshot, said)
        return None if state is None or state.tx >= snapshot.tx else state
