"""Every call as whoever runs the server sees it: who, which tool, how long, how much, and how it ended; never what was
said."""

import json
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, cast

from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND

from memotheca.server.faults import ERROR_TYPES

OK = "ok"
UNKNOWN = "unknown"
FAILED = "error"
_SHOWN = 64  # chosen: a name of usual length; what a client calls itself is not repeated at length
# Where a call of a tool says how it ended.
OUTCOME: ContextVar["CallEnd | None"] = ContextVar("outcome", default=None)


@dataclass(slots=True)
class CallEnd:
    """How a call ends, as far as is known."""

    code: str = OK


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """One call that was answered."""

    who: str
    collection: str
    # A tool by its name, anything else by its method; what there is not is only said to be unknown.
    tool: str
    ms: float
    bytes: int
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalRecord:
    """One request that was turned away before anything was answered."""

    status: int
    method: str
    path: str
    address: str
    why: str


class Observer(Protocol):
    """Somebody who is told of calls."""

    def surround(self, tool: str, ctx: Any) -> AbstractContextManager[None]:
        """Around a call while it runs."""
        ...

    def answered(self, record: CallRecord) -> None: ...

    def refused(self, record: RefusalRecord) -> None: ...


class CallWatch:
    """Tells the observers of every call and every refusal."""

    def __init__(self, observers: Sequence[Observer] = ()) -> None:
        self._observers = observers

    def refused(self, record: RefusalRecord) -> None:
        for observer in self._observers:
            observer.refused(record)

    async def answer(self, ctx: Any, call_next: CallNext, *, who: str, collection: str, tool: str) -> HandlerResult:
        """Answer a request, and tell of it; notifications are not told of."""
        if not self._observers or ctx.request_id is None:
            return await call_next(ctx)
        began, outcome, size = time.perf_counter(), CallEnd(), 0
        mark = OUTCOME.set(outcome)
        with ExitStack() as around:
            for observer in self._observers:
                around.enter_context(observer.surround(tool, ctx))
            try:
                result = await call_next(ctx)
                size = _size_of(result)
                return result
            except MCPError as error:
                outcome.code = _code_of(error)
                tool = UNKNOWN if error.code == METHOD_NOT_FOUND else tool
                raise
            except BaseException:
                outcome.code = "cancelled"
                raise
            finally:
                OUTCOME.reset(mark)
                record = CallRecord(
                    who=who[:_SHOWN],
                    collection=collection,
                    tool=tool,
                    ms=round((time.perf_counter() - began) * 1000, 3),
                    bytes=size,
                    outcome=outcome.code,
                )
                for observer in self._observers:
                    observer.answered(record)


def name_tool(ctx: Any, find: Callable[[str], object | None]) -> str:
    """What a request is told as: its tool, where there is one of that name, else its method."""
    if ctx.method != "tools/call":
        return ctx.method
    params: dict[str, Any] = ctx.params or {}
    name = params.get("name")
    return name if isinstance(name, str) and find(name) is not None else UNKNOWN


def note_outcome(code: str) -> None:
    """How the call that is being answered ends."""
    outcome = OUTCOME.get()
    if outcome is not None:
        outcome.code = code


def _code_of(error: MCPError) -> str:
    given: Any = error.data
    data: dict[str, Any] = cast(dict[str, Any], given) if isinstance(given, dict) else {}
    return str(data.get("code") or ERROR_TYPES.get(error.code, FAILED))


def _size_of(result: HandlerResult) -> int:
    shown: Any = result.model_dump(mode="json", by_alias=True) if hasattr(result, "model_dump") else result  # pyright: ignore
    with suppress(TypeError, ValueError):
        return len(json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))
    return 0
