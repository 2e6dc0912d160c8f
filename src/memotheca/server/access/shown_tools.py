"""Which tools a client is shown: those that are on, as far as it may use them, and to one that shows pages also what
those call."""

from collections.abc import Iterator
from typing import Any

from memotheca.server.access.holders import may_write
from memotheca.toolkit.catalog import Catalog

# The extension by which a client says that it shows pages (MCP Apps), and what keeps a tool from its model.
PAGES = "io.modelcontextprotocol/ui"
FOR_PAGES = {"_meta": {"ui": {"visibility": ["app"]}}}


def list_tools(ctx: Any, catalog: Catalog, *, hidden: str | None) -> Iterator[dict[str, Any]]:
    writes = may_write(ctx)
    for listing in catalog.listed(with_pages=shows_pages(ctx)):
        if writes or not listing.writes:
            wire = {**listing.wire, **(FOR_PAGES if catalog.is_for_pages(listing) else {})}
            yield {key: wire[key] for key in wire if key != hidden}


def shows_pages(ctx: Any) -> bool:
    capabilities = ctx.session.client_capabilities
    return PAGES in ((capabilities.extensions if capabilities is not None else None) or {})
