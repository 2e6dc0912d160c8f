"""Holders of tokens: who asks over HTTP, and which sessions are theirs."""

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memotheca.admin.access_tokens import AccessToken, KnownTokens
from memotheca.admin.token_shelves import WatchedShelf
from memotheca.model.errors import Failure, Refusal
from memotheca.server.sessions import HERE
from memotheca.text.caches import LruCache

SESSION_HEADER = "mcp-session-id"
# In the address of a connection by server-sent events, and in the ids of its events before their number.
SESSION = "session_id"
# Under which key a request's scope has who asks.
HOLDER = "memotheca.holder"
CANCELS = ("tasks/cancel", "tools/cancel")
SESSIONS = 10_000  # chosen: more than a server has at once
# Whoever sends the one token of the settings: they have no name of their own, so that the client's is used.
UNNAMED = AccessToken(name="", role="write")


@dataclass(frozen=True, slots=True)
class TokenHolder:
    """Whoever sent a token with a request, and whether it is still worth anything."""

    token: AccessToken
    is_valid: Callable[[], bool]
    # Whose sessions are theirs, where the name alone does not tell.
    subject: str = ""
    # The header that asks for a token with more rights, where an outside provider gives them.
    challenge: str = ""

    def is_welcome(self) -> bool:
        """Nobody is while it cannot be known."""
        try:
            return self.is_valid()
        except Refusal:
            return False

    @property
    def owner(self) -> str:
        return self.subject or self.token.name


class TokenHolders:
    """Whoever sends one of the tokens that were made for the data, or the one token of the settings."""

    def __init__(self, shelf: WatchedShelf, token: str, *, has_provider: bool = False) -> None:
        self._token = token.encode()
        self._known = KnownTokens(shelf)
        self._was_asked_for = has_provider

    @property
    def are_asked_for(self) -> bool:
        """Whether everybody has to say who they are. Whoever takes the tokens away opens nothing."""
        self._was_asked_for = self._was_asked_for or bool(self._token) or self._known.is_there()
        return self._was_asked_for

    def find(self, secret: str) -> TokenHolder | None:
        found = self._known.find(secret)
        if found is None and self._token and hmac.compare_digest(secret.encode("latin-1", "replace"), self._token):
            return TokenHolder(UNNAMED, lambda: True)
        return None if found is None else TokenHolder(found, lambda: self._known.find(secret) == found)


class SessionOwners:
    """Whose the sessions of a collection are."""

    def __init__(self) -> None:
        self._owners: LruCache[str, str] = LruCache(SESSIONS)

    def owns(self, holder: TokenHolder, session: str) -> bool:
        """Whether a session is this holder's; of one that nobody here has begun the transport says that it is none."""
        owner = self._owners.get(session)
        return owner is None or owner == holder.owner

    def note(self, holder: TokenHolder, session: str) -> None:
        if self._owners.get(session) is None:
            self._owners.put(session, holder.owner)


def holder_of(ctx: Any) -> TokenHolder | None:
    """Who a request is from: of HTTP each says so itself, of a connection whoever has opened it."""
    asked = getattr(ctx.request, "scope", {}).get(HOLDER) if ctx.request is not None else None
    return asked or HERE.get().holder


def actor_of(ctx: Any) -> str:
    """Who writes: the holder of a token by its name, else the client as it names itself."""
    holder = holder_of(ctx)
    if holder is not None and holder.token.name:
        return holder.token.name
    params = ctx.session.client_params
    return params.client_info.name if params is not None else "client"


def may_write(ctx: Any) -> bool:
    holder = holder_of(ctx)
    return holder is None or holder.token.may_write


def is_admin(ctx: Any) -> bool:
    """Who runs the server may know where things lie on it."""
    holder = holder_of(ctx)
    return holder is not None and holder.token.role == "admin"


def welcome_of(ctx: Any) -> Callable[[], bool]:
    """Whether whoever asks may still be told something later."""
    holder = holder_of(ctx)
    return (lambda: True) if holder is None else holder.is_welcome


def refuse_strangers(ctx: Any) -> None:
    """A connection may outlive the token it was opened with; and who may only read stops nobody's work."""
    holder = holder_of(ctx)
    if holder is not None and not holder.is_valid():
        raise Refusal(Failure.FORBIDDEN, "The token of this connection was revoked. Connect with another one.")
    if ctx.method in CANCELS and not may_write(ctx):
        raise Refusal(Failure.READ_ONLY, "This token may only read; nothing was cancelled.")
