"""What chunks are filtered by: each filter is a term of its own among the words, so that one index holds both."""

import json
from typing import Any

from memotheca.model import kinds
from memotheca.model.knowledge import Entry, handle_of
from memotheca.text.terms import filter_number
from memotheca.text.words import words

FILTERED_ATTRIBUTES = (
    "knowledge_type",
    "memory_type",
    "status",
    "format",
    "processing_method",
    "category",
    "difficulty",
    "form",
    "session_id",
    "domain",
    "agent_id",
    "modality",
)
QUARANTINED = filter_number("quarantine", "held")


def filters_of(entry: Entry) -> list[int]:
    filters = [filter_number("kind", entry.kind), *(filter_number("tag", tag) for tag in entry.tags)]
    filters += [
        filter_number(name, str(entry.attributes[name])) for name in FILTERED_ATTRIBUTES if name in entry.attributes
    ]
    filters += [filter_number("title", word) for word in set(words(entry.title, keep_stop_words=True))]
    if entry.attributes.get("quarantine") is not None:
        filters.append(QUARANTINED)
    if entry.kind == kinds.DOCUMENT:
        filters.append(filter_number("document", handle_of(entry)))
        filters += [metadata_number(name, value) for name, value in entry.attributes.get("metadata", {}).items()]
    return filters


def metadata_number(name: str, value: Any) -> int:
    """What a chunk is filtered by where its document has this said of it."""
    return filter_number(f"metadata {name}", json.dumps(value, ensure_ascii=False, sort_keys=True))
