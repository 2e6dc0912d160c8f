"""The catalogue of tools: what is listed, read from a generated file, and loaded when first called."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from pinakes.model.errors import Failure, Refusal
from pinakes.toolkit.contract import Contract
from pinakes.toolkit.fields import Schema, input_schema
from pinakes.toolkit.tool import Tool, Toolset

ALL = "all"


@dataclass(frozen=True, slots=True)
class Listing:
    """One line of the catalogue."""

    name: str
    toolset: str
    module: str
    contract: str
    writes: bool
    wire: Schema


def to_listing(tool: Tool, toolset: str, module: str, contract: Contract) -> dict[str, Any]:
    """The generated form of a tool."""
    return {
        "name": tool.name,
        "toolset": toolset,
        "module": module,
        "contract": tool.contract,
        "writes": tool.effect != "read",
        "wire": {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": input_schema(tool.input),
            "outputSchema": contract.output_schema(tool.outputs),
            "annotations": _annotations(tool),
        },
    }


def _annotations(tool: Tool) -> dict[str, bool]:
    """A tool that only reads is neither destructive nor anything but idempotent, so it need not say so."""
    if tool.effect == "read":
        return {"readOnlyHint": True, "openWorldHint": False}
    return {
        "readOnlyHint": False,
        "destructiveHint": tool.effect == "destroy",
        "idempotentHint": tool.idempotent,
        "openWorldHint": False,
    }


class Catalog:
    """The tools a client can see; toolsets can be switched on and writing off while it runs."""

    def __init__(self, listings: Iterable[Listing], toolsets: Iterable[Toolset]) -> None:
        self.toolsets = {toolset.name: toolset for toolset in toolsets}
        self._listings = {listing.name: listing for listing in listings}
        self._enabled = {toolset.name for toolset in self.toolsets.values() if toolset.default}
        self._read_only = False
        self._loaded: dict[str, Tool] = {}
        self._watchers: list[Callable[[], None]] = []

    @classmethod
    def parse(cls, generated: str) -> "Catalog":
        content: Mapping[str, Any] = json.loads(generated)
        return cls((Listing(**line) for line in content["tools"]), (Toolset(**line) for line in content["toolsets"]))

    def choose(self, names: Iterable[str]) -> None:
        """Show exactly these toolsets; `all` names every one."""
        wanted = set(names)
        unknown = wanted - self.toolsets.keys() - {ALL}
        if unknown:
            known = ", ".join([*self.toolsets, ALL])
            raise Refusal(Failure.INVALID, f"There is no toolset {min(unknown)!r}; choose from {known}.")
        self._change(set(self.toolsets) if ALL in wanted else wanted, self._read_only)

    def forbid_writing(self, forbidden: bool = True) -> None:
        self._change(self._enabled, forbidden)

    def watch(self, watcher: Callable[[], None]) -> None:
        """Be told when the list of tools is no longer what it was."""
        self._watchers.append(watcher)

    def listed(self) -> list[Listing]:
        return [
            listing
            for listing in self._listings.values()
            if listing.toolset in self._enabled and not (self._read_only and listing.writes)
        ]

    def find(self, name: str) -> Listing | None:
        """A tool of an enabled toolset, also one that is hidden because it writes."""
        listing = self._listings.get(name)
        return listing if listing is not None and listing.toolset in self._enabled else None

    def refuse_writing(self, listing: Listing) -> None:
        if self._read_only and listing.writes:
            raise Refusal(Failure.READ_ONLY, "This server is read-only; nothing was changed.")

    def load(self, listing: Listing) -> Tool:
        if listing.name not in self._loaded:
            self._loaded[listing.name] = getattr(import_module(listing.module), listing.name.replace("-", "_"))
        return self._loaded[listing.name]

    def add(self, listing: Listing, tool: Tool) -> None:
        """Register a tool that is already loaded."""
        self._listings[listing.name] = listing
        self._loaded[listing.name] = tool

    def _change(self, enabled: set[str], read_only: bool) -> None:
        before = [listing.name for listing in self.listed()]
        self._enabled, self._read_only = enabled, read_only
        if [listing.name for listing in self.listed()] != before:
            for watcher in self._watchers:
                watcher()
