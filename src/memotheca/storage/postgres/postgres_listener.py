"""Hearing of what other servers commit: LISTEN on a connection of its own. Whether that is heard at all is tried,
since a pooler that hands out connections by transaction takes it and tells nothing; then, and while the connection is
lost, whoever waits looks again by itself."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from uuid import uuid4

import psycopg

from memotheca.storage.database import Row

log = logging.getLogger(__name__)

CHANNEL = "memotheca"
LOOK_SECONDS = 0.1  # chosen: as subscriptions look where the database is a file
HEARD_SECONDS = 2.0  # chosen: what was not told, against all expectation, is found after that
TRIED_SECONDS = 2.0  # chosen: a notification takes milliseconds
AGAIN_SECONDS = 30.0  # chosen: what was lost or not heard is tried again, and meanwhile it is looked for

Connect = Callable[[], psycopg.Connection[Row]]


class PostgresListener:
    """Counts what it hears; whoever waits is woken."""

    def __init__(self, connect: Connect, tell: Callable[[str], None]) -> None:
        self._connect, self._tell = connect, tell
        self._told = threading.Condition()
        self._count = 0
        self._ended = threading.Event()
        self.is_heard = False
        self._thread = threading.Thread(target=self._run, name="listener", daemon=True)
        self._thread.start()

    @property
    def count(self) -> int:
        return self._count

    def wait(self, since: int) -> None:
        """Until something was heard after so much, or until it is time to look."""
        with self._told:
            self._told.wait_for(
                lambda: self._count != since or self._ended.is_set(), HEARD_SECONDS if self.is_heard else LOOK_SECONDS
            )

    def close(self) -> None:
        self._ended.set()
        self._wake()
        self._thread.join(TRIED_SECONDS)

    def _wake(self) -> None:
        with self._told:
            self._count += 1
            self._told.notify_all()

    def _run(self) -> None:
        while not self._ended.is_set():
            with suppress(psycopg.Error, OSError), self._connect() as connection:
                self._listen(connection)
            self.is_heard = False
            self._wake()
            self._ended.wait(AGAIN_SECONDS if not self._ended.is_set() else 0)

    def _listen(self, connection: psycopg.Connection[Row]) -> None:
        """For ever, unless the try that begins it is not heard."""
        connection.execute(f"LISTEN {CHANNEL}".encode())
        word = f"try {uuid4().hex}"
        self._tell(word)
        deadline = time.monotonic() + TRIED_SECONDS
        while not self._ended.is_set():
            for notice in connection.notifies(timeout=LOOK_SECONDS, stop_after=1):
                if notice.payload == word and not self.is_heard:
                    self.is_heard = True
                self._wake()
            if not self.is_heard and time.monotonic() > deadline:
                log.info("notifications are not heard, as through a pooler; subscriptions look for changes instead")
                return
