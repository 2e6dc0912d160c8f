"""Get the system logs."""

from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.log import (
    COMPONENTS,
    LEVELS,
    LogLine,
    LogQuery,
    Whereabouts,
    find_whereabouts,
    read_chronicle,
)
from memotheca.memory.curation.lineage import find_any
from memotheca.memory.verbs import Verb
from memotheca.model.clock import from_iso, to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.contract import count_fitting, room_for
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, free, integer, many, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.names import TOOLS, name_of_act

ALL = "all"
USUAL = 100  # specification: the default of `limit`


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    level: str = choice(LEVELS, "The least severe to show.", "info")
    limit: int = integer("", USUAL, minimum=1, maximum=1000)
    component: str = choice((ALL, *COMPONENTS), "", ALL)
    node_id: str | Unset = text("Only what happened to this one.", UNSET, minLength=1)
    since: str | Unset = text("", UNSET, format="date-time")


@dataclass(frozen=True, slots=True, kw_only=True)
class LineShape:
    timestamp: str = text()
    level: str = text()
    component: str = text()
    action: str = text()
    node_ids: tuple[str, ...] = texts()
    reason: str = text()
    details: dict[str, Any] = free()
    recoverable: bool = flag()
    recovery_tool: str | None = text(default=None, nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    entries: tuple[LineShape, ...] = many(LineShape)
    count: int = integer()
    explanation_for_user: str = text()
    truncated: bool | Unset = flag(default=UNSET)


EXAMPLE = Example(
    arguments={"component": "curation"},
    after=(
        ("store_memory", {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}),
        (
            "forget_concept",
            {"node_id": "$node_id", "reason": "incorrect", "rationale": "She takes it with milk, as she said today."},
        ),
    ),
)


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def get_system_logs(call: Call[Kernel], input: Input) -> Answer:
    """See what was stored, changed, merged, forgotten, quarantined or refused, newest first, and why; for "why don't
    you remember X?". Contents are never logged."""
    kernel = call.kernel
    components = COMPONENTS if input.component == ALL else (input.component,)
    since = _moment(input.since) if isinstance(input.since, str) else 0
    with kernel.read() as snapshot:
        node = find_any(snapshot, input.node_id) if isinstance(input.node_id, str) else None
        sought = LogQuery(level=input.level, components=components, limit=input.limit, node_id=node, since=since)
        lines = read_chronicle(kernel, snapshot, sought)
        told = _summarize(lines) if node is None else _explain(find_whereabouts(kernel, snapshot, node))
    shown = tuple(_shape(line) for line in lines)
    fitting = count_fitting(shown, room_for(input.limit, USUAL))
    if fitting < len(shown):
        told = (
            f"{told} The newest {fitting} of {len(shown)} are shown; a larger limit, a component or a level shows more."
        )
    output = Output(
        entries=shown[:fitting],
        count=fitting,
        explanation_for_user=told,
        truncated=True if fitting < len(shown) else UNSET,
    )
    return Answer(told, NODES, output)


def _moment(said: str) -> int:
    try:
        return from_iso(said)
    except ValueError:
        raise Refusal(Failure.INVALID, f"{said!r} is no ISO-8601 time.", field="since") from None


def _shape(line: LogLine) -> LineShape:
    return LineShape(
        timestamp=to_iso(line.time),
        level=line.level,
        component=line.component,
        action=name_of_act(line.verb) or line.action,
        node_ids=line.node_ids,
        reason=line.reason,
        details=dict(line.details),
        recoverable=line.recovery is not None,
        recovery_tool=None if line.recovery is None else TOOLS[line.recovery],
    )


def _explain(found: Whereabouts) -> str:
    """Why something is not remembered, to whoever asks."""
    if found.held is not None:
        until = f" until {to_iso(int(found.held['until']))}" if found.held.get("until") else ""
        return (
            f"It is quarantined{until} ({found.held.get('reason')}); search_graph with include_quarantined shows it, "
            "and a person can let it out: memotheca memory --release."
        )
    if found.is_there:
        return "It is there and nothing hides it; other words may find it: generate_search_plan."
    gone = found.gone
    if gone is None:
        return "It was erased for good."
    day = to_iso(gone.commit.time)[:10]
    deed = {"MERGE": f"merged into {gone.commit.subject_id}", "REVERT": "undone"}
    told = f"It was {deed.get(gone.commit.operation, 'forgotten')} on {day}"
    reason = gone.commit.note.get("reason")
    told += f" as {reason}." if reason else "."
    if not found.can_be_restored:
        return f"{told} Undo that to have it back."
    if gone.days_left <= 0:
        return f"{told} The 30 days in which it could come back are over."
    return f"{told} restore_from_hash brings it back with {gone.reversal_hash}."


def _summarize(lines: list[LogLine]) -> str:
    """What of the lines can explain that something is not remembered."""
    back = sum(line.recovery is Verb.RESTORE for line in lines)
    held = sum(line.action == "quarantine" for line in lines)
    refused = sum(line.action == "block" for line in lines)
    told = [
        f"{back} deletions or mergers can be taken back with restore_from_hash" if back else "",
        f"{held} memories were quarantined" if held else "",
        f"{refused} were refused as planted instructions" if refused else "",
    ]
    said = "; ".join(part for part in told if part)
    return f"{said[0].upper()}{said[1:]}." if said else "Nothing here was deleted, quarantined or refused."
