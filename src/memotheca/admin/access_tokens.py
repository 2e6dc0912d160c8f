"""Tokens: who may reach this data over HTTP, by what name, to do what, in which collections. What is kept are digests
alone, and whoever serves reads them again when they have changed."""

import hashlib
import hmac
import json
import logging
import secrets
from collections.abc import Callable, Hashable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from memotheca.admin.token_shelves import TokenShelf, WatchedShelf
from memotheca.model.clock import Clock, to_iso
from memotheca.model.errors import Failure, Refusal

log = logging.getLogger(__name__)

Role = Literal["read", "write", "admin", "watch"]
ROLES: tuple[Role, ...] = get_args(Role)

QUOTAS = ("calls_per_minute", "bytes_per_minute", "jobs", "entries")

PREFIX = "mt_"
# Before the names of those that an outside provider vouches for, so that nobody is taken for another.
OUTSIDE = "oauth:"
_BYTES = 32  # chosen: as many as nobody guesses, so that a plain digest is enough
LONGEST_NAME = 64  # chosen: a name that fits into a line of the history


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessToken:
    """Whoever sends it: the name that history has for them, what they may do, in which collections (all where none is
    named), and the digest of what they send."""

    name: str
    role: Role
    collections: tuple[str, ...] = ()
    digest: str = ""
    created_at: str = ""
    # How much it is good for; 0 is without an end.
    calls_per_minute: int = 0
    bytes_per_minute: int = 0
    jobs: int = 0
    entries: int = 0

    @property
    def may_write(self) -> bool:
        return self.role in ("write", "admin")

    def may_enter(self, collection: str) -> bool:
        return self.role != "watch" and (not self.collections or collection in self.collections)


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def is_name(name: str) -> bool:
    return bool(name.strip()) and len(name) <= LONGEST_NAME and name.isprintable()


def add_token(shelf: TokenShelf, wanted: AccessToken, *, clock: Clock) -> str:
    """Make a token and return it; it is kept nowhere, so that this is the only time it can be seen."""
    name = wanted.name.strip()
    if not is_name(name):
        raise Refusal(Failure.INVALID, f"A token's name is 1 to {LONGEST_NAME} printable characters.", field="name")
    if name.startswith(OUTSIDE):
        raise Refusal(Failure.INVALID, f"Names that begin with {OUTSIDE} are an outside provider's.", field="name")
    if wanted.role == "watch" and wanted.collections:
        message = "Metrics are of all collections, so that a token of the role watch is for none."
        raise Refusal(Failure.INVALID, message, field="collections")
    if negative := [quota for quota in QUOTAS if getattr(wanted, quota) < 0]:
        raise Refusal(Failure.INVALID, f"{negative[0]} must be at least 0, which is without an end.", field=negative[0])
    secret = PREFIX + secrets.token_urlsafe(_BYTES)
    collections = tuple(dict.fromkeys(wanted.collections))
    made = replace(wanted, name=name, collections=collections, digest=digest_of(secret), created_at=to_iso(clock()))

    def act(held: list[AccessToken]) -> list[AccessToken]:
        if any(each.name == made.name for each in held):
            raise Refusal(
                Failure.ALREADY_EXISTS,
                f"There is a token named {made.name!r}; revoke it, or choose another name.",
            )
        return [*held, made]

    _change(shelf, act)
    return secret


def revoke_token(shelf: TokenShelf, name: str) -> AccessToken:
    """Let a token be worth nothing from now on, also to servers that run."""
    gone: list[AccessToken] = []

    def act(held: list[AccessToken]) -> list[AccessToken]:
        gone[:] = [each for each in held if each.name == name]
        if not gone:
            raise Refusal(Failure.NOT_FOUND, f"There is no token named {name!r}; `memotheca token list` shows them.")
        return [each for each in held if each.name != name]

    _change(shelf, act)
    return gone[0]


def rename_in_tokens(shelf: TokenShelf, collection: str, wanted: str) -> int:
    """Let the tokens that were made for a collection be for it under its new name; says how many there are."""
    found = [each for each in read_tokens(shelf) if collection in each.collections]

    def act(held: list[AccessToken]) -> list[AccessToken]:
        return [
            replace(each, collections=tuple(wanted if name == collection else name for name in each.collections))
            for each in held
        ]

    if found:
        _change(shelf, act)
    return len(found)


def read_tokens(shelf: TokenShelf | WatchedShelf) -> list[AccessToken]:
    """All tokens, none where there never was one."""
    return _to_tokens(shelf.read(), shelf.place)


def _to_tokens(text: str | None, place: str) -> list[AccessToken]:
    try:
        held: list[dict[str, Any]] = json.loads(text or "[]")
        return [replace(AccessToken(**each), collections=tuple(each["collections"])) for each in held]
    except (ValueError, TypeError, KeyError) as error:
        raise Refusal(Failure.CORRUPT, f"{place} cannot be read; mend or remove it.") from error


class KnownTokens:
    """The tokens as they are now: they are read again whenever they are others. While they cannot be read, nobody is
    known."""

    def __init__(self, shelf: WatchedShelf) -> None:
        self._shelf = shelf
        self._seen: Hashable | None = None
        self._held: list[AccessToken] = []

    def is_there(self) -> bool:
        return self._shelf.glance() is not None

    def find(self, secret: str) -> AccessToken | None:
        """Whoever sends this; every digest is compared in constant time, and all of them are."""
        given, found = digest_of(secret), None
        for each in self._current():
            if hmac.compare_digest(each.digest, given):
                found = each
        return found

    def _current(self) -> list[AccessToken]:
        state = self._shelf.glance()
        if state != self._seen:
            self._seen, self._held = state, []
            try:
                self._held = read_tokens(self._shelf)
            except Refusal as refusal:
                log.warning("nobody is let in: %s", refusal.message)
        return self._held


def _change(shelf: TokenShelf, act: Callable[[list[AccessToken]], list[AccessToken]]) -> None:
    def change(text: str | None) -> str:
        return json.dumps([asdict(each) for each in act(_to_tokens(text, shelf.place))], indent=2)

    shelf.change(change)
