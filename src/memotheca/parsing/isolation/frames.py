"""How the parser and the server talk: JSON with its length before it, up to a limit."""

import json
import struct
from collections.abc import Iterator
from typing import Any

_LENGTH = struct.Struct(">I")


class OversizedFrame(Exception):
    """A frame that promises to be larger than is allowed."""


def pack(message: Any) -> bytes:
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return _LENGTH.pack(len(body)) + body


class Unpacker:
    """Puts frames together from the bytes that arrive."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = bytearray()

    def feed(self, arrived: bytes) -> Iterator[Any]:
        self._held += arrived
        while len(self._held) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._held)
            if length > self._limit:
                raise OversizedFrame
            end = _LENGTH.size + length
            if len(self._held) < end:
                return
            body = bytes(self._held[_LENGTH.size : end])
            del self._held[:end]
            yield json.loads(body)
