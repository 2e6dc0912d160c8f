"""How much may be said: every text, list and free object has a bound, also where a published schema states none."""

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, cast

from memotheca.model.errors import Refusal
from memotheca.toolkit.fields import Schema, input_schema, name_of, refuse_invalid

# Chosen: a name, an id, a path, a date, a question: what a text is for which nothing else is said.
LONGEST: Final = 4_096
MOST_MEMBERS: Final = 1_000  # chosen: more than a caller lists by hand; what needs more is an import
# Chosen: characters of an object whose keys are not fixed, as JSON.
LARGEST_OBJECT: Final = 65_536


def bounded_schema(model: type) -> Schema:
    """What a tool takes: its published schema, with a bound for whatever has none there. Some published schemas are
    given word for word, and all are read by a model before its first word; so these bounds stand in the manual."""
    schema = input_schema(model)
    own = {name_of(each): each.metadata["longest"] for each in fields(model) if each.metadata.get("longest")}
    rules = {name: _bounded(rule, own.get(name, LONGEST)) for name, rule in schema["properties"].items()}
    return {**schema, "properties": rules}


def _bounded(rule: Schema, longest: int) -> Schema:
    kinds = rule.get("type", ())
    if "string" in kinds and "enum" not in rule:
        return {"maxLength": longest, **rule}
    if "array" in kinds:
        return {"maxItems": MOST_MEMBERS, **rule, "items": _bounded(rule["items"], longest)}
    if "properties" in rule:
        inner = {name: _bounded(each, longest) for name, each in rule["properties"].items()}
        return {**rule, "properties": inner}
    return rule


def find_too_much(schema: Schema, arguments: Mapping[str, Any]) -> Refusal | None:
    """A free object that says more than one may; what such an object is made of, no schema bounds."""
    rules = schema["properties"]
    for name, value in arguments.items():
        if is_free(rules.get(name, {})) and len(json.dumps(value, ensure_ascii=False)) > LARGEST_OBJECT:
            refusal = refuse_invalid(f"{name} may have at most {LARGEST_OBJECT:,} characters as JSON.", [name])
            refusal.constraint = {"constraint": "maxLength", "expected": LARGEST_OBJECT}
            return refusal
    return None


def is_free(rule: Mapping[str, Any]) -> bool:
    """Whether a rule lets an object, or the members of a list, have any keys."""
    inner = cast(Mapping[str, Any], rule.get("items", rule))
    return "object" in inner.get("type", ()) and "properties" not in inner
