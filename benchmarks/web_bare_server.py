"""The SDK's own server and HTTP transport around our tools: python benchmarks/web_bare_server.py FOLDER. A call does
the same work in the same data, so that what is left of the difference is our transport."""

import socket
import sys
from functools import partial
from typing import Any

import anyio.to_thread
import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server

from memotheca import settings
from memotheca.app import App, build
from memotheca.toolkit.tool import Call


def build_server(app: App) -> Server[Any]:
    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate(
            {"tools": [listing.wire for listing in app.catalog.listed()]}, by_name=False
        )

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        call = Call(kernel=app.kernel, actor="benchmark")
        reply = await anyio.to_thread.run_sync(partial(app.dispatcher.run, params.name, params.arguments or {}, call))
        said = {"content": reply.blocks, "structuredContent": reply.structured, "isError": reply.failed}
        return types.CallToolResult.model_validate(said, by_name=False)

    return Server("bare", version="1", on_list_tools=list_tools, on_call_tool=call_tool)


def main() -> None:
    app = build(settings.load({"data": sys.argv[1], "toolsets": "all"}, {}))
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    print(f'{{"endpoint":"http://127.0.0.1:{listener.getsockname()[1]}/mcp"}}', flush=True)
    served = build_server(app).streamable_http_app()
    uvicorn.Server(uvicorn.Config(served, log_config=None, access_log=False, timeout_keep_alive=600)).run(
        sockets=[listener]
    )
    app.close()


if __name__ == "__main__":
    main()
