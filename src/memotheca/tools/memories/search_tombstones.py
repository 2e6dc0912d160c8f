"""Search tombstones."""

from dataclasses import dataclass

from memotheca.kernel.citations import HELD, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.reversal import TAKEN_BACK
from memotheca.memory.curation.tombstones import Tombstone, find_tombstones
from memotheca.model.clock import from_iso, to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.fields import UNSET, Unset, flag, integer, many, number, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

SNIPPET = 240  # chosen: two or three lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    query: str | Unset = text("Words it had; without, the newest.", UNSET, minLength=1, maxLength=4096)
    deleted_after: str | Unset = text("", UNSET, format="date-time")
    limit: int = integer("", 20, minimum=1, maximum=100)


@dataclass(frozen=True, slots=True, kw_only=True)
class TombstoneShape:
    node_id: str = text()
    kind: str = text()
    name: str = text()
    snippet: str = text()
    deletion_reason: str | None = text(default=None, nullable=True)
    rationale: str | None = text(default=None, nullable=True)
    deleted_at: str = text()
    deleted_by: str = text()
    recoverable: bool = flag()
    days_left: float | None = number("Null where it cannot be restored by its hash.", nullable=True)
    reversal_hash: str | None = text(default=None, nullable=True)
    explanation: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    tombstones: tuple[TombstoneShape, ...] = many(TombstoneShape)
    count: int = integer()
    total: int = integer()
    recovery_instructions: str = text()


EXAMPLE = Example(
    arguments={"query": "tea"},
    after=(
        ("store_memory", {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}),
        (
            "forget_concept",
            {"node_id": "$node_id", "reason": "incorrect", "rationale": "She takes it with milk, as she said today."},
        ),
    ),
)


@tool(contract="memories", component="curation", effect="read", models=(Input, Output), example=EXAMPLE)
def search_tombstones(call: Call[Kernel], input: Input) -> Answer:
    """Find what was forgotten or merged away within the last 30 days and can still come back."""
    query = input.query if isinstance(input.query, str) else ""
    with call.kernel.read() as snapshot:
        after = _moment(input.deleted_after) if isinstance(input.deleted_after, str) else 0
        found, total = find_tombstones(snapshot, call.kernel.now(), query=query, after=after, limit=input.limit)
    shown = tuple(_shape(tombstone) for tombstone in found)
    output = Output(tombstones=shown, count=len(shown), total=total, recovery_instructions=_instructions(shown))
    counted = f"{len(shown)}" if len(shown) == total else f"{len(shown)} of {total}"
    return Answer(f"{counted} deleted and still kept. {_instructions(shown)}", NODES, output)


def _moment(said: str) -> int:
    try:
        return from_iso(said)
    except ValueError:
        raise Refusal(Failure.INVALID, f"{said!r} is no ISO-8601 time.", field="deleted_after") from None


def _instructions(shown: tuple[TombstoneShape, ...]) -> str:
    if not shown:
        return "Nothing of the last 30 days fits; what was deleted earlier only undo of its transaction brings back."
    if not any(each.recoverable for each in shown):
        return "These were taken back by an undo; undo that transaction to have them back."
    return "Call restore_from_hash with the reversal_hash of the one you want back, within days_left days."


def _shape(tombstone: Tombstone) -> TombstoneShape:
    commit, entry = tombstone.commit, tombstone.entry
    name = name_of(entry)
    recoverable = commit.operation in TAKEN_BACK and tombstone.days_left > 0
    return TombstoneShape(
        node_id=entry.id,
        kind=entry.kind,
        name=name,
        snippet="" if name == HELD else entry.body[:SNIPPET],
        deletion_reason=commit.note.get("reason"),
        rationale=commit.note.get("rationale"),
        deleted_at=to_iso(commit.time),
        deleted_by=commit.actor,
        recoverable=recoverable,
        days_left=round(tombstone.days_left, 2) if recoverable else None,
        reversal_hash=tombstone.reversal_hash if recoverable else None,
        explanation=_explain(tombstone),
    )


def _explain(tombstone: Tombstone) -> str:
    commit = tombstone.commit
    day = to_iso(commit.time)[:10]
    if commit.operation == "MERGE":
        return f"It was merged into {commit.subject_id} on {day}."
    if commit.operation == "REVERT":
        return f"Transaction {commit.undoes}, which had made it, was undone on {day}."
    reason = commit.note.get("reason")
    return f"It was forgotten on {day} as {reason}." if reason else f"It was deleted on {day}."
