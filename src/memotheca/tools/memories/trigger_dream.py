"""Trigger a dream."""

from dataclasses import dataclass, replace
from typing import Any, cast

from memotheca.kernel.kernel import Kernel
from memotheca.memory.dream.dream_log import COOLDOWN, read_dreams
from memotheca.memory.dream.night import ALIASES, PHASES, DreamRequest, Phase, dream, new_run
from memotheca.memory.dream.sleeper import Sleep, is_somebody_dreaming, sleeper_of
from memotheca.model.clock import MINUTE, SECOND, to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import counted
from memotheca.toolkit.fields import UNSET, choice, flag, integer, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.dream_shapes import DreamOutput, shape_report, shape_spots, tell_help

WAKING = ("external_query", "manual_abort", "time_over")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    phase: str = choice((*PHASES, *ALIASES), "nrem tends what is stored, rem proposes blind spots.", "full")
    duration_minutes: int = integer("At most; it ends when nothing is left.", 5, minimum=1, maximum=10)
    synthetic_query_count: int = integer("Memories that rem probes.", 100, minimum=10, maximum=500)
    blocking: bool = flag("Answer when it has ended, with progress.", False)
    abort_on_query: bool = flag("Wake as soon as the memory is asked something.", True)
    dry_run: bool = flag("Change nothing, and tell what would be.", False)
    force: bool = flag("Also within a minute of the last one.", False)
    rationale: str = text("Why.", UNSET, minLength=10, maxLength=1000)


EXAMPLE = Example(
    arguments={"phase": "rem", "blocking": True},
    after=(
        ("store_memory", {"content": "INC-7 woke the night shift.", "rationale": "Seen in the log."}),
        ("store_memory", {"content": "The invoice quotes INC-7.", "rationale": "Found by accounting."}),
    ),
)


@tool(contract="memories", component="dream", effect="change", models=(Input, DreamOutput), example=EXAMPLE)
def trigger_dream(call: Call[Kernel], input: Input) -> Answer:
    """Let the memory tend itself while nobody asks it anything: find duplicates, newer values and missing links, move
    the links it found itself by how they are used, shorten paths that are walked often, propose blind spots. Any
    question wakes it. restore_from_hash takes back a dream_id."""
    kernel = call.kernel
    with kernel.read() as snapshot:
        ended = read_dreams(snapshot.session, snapshot.collection).ended_at
    rest = 0 if ended is None or input.force else ended + COOLDOWN - kernel.now()
    if rest > 0:
        return _refused(f"The last dream ended less than a minute ago: wait {rest // SECOND + 1} s, or use force.")
    run = new_run()
    slumber = sleeper_of(kernel).fall_asleep(
        kernel, run, float(input.duration_minutes), wakes_on_query=input.abort_on_query
    )
    if slumber is None:
        going = "A dream goes on already" if is_somebody_dreaming(kernel) else "This program is about to end"
        return _refused(f"{going}; get_dream_status tells of it.")
    request = DreamRequest(
        phase=cast(Phase, ALIASES.get(input.phase, input.phase)),
        minutes=float(input.duration_minutes),
        queries=input.synthetic_query_count,
        abort_on_query=input.abort_on_query,
        dry_run=input.dry_run,
        rationale=input.rationale or "",
        actor=call.actor,
    )
    begun = _begun(call, run, request)
    if not input.blocking:
        slumber.spend_apart(lambda sleep: _dream(sleep, request))
        told = f"It dreams ({run}); get_dream_status tells how far it is."
        return Answer(told, NODES, begun)
    reports: list[dict[str, Any]] = []
    left: list[bool] = []

    def spend(sleep: Sleep) -> None:
        def tell(done: float, total: float | None, message: str) -> None:
            if not left and call.cancelled():
                left.append(True)
                sleep.wake("manual_abort")
            call.report(done, total, message)

        reports.append(dream(sleep, request, tell))

    slumber.spend(spend)
    if left:
        done = f"; restore_from_hash takes back what {run} had done" if reports[0]["transactions"] else ""
        raise Refusal(Failure.CANCELLED, f"The dream was cancelled{done}.")
    return _answer(begun, reports[0])


def _dream(sleep: Sleep, request: DreamRequest) -> None:
    dream(sleep, request)


def _refused(why: str) -> Answer:
    return Answer(why, NODES, DreamOutput(triggered=False, trigger_reason=why))


def _begun(call: Call[Kernel], run: str, request: DreamRequest) -> DreamOutput:
    return DreamOutput(
        triggered=True,
        dream_id=run,
        trigger_reason="manual",
        wakes_on=WAKING if request.abort_on_query else WAKING[1:],
        ends_by=to_iso(call.kernel.now() + int(request.minutes) * MINUTE),
    )


def _answer(begun: DreamOutput, told: dict[str, Any]) -> Answer:
    nrem: dict[str, Any] = told["nrem"] or {}
    output = replace(
        begun,
        phase_completed=told["phase"] if told["completed"] else next(iter(told["phases_completed"][::-1]), None),
        edges_strengthened=nrem.get("edges_strengthened", 0),
        edges_pruned=nrem.get("edges_pruned", 0),
        new_edges_created=nrem.get("links_found", 0),
        shortcuts_created=told["shortcuts_created"],
        blind_spots_discovered=shape_spots(told),
        duration_ms=told["duration_ms"],
        was_interrupted=told["was_interrupted"],
        report=shape_report(told),
    )
    return Answer(_tell(output, told), NODES, output)


def _tell(output: DreamOutput, told: dict[str, Any]) -> str:
    tasks, changes = counted(told["tasks_opened"], "task"), counted(len(told["transactions"]), "transaction")
    ended = told["wake_reason"].replace("_", " ")
    if told["dry_run"]:
        return f"A dry run ({ended}), nothing is changed: a dream would put {tasks} on the list."
    listed = " get_memetic_status lists them." if told["tasks_opened"] else ""
    undone = f" restore_from_hash takes back {output.dream_id}." if told["transactions"] else ""
    return f"Dreamt ({ended}): {tasks}, {changes}.{listed}{undone}{tell_help(shape_report(told))}"
