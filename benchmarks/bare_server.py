"""The least server the official SDK allows, to compare with: one tool that does nothing."""

from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

SENTENCE = "Nothing was done."
URI = "knowledge://nothing"
STRUCTURED = {"done": True}

IDLE = types.Tool(
    name="idle",
    title="Do nothing",
    description="Do nothing at all.",
    input_schema={"type": "object", "properties": {}, "additionalProperties": False},
    output_schema={"type": "object", "properties": {"done": {"type": "boolean"}}},
)


async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[IDLE])


async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    resource = types.TextResourceContents(uri=URI, mime_type="application/json", text='{"done":true}')
    return types.CallToolResult(
        content=[types.TextContent(text=SENTENCE), types.EmbeddedResource(resource=resource)],
        structured_content=STRUCTURED,
        is_error=False,
    )


def build_server() -> Server[Any]:
    return Server("bare", version="1", on_list_tools=list_tools, on_call_tool=call_tool)


async def serve() -> None:
    server = build_server()
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(serve)
