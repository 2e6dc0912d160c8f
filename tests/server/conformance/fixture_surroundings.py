"""Fixture resources, prompts and completions around our own; what is not the suite's goes to the product."""

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from contents import IMAGE, PNG, embedded
from dialogue import elicitation, form
from mcp.server.context import ServerRequestContext
from toolbox import text

from memotheca.server.adapter import Adapter
from memotheca.tools.entries.contract import ENTRIES

Context = ServerRequestContext[Any, Any]
Handler = Callable[[Context, Any], Awaitable[Any]]
Wrapper = Callable[[Context, Any, Handler], Awaitable[Any]]

WATCHED = "test://watched-resource"
RESOURCES = [
    {
        "uri": "test://static-text",
        "name": "static-text",
        "description": "A text that never changes.",
        "mimeType": "text/plain",
    },
    {
        "uri": "test://static-binary",
        "name": "static-binary",
        "description": "An image that never changes.",
        "mimeType": "image/png",
    },
    {"uri": WATCHED, "name": "watched-resource", "description": "Our entries under another name."},
]
TEMPLATE = {
    "uriTemplate": "test://template/{id}/data",
    "name": "template",
    "description": "Something by its id.",
    "mimeType": "application/json",
}
ARGUMENTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


async def list_resources(ctx: Context, params: Any, ours: Handler) -> Any:
    listed = await ours(ctx, params)
    return {"resources": [*listed["resources"], *RESOURCES]}


async def list_templates(ctx: Context, params: Any, ours: Handler) -> Any:
    listed = await ours(ctx, params)
    return {"resourceTemplates": [*listed["resourceTemplates"], TEMPLATE]}


async def read_resource(ctx: Context, params: types.ReadResourceRequestParams, ours: Handler) -> Any:
    uri = str(params.uri)
    templated = re.fullmatch("test://template/([^/]+)/data", uri)
    if uri == "test://static-text":
        content = {"mimeType": "text/plain", "text": "This is the content of the static text resource."}
    elif uri == "test://static-binary":
        content = {"mimeType": "image/png", "blob": PNG}
    elif templated:
        id = templated[1]
        body = {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}
        content = {"mimeType": "application/json", "text": json.dumps(body)}
    else:
        return await ours(ctx, params)
    return {"contents": [{"uri": uri, **content}]}


async def follow_watched(ctx: Context, params: Any, ours: Handler) -> Any:
    """Subscribe and unsubscribe alike: the suite's resource stands for our entries."""
    uri = ENTRIES if str(params.uri) == WATCHED else params.uri
    return await ours(ctx, params.model_copy(update={"uri": uri}))


async def list_prompts(ctx: Context, params: Any, ours: Handler) -> Any:
    listed = await ours(ctx, params)
    fixtures = [
        {
            "name": name,
            "description": f"The suite's {name}.",
            "arguments": [{"name": argument, "description": argument, "required": True} for argument in arguments],
        }
        for name, arguments in ARGUMENTS.items()
    ]
    return {"prompts": [*listed["prompts"], *fixtures]}


async def get_prompt(ctx: Context, params: types.GetPromptRequestParams, ours: Handler) -> Any:
    given = params.arguments or {}
    if params.name == "test_input_required_result_prompt":
        return _ask_context(params)
    if params.name == "test_simple_prompt":
        contents = [text("This is a simple prompt for testing.")]
    elif params.name == "test_prompt_with_arguments":
        contents = [text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")]
    elif params.name == "test_prompt_with_embedded_resource":
        resource = embedded(given["resourceUri"], "text/plain", "Embedded resource content for testing.")
        contents = [resource, text("Please process the embedded resource above.")]
    elif params.name == "test_prompt_with_image":
        contents = [IMAGE, text("Please analyze the image above.")]
    else:
        return await ours(ctx, params)
    return {"messages": [{"role": "user", "content": content} for content in contents]}


def _ask_context(params: types.GetPromptRequestParams) -> Any:
    response = (params.input_responses or {}).get("user_context")
    if not isinstance(response, types.ElicitResult):
        asked = elicitation("What context should the prompt use?", form({"context": {"type": "string"}}, "context"))
        return types.InputRequiredResult(input_requests={"user_context": asked})
    return {"messages": [{"role": "user", "content": text(f"Use this context: {response.content}")}]}


async def complete(ctx: Context, params: types.CompleteRequestParams, ours: Handler) -> Any:
    if params.ref.type == "ref/prompt" and params.ref.name in ARGUMENTS:
        values = [word for word in ("paris", "park", "party") if word.startswith(params.argument.value)]
        return {"completion": {"values": values, "total": len(values), "hasMore": False}}
    return await ours(ctx, params)


async def set_level(ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
    return types.EmptyResult()


WRAPPERS: dict[str, Wrapper] = {
    "resources/list": list_resources,
    "resources/templates/list": list_templates,
    "resources/read": read_resource,
    "resources/subscribe": follow_watched,
    "resources/unsubscribe": follow_watched,
    "prompts/list": list_prompts,
    "prompts/get": get_prompt,
    "completion/complete": complete,
}


def surround(adapter: Adapter) -> None:
    for method, wrapper in WRAPPERS.items():
        _wrap(adapter, method, wrapper)
    adapter.server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_level)


def _wrap(adapter: Adapter, method: str, wrapper: Wrapper) -> None:
    entry = adapter.server.get_request_handler(method)
    assert entry is not None

    async def handle(ctx: Context, params: Any) -> Any:
        result = await wrapper(ctx, params, entry.handler)
        return {"resultType": "complete", **result} if isinstance(result, dict) else result

    adapter.server.add_request_handler(method, entry.params_type, handle)
