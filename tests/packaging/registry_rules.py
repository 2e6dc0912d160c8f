"""What the registry's published schema of 2025-12-11 asks of the parts of an entry that ours has, in our own words, and
stricter: a name that it does not know is a slip of ours."""

from typing import Any

_WORDS = {"type": "string"}
_SHORT = {"type": "string", "minLength": 1, "maxLength": 100}
_VERSION = {
    "type": "string",
    "minLength": 1,
    "maxLength": 255,
    "not": {"enum": ["latest"]},
    "pattern": r"^[^\^~<>=*]+$",
}
_ADDRESS = {"type": "string", "pattern": r"^https?://\S+$"}


def _shape(required: str, **known: Any) -> dict[str, Any]:
    return {"type": "object", "required": required.split(), "properties": known, "additionalProperties": False}


_INPUT = {
    "description": _WORDS,
    "format": {"enum": ["string", "number", "boolean", "filepath"]},
    "isRequired": {"type": "boolean"},
    "isSecret": {"type": "boolean"},
    "default": _WORDS,
    "placeholder": _WORDS,
    "value": _WORDS,
    "choices": {"type": "array", "items": _WORDS},
}
_VARIABLE = _shape("name", name=_WORDS, **_INPUT)
_POSITIONAL = {
    **_shape("type", type={"const": "positional"}, valueHint=_WORDS, isRepeated={"type": "boolean"}, **_INPUT),
    "anyOf": [{"required": ["value"]}, {"required": ["valueHint"]}],
}
_NAMED = _shape("type name", type={"const": "named"}, name=_WORDS, isRepeated={"type": "boolean"}, **_INPUT)
_ARGUMENTS = {"type": "array", "items": {"anyOf": [_POSITIONAL, _NAMED]}}
_PACKAGE = {
    **_shape(
        "registryType identifier version transport",
        registryType={"enum": ["npm", "pypi", "cargo", "oci", "nuget", "mcpb"]},
        registryBaseUrl=_ADDRESS,
        identifier=_WORDS,
        version=_VERSION,
        fileSha256={"type": "string", "pattern": "^[a-f0-9]{64}$"},
        runtimeHint={"enum": ["npx", "uvx", "docker", "dnx"]},
        transport=_shape("type", type={"const": "stdio"}),
        packageArguments=_ARGUMENTS,
        runtimeArguments=_ARGUMENTS,
        environmentVariables={"type": "array", "items": _VARIABLE},
    ),
    # An extension is fetched from an address, so that its digest says whether it is ours.
    "if": {"properties": {"registryType": {"const": "mcpb"}}},
    "then": {"required": ["fileSha256"], "properties": {"identifier": _ADDRESS}},
}
RULES = _shape(
    "$schema name description version packages",
    **{"$schema": {"const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"}},
    name={"type": "string", "minLength": 3, "maxLength": 200, "pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"},
    title=_SHORT,
    description=_SHORT,
    version=_VERSION,
    websiteUrl=_ADDRESS,
    repository=_shape("url source", url=_ADDRESS, source=_WORDS, id=_WORDS, subfolder=_WORDS),
    packages={"type": "array", "minItems": 1, "items": _PACKAGE},
)
