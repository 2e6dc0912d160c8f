"""The catalogue of tools: what is listed, read from a generated file, and loaded when first called."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.tool import Listing, Tool, Toolset

ALL = "all"


class Catalog:
    """The tools a client can see; toolsets can be switched on, and writing or what tools need off, while it runs."""

    def __init__(self, listings: Iterable[Listing], toolsets: Iterable[Toolset]) -> None:
        self.toolsets = {toolset.name: toolset for toolset in toolsets}
        self._listings = {listing.name: listing for listing in listings}
        self._names = {alias: name for name, listing in self._listings.items() for alias in listing.aliases}
        self._chosen = {toolset.name for toolset in self.toolsets.values() if toolset.default}
        self._beside: set[str] = set()
        self._enabled = self._chosen
        self._read_only = False
        self._lacking: set[str] = set()
        self._loaded: dict[str, Tool] = {}
        self._watchers: list[Callable[[], None]] = []

    @classmethod
    def parse(cls, generated: str) -> "Catalog":
        content: Mapping[str, Any] = json.loads(generated)
        toolsets = (replace(Toolset(**line), members=tuple(line.get("members", ()))) for line in content["toolsets"])
        return cls((Listing(**line) for line in content["tools"]), toolsets)

    def choose(self, names: Iterable[str]) -> None:
        """Show exactly these toolsets; `all` names every one but those for pages and those apart."""
        self._chosen = self._named(names)
        self._change(enabled=self._chosen | self._beside)

    def also(self, name: str) -> None:
        """Show one more toolset."""
        self._chosen = self._chosen | {name}
        self._change(enabled=self._chosen | self._beside)

    def beside(self, names: Iterable[str]) -> None:
        """Show these besides those that were chosen, and no others that were shown besides."""
        self._beside = self._named(names)
        self._change(enabled=self._chosen | self._beside)

    def _named(self, names: Iterable[str]) -> set[str]:
        wanted = set(names)
        unknown = wanted - self.toolsets.keys() - {ALL}
        if unknown:
            known = ", ".join([*self.toolsets, ALL])
            raise Refusal(Failure.INVALID, f"There is no toolset {min(unknown)!r}; choose from {known}.")
        everything = {name for name, toolset in self.toolsets.items() if not (toolset.for_pages or toolset.is_apart)}
        return everything | (wanted - {ALL}) if ALL in wanted else wanted

    def forbid_writing(self, forbidden: bool = True) -> None:
        self._change(read_only=forbidden)

    def lack(self, capability: str, lacking: bool = True) -> None:
        """Hide what needs something that is not there, or show it again."""
        self._change(lacking=self._lacking | {capability} if lacking else self._lacking - {capability})

    @property
    def is_read_only(self) -> bool:
        return self._read_only

    def watch(self, watcher: Callable[[], None]) -> None:
        """Be told when the list of tools is no longer what it was."""
        self._watchers.append(watcher)

    def listed(self, *, with_pages: bool = False) -> list[Listing]:
        """What is shown; to a client that shows pages also what those call."""
        return [
            listing if listing.toolset in self._enabled or self.is_for_pages(listing) else _brief(listing)
            for listing in self._listings.values()
            if self._is_shown(listing) or (with_pages and self.is_for_pages(listing) and self._may_be_shown(listing))
        ]

    def _is_shown(self, listing: Listing) -> bool:
        return self._is_enabled(listing) and self._may_be_shown(listing)

    def _may_be_shown(self, listing: Listing) -> bool:
        is_writing = self._read_only and listing.writes
        return not is_writing and self._lacking.isdisjoint(listing.needs) and not self._is_displaced(listing)

    def _is_enabled(self, listing: Listing) -> bool:
        return listing.toolset in self._enabled or any(
            listing.name in toolset.members for name, toolset in self.toolsets.items() if name in self._enabled
        )

    def _is_displaced(self, listing: Listing) -> bool:
        """Whether its name is, while a toolset apart is shown, that of another tool."""
        return self._find_apart(listing.called) not in (None, listing)

    def _find_apart(self, called: str) -> Listing | None:
        apart = {name for name in self._enabled if name in self.toolsets and self.toolsets[name].is_apart}
        found = (each for each in self._listings.values() if each.toolset in apart and each.called == called)
        return next(found, None) if apart else None

    def _is_unlisted(self, listing: Listing) -> bool:
        toolset = self.toolsets.get(listing.toolset)
        return toolset is not None and (toolset.for_pages or toolset.is_apart)

    def is_for_pages(self, listing: Listing) -> bool:
        toolset = self.toolsets.get(listing.toolset)
        return toolset is not None and toolset.for_pages

    def shows(self, name: str) -> bool:
        listing = self._listings.get(name)
        return listing is not None and self._is_shown(listing)

    def find(self, name: str) -> Listing | None:
        """A tool of an enabled toolset, also one that is hidden because it writes or lacks what it needs; or one for
        pages, or one apart by its name in the catalogue."""
        listing = self._find_apart(name) or self._listings.get(self._names.get(name, name))
        if listing is None or not (self._is_enabled(listing) or self._is_unlisted(listing)):
            return None
        return listing

    def leaving(self, job: str) -> Listing | None:
        """The tool that leaves jobs of a kind."""
        return next((listing for listing in self._listings.values() if listing.job == job), None)

    def refuse_hidden(self, listing: Listing) -> None:
        if self._read_only and listing.writes:
            raise Refusal(Failure.READ_ONLY, "This server is read-only; nothing was changed.")
        missing = self._lacking.intersection(listing.needs)
        if missing:
            raise Refusal(Failure.UNSUPPORTED, f"{listing.name} needs an {min(missing)}; this collection has none.")

    def load(self, listing: Listing) -> Tool:
        if listing.name not in self._loaded:
            self._loaded[listing.name] = getattr(import_module(listing.module), function_of(listing.name))
        return self._loaded[listing.name]

    def add(self, listing: Listing, tool: Tool) -> None:
        """Register a tool that is already loaded."""
        self._listings[listing.name] = listing
        self._loaded[listing.name] = tool

    def _change(
        self,
        *,
        enabled: set[str] | None = None,
        read_only: bool | None = None,
        lacking: set[str] | None = None,
    ) -> None:
        before = [listing.name for listing in self.listed()]
        self._enabled = self._enabled if enabled is None else enabled
        self._read_only = self._read_only if read_only is None else read_only
        self._lacking = self._lacking if lacking is None else lacking
        if [listing.name for listing in self.listed()] != before:
            for watcher in self._watchers:
                watcher()


def function_of(name: str) -> str:
    """What the function of a tool is called: as the tool, behind the last stroke, with dashes as Python has them."""
    return name.rpartition("/")[2].replace("-", "_")


def _brief(listing: Listing) -> Listing:
    """A tool as a toolset of members lists it: without a title and without the schema of its answers."""
    left = {"title", "outputSchema"}
    return replace(listing, wire={name: said for name, said in listing.wire.items() if name not in left})
