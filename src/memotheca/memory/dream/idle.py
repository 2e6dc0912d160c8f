"""Idle dreams: a dream that begins by itself, once a day at most, where whoever runs the server wants that
(memory-model: Dreams)."""

from functools import partial

from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.schedule import next_dream
from memotheca.memory.dream.dream_log import read_dreams
from memotheca.memory.dream.night import DreamRequest, dream, new_run
from memotheca.memory.dream.sleeper import Sleep, sleeper_of
from memotheca.memory.session.call_meter import WINDOW
from memotheca.model.clock import SECOND

MINUTES = 5.0  # specification (memory-model: Dreams): as long as one that somebody asks for
AFTER_ANOTHER = int(WINDOW) * SECOND  # chosen: who was woken sleeps on only after a quiet spell
WHY = "Nobody asked anything for a while."


def is_dream_due(kernel: Kernel) -> bool:
    with kernel.read() as snapshot:
        due = next_dream(snapshot)
        ended = read_dreams(snapshot.session, snapshot.collection).ended_at
    now = kernel.now()
    return due is not None and due <= now and (ended is None or now - ended >= AFTER_ANOTHER)


def dream_if_due(kernel: Kernel) -> bool:
    """Begin a dream in a thread of its own, where one is due and none goes on; whether it began."""
    if not is_dream_due(kernel):
        return False
    slumber = sleeper_of(kernel).fall_asleep(kernel, new_run(), MINUTES, wakes_on_query=True)
    if slumber is None:
        return False
    slumber.spend_apart(partial(_dream, DreamRequest(minutes=MINUTES, rationale=WHY)))
    return True


def _dream(request: DreamRequest, sleep: Sleep) -> None:
    dream(sleep, request)
