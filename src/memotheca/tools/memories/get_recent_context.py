"""Get the recent context."""

from dataclasses import dataclass, replace

from memotheca.documents.sections import with_text
from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.recency import Recent, list_recent
from memotheca.memory.traits import importance_of
from memotheca.model.clock import from_iso, to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.fields import UNSET, flag, integer, many, number, one, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

SNIPPET = 200  # chosen: two lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    limit: int = integer("", 20, minimum=1, maximum=100)
    since: str = text("Only memories after this time", UNSET, format="date-time")
    session_only: bool = flag("Limit to current session", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeShape:
    id: str = text()
    name: str = text()
    kind: str = text()
    citation: str = text()
    snippet: str = text()
    last_accessed: str = text()
    created_at: str = text()
    importance: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeShape:
    oldest: str = text()
    newest: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    nodes: tuple[NodeShape, ...] = many(NodeShape)
    count: int = integer()
    time_range: RangeShape | None = one(RangeShape, default=None, nullable=True)


EXAMPLE = Example(
    arguments={"limit": 2},
    after=(
        ("store_memory", {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}),
        ("store_memory", {"content": "The nightly job takes the lock.", "rationale": "Seen in the log."}),
    ),
)


@tool(contract="memories", component="retrieval", effect="read", models=(Input, Output), example=EXAMPLE)
def get_recent_context(call: Call[Kernel], input: Input) -> Answer:
    """What was stored or looked at last, newest first. Asking for it is no look."""
    since = _moment(input.since) if input.since else 0
    with call.kernel.read() as snapshot:
        session = call.session if input.session_only else None
        listed = list_recent(call.kernel, snapshot, input.limit, since=since, session=session)
        found = [replace(each, entry=with_text(snapshot, each.entry)) for each in listed]
    span = RangeShape(oldest=to_iso(found[-1].last), newest=to_iso(found[0].last)) if found else None
    output = Output(nodes=tuple(_node(each) for each in found), count=len(found), time_range=span)
    where = " in this session" if input.session_only else ""
    return Answer(f"{len(found)} nodes were stored or looked at{where}, newest first.", NODES, output)


def _moment(said: str) -> int:
    try:
        return from_iso(said)
    except ValueError:
        raise Refusal(Failure.INVALID, f"{said!r} is no ISO-8601 time.", field="since") from None


def _node(found: Recent) -> NodeShape:
    entry = found.entry
    said = " ".join(entry.body.split())
    return NodeShape(
        id=entry.id,
        name=name_of(entry),
        kind=entry.kind,
        citation=citation_of(entry),
        snippet=said if len(said) <= SNIPPET else said[: SNIPPET - 1].rstrip() + "…",
        last_accessed=to_iso(found.last),
        created_at=to_iso(entry.created_at),
        importance=importance_of(entry),
    )
