"""Which session a call belongs to: a stdio run, an HTTP, SSE or WebSocket session, or what the client itself names."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

# What a client calls its session, in the metadata of a request.
NAMED = "session_id"
LONGEST = 128  # chosen: a UUID and what a client may put around it

Show = Callable[[str | int | None, int, Mapping[str, Any]], None]


def never() -> bool:
    return False


async def at_once() -> None:
    return


@dataclass(frozen=True, slots=True)
class MessageOrigin:
    """Where a connection's messages come from, how its client is shown results before the answer, if it can be, and
    whether it reads what it is sent: no answer is made for a client that is behind."""

    name: str = ""
    show: Show | None = None
    is_behind: Callable[[], bool] = never
    catch_up: Callable[[], Awaitable[None]] = at_once
    # Whoever is served over stdio has started us.
    is_local: bool = False
    # Whoever opened the connection, where that takes a token.
    holder: Any = None


NOWHERE = MessageOrigin()
# Set by a transport before it serves a connection; all that is handled for the connection inherits it.
HERE: ContextVar[MessageOrigin] = ContextVar("here", default=NOWHERE)


def name_session(transport: str, id: str) -> str:
    """A session's name may be kept and shown; its id lets one speak in it, and stays between client and transport."""
    return f"{transport}-{hashlib.blake2b(id.encode(), digest_size=8).hexdigest()}"


def session_of(ctx: Any) -> str:
    """The session of a request. Where a client keeps no connection and names none, it is all that this client does:
    its name and version are what it says of itself in every request."""
    meta: Mapping[str, Any] = ctx.meta or {}
    named = meta.get(NAMED)
    if isinstance(named, str) and named.strip():
        named = named.strip()
        return named if len(named) <= LONGEST and named.isprintable() else name_session("named", named)
    here = HERE.get().name
    if here:
        return here
    id = ctx.session._connection.session_id  # noqa: SLF001
    if id:
        return name_session("http", id)
    client = ctx.session.client_params.client_info if ctx.session.client_params else None
    return name_session("client", f"{client.name} {client.version}") if client else ""


def connection_of(ctx: Any) -> int:
    """The connection, or the session, that a request is part of, while there is one."""
    return id(ctx.session._connection)  # noqa: SLF001
