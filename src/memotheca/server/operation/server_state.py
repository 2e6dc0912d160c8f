"""How a server is, for whoever runs it: alive at /health, to be sent to at /ready, counted at /metrics."""

from functools import partial
from typing import Any

import anyio
import anyio.to_thread
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from memotheca import __version__
from memotheca.admin.history import newest_tx
from memotheca.model.errors import Failure, Refusal
from memotheca.server.access.holders import HOLDER, TokenHolders
from memotheca.server.adapter import Adapter
from memotheca.server.ascii_json import JsonReply

NEWEST_REVISION = MODERN_PROTOCOL_VERSIONS[-1]
WATCHERS = ("watch", "admin")


class StateDoor:
    """Answers at once, whatever else goes on."""

    def __init__(self, adapter: Adapter, holders: TokenHolders) -> None:
        self._app = adapter.app
        self._operation = adapter.operation
        self._holders = holders
        # Whoever asks how we are waits for nobody.
        self._glance = anyio.CapacityLimiter(2)

    @property
    def routes(self) -> list[Route]:
        routes = [
            Route("/health", self._tell_health, methods=["GET"]),
            Route("/ready", self._tell_ready, methods=["GET"]),
        ]
        if self._operation.metrics is not None:
            routes.append(Route("/metrics", self._tell_metrics, methods=["GET"]))
        return routes

    async def _tell_health(self, request: Request) -> Response:
        try:
            tx = await anyio.to_thread.run_sync(partial(newest_tx, self._app.kernel), limiter=self._glance)
            # How much is stored is nobody's business but theirs who may ask for it.
            counted = {} if self._holders.are_asked_for else {"tx_id": tx}
        except Refusal as refusal:
            return JsonReply({"status": "unavailable", "reason": refusal.failure.code}, status_code=503)
        return JsonReply({"status": "ok", "version": __version__, "mcp_version": NEWEST_REVISION, **counted})

    async def _tell_ready(self, request: Request) -> Response:
        """Whether calls should be sent here: not while the server ends, its data is away, or of a newer format."""
        reason = "draining" if self._operation.drain.is_closing else ""
        if not reason:
            reason = await anyio.to_thread.run_sync(self._find_trouble, limiter=self._glance)
        said: dict[str, Any] = {"status": "not_ready", "reason": reason} if reason else {"status": "ready"}
        return JsonReply({**said, "version": __version__}, status_code=503 if reason else 200)

    def _find_trouble(self) -> str:
        try:
            newest_tx(self._app.kernel)
            outdated = self._app.kernel.store.newer_format() is not None
            return Failure.INCOMPATIBLE.code if outdated else ""
        except Refusal as refusal:
            return refusal.failure.code

    async def _tell_metrics(self, request: Request) -> Response:
        metrics, holder = self._operation.metrics, request.scope.get(HOLDER)
        assert metrics is not None
        # They name every collection, and what is done in it.
        if holder is not None and (holder.token.role not in WATCHERS or holder.token.collections):
            message = "Metrics are of all collections: for tokens of the role watch or admin that no collection limits."
            return JsonReply({"error": "forbidden", "message": message}, 403)
        return Response(metrics.spell(), media_type=metrics.media_type)
