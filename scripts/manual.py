"""The manual: each tool's page, made from its definition and from an example that was really run."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from memotheca.toolkit.bounds import LARGEST_OBJECT, bounded_schema, is_free
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.tool import Listing, Tool, Toolset


def render_toolset(toolset: Toolset, pages: Iterable[str]) -> str:
    shown = "shown by default" if toolset.default else f"shown with `--toolsets {toolset.name}`"
    return f"## {toolset.name}\n\n{toolset.sentence} ({shown})\n\n" + "\n".join(pages)


def render_selection(toolset: Toolset) -> str:
    """A toolset of members of other toolsets, whose pages stand there."""
    members = ", ".join(f"[`{name}`](#{name.replace('/', '')})" for name in toolset.members)
    return f"## {toolset.name}\n\n{toolset.sentence} (shown with `--toolsets {toolset.name}`)\n\n{members}\n"


def render_tool(listing: Listing, tool: Tool, reply: Reply) -> str:
    """The page of a tool; its bounds are all that there are, also those that its published schema does not state."""
    wire = listing.wire
    schema = bounded_schema(tool.input)
    rows = [_row(name, member, name in schema.get("required", [])) for name, member in schema["properties"].items()]
    table = ["| parameter | type | required | meaning |", "|---|---|---|---|", *rows] if rows else ["No parameters."]
    hints = wire["annotations"]
    kind = "reads only" if hints["readOnlyHint"] else "can delete" if hints.get("destructiveHint") else "writes"
    lines = [
        f"### `{listing.name}`",
        "",
        *([f"Clients call it `{listing.called}`.", ""] if listing.called != listing.name else []),
        f"{wire['description']} ({kind})",
        "",
        *table,
        "",
        f"Example: `{json.dumps(tool.example.arguments, ensure_ascii=False)}`",
        "",
        *_sentence(reply),
        "```json",
        json.dumps(reply.structured, ensure_ascii=False, indent=2),
        "```",
        "",
    ]
    return "\n".join(lines)


def _sentence(reply: Reply) -> list[str]:
    """What is said before the JSON, where a contract says something."""
    said = reply.blocks[0]["text"]
    return (
        []
        if said.startswith(("{", "[", "null"))
        else [*(f"> {line}".rstrip() for line in said.rstrip().split("\n")), ""]
    )


def _row(name: str, schema: Mapping[str, Any], required: bool) -> str:
    kind = schema["type"] if isinstance(schema["type"], str) else " or ".join(schema["type"])
    if kind == "array":
        kind = f"list of {schema['items']['type']}"
    described = str(schema.get("description", ""))
    meaning = [described if not described or described.endswith(".") else f"{described}."]
    choices = schema.get("enum") or schema.get("items", {}).get("enum")
    if choices:
        meaning.append("One of " + ", ".join(str(choice) for choice in choices) + ".")
    bounds = [f"{word} {schema[key]}" for key, word in _BOUNDS.items() if key in schema]
    if "maxLength" in schema.get("items", {}):
        bounds.append(f"each at most this many characters: {schema['items']['maxLength']}")
    if is_free(schema):
        bounds.append(f"at most this many characters as JSON: {LARGEST_OBJECT}")
    if bounds:
        meaning.append(", ".join(bounds).capitalize() + ".")
    if "default" in schema:
        meaning.append(f"Default: {json.dumps(schema['default'])}.")
    return f"| `{name}` | {kind} | {'yes' if required else ''} | {' '.join(part for part in meaning if part)} |"


_BOUNDS = {
    "minimum": "at least",
    "maximum": "at most",
    "minLength": "at least this many characters:",
    "maxLength": "at most this many characters:",
    "minItems": "at least this many:",
    "maxItems": "at most this many:",
}
