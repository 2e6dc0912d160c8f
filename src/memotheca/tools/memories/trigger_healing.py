"""Trigger healing."""

from dataclasses import dataclass
from typing import cast

from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.part_health import SEVERITIES, Severity, condition_of, heal
from memotheca.toolkit.fields import choice, flag, number, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.get_health_status import SUBSYSTEMS


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    subsystem: str = choice(tuple(SUBSYSTEMS), "Judging, sessions, background work, or the store.")
    severity: str = choice(SEVERITIES, "How much to do: each also does what the milder ones do.", "medium")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    success: bool = flag("Whether it is healthy now.")
    subsystem: str = text()
    severity: str = text()
    actions_taken: tuple[str, ...] = texts("What was really done; empty where there was nothing to do.")
    old_status: str = text()
    new_status: str = text()
    still_wrong: tuple[str, ...] = texts()
    recovery_time_ms: float = number()


EXAMPLE = Example(
    arguments={"subsystem": "utl"},
    after=(("store_memory", {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}),),
)


@tool(contract="memories", component="storage", effect="change", models=(Input, Output), example=EXAMPLE)
def trigger_healing(call: Call[Kernel], input: Input) -> Answer:
    """Do what can be done about a part of the memory: storage seals the index, shortens the log, embeds what waits,
    reads its index anew, compares with the journal; dream queues lost and failed jobs again and looks through; utl and
    gwt let go of what they hold. No memory changes. It tells what was really done."""
    done = heal(call.kernel, SUBSYSTEMS[input.subsystem], cast(Severity, input.severity), session=call.session)
    status = condition_of(done.after.score)
    output = Output(
        success=status == "healthy",
        subsystem=input.subsystem,
        severity=input.severity,
        actions_taken=done.done,
        old_status=condition_of(done.before.score),
        new_status=status,
        still_wrong=tuple(done.after.advice),
        recovery_time_ms=done.milliseconds,
    )
    told = "; ".join(done.done) or "there was nothing to do"
    return Answer(f"{input.subsystem} is {status}: {told}.", NODES, output)
