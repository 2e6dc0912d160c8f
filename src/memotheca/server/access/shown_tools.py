"""Which tools a client is shown: those that are on, as far as it may use them, and to one that shows pages also what
those call."""

from collections.abc import Iterator
from typing import Any

from memotheca.server.access.holders import may_write
from memotheca.toolkit.catalog import Catalog

# The extension by which a client says that it shows pages (MCP Apps), and what keeps a tool from its model.
PAGES = "io.modelcontextprotocol/ui"
# Under which key a request's scope has how to list the collections that are open to whoever asks.
COLLECTIONS = "memotheca.collections"
OFFERED = "memotheca/collections"
FOR_PAGES = {"_meta": {"ui": {"visibility": ["app"]}}}


def list_tools(ctx: Any, catalog: Catalog, *, hidden: str | None) -> Iterator[dict[str, Any]]:
    writes = may_write(ctx)
    for listing in catalog.listed(with_pages=shows_pages(ctx)):
        if writes or not listing.writes:
            wire = {**listing.wire, **(FOR_PAGES if catalog.is_for_pages(listing) else {})}
            yield {key: wire[key] for key in wire if key != hidden}


async def list_collections(ctx: Any) -> dict[str, Any]:
    """For a client that shows pages: beside its tools, where else it may look."""
    ask = getattr(ctx.request, "scope", {}).get(COLLECTIONS)
    return {"_meta": {OFFERED: await ask()}} if ask is not None and shows_pages(ctx) else {}


def shows_pages(ctx: Any) -> bool:
    capabilities = ctx.session.client_capabilities
    return PAGES in ((capabilities.extensions if capabilities is not None else None) or {})
