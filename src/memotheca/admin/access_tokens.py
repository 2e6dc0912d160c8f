"""Tokens: who may reach this data over HTTP, by what name, to do what, in which collections. The file beside the data
holds digests alone, and whoever serves reads it again when it has changed."""

import hashlib
import hmac
import json
import logging
import os
import secrets
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from memotheca.model.clock import Clock, to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.locks import role as turn

log = logging.getLogger(__name__)

Role = Literal["read", "write", "admin", "watch"]
ROLES: tuple[Role, ...] = get_args(Role)

QUOTAS = ("calls_per_minute", "bytes_per_minute", "jobs", "entries")

FILE = "tokens.json"
PREFIX = "mt_"
# Before the names of those that an outside provider vouches for, so that nobody is taken for another.
OUTSIDE = "oauth:"
_BYTES = 32  # chosen: as many as nobody guesses, so that a plain digest is enough
LONGEST_NAME = 64  # chosen: a name that fits into a line of the history
_PATIENCE = 5.0  # chosen: seconds; changing the file takes a moment


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


def add_token(data: Path, wanted: AccessToken, *, clock: Clock) -> str:
    """Make a token and return it; it is kept nowhere, so that this is the only time it can be seen."""
    name = wanted.name.strip()
    if not is_name(name):
        raise Refusal(Failure.INVALID, f"A token's name is 1 to {LONGEST_NAME} printable characters.", field="name")
    if name.startswith(OUTSIDE):
        raise Refusal(Failure.INVALID, f"Names that begin with {OUTSIDE} are an outside provider's.", field="name")
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

    _change(data, act)
    return secret


def revoke_token(data: Path, name: str) -> AccessToken:
    """Let a token be worth nothing from now on, also to servers that run."""
    gone: list[AccessToken] = []

    def act(held: list[AccessToken]) -> list[AccessToken]:
        gone.extend(each for each in held if each.name == name)
        if not gone:
            raise Refusal(Failure.NOT_FOUND, f"There is no token named {name!r}; `memotheca token list` shows them.")
        return [each for each in held if each.name != name]

    _change(data, act)
    return gone[0]


def rename_in_tokens(data: Path, collection: str, wanted: str) -> int:
    """Let the tokens that were made for a collection be for it under its new name; says how many there are."""
    found = [each for each in read_tokens(data) if collection in each.collections]

    def act(held: list[AccessToken]) -> list[AccessToken]:
        return [
            replace(each, collections=tuple(wanted if name == collection else name for name in each.collections))
            for each in held
        ]

    if found:
        _change(data, act)
    return len(found)


def read_tokens(data: Path) -> list[AccessToken]:
    """All tokens, none where there is no file."""
    path = data / FILE
    try:
        held: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
        return [replace(AccessToken(**each), collections=tuple(each["collections"])) for each in held]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise Refusal(Failure.CORRUPT, f"{FILE} in the data directory cannot be read; mend or remove it.") from error


class TokenFile:
    """The tokens as they are now: the file is read again whenever it is another. While it cannot be read, nobody is
    known."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._seen: tuple[int, ...] | None = None
        self._held: list[AccessToken] = []

    def is_there(self) -> bool:
        return (self._data / FILE).exists()

    def find(self, secret: str) -> AccessToken | None:
        """Whoever sends this; every digest is compared in constant time, and all of them are."""
        given, found = digest_of(secret), None
        for each in self._current():
            if hmac.compare_digest(each.digest, given):
                found = each
        return found

    def _current(self) -> list[AccessToken]:
        try:
            state = (self._data / FILE).stat()
        except OSError:
            self._seen, self._held = None, []
            return self._held
        signature = (state.st_mtime_ns, state.st_size, state.st_ino)
        if signature != self._seen:
            self._seen, self._held = signature, []
            try:
                self._held = read_tokens(self._data)
            except Refusal as refusal:
                log.warning("nobody is let in: %s", refusal.message)
        return self._held


def _change(data: Path, act: Callable[[list[AccessToken]], list[AccessToken]]) -> None:
    with _turn(data):
        changed = act(read_tokens(data))
        fresh = data / f"{FILE}.new"
        descriptor = os.open(fresh, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump([asdict(each) for each in changed], file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(data / FILE)


@contextmanager
def _turn(data: Path) -> Generator[None]:
    """One program at a time changes the file."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        with turn(data, "tokens") as is_ours:
            if is_ours:
                yield
                return
        if time.monotonic() >= deadline:
            raise Refusal(Failure.BUSY, "Another program is changing the tokens; try again.")
        time.sleep(0.05)
