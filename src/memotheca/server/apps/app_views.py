"""Views that clients show beside an answer (MCP Apps): graph, search result, review and passage, as one file that asks
nobody but the client it is shown in. Clients that do not say that they show such are told nothing of them."""

import html
from collections.abc import Iterable, Mapping
from typing import Any, cast

from memotheca.model.errors import Failure, Refusal
from memotheca.server.access.shown_tools import PAGES, list_tools, shows_pages
from memotheca.server.page_files import read_app
from memotheca.toolkit.catalog import Catalog

MIME_TYPE = "text/html;profile=mcp-app"  # specification: MCP Apps 2026-01-26
PLACE = "ui://memotheca/"
# The views, and the tools that show what each shows.
VIEWS: Mapping[str, tuple[str, ...]] = {
    "search": ("query", "search", "search_graph", "console_search"),
    "graph": (
        "query_graph",
        "find_path",
        "get_neighbors",
        "get_neighborhood",
        "find_causal_path",
        "console_neighbourhood",
        "console_map",
    ),
    "review": ("critique_context", "console_tasks"),
    "passage": ("knowledge-search", "console_read"),
}
VIEW_OF = {tool: view for view, tools in VIEWS.items() for tool in tools}


def with_views(ctx: Any, tools: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Tools as a client is shown them: where it shows views, each with its own. What such a tool answers is of use to a
    model as well, so that it is not kept from it."""
    if not shows_pages(ctx) or read_app() is None:
        return list(tools)
    return [{**tool, "_meta": _meta(tool["name"])} if tool["name"] in VIEW_OF else tool for tool in tools]


def _meta(tool: str) -> dict[str, Any]:
    uri = f"{PLACE}{VIEW_OF[tool]}"
    # The flat key is what older clients look for.
    return {"ui": {"resourceUri": uri, "visibility": ["model", "app"]}, "ui/resourceUri": uri}


def announce(ctx: Any, result: Any) -> None:
    """Say in the answer to a client's greeting that there are views, where it says that it shows them. The SDK has no
    place for it in the older protocol."""
    if not isinstance(result, dict) or not _greets_for_views(ctx) or read_app() is None:
        return
    capabilities = cast(dict[str, Any], result).setdefault("capabilities", {})
    capabilities["extensions"] = {**(capabilities.get("extensions") or {}), PAGES: {"mimeTypes": [MIME_TYPE]}}


def _greets_for_views(ctx: Any) -> bool:
    """The older protocol says so in the greeting itself, the newer one beside every request."""
    params: dict[str, Any] = ctx.params or {}
    declared: dict[str, Any] = params.get("capabilities") or {}
    extensions: dict[str, Any] = declared.get("extensions") or {}
    return PAGES in extensions or shows_pages(ctx)


def read_view(ctx: Any, uri: str, catalog: Catalog) -> dict[str, Any] | None:
    """A view by its address; None where it is no view's. It is told which tools whoever looks may call."""
    if not uri.startswith("ui://"):
        return None
    view, page = uri.removeprefix(PLACE), read_app()
    if view not in VIEWS or not shows_pages(ctx) or page is None:
        message = "There is no such view; clients that show MCP Apps find them at the tools they belong to."
        raise Refusal(Failure.NOT_FOUND, message, field="uri")
    tools = " ".join(tool["name"] for tool in list_tools(ctx, catalog, hidden=None))
    text = page.replace("{view}", view, 1).replace("{tools}", html.escape(tools), 1)
    # Without a declared origin a client lets the view reach nobody, which is what it needs.
    return {"uri": uri, "mimeType": MIME_TYPE, "text": text, "_meta": {"ui": {"prefersBorder": True}}}
