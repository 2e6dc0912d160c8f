"""Anticipating: between the calls, what the next one will want to know of what was looked at lately."""

from collections.abc import Callable
from weakref import WeakKeyDictionary

from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.critique import find_clashes, related_pairs
from memotheca.memory.care.layers import count_quadrants
from memotheca.memory.care.recency import recent_entries
from memotheca.memory.care.tasks import LOOKED_AT
from memotheca.memory.session.state import Activity, activity_of
from memotheca.memory.standing.judge import reference_of

_ready: WeakKeyDictionary[Activity, tuple[int, int]] = WeakKeyDictionary()


def get_ready(kernel: Kernel, stop: Callable[[], bool]) -> None:
    """Compare what was looked at or stored lately with what is near it, and judge the sample: once for every change and
    every look, one entry at a time, so that no call waits for it."""
    with kernel.read() as snapshot:
        state = (snapshot.tx, activity_of(kernel).stirrings)
        if _ready.get(activity_of(kernel)) == state:
            return
        entries = recent_entries(kernel, snapshot, LOOKED_AT)
    for entry in entries:
        if stop():
            return
        with kernel.read() as snapshot:
            find_clashes(snapshot, related_pairs(kernel, snapshot, [entry]).pairs)
    with kernel.read() as snapshot:
        reference_of(kernel, snapshot).renew(snapshot)
        count_quadrants(kernel, snapshot)
    _ready[activity_of(kernel)] = state
