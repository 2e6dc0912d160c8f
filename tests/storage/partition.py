"""The way between a server and PostgreSQL, which can be cut or swallow everything."""

import contextlib
import select
import socket
import threading
from pathlib import Path
from urllib.parse import quote


class Way:
    """Passes on what comes on a port of this machine to a socket; `silent` swallows, `cut` ends and refuses, and
    `lose` ends one connection at a given word."""

    def __init__(self, target: Path) -> None:
        self._target = str(target)
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = self._door.getsockname()[1]
        self.silent = False
        self._cut = False
        self._words: int | None = None
        self._is_answer_lost = False
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._ended = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def address(self, schema: str, user: str) -> str:
        chosen = quote(f"-csearch_path={schema}")
        return f"postgresql://{user}@127.0.0.1:{self.port}/postgres?options={chosen}"

    def cut(self) -> None:
        self._cut = True

    def mend(self) -> None:
        self.silent = self._cut = False

    def lose(self, word: int, *, answer: bool) -> None:
        """That word from now on does not arrive, or its answer does not."""
        self._words, self._is_answer_lost = word, answer

    @property
    def has_lost(self) -> bool:
        return self._words is not None and self._words < 0

    def close(self) -> None:
        self._ended = True
        self._thread.join()
        self._door.close()

    def _run(self) -> None:
        while not self._ended:
            if self._cut:
                self._end_all()
            ways = {one: other for pair in self._pairs for one, other in (pair, pair[::-1])}
            for ready in select.select([self._door, *ways], [], [], 0.02)[0]:
                if ready is self._door:
                    self._enter()
                elif ready in ways:
                    self._pass(ready, ways[ready])
        self._end_all()

    def _enter(self) -> None:
        one, _ = self._door.accept()
        if self._cut:
            one.close()
            return
        other = socket.socket(socket.AF_UNIX)
        other.connect(self._target)
        self._pairs.append((one, other))

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        try:
            said = one.recv(1 << 16)
            if said and self._is_lost(one):
                if self._is_answer_lost:
                    other.sendall(said)
                    select.select([other], [], [], 0.2)  # Half a word has no answer.
                said = b""
            elif said and not self.silent:
                other.sendall(said)
        except OSError:
            said = b""
        if not said:
            self._pairs = [pair for pair in self._pairs if one not in pair]
            for each in (one, other):
                with contextlib.suppress(OSError):
                    each.close()

    def _is_lost(self, one: socket.socket) -> bool:
        if self._words is None or all(one is not client for client, _ in self._pairs):
            return False
        self._words -= 1
        return self._words == -1

    def _end_all(self) -> None:
        for pair in self._pairs:
            for each in pair:
                each.close()
        self._pairs = []
