"""The log of calls: one line on stderr for each call and each refusal, as JSON or to be read."""

import json
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Literal, TextIO

from memotheca.server.operation.call_watch import CallRecord, RefusalRecord

Style = Literal["text", "json"]


class CallLog:
    """Writes lines; whatever a client has chosen stands in quotes, so that a line stays one."""

    def __init__(self, style: Style, stream: TextIO | None = None) -> None:
        self._style = style
        self._stream = stream or sys.stderr

    @contextmanager
    def surround(self, tool: str, ctx: Any) -> Generator[None]:
        yield

    def answered(self, record: CallRecord) -> None:
        self._write("call", asdict(record))

    def refused(self, record: RefusalRecord) -> None:
        self._write("refusal", asdict(record))

    def _write(self, event: str, told: Mapping[str, Any]) -> None:
        line = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "event": event, **told}
        if self._style == "text":
            words = [line.pop("time"), line.pop("event"), *(f"{name}={_spelled(line[name])}" for name in line)]
            self._stream.write(" ".join(words) + "\n")
        else:
            self._stream.write(json.dumps(line) + "\n")
        self._stream.flush()


def _spelled(value: Any) -> str:
    text = str(value)
    return text if text.isascii() and text.isprintable() and not set(text) & set(' "=') and text else json.dumps(text)
