"""Fixture tools that ask the client: by requests of their own in the older era, by rounds in the newer."""

import json
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio.from_thread
import mcp_types as types
from mcp.shared.exceptions import MCPError
from toolbox import EXCHANGE, Nothing, fixture, text

from memotheca.toolkit.contract import Block
from memotheca.toolkit.fields import Schema
from memotheca.toolkit.fields import text as text_field
from memotheca.toolkit.tool import Call

MISSING_CLIENT_CAPABILITY = -32021


def form(properties: Schema, *required: str) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required)}


def elicitation(message: str, schema: Schema) -> types.ElicitRequest:
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def sampling(words: str, max_tokens: int = 100) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=words))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=max_tokens)
    )


def _elicit(message: str, schema: Schema) -> types.ElicitResult:
    ctx = EXCHANGE.get().ctx
    return anyio.from_thread.run(ctx.session.elicit_form, message, schema, ctx.request_id)


def _completed(result: types.ElicitResult) -> list[Block]:
    return [text(f"Elicitation completed: action={result.action}, content={json.dumps(result.content)}")]


def require(requests: dict[str, Any], state: str | None = None) -> list[Block]:
    EXCHANGE.get().outcome = types.InputRequiredResult(input_requests=requests, request_state=state)
    return []


def accepted(key: str) -> dict[str, Any] | None:
    """What a person filled in, where they did."""
    response = EXCHANGE.get().responses.get(key)
    return dict(response.content or {}) if isinstance(response, types.ElicitResult) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompted:
    prompt: str = text_field("The prompt to send to the LLM")


@fixture("test_sampling", input=Prompted)
def ask_model(call: Call[Any], given: Prompted) -> list[Block]:
    ctx = EXCHANGE.get().ctx
    ask = partial(ctx.session.create_message, related_request_id=ctx.request_id)  # pyright: ignore[reportDeprecated]
    messages = [types.SamplingMessage(role="user", content=types.TextContent(type="text", text=given.prompt))]
    result = anyio.from_thread.run(partial(ask, messages, max_tokens=100))
    return [text(f"LLM response: {result.content.text if isinstance(result.content, types.TextContent) else ''}")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Worded:
    message: str = text_field("The message to show the user")


@fixture("test_elicitation", input=Worded)
def ask_person(call: Call[Any], given: Worded) -> list[Block]:
    asked = {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    }
    result = _elicit(given.message, form(asked, "username", "email"))
    return [text(f"User response: action={result.action}, content={json.dumps(result.content)}")]


@fixture("test_elicitation_sep1034_defaults")
def ask_with_defaults(call: Call[Any], given: Nothing) -> list[Block]:
    asked: Schema = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    return _completed(_elicit("Please look through the defaults", form(asked)))


@fixture("test_elicitation_sep1330_enums")
def ask_with_choices(call: Call[Any], given: Nothing) -> list[Block]:
    plain = ["option1", "option2", "option3"]
    titled = [{"const": f"value{n}", "title": f"{name} Option"} for n, name in enumerate(("First", "Second"), 1)]
    asked: Schema = {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    return _completed(_elicit("Please choose", form(asked)))


@fixture("test_missing_capability")
def need_sampling(call: Call[Any], given: Nothing) -> list[Block]:
    exchange = EXCHANGE.get()
    capabilities = exchange.ctx.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        data = {"requiredCapabilities": {"sampling": {}}}
        exchange.outcome = MCPError(MISSING_CLIENT_CAPABILITY, "This needs sampling", data)
        return []
    return [text("The client can sample.")]


NAME = form({"name": {"type": "string"}}, "name")


@fixture("test_streaming_elicitation")
@fixture("test_input_required_result_elicitation")
def require_name(call: Call[Any], given: Nothing) -> list[Block]:
    answer = accepted("user_name")
    if answer is None:
        return require({"user_name": elicitation("What is your name?", NAME)})
    return [text(f"Hello, {answer.get('name')}!")]


@fixture("test_input_required_result_sampling")
def require_sample(call: Call[Any], given: Nothing) -> list[Block]:
    response = EXCHANGE.get().responses.get("capital_question")
    if not isinstance(response, types.CreateMessageResult):
        return require({"capital_question": sampling("What is the capital of France?")})
    return [text(f"The model said: {response.content}")]


@fixture("test_input_required_result_list_roots")
def require_roots(call: Call[Any], given: Nothing) -> list[Block]:
    response = EXCHANGE.get().responses.get("client_roots")
    if not isinstance(response, types.ListRootsResult):
        return require({"client_roots": types.ListRootsRequest()})
    return [text(f"Roots: {', '.join(str(root.uri) for root in response.roots)}")]


CONFIRM = form({"ok": {"type": "boolean"}}, "ok")


@fixture("test_input_required_result_tampered_state")
@fixture("test_input_required_result_request_state")
def require_state(call: Call[Any], given: Nothing) -> list[Block]:
    """The state comes back sealed by the SDK's middleware; what was tampered with never arrives here."""
    if EXCHANGE.get().params.request_state != "asked":
        return require({"confirm": elicitation("Please confirm", CONFIRM)}, "asked")
    return [text("state-ok")]


@fixture("test_input_required_result_multiple_inputs")
def require_three(call: Call[Any], given: Nothing) -> list[Block]:
    asked = {
        "user_name": elicitation("What is your name?", NAME),
        "greeting": sampling("Generate a greeting", 50),
        "client_roots": types.ListRootsRequest(),
    }
    exchange = EXCHANGE.get()
    if exchange.params.request_state != "three" or not asked.keys() <= exchange.responses.keys():
        return require(asked, "three")
    return [text("All three were answered.")]


@fixture("test_input_required_result_multi_round")
def require_twice(call: Call[Any], given: Nothing) -> list[Block]:
    first, second = accepted("step1"), accepted("step2")
    state = EXCHANGE.get().params.request_state
    if state is None or (state == "step1" and first is None):
        return require({"step1": elicitation("Step 1: What is your name?", NAME)}, "step1")
    if second is None:
        colour = form({"color": {"type": "string"}}, "color")
        return require({"step2": elicitation("Step 2: What is your favorite color?", colour)}, "step2")
    return [text(f"Two rounds are over: {second.get('color')}")]


@fixture("test_input_required_result_capabilities")
def require_what_can_be(call: Call[Any], given: Nothing) -> list[Block]:
    exchange = EXCHANGE.get()
    capabilities = exchange.ctx.session.client_capabilities or types.ClientCapabilities()
    asked: dict[str, Any] = {}
    if capabilities.elicitation is not None:
        asked["user_name"] = elicitation("What is your name?", NAME)
    if capabilities.sampling is not None:
        asked["greeting"] = sampling("Generate a greeting")
    missing = not asked.keys() <= exchange.responses.keys()
    return require(asked) if asked and missing else [text("Nothing is left to ask.")]
