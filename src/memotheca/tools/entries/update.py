"""Change an entry."""

from dataclasses import dataclass
from typing import Any

from memotheca.entries.entries import EntryChange, update_entry
from memotheca.entries.refusals import LONGEST_NAME, OwnedByFile
from memotheca.kernel.kernel import Kernel
from memotheca.model.kinds import KNOWLEDGE_TYPES, MEMORY_TYPES, STATUSES
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, integer, number, said, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.entries.contract import ENTRIES, EntryShape, address, entry_fields, point_to_note_tool, to_request


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    id: str = text("Such as e-42.", minLength=1)
    topic: str = text("", UNSET, minLength=1, maxLength=1000)
    content: str = text("", UNSET, maxLength=100_000)
    tags: tuple[str, ...] = texts("Replaces the list.", UNSET, minLength=1, longest=LONGEST_NAME)
    source: str | None = text("", UNSET, nullable=True, longest=LONGEST_NAME)
    actor: str | None = text("", UNSET, nullable=True, longest=LONGEST_NAME)
    confidence: float | None = number("", UNSET, nullable=True, minimum=0, maximum=1)
    knowledge_type: str | None = choice(KNOWLEDGE_TYPES, "", UNSET, nullable=True)
    memory_type: str | None = choice(MEMORY_TYPES, "", UNSET, nullable=True)
    status: str = choice(STATUSES, "", UNSET)
    valid_from: str | None = text("", UNSET, nullable=True)
    valid_to: str | None = text("", UNSET, nullable=True)
    ttl_seconds: int | None = integer("", UNSET, nullable=True, minimum=1, maximum=10**10)
    wait_for_embedding: bool = flag("", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output(EntryShape):
    notice: str | Unset = text(default=UNSET)
    indexing: int | Unset = integer(default=UNSET)


EXAMPLE = Example(
    arguments={"id": "e-1", "confidence": 0.95, "tags": ["ops", "release"]},
    after=(("store", {"topic": "deployment", "content": "Use blue-green deploys."}),),
)


@tool(contract="entries", effect="change", models=(Input, Output), example=EXAMPLE, idempotent=True)
def update(call: Call[Kernel], input: Input) -> Answer:
    """Correct an entry: its id and only the fields that change; null clears one."""
    told = said(input)
    try:
        written = update_entry(call.kernel, told.pop("id"), EntryChange(**to_request(told)), actor=call.actor)
    except OwnedByFile as owned:
        raise point_to_note_tool(owned, "update_node") from owned
    fields: dict[str, Any] = entry_fields(written.version)
    sentence = f"{fields['id']} about {fields['topic']!r} is as of transaction {fields['tx_id']}."
    if written.notice:
        fields["notice"], sentence = written.notice, f"{sentence} {written.notice}"
    if written.waiting:
        fields["indexing"], sentence = written.waiting, f"{sentence} Its vectors are being made."
    return Answer(sentence, address(ENTRIES, handle=fields["id"]), Output(**fields))
