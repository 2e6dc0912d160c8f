"""Tokens that machines share, as they were a moment ago: a thread reads them again and again, so that no request waits
for the database to learn who asks."""

import logging
import threading
import time
from collections.abc import Generator, Hashable
from contextlib import AbstractContextManager, contextmanager, nullcontext

from memotheca.admin.token_shelves import FILE, FileShelf, SharedShelf, WatchedShelf, shelf_of
from memotheca.app import App
from memotheca.model.errors import Failure, Refusal

log = logging.getLogger(__name__)

PERIOD = 1.0  # chosen: seconds until a revoked token is worth nothing anywhere; a small read a second and server
STALE = 30.0  # chosen: seconds after which nobody is let in by what was read last


class FollowedShelf:
    """What was read last of a shelf in the database."""

    def __init__(self, shelf: SharedShelf) -> None:
        self.place = shelf.place
        self._shelf = shelf
        self._text = shelf.read()
        self._at = time.monotonic()
        self._ended = threading.Event()

    def glance(self) -> Hashable | None:
        if time.monotonic() - self._at > STALE:
            raise Refusal(Failure.UNAVAILABLE, "The tokens in the database cannot be read at the moment; try again.")
        return self._text

    def read(self) -> str | None:
        return self._text

    @contextmanager
    def followed(self) -> Generator[None]:
        thread = threading.Thread(target=self._follow, name="tokens", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()

    def _follow(self) -> None:
        while not self._ended.wait(PERIOD):
            at = time.monotonic()
            try:
                self._text = self._shelf.read()
            except Refusal as refusal:
                log.info("tokens are not read: %s", refusal.message)
            else:
                self._at = at


def watched_shelf(app: App) -> tuple[WatchedShelf, AbstractContextManager[None]]:
    """Where a server finds its tokens, and what has to go on while it serves."""
    shelf = shelf_of(app.kernel.store, app.data, is_shared=app.is_shared)
    if isinstance(shelf, FileShelf):
        return shelf, nullcontext()
    followed = FollowedShelf(shelf)
    _refuse_left_file(app, followed)
    return followed, followed.followed()


def _refuse_left_file(app: App, shelf: FollowedShelf) -> None:
    """Who made tokens for a directory must not find its server open, or all of them locked out, without a word."""
    path = app.data / FILE
    if not path.exists():
        return
    if shelf.read() is None:
        raise Refusal(
            Failure.INVALID,
            f"{path} is not read where the data is in PostgreSQL: there tokens are kept in the database. Make them "
            "with `memotheca token add`, and remove the file.",
        )
    log.warning("%s is not read: tokens are kept in the database", path)
