"""Uploads: a file's content sent over HTTP by a client that has no path the server could read."""

from functools import partial
from typing import Any

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from memotheca.app import CONTRACTS
from memotheca.jobs.file_access import Upload
from memotheca.jobs.queue import bench_of
from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.open_safely import MAX_SIZE
from memotheca.server.access.holders import HOLDER, TokenHolder
from memotheca.server.access.quotas import QuotaExceeded
from memotheca.server.adapter import Adapter

# Specification: RFC 9110.
# Specification: RFC 9110.
# Specification: RFC 9110.
STATUS = {
    Failure.UNAVAILABLE: 503,
    Failure.TOO_LARGE: 413,
    Failure.UNSUPPORTED: 415,
    Failure.READ_ONLY: 403,
    Failure.DISK_FULL: 507,
}


class UploadDoor:
    """`POST /uploads?name=report.pdf` with the bytes as its body; the answer says what to pass as `file_path`."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter

    async def receive(self, request: Request) -> Response:
        drain = self._adapter.operation.drain
        try:
            drain.refuse_new()
            with drain.working():
                file_path, size = await self._receive(request)
        except Refusal as refusal:
            reply, holder = CONTRACTS["documents"].failure(refusal), request.scope.get(HOLDER)
            challenge = holder.challenge if holder is not None and refusal.failure is Failure.READ_ONLY else ""
            headers = {"WWW-Authenticate": challenge} if challenge else None
            return JSONResponse(reply.structured, STATUS.get(refusal.failure, 400), headers=headers)
        except QuotaExceeded as exceeded:
            data: dict[str, Any] = exceeded.error.data
            after = {"Retry-After": str(data["retry_after_seconds"])} if data["retryable"] else {}
            said = {"success": False, "error": data["code"], "message": exceeded.message}
            return JSONResponse(said, 429 if data["retryable"] else 413, headers=after)
        return JSONResponse({"success": True, "file_path": file_path, "size_bytes": size}, 201)

    async def _receive(self, request: Request) -> tuple[str, int]:
        listing = self._adapter.app.catalog.find("knowledge-add")
        if listing is None:
            raise Refusal(Failure.FORBIDDEN, "Documents are not offered here.")
        self._adapter.app.catalog.refuse_hidden(listing)
        holder: TokenHolder | None = request.scope.get(HOLDER)
        if holder is not None and not holder.token.may_write:
            raise Refusal(Failure.READ_ONLY, "This token may only read; nothing was taken.")
        length = request.headers.get("content-length", "")
        if holder is not None:
            self._adapter.operation.quotas.admit(holder.token, int(length[:20]) if length.isdecimal() else MAX_SIZE)
        bench, name = bench_of(self._adapter.app.kernel), request.query_params.get("name", "")
        room = (int(length[:20]),) if length.isdecimal() else ()
        upload = await anyio.to_thread.run_sync(Upload, bench, name, *room)
        try:
            async for piece in request.stream():
                await anyio.to_thread.run_sync(partial(upload.write, piece))
            return await anyio.to_thread.run_sync(upload.finish), upload.size
        except BaseException:
            upload.discard()
            raise
