"""Hydrate a citation."""

from dataclasses import dataclass
from typing import Any

from memotheca.documents.sections import with_text
from memotheca.entries.edge_ends import related_at
from memotheca.entries.triple_texts import as_entry
from memotheca.kernel.citations import citation_of, name_of, resolve_citation
from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.when import source_of, tell_times
from memotheca.memory.session.retrieval_log import OPENED
from memotheca.memory.session.state import activity_of, note_use
from memotheca.memory.traits import importance_of, quarantine_of
from memotheca.model.clock import to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import TRIPLE
from memotheca.model.knowledge import Edge, Entry
from memotheca.storage.snapshot import Snapshot
from memotheca.text.tokens import count_tokens
from memotheca.toolkit.fields import UNSET, Unset, flag, free, integer, many, number, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    citation_tag: str = text("Citation tag like [node_abc123]", pattern=r"^\[node_[a-f0-9]+\]$")
    include_neighbors: bool = flag("Also name what it is linked to.", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbor:
    node_id: str = text()
    citation: str = text()
    name: str = text()
    edge_type: str = text()
    direction: str = text()
    weight: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    citation_tag: str = text()
    node_id: str = text()
    kind: str = text()
    name: str = text()
    raw_content: str = text()
    importance: float = number()
    created_at: str = text()
    source: str | None = text(default=None, nullable=True)
    times: dict[str, Any] = free()
    agent_id: str | None = text(default=None, nullable=True)
    annotations: dict[str, Any] = free()
    quarantined: bool = flag()
    quarantine_reason: str | Unset = text(default=UNSET)
    neighbors: tuple[Neighbor, ...] | Unset = many(Neighbor, default=UNSET)
    tokens_used: int = integer()


EXAMPLE = Example(
    arguments={"citation_tag": "$citation"},
    after=(("store_memory", {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}),),
)


@tool(contract="memories", component="retrieval", effect="read", models=(Input, Output), example=EXAMPLE)
def hydrate_citation(call: Call[Kernel], input: Input) -> Answer:
    """Open a citation such as [node_1a2b3c4d]: the whole text behind it. Do so before relying on details."""
    kernel = call.kernel
    with kernel.read() as snapshot:
        version = resolve_citation(snapshot, input.citation_tag)
        entry = version.thing if not isinstance(version.thing, Edge) else as_entry(related_at(snapshot, version)).thing
        if not isinstance(entry, Entry):
            raise Refusal(
                Failure.NOT_FOUND,
                f"What {input.citation_tag} cited is deleted; look for it with search_tombstones.",
                field="citation_tag",
                details={"node_id": version.id, "hint": "search_tombstones"},
            )
        entry = entry if entry.kind == TRIPLE else with_text(snapshot, entry)
        neighbors = _neighbors(snapshot, entry) if input.include_neighbors else UNSET
    if entry.kind != TRIPLE:
        activity_of(kernel).look(kernel.collection, [entry.id], kernel.now())
    note_use(kernel, call.session, [entry.id], OPENED)
    held = quarantine_of(entry, kernel.now())
    output = Output(
        citation_tag=citation_of(entry),
        node_id=entry.id,
        kind=entry.kind,
        name=name_of(entry),
        raw_content=entry.body,
        importance=round(importance_of(entry), 4),
        created_at=to_iso(entry.created_at),
        source=source_of(entry),
        times=tell_times(entry),
        agent_id=entry.attributes.get("agent_id"),
        annotations=_annotations(entry),
        quarantined=held is not None,
        quarantine_reason=UNSET if held is None else str(held.get("reason", "")),
        neighbors=neighbors,
        tokens_used=count_tokens(entry.body),
    )
    return Answer(f"{citation_of(entry)}: {name_of(entry)}", f"{NODES}/{entry.id}", output)


def _annotations(entry: Entry) -> dict[str, Any]:
    attributes = entry.attributes
    notes = [str(note.get("text", "")) for note in attributes.get("notes", ())]
    return {
        "tags": list(entry.tags),
        "domain": attributes.get("domain"),
        "confidence": attributes.get("confidence"),
        "notes": notes,
        "related_concepts": list(attributes.get("related_concepts", ())),
    }


def _neighbors(snapshot: Snapshot, entry: Entry) -> tuple[Neighbor, ...]:
    found: list[Neighbor] = []
    for edge in snapshot.edges_of(entry.id):
        other = snapshot.entry(edge.target if edge.source == entry.id else edge.source)
        if other is not None:
            found.append(
                Neighbor(
                    node_id=other.id,
                    citation=citation_of(other),
                    name=name_of(other),
                    edge_type=edge.type,
                    direction="outgoing" if edge.source == entry.id else "incoming",
                    weight=round(edge.weight, 4),
                )
            )
    return tuple(sorted(found, key=lambda each: (-each.weight, each.node_id, each.edge_type)))
