"""Get the status of dreams."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.dream.dream_log import COOLDOWN, STATES, LastDreams, read_dreams
from memotheca.memory.dream.sleeper import is_somebody_dreaming
from memotheca.memory.session.call_meter import IDLE, CallMeter
from memotheca.memory.session.state import activity_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.model.clock import SECOND, to_iso
from memotheca.model.knowledge import counted
from memotheca.storage.instruments.work_events import WorkEvent
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, integer, many, number, one, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.dream_shapes import ReportShape, shape_report, tell_help

WORKED = 30 * 60  # specification (memory-model: Dreams)
CONDITIONS = ("low_activity", "high_entropy", "long_work")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressShape:
    dream_id: str = text()
    requested: str = text()
    phase: str = text()
    done: int | None = integer(default=None, nullable=True)
    total: int | None = integer(default=None, nullable=True)
    event: int = integer("Its number; whoever follows goes on from there.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionShape:
    condition: str = choice(CONDITIONS)
    holds: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerShape:
    average_activity: float = number("Over an hour.")
    cooldown_remaining: int = integer("Seconds.")
    trigger_conditions: tuple[ConditionShape, ...] = many(ConditionShape)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    state: str = choice(tuple(dict.fromkeys(STATES.values())))
    is_dreaming: bool = flag()
    progress: ProgressShape | Unset = one(ProgressShape, default=UNSET)
    cut_off: str | Unset = text("The last dream, where its program was killed.", default=UNSET)
    activity_level: float = number("Calls in ten minutes, of twenty.")
    completed_cycles: int = integer()
    time_since_last_dream_secs: int | None = integer(default=None, nullable=True)
    last_dream_completed: str | None = text(default=None, nullable=True)
    scheduler: SchedulerShape = one(SchedulerShape)
    last_report: ReportShape | None = one(ReportShape, default=None, nullable=True)


EXAMPLE = Example(
    arguments={},
    after=(
        ("store_memory", {"content": "The nightly job takes the lock.", "rationale": "Seen in the log."}),
        ("trigger_dream", {"blocking": True}),
    ),
)


@tool(contract="memories", component="dream", effect="read", models=(Input, Output), example=EXAMPLE)
def get_dream_status(call: Call[Kernel], input: Input) -> Answer:
    """Whether the memory dreams, in whichever program, how far it is, what the last dream did and whether it helped,
    and whether it is time for one."""
    kernel, now = call.kernel, call.kernel.now()
    with kernel.read() as snapshot:
        dreams = read_dreams(snapshot.session, snapshot.collection)
        mood = activity_of(kernel).mood(snapshot.session, kernel.collection, call.session)
        high = gates_at(snapshot)["entropy_high"]
    going = _going(kernel, dreams)
    meter = kernel.keep(CallMeter, kernel.collection)
    holding = (meter.level() < IDLE, mood.entropy > high, meter.working_for() >= WORKED)
    ended = dreams.ended
    output = Output(
        state="Awake" if going is None else STATES[going.phase],
        is_dreaming=going is not None,
        progress=UNSET if going is None else _progress(going),
        cut_off=dreams.newest.run if going is None and dreams.newest is not None and dreams.is_open else UNSET,
        activity_level=round(meter.level(), 4),
        completed_cycles=dreams.completed,
        time_since_last_dream_secs=None if ended is None else (now - ended.time) // SECOND,
        last_dream_completed=None if ended is None else to_iso(ended.time),
        scheduler=SchedulerShape(
            average_activity=round(meter.average(), 4),
            cooldown_remaining=0
            if dreams.ended_at is None
            else max(0, -((now - dreams.ended_at - COOLDOWN) // SECOND)),
            trigger_conditions=tuple(
                ConditionShape(condition=name, holds=holds) for name, holds in zip(CONDITIONS, holding, strict=True)
            ),
        ),
        last_report=None if ended is None else shape_report(ended.facts),
    )
    return Answer(_sentence(output), NODES, output)


def _going(kernel: Kernel, dreams: LastDreams) -> WorkEvent | None:
    """What is being dreamt; a dream whose program was killed has no end, and nobody holds its role."""
    newest = dreams.newest
    return newest if dreams.is_open and is_somebody_dreaming(kernel) else None


def _progress(event: WorkEvent) -> ProgressShape:
    return ProgressShape(
        dream_id=event.run,
        requested=event.facts["requested"],
        phase=event.phase,
        done=event.facts.get("done"),
        total=event.facts.get("total"),
        event=event.number,
    )


def _sentence(output: Output) -> str:
    if output.is_dreaming:
        return f"It dreams: {output.state}."
    if not isinstance(output.cut_off, Unset):
        undo = f"restore_from_hash takes back what {output.cut_off} had done"
        return f"It is awake. The last dream was cut off with its program: the next goes on; {undo}, if anything."
    last = output.last_report
    if last is None:
        return "It is awake, and has not dreamt yet."
    ended, tasks = last.wake_reason.replace("_", " "), counted(last.tasks_opened, "task")
    return f"It is awake. The last dream ended {ended}, {tasks}.{tell_help(last)}"
