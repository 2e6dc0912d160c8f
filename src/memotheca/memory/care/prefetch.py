"""Anticipating: between the calls, what the next one will want to know of what was looked at lately."""

from collections.abc import Callable
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.critique import find_clashes, related_pairs
from memotheca.memory.care.layers import count_quadrants
from memotheca.memory.care.recency import recent_entries
from memotheca.memory.session.state import activity_of
from memotheca.memory.standing.sample import reference_of

LOOKED_AT = 50  # chosen: as many as a critique can be about


@dataclass(slots=True)
class _Prefetched:
    """For which transaction and how many looks everything is ready."""

    state: tuple[int, int] | None = None


def get_ready(kernel: Kernel, stop: Callable[[], bool]) -> None:
    """Compare what was looked at or stored lately with what is near it, and judge the sample: once for every change and
    every look, one entry at a time, so that no call waits for it."""
    ready = kernel.keep(_Prefetched, kernel.collection)
    with kernel.read() as snapshot:
        state = (snapshot.tx, activity_of(kernel).stirrings)
        if ready.state == state:
            return
        entries = recent_entries(kernel, snapshot, LOOKED_AT)
    for entry in entries:
        if stop():
            return
        with kernel.read() as snapshot:
            find_clashes(snapshot, related_pairs(kernel, snapshot, [entry]).pairs, kernel)
    with kernel.read() as snapshot:
        reference_of(kernel, snapshot).renew(snapshot)
        count_quadrants(kernel, snapshot)
    ready.state = state
