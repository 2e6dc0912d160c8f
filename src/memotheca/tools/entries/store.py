"""Store an entry."""

from dataclasses import dataclass
from typing import Any

from memotheca.entries.entries import NewEntry, store_entry
from memotheca.entries.refusals import LONGEST_NAME
from memotheca.kernel.kernel import Kernel
from memotheca.model.kinds import KNOWLEDGE_TYPES, MEMORY_TYPES, STATUSES
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, integer, number, said, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.entries.contract import ENTRIES, EntryShape, address, entry_fields, to_request


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    topic: str = text("What it is about.", minLength=1, maxLength=1000)
    content: str = text("", maxLength=100_000)
    tags: tuple[str, ...] = texts("", UNSET, minLength=1, longest=LONGEST_NAME)
    source: str = text("", UNSET, longest=LONGEST_NAME)
    actor: str = text("", UNSET, longest=LONGEST_NAME)
    confidence: float = number("", UNSET, minimum=0, maximum=1)
    knowledge_type: str = choice(KNOWLEDGE_TYPES, "", UNSET)
    memory_type: str = choice(MEMORY_TYPES, "", UNSET)
    status: str = choice(STATUSES, "", UNSET)
    valid_from: str = text("ISO-8601.", UNSET)
    valid_to: str = text("Or infinite.", UNSET)
    ttl_seconds: int = integer("", UNSET, minimum=1, maximum=10**10)
    wait_for_embedding: bool = flag("", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output(EntryShape):
    notice: str | Unset = text(default=UNSET)
    indexing: int | Unset = integer(default=UNSET)


EXAMPLE = Example(
    arguments={
        "topic": "deployment",
        "content": "Use blue-green deploys for zero-downtime releases.",
        "tags": ["ops"],
        "confidence": 0.92,
    }
)


@tool(contract="entries", effect="add", models=(Input, Output), example=EXAMPLE)
def store(call: Call[Kernel], input: Input) -> Answer:
    """Save a fact, decision, observation or lesson for later."""
    written = store_entry(call.kernel, NewEntry(**to_request(said(input))), actor=call.actor)
    fields: dict[str, Any] = entry_fields(written.version)
    sentence = f"Stored {fields['id']} about {fields['topic']!r} in transaction {fields['tx_id']}."
    if written.notice:
        fields["notice"], sentence = written.notice, f"{sentence} {written.notice}"
    if written.waiting:
        fields["indexing"], sentence = written.waiting, f"{sentence} Its vectors are being made."
    return Answer(sentence, address(ENTRIES, handle=fields["id"]), Output(**fields))
