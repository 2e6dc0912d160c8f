"""The catalogue of tools, made from the source: every toolset and tool in it, and what clients are told of each."""

import pkgutil
from importlib import import_module
from typing import Any, cast

from memotheca import tools
from memotheca.app import CONTRACTS
from memotheca.toolkit.contract import Contract
from memotheca.toolkit.fields import Schema, input_schema
from memotheca.toolkit.tool import BackgroundTask, Tool, Toolset


def find_tools() -> tuple[list[Toolset], list[tuple[Tool, str, str]]]:
    """Every toolset and tool in the source, as (tool, toolset, module)."""
    toolsets: list[Toolset] = []
    found: list[tuple[Tool, str, str]] = []
    for folder in pkgutil.iter_modules(tools.__path__, "memotheca.tools."):
        if not folder.ispkg:
            continue
        package = import_module(folder.name)
        toolsets.append(package.TOOLSET)
        for module in pkgutil.iter_modules(package.__path__, f"{folder.name}."):
            members = vars(import_module(module.name)).values()
            found += [(member, package.TOOLSET.name, module.name) for member in members if isinstance(member, Tool)]
    return toolsets, found


def generate_catalog() -> dict[str, Any]:
    toolsets, found = find_tools()
    return {
        "toolsets": [
            {
                "name": toolset.name,
                "sentence": toolset.sentence,
                "default": toolset.default,
                **({"for_pages": True} if toolset.for_pages else {}),
                **({"is_apart": True} if toolset.is_apart else {}),
            }
            for toolset in toolsets
        ]
        + [
            {"name": each.name, "sentence": each.sentence, "default": each.default, "members": list(each.members)}
            for each in tools.SELECTIONS
        ],
        "tools": [to_listing(tool, toolset, module, CONTRACTS[tool.contract]) for tool, toolset, module in found],
    }


def to_listing(tool: Tool, toolset: str, module: str, contract: Contract) -> dict[str, Any]:
    """The generated form of a tool."""
    return {
        "name": tool.name,
        "toolset": toolset,
        "module": module,
        "contract": tool.contract,
        "writes": tool.effect != "read",
        **({"needs": list(tool.needs)} if tool.needs else {}),
        **({"component": tool.component} if tool.component else {}),
        **({"aliases": list(tool.aliases)} if tool.aliases else {}),
        "wire": {
            "name": tool.called or tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": input_schema(tool.input),
            "outputSchema": without_type_lists(contract.output_schema(tool.outputs)),
            "annotations": _annotations(tool),
            **({} if tool.task is None else {"execution": {"taskSupport": _support(tool.task)}}),
        },
        **({} if tool.task is None else {"job": tool.task.job}),
    }


def without_type_lists(schema: Any) -> Any:
    """A schema without lists of types, which not every client understands: a text that may be null has no type, since a
    list of tools is read by a model before its first word; anything else that may be null is one of two."""
    if isinstance(schema, list):
        return [without_type_lists(each) for each in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    members = {name: without_type_lists(each) for name, each in cast(Schema, schema).items()}
    types = members.get("type")
    if not isinstance(types, list):
        return members
    del members["type"]
    if types == ["string", "null"]:
        return members
    said = {"description": members.pop("description")} if "description" in members else {}
    return {**said, "anyOf": [{"type": each, **(members if each != "null" else {})} for each in cast(list[str], types)]}


def _support(task: BackgroundTask) -> str:
    return "required" if task.required else "optional"


def _annotations(tool: Tool) -> dict[str, bool]:
    """A tool that only reads is neither destructive nor anything but idempotent, so it need not say so; whoever does
    not say that it is idempotent is not."""
    if tool.effect == "read":
        return {"readOnlyHint": True, "openWorldHint": False}
    hints = {"readOnlyHint": False, "destructiveHint": tool.effect == "destroy", "openWorldHint": False}
    return {**hints, "idempotentHint": True} if tool.idempotent else hints
