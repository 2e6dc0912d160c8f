"""JSON over HTTP in pure ASCII: what a client sent, and hears again, may hold half a surrogate pair."""

import json
from typing import Any

from starlette.responses import JSONResponse


class JsonReply(JSONResponse):
    """Says the same as any JSON, and can always be encoded."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, separators=(",", ":")).encode()
