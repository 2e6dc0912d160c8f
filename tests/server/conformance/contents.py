"""Fixture tools that answer by themselves: every kind of content, an error, progress, logging, schemas."""

import base64
import threading
import time
from functools import partial
from typing import Any

import anyio.from_thread
from mcp.shared.message import CloseSSEStreamCallback
from toolbox import EXCHANGE, SHOWN, SWITCHED, Nothing, fixture, text

from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.contract import Block
from memotheca.toolkit.fields import Schema
from memotheca.toolkit.tool import Call

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WAV = base64.b64encode(
    b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data"
    b"\x00\x00\x00\x00"
).decode()
IMAGE: Block = {"type": "image", "data": PNG, "mimeType": "image/png"}


def embedded(uri: str, mime_type: str, words: str) -> Block:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": words}}


@fixture("test_simple_text")
def answer_text(call: Call[Any], given: Nothing) -> list[Block]:
    return [text("This is a simple text response for testing.")]


@fixture("test_image_content")
def answer_image(call: Call[Any], given: Nothing) -> list[Block]:
    return [IMAGE]


@fixture("test_audio_content")
def answer_audio(call: Call[Any], given: Nothing) -> list[Block]:
    return [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]


@fixture("test_embedded_resource")
def answer_resource(call: Call[Any], given: Nothing) -> list[Block]:
    return [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]


@fixture("test_multiple_content_types")
def answer_several(call: Call[Any], given: Nothing) -> list[Block]:
    resource = embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
    return [text("Multiple content types test:"), IMAGE, resource]


@fixture("test_error_handling")
def refuse(call: Call[Any], given: Nothing) -> list[Block]:
    raise Refusal(Failure.UNSUPPORTED, "This tool intentionally returns an error for testing")


@fixture("test_tool_with_progress")
def make_progress(call: Call[Any], given: Nothing) -> list[Block]:
    for done in (0, 50, 100):
        call.report(done, 100, f"{done} of 100")
    return [text("Progress was reported.")]


PATIENCE = 30.0
_begun = threading.Event()
_stopped = threading.Event()


@fixture("test_waiting")
def wait_for_cancellation(call: Call[Any], given: Nothing) -> list[Block]:
    """Work until nobody wants the answer any more."""
    _stopped.clear()
    _begun.set()
    call.report(0, None, "waiting")
    deadline = time.monotonic() + PATIENCE
    while not call.cancelled() and time.monotonic() < deadline:
        time.sleep(0.005)
    if call.cancelled():
        _stopped.set()
    return [text("Nobody hears this.")]


@fixture("test_begun")
def wait_until_begun(call: Call[Any], given: Nothing) -> list[Block]:
    """Say whether such work has begun since this was last asked."""
    was_begun = _begun.wait(PATIENCE)
    _begun.clear()
    return [text("begun" if was_begun else "nothing yet")]


@fixture("test_stopped")
def tell_whether_stopped(call: Call[Any], given: Nothing) -> list[Block]:
    """Say whether the work that waits has seen that it is not wanted."""
    return [text("stopped" if _stopped.wait(PATIENCE) else "still working")]


@fixture("test_tool_with_logging")
def log_steps(call: Call[Any], given: Nothing) -> list[Block]:
    for step in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        _log(step)
    return [text("Three messages were logged.")]


@fixture("test_logging_tool")
def log_once(call: Call[Any], given: Nothing) -> list[Block]:
    _log("This goes to those alone who asked for messages.")
    return [text("A message was logged.")]


def _log(words: str) -> None:
    ctx = EXCHANGE.get().ctx
    send = partial(ctx.session.send_log_message, related_request_id=ctx.request_id)  # pyright: ignore[reportDeprecated]
    anyio.from_thread.run(send, "info", words)


@fixture("test_reconnection")
def part_midway(call: Call[Any], given: Nothing) -> list[Block]:
    """Close the stream of this call where the server can, so that the answer has to be fetched by resuming."""
    part = EXCHANGE.get().ctx.close_sse_stream
    if part is not None:
        anyio.from_thread.run(_close, part)
    return [text("The answer came, on this stream or a later one.")]


async def _close(part: CloseSSEStreamCallback) -> None:
    await part()


@fixture("test_trigger_tool_change")
def switch_tools(call: Call[Any], given: Nothing) -> list[Block]:
    """Show or hide a toolset, as a client would."""
    catalog = EXCHANGE.get().catalog
    shown = any(listing.toolset == SWITCHED for listing in catalog.listed())
    catalog.choose(["entries", SHOWN] if shown else ["entries", SHOWN, SWITCHED])
    return [text("The list of tools has changed.")]


@fixture("test_switched", toolset=SWITCHED)
def answer_while_shown(call: Call[Any], given: Nothing) -> list[Block]:
    return [text("I am listed.")]


REGION: Schema = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
}


@fixture("test_custom_header", schema=REGION)
def answer_header(call: Call[Any], given: Nothing) -> list[Block]:
    return [text("Header and body agree.")]


CONTACT: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


@fixture("json_schema_2020_12_tool", schema=CONTACT)
def answer_contact(call: Call[Any], given: Nothing) -> list[Block]:
    """Tool with JSON Schema 2020-12 features"""
    return [text("The schema was kept.")]
