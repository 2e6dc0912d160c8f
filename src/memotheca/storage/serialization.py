"""How an entry or an edge is written down, and read back, without loss."""

import json
from typing import Any

from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Alias, Edge, Entry, Subject, Thing, Validity

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode
_decode = json.JSONDecoder().raw_decode


def to_image(thing: Thing) -> str:
    shared: dict[str, Any] = {
        "attributes": dict(thing.attributes),
        "aliases": [[alias.namespace, alias.name] for alias in thing.aliases],
        "validity": [thing.validity.start, thing.validity.end, thing.validity.endless],
        "created_at": thing.created_at,
        "updated_at": thing.updated_at,
    }
    if isinstance(thing, Entry):
        own: dict[str, Any] = {
            "kind": thing.kind,
            "title": thing.title,
            "body": thing.body,
            "tags": list(thing.tags),
            "expires_at": thing.expires_at,
        }
    else:
        own = {
            "source": thing.source,
            "target": thing.target,
            "type": thing.type,
            "predicate": thing.predicate,
            "weight": thing.weight,
            "confidence": thing.confidence,
        }
    return _encode(shared | own)


def from_image(subject: Subject, id: str, image: str) -> Thing:
    try:
        fields: dict[str, Any] = _decode(image)[0]
        fields["aliases"] = tuple([Alias(namespace, name) for namespace, name in fields["aliases"]])
        fields["validity"] = Validity(*fields["validity"])
        if subject == "entry":
            fields["tags"] = tuple(fields["tags"])
            return Entry(id=id, **fields)
        return Edge(id=id, **fields)
    except (ValueError, LookupError, TypeError) as error:
        message = f"The data file is damaged at {id}; `memotheca doctor` says which backup to restore, and how."
        raise Refusal(Failure.CORRUPT, message) from error


def to_text(value: object) -> str:
    return _encode(value)
