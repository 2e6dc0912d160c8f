"""Messages of a connection that we carry ourselves, between JSON and the SDK, with or without a handshake."""

from typing import Any

import mcp_types as types
from mcp.shared.message import SessionMessage

from pinakes.server.faults import enrich

# The revision whose words the answer is in, where the client does not name one.
REVISION = "2025-06-18"
ENVELOPE = "io.modelcontextprotocol/protocolVersion"

# The answer to the handshake that is made in the name of a client stays here.
HANDSHAKE_ID = "pinakes/handshake"

Incoming = SessionMessage | Exception


class Entrance:
    """Lets a client's messages in; one that begins without a handshake is introduced by its transport's name."""

    def __init__(self, transport: str) -> None:
        self._transport = transport
        self._has_begun = False

    def admit(self, message: dict[str, Any]) -> list[SessionMessage]:
        early: list[dict[str, Any]] = []
        if not self._has_begun and "method" in message and "id" in message:
            self._has_begun = True
            early = self._handshake() if _lacks_handshake(message) else []
        return [_to_session(each) for each in (*early, message)]

    def _handshake(self) -> list[dict[str, Any]]:
        params = {
            "protocolVersion": REVISION,
            "capabilities": {},
            "clientInfo": {"name": self._transport, "version": "0"},
        }
        return [
            {"jsonrpc": "2.0", "id": HANDSHAKE_ID, "method": "initialize", "params": params},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
        ]


def _lacks_handshake(message: dict[str, Any]) -> bool:
    meta = message.get("params", {}).get("_meta")
    return message["method"] != "initialize" and not (isinstance(meta, dict) and ENVELOPE in meta)


def _to_session(message: dict[str, Any]) -> SessionMessage:
    return SessionMessage(types.jsonrpc_message_adapter.validate_python(message, by_name=False))


def spell(message: SessionMessage) -> dict[str, Any] | None:
    """What to send to the client; nothing where it answers what the client has not asked."""
    spelled = message.message.model_dump(by_alias=True, exclude_unset=True, mode="json")
    return None if spelled.get("id") == HANDSHAKE_ID else enrich(spelled)
