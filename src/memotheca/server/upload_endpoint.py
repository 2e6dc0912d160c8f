"""Uploads: a file's content sent over HTTP by a client that has no path the server could read."""

from functools import partial

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from memotheca.app import CONTRACTS
from memotheca.jobs.file_access import Upload
from memotheca.jobs.queue import bench_of
from memotheca.model.errors import Failure, Refusal
from memotheca.server.adapter import Adapter
from memotheca.server.holders import HOLDER, TokenHolder

# Specification: RFC 9110.
# Specification: RFC 9110.
# Specification: RFC 9110.
STATUS = {Failure.TOO_LARGE: 413, Failure.UNSUPPORTED: 415, Failure.READ_ONLY: 403, Failure.DISK_FULL: 507}


class UploadDoor:
    """`POST /uploads?name=report.pdf` with the bytes as its body; the answer says what to pass as `file_path`."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter

    async def receive(self, request: Request) -> Response:
        try:
            file_path, size = await self._receive(request)
        except Refusal as refusal:
            reply = CONTRACTS["documents"].failure(refusal)
            return JSONResponse(reply.structured, STATUS.get(refusal.failure, 400))
        return JSONResponse({"success": True, "file_path": file_path, "size_bytes": size}, 201)

    async def _receive(self, request: Request) -> tuple[str, int]:
        listing = self._adapter.app.catalog.find("knowledge-add")
        if listing is None:
            raise Refusal(Failure.FORBIDDEN, "Documents are not offered here.")
        self._adapter.app.catalog.refuse_hidden(listing)
        holder: TokenHolder | None = request.scope.get(HOLDER)
        if holder is not None and not holder.token.may_write:
            raise Refusal(Failure.READ_ONLY, "This token may only read; nothing was taken.")
        bench, name = bench_of(self._adapter.app.kernel), request.query_params.get("name", "")
        length = request.headers.get("content-length", "")
        room = (int(length[:20]),) if length.isdecimal() else ()
        upload = await anyio.to_thread.run_sync(Upload, bench, name, *room)
        try:
            async for piece in request.stream():
                await anyio.to_thread.run_sync(partial(upload.write, piece))
            return await anyio.to_thread.run_sync(upload.finish), upload.size
        except BaseException:
            upload.discard()
            raise
