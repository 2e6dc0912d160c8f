"""Fields of input and output models: one declaration gives the type, the default and the published schema."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields, is_dataclass
from functools import cache, partial
from math import isfinite
from operator import attrgetter
from typing import Any, Final, TypeVar, cast

from memotheca.model.errors import Failure, Refusal
from memotheca.model.unset import UNSET, Unset

Schema = dict[str, Any]

# Specification: what SQLite and every index keep a whole number in.
LARGEST: Final = (1 << 63) - 1
T = TypeVar("T")

REQUIRED: Final = object()


def _declare(schema: Schema, default: object, *, nullable: bool = False, doc: str = "", longest: int = 0) -> Any:
    if nullable:
        schema = {**schema, "type": [schema["type"], "null"]}
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], None]
    if doc:
        schema = {**schema, "description": doc}
    if default is REQUIRED:
        return field(metadata={"schema": schema, "longest": longest})
    if isinstance(default, bool | int | float | str):
        schema = {**schema, "default": default}
    elif isinstance(default, tuple):
        schema = {**schema, "default": list(cast(tuple[Any, ...], default))}
    return field(default=cast(Any, default), metadata={"schema": schema, "longest": longest})


def text(doc: str = "", default: object = REQUIRED, *, nullable: bool = False, longest: int = 0, **bounds: Any) -> Any:
    """`maxLength` is published; `longest` bounds as well, where the published schema is to stay as it is."""
    return _declare({"type": "string", **bounds}, default, nullable=nullable, doc=doc, longest=longest)


def choice(values: Sequence[str], doc: str = "", default: object = REQUIRED, *, nullable: bool = False) -> Any:
    return _declare({"type": "string", "enum": list(values)}, default, nullable=nullable, doc=doc)


def integer(doc: str = "", default: object = REQUIRED, *, nullable: bool = False, **bounds: int) -> Any:
    return _declare({"type": "integer", **bounds}, default, nullable=nullable, doc=doc)


def number(doc: str = "", default: object = REQUIRED, *, nullable: bool = False, **bounds: float) -> Any:
    return _declare({"type": "number", **bounds}, default, nullable=nullable, doc=doc)


def flag(doc: str = "", default: object = REQUIRED, *, nullable: bool = False) -> Any:
    return _declare({"type": "boolean"}, default, nullable=nullable, doc=doc)


def texts(
    doc: str = "", default: object = REQUIRED, *, values: Sequence[str] = (), longest: int = 0, **bounds: Any
) -> Any:
    """A list of strings; `minItems` and `maxItems` bound the list, every other bound its members."""
    own = {name: bounds.pop(name) for name in ("minItems", "maxItems") if name in bounds}
    member: Schema = {"type": "string", "enum": list(values)} if values else {"type": "string", **bounds}
    return _declare({"type": "array", "items": member, **own}, default, doc=doc, longest=longest)


def numbers(doc: str = "", default: object = REQUIRED, *, nullable: bool = False) -> Any:
    """A list of numbers, some of them null where that is said."""
    member = {"type": ["number", "null"] if nullable else "number"}
    return _declare({"type": "array", "items": member}, default, doc=doc)


def spans(doc: str = "", default: object = REQUIRED) -> Any:
    """A list of stretches, each as where it begins and where it ends."""
    member = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
    return _declare({"type": "array", "items": member}, default, doc=doc)


def integers(doc: str = "", default: object = REQUIRED, **bounds: int) -> Any:
    """A list of whole numbers; bounds are those of the list."""
    return _declare({"type": "array", "items": {"type": "integer"}, **bounds}, default, doc=doc)


def free(doc: str = "", default: object = REQUIRED) -> Any:
    """An object whose keys are not fixed."""
    return _declare({"type": "object"}, default, doc=doc)


def frees(doc: str = "", default: object = REQUIRED) -> Any:
    """A list of objects whose keys are not fixed."""
    return _declare({"type": "array", "items": {"type": "object"}}, default, doc=doc)


def one(model: type, doc: str = "", default: object = REQUIRED, *, nullable: bool = False) -> Any:
    return _declare(object_schema(model), default, nullable=nullable, doc=doc)


def many(model: type, doc: str = "", default: object = REQUIRED) -> Any:
    properties = object_schema(model)["properties"]
    return _declare({"type": "array", "items": {"type": "object", "properties": properties}}, default, doc=doc)


def listed(model: type, doc: str = "", default: object = REQUIRED, **bounds: int) -> Any:
    """A list of objects that are taken: unlike `many`, which tells what is answered, with what each must have."""
    return _declare({"type": "array", "items": _closed(object_schema(model)), **bounds}, default, doc=doc)


def object_schema(model: type) -> Schema:
    """The JSON schema of a model; what has no default is required."""
    declared = fields(model)
    schema: Schema = {"type": "object", "properties": {name_of(f): f.metadata["schema"] for f in declared}}
    needed = [name_of(f) for f in declared if f.default is MISSING and f.default_factory is MISSING]
    if needed:
        schema["required"] = needed
    return schema


def input_schema(model: type) -> Schema:
    """The schema of what is given to a tool: what it has no name for is refused, also within an object it names."""
    return _closed(object_schema(model))


def _closed(schema: Schema) -> Schema:
    properties: dict[str, Schema] = schema["properties"]
    inner = {name: _closed(rule) if "properties" in rule else rule for name, rule in properties.items()}
    return {**schema, "properties": inner, "additionalProperties": False}


def name_of(declared: Field[Any]) -> str:
    """The public name; a trailing underscore keeps a Python keyword out of the way."""
    return declared.name.rstrip("_")


def without_nulls(schema: Schema, given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments without those that are null where they may be left out and null means nothing else: many clients fill
    in every parameter they know of."""
    rules: dict[str, Schema] = schema.get("properties", {})
    kept: dict[str, Any] = {}
    for name, value in given.items():
        rule = rules.get(name, {})
        if value is None and name in rules and name not in schema.get("required", ()) and not _takes_null(rule):
            continue
        kept[name] = without_nulls(rule, cast(Schema, value)) if isinstance(value, dict) and rule else value
    return kept


def _takes_null(rule: Schema) -> bool:
    return "type" not in rule or "null" in rule["type"]


def fill(model: type[T], arguments: Mapping[str, Any]) -> T:
    """Make the input model from arguments that the schema has already accepted."""
    said: dict[str, Any] = {}
    for declared in fields(cast(Any, model)):
        if name_of(declared) in arguments:
            said[declared.name] = _settle(arguments[name_of(declared)], declared.metadata["schema"])
    return model(**said)


def _settle(value: Any, schema: Schema) -> Any:
    """Lists become tuples; 3.0 is an integer to JSON schema, so it becomes one here."""
    if isinstance(value, list):
        return tuple(cast(list[Any], value))
    return int(value) if isinstance(value, float) and "integer" in schema["type"] else value


def said(model: object) -> dict[str, Any]:
    """The fields that were said, by their Python names."""
    told = {f.name: getattr(model, f.name) for f in fields(cast(Any, model))}
    return {name: value for name, value in told.items() if not isinstance(value, Unset)}


# Asked first, because most values are such.
_PLAIN = frozenset({str, int, float, bool, type(None)})


@cache
def _members(model: type[Any]) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]] | None:
    """The public names of a model's fields, and what reads their values; None where it is no model."""
    if not is_dataclass(model):
        return None
    declared = fields(model)
    own = [f.name for f in declared]
    if len(own) > 1:
        return tuple(map(name_of, declared)), attrgetter(*own)
    return tuple(map(name_of, declared)), partial(_read_each, own)


def _read_each(names: Sequence[str], value: object) -> tuple[Any, ...]:
    """What `attrgetter` does for several names: for one, it gives the value itself."""
    return tuple(getattr(value, name) for name in names)


def to_json(value: Any) -> Any:
    """A model as plain JSON values, without what was left unset."""
    kind = cast(type[Any], type(value))
    if kind in _PLAIN:
        return value
    # What is plain is looked for here, too: to call takes longer than to answer.
    if kind is tuple or kind is list:
        return [each if type(each) in _PLAIN else to_json(each) for each in value]
    if kind is dict:
        return {key: each if type(each) in _PLAIN else to_json(each) for key, each in value.items()}
    if (members := _members(kind)) is not None:
        names, read = members
        told = zip(names, read(value), strict=True)
        return {name: each if type(each) in _PLAIN else to_json(each) for name, each in told if each is not UNSET}
    if isinstance(value, Mapping):
        return to_json(dict(cast(Mapping[str, Any], value)))
    return to_json(list(cast(Sequence[Any], value))) if isinstance(value, list | tuple) else value


class MissingArgument(Refusal):
    """An argument that the schema requires was not given; some contracts have a word of its own for that."""

    @classmethod
    def at(cls, message: str, path: Sequence[str | int]) -> "MissingArgument":
        return cls(Failure.INVALID, message, field=spell(path))


def refuse_invalid(message: str, path: Sequence[str | int]) -> Refusal:
    return Refusal(Failure.INVALID, message, field=spell(path) or None)


def find_endless(arguments: Mapping[str, Any]) -> Refusal | None:
    """Python reads `NaN` and `1e999`, which JSON has no value for; nothing that is stored or compared may be such."""
    waiting: list[tuple[list[str | int], Any]] = [([], arguments)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, float) and not isfinite(value):
            return refuse_invalid(f"{spell(path)} is no number that JSON has.", path)
        if isinstance(value, dict):
            waiting += [([*path, str(key)], each) for key, each in cast(dict[Any, Any], value).items()]
        elif isinstance(value, list):
            waiting += [([*path, at], each) for at, each in enumerate(cast(list[Any], value))]
    return None


def find_too_large(schema: Schema, value: Any, path: list[str | int]) -> Refusal | None:
    """A whole number that 64 bits do not hold, where a schema wants one: nothing that is counted has so many."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        if "integer" in schema.get("type", ()) and not -LARGEST - 1 <= value <= LARGEST:
            refusal = refuse_invalid(f"{spell(path)} must be from {-LARGEST - 1} to {LARGEST}.", path)
            refusal.constraint = {"constraint": "maximum" if value > 0 else "minimum", "expected": LARGEST}
            return refusal
        return None
    inner: list[tuple[str | int, Schema, Any]] = []
    if isinstance(value, Mapping):
        rules = schema.get("properties", {})
        said = cast(Mapping[str, Any], value)
        inner = [(name, rules[name], said[name]) for name in said if name in rules and type(said[name]) is not str]
    elif isinstance(value, list) and "items" in schema:
        inner = [(at, schema["items"], each) for at, each in enumerate(cast(list[Any], value))]
    found = (find_too_large(rule, each, [*path, name]) for name, rule, each in inner)
    return next((each for each in found if each is not None), None)


def spell(path: Sequence[str | int]) -> str:
    """A place in the arguments as it is told."""
    return ".".join(str(part) for part in path)
