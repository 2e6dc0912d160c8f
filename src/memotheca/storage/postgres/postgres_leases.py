"""Roles that one process of all machines may hold: a row that its holder touches while it can. Whoever finds it
untouched for long enough takes it over, and what the former holder writes under the role is refused in its own
transaction."""

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from uuid import uuid4

from memotheca.model.clock import system_clock, to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.database import Session, first
from memotheca.storage.roles import RoleHolder

BEATS = 5  # chosen: four missed signs of life before a role is taken over

_TAKE = (
    "INSERT INTO role_lease (name, token, holder, seen) VALUES (?, ?, ?, clock_timestamp()) "
    "ON CONFLICT (name) DO UPDATE SET token = excluded.token, holder = excluded.holder, seen = excluded.seen "
    "WHERE role_lease.seen < clock_timestamp() - CAST(? AS DOUBLE PRECISION) * interval '1 second' RETURNING 1"
)
_BEAT = "UPDATE role_lease SET seen = clock_timestamp() WHERE name = ? AND token = ? RETURNING 1"
# Whoever takes over waits until what was written under the role is committed.
_HOLD = "SELECT 1 FROM role_lease WHERE name = ? AND token = ? FOR SHARE"

_WHO = (
    "SELECT holder, CAST(extract(epoch FROM clock_timestamp() - seen) AS DOUBLE PRECISION) FROM role_lease "
    "WHERE name = ? AND seen >= clock_timestamp() - CAST(? AS DOUBLE PRECISION) * interval '1 second'"
)

Write = Callable[[], AbstractContextManager[Session]]


class RowLease:
    """A role that this process holds, as long as nobody has taken it over."""

    def __init__(self, write: Write, name: str, seconds: float) -> None:
        self._write, self._name, self._seconds = write, name, seconds
        self._token = uuid4().hex
        self._seen = -seconds
        self._ended = threading.Event()

    @property
    def is_held(self) -> bool:
        """As far as is known here: there was a sign of life that nobody can have missed."""
        return not self._ended.is_set() and time.monotonic() - self._seen < self._seconds

    def refuse_lost(self, session: Session | None = None) -> None:
        """To be asked inside a transaction, which then holds the role to its end."""
        is_mine = bool(session.rows(_HOLD, self._name, self._token)) if session is not None else self.is_held
        if not is_mine:
            raise Refusal(Failure.BUSY, "This program was suspended, and another has taken over its work.")

    def take(self) -> bool:
        now = time.monotonic()
        said = json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": to_iso(system_clock())})
        with self._write() as session:
            taken = bool(session.rows(_TAKE, self._name, self._token, said, self._seconds))
        if taken:
            self._seen = now
            threading.Thread(target=self._beat, name="lease", daemon=True).start()
        return taken

    def _beat(self) -> None:
        while not self._ended.wait(self._seconds / BEATS):
            now = time.monotonic()
            with suppress(Refusal):
                with self._write() as session:
                    if not session.rows(_BEAT, self._name, self._token):
                        self._ended.set()
                        return
                self._seen = now

    def end(self) -> None:
        self._ended.set()
        with suppress(Refusal), self._write() as session:
            session.run("DELETE FROM role_lease WHERE name = ? AND token = ?", self._name, self._token)


def read_holder(session: Session, name: str, seconds: float) -> str:
    """Who holds a role, in words; nothing where nobody has given a sign of life for so long."""
    row = first(session, _WHO, name, seconds)
    if row is None:
        return ""
    told = json.loads(row[0])
    return str(RoleHolder(name, int(told["pid"]), str(told["host"]), str(told["since"]), max(0.0, row[1])))


@contextmanager
def take_lease(write: Write, name: str, seconds: float) -> Generator[RowLease | None]:
    """Try to take a role without waiting: where it is free, or where its holder has given no sign of life for long."""
    held = RowLease(write, name, seconds)
    if not held.take():
        yield None
        return
    try:
        yield held
    finally:
        held.end()
