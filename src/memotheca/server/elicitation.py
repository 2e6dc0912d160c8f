"""Asking the client: by requests of our own in the older protocol, by rounds of the same call in the newer."""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from memotheca.server.faults import INVALID_PARAMS, METHOD_NOT_FOUND
from memotheca.toolkit.ask import UNSUPPORTED, Addressee, Dialogue, Form, Question, Response, Unanswered, key_of
from memotheca.toolkit.contract import Reply

log = logging.getLogger(__name__)

MOST_QUESTIONS = 8  # chosen: afterwards tools take their fallback (docs/decisions/patterns.md)
USER_REJECTED = -1  # specification: MCP, Sampling

Context = ServerRequestContext[Any, Any]
Run = Callable[[Dialogue], Awaitable[Reply]]
Responses = Mapping[str, Response]


def seal_state() -> RequestStateBoundary:
    """Earlier answers travel through the client in the newer protocol: encrypted, and bound to the call."""
    return RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="memotheca")


@dataclass(frozen=True, slots=True)
class QuestionReply:
    """The answer of a round that ends with a question."""

    question: Question
    responses: Responses = field(default_factory=dict[str, Response])

    def to_wire(self) -> dict[str, Any]:
        requests: types.InputRequests = {key_of(self.question): _to_request(self.question)}
        state = _encode(self.responses) if self.responses else None
        result = types.InputRequiredResult(input_requests=requests, request_state=state)
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)


async def converse(ctx: Context, params: types.CallToolRequestParams, run: Run) -> Reply | QuestionReply:
    """Run a tool, and again with every answer, until it asks nothing more; no thread waits for a person."""
    in_rounds = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
    addressees = _addressees(ctx, in_rounds)
    responses: Responses = _received(params) if in_rounds else {}
    while True:
        reachable = addressees if len(responses) < MOST_QUESTIONS else frozenset[Addressee]()
        try:
            return await run(Dialogue(reachable, responses))
        except Unanswered as unanswered:
            question = unanswered.question
        if in_rounds:
            return QuestionReply(question, responses)
        responses = {**responses, key_of(question): await _ask(ctx, question)}


def _addressees(ctx: Context, in_rounds: bool) -> frozenset[Addressee]:
    """Whom the client lets us ask. A client that says `elicitation: {}` means forms."""
    declared = ctx.session.client_capabilities
    if declared is None or not (in_rounds or ctx.session.can_send_request):
        return frozenset()
    found: set[Addressee] = set()
    if declared.elicitation is not None and (declared.elicitation.form is not None or declared.elicitation.url is None):
        found.add("person")
    if declared.sampling is not None:
        found.add("model")
    return frozenset(found)


def _to_request(question: Question) -> types.ElicitRequest | types.CreateMessageRequest:
    if isinstance(question, Form):
        form = types.ElicitRequestFormParams(message=question.message, requested_schema=question.schema)
        return types.ElicitRequest(params=form)
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=question.text))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(
            messages=[message], system_prompt=question.system or None, max_tokens=question.max_tokens
        )
    )


def _to_response(result: object) -> Response:
    if isinstance(result, types.ElicitResult):
        if result.action == "accept":
            return Response("accepted", dict(result.content or {}))
        return Response("declined" if result.action == "decline" else "cancelled")
    if isinstance(result, types.CreateMessageResult | types.CreateMessageResultWithTools):
        blocks = result.content if isinstance(result.content, list) else [result.content]
        words = [block.text for block in blocks if isinstance(block, types.TextContent)]
        return Response("accepted", {"text": "\n".join(words), "model": result.model} if words else {})
    return Response("accepted")


async def _ask(ctx: Context, question: Question) -> Response:
    request = _to_request(question)
    expected = types.ElicitResult if isinstance(request, types.ElicitRequest) else types.CreateMessageResult
    related = ServerMessageMetadata(related_request_id=ctx.request_id)
    try:
        return _to_response(await ctx.session.send_request(request, expected, metadata=related))
    except NoBackChannelError:
        return UNSUPPORTED
    except MCPError as error:
        log.info("the client answered a question with error %s", error.code)
        if error.code in (METHOD_NOT_FOUND, INVALID_PARAMS):
            return UNSUPPORTED
        return Response("declined" if error.code == USER_REJECTED else "cancelled")
    except ValidationError:
        log.info("the client answered a question with something that is no answer")
        return Response("cancelled")


def _received(params: types.CallToolRequestParams) -> Responses:
    """The answers of this round and, from the sealed state, those of the rounds before."""
    earlier = {} if params.request_state is None else _decode(params.request_state)
    return earlier | {key: _to_response(result) for key, result in (params.input_responses or {}).items()}


def _encode(responses: Responses) -> str:
    return json.dumps({key: [response.outcome, dict(response.content)] for key, response in responses.items()})


def _decode(state: str) -> dict[str, Response]:
    return {key: Response(outcome, content) for key, (outcome, content) in json.loads(state).items()}
