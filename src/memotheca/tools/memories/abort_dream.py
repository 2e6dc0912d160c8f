"""Abort a dream."""

import time
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.dream.dream_log import STATES, ask_to_wake, newest_event, read_dreams
from memotheca.memory.dream.sleeper import WAKES_WITHIN, is_somebody_dreaming, sleeper_of
from memotheca.memory.session.state import activity_of
from memotheca.storage.activity import ActivityRecord
from memotheca.toolkit.fields import UNSET, choice, flag, number, one, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.dream_shapes import ReportShape, shape_report

PATIENCE = 2.0  # chosen: seconds, twenty times what waking may take
POLL = 0.01  # chosen: seconds between two looks whether another program has woken


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    reason: str = text("Why, for the log.", UNSET, minLength=1, maxLength=200)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    aborted: bool = flag()
    abort_latency_ms: float | None = number("Null where nothing was dreaming.", default=None, nullable=True)
    mandate_met: bool | None = flag("Whether it took less than 100 ms.", default=None, nullable=True)
    previous_state: str = choice(tuple(dict.fromkeys(STATES.values())))
    partial_report: ReportShape | None = one(ReportShape, default=None, nullable=True)
    reason: str | None = text(default=None, nullable=True)


EXAMPLE = Example(arguments={})


@tool(contract="memories", component="dream", effect="change", models=(Input, Output), example=EXAMPLE, idempotent=True)
def abort_dream(call: Call[Kernel], input: Input) -> Answer:
    """Wake the memory from a dream, whichever program dreams it; what was done until then stays, and can be taken
    back."""
    kernel, began = call.kernel, time.monotonic()
    with kernel.read() as snapshot:
        event = newest_event(snapshot.session, snapshot.collection)
    reason = input.reason or None
    if event is None or event.phase == "ended" or not is_somebody_dreaming(kernel):
        return Answer("Nothing dreams.", NODES, Output(aborted=False, previous_state="Awake", reason=reason))
    sleep = sleeper_of(kernel).sleep
    if sleep is not None and sleep.run == event.run:
        sleep.wake("manual_abort")
        has_ended = sleep.ended.wait(PATIENCE)
    else:
        kernel.store.operate(lambda session: ask_to_wake(session, kernel, event.run))
        has_ended = _wait(kernel)
    taken = (time.monotonic() - began) * 1000
    with kernel.read() as snapshot:
        ended = read_dreams(snapshot.session, snapshot.collection).ended
    line = ActivityRecord(time=kernel.now(), level="info", component="dream", action="abort", reason=reason or "")
    activity_of(kernel).log(kernel.collection, line)
    mine = ended if ended is not None and ended.run == event.run else None
    output = Output(
        aborted=has_ended,
        abort_latency_ms=round(taken, 2),
        mandate_met=taken < WAKES_WITHIN * 1000,
        previous_state=STATES[event.phase],
        partial_report=None if mine is None else shape_report(mine.facts),
        reason=reason,
    )
    return Answer(f"Awake after {taken:.0f} ms." if has_ended else "It has not woken yet.", NODES, output)


def _wait(kernel: Kernel) -> bool:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if not is_somebody_dreaming(kernel):
            return True
        time.sleep(POLL)
    return False
