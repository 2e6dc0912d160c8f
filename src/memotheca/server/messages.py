"""Messages of a connection that we carry ourselves, between JSON and the SDK, with or without a handshake."""

from typing import Any
from uuid import uuid4

import mcp_types as types
from mcp.shared.message import SessionMessage

from memotheca.server.batches import BatchSession, Reply
from memotheca.server.faults import INTERNAL_ERROR, enrich, fault

# The revision whose words the answer is in, where the client does not name one.
REVISION = "2025-06-18"
ENVELOPE = "io.modelcontextprotocol/protocolVersion"

# Chosen: requests of one connection that may wait for their answers.
MOST_WAITING = 1000

Incoming = SessionMessage | Exception


class Full(Exception):
    """The client has asked more than it may before it is answered; `answer` is the error for it."""

    def __init__(self, id: str | int) -> None:
        details = "Too much is waiting for its answer on this connection. Read the answers, then ask again."
        self.answer = fault(INTERNAL_ERROR, "Busy", id=id, details=details)
        self.answer["error"]["data"] |= {"code": "busy", "retryable": True}


class Entrance:
    """Lets a client's messages in, as many as may wait; one that begins without a handshake is introduced by its
    transport's name."""

    def __init__(self, transport: str, most: int) -> None:
        self._transport = transport
        self._has_begun = False
        self._most = most
        self._waiting: dict[str | int, int] = {}
        # The answer to the handshake that is made in the name of a client stays here; nobody can guess its id.
        self._handshake_id = f"memotheca/{uuid4().hex}/handshake"
        self._conversation = BatchSession()

    def admit(self, parsed: Any, size: int) -> tuple[list[SessionMessage], Reply | None]:
        """What the server is told and what is answered at once; raises Full where too much waits already."""
        messages, reply = self._conversation.take(parsed)
        admitted: list[SessionMessage] = []
        for message in messages:
            try:
                admitted += self._admit(message, size // len(messages))
            except Full as full:
                if not isinstance(parsed, list):
                    raise
                reply = self._conversation.gather(full.answer) or reply
        return admitted, reply

    def _admit(self, message: dict[str, Any], size: int) -> list[SessionMessage]:
        early: list[dict[str, Any]] = []
        if "method" in message and "id" in message:
            self._count(message["id"], size)
            if not self._has_begun:
                self._has_begun = True
                if _lacks_handshake(message):
                    self._conversation.revision = REVISION
                    early = self._handshake()
        elif message.get("method") == "notifications/cancelled":
            self._settle(message.get("params", {}).get("requestId"))
        return [_to_session(each) for each in (*early, message)]

    def spell(self, message: SessionMessage) -> Reply | None:
        """What to send to the client; nothing where it answers what the client has not asked, or a batch in part."""
        spelled = message.message.model_dump(by_alias=True, exclude_unset=True, mode="json")
        if "method" not in spelled:
            self._settle(spelled.get("id"))
        return None if spelled.get("id") == self._handshake_id else self._conversation.gather(enrich(spelled))

    def _count(self, id: str | int, size: int) -> None:
        held = sum(self._waiting.values())
        if self._waiting and (len(self._waiting) >= MOST_WAITING or held + size > self._most):
            raise Full(id)
        self._waiting[id] = size

    def _settle(self, id: Any) -> None:
        if isinstance(id, str | int):
            self._waiting.pop(id, None)

    def _handshake(self) -> list[dict[str, Any]]:
        params = {
            "protocolVersion": REVISION,
            "capabilities": {},
            "clientInfo": {"name": self._transport, "version": "0"},
        }
        return [
            {"jsonrpc": "2.0", "id": self._handshake_id, "method": "initialize", "params": params},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
        ]


def _lacks_handshake(message: dict[str, Any]) -> bool:
    meta = message.get("params", {}).get("_meta")
    return message["method"] != "initialize" and not (isinstance(meta, dict) and ENVELOPE in meta)


def _to_session(message: dict[str, Any]) -> SessionMessage:
    return SessionMessage(types.jsonrpc_message_adapter.validate_python(message, by_name=False))
