"""The way between a server and PostgreSQL, which can be cut or swallow everything."""

import contextlib
import select
import socket
import threading
from pathlib import Path
from urllib.parse import quote


class Way:
    """Passes on what comes on a port of this machine to a socket; `silent` swallows, `cut` ends and refuses."""

    def __init__(self, target: Path) -> None:
        self._target = str(target)
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = self._door.getsockname()[1]
        self.silent = False
        self._cut = False
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
            if said and not self.silent:
                other.sendall(said)
        except OSError:
            said = b""
        if not said:
            self._pairs = [pair for pair in self._pairs if one not in pair]
            for each in (one, other):
                with contextlib.suppress(OSError):
                    each.close()

    def _end_all(self) -> None:
        for pair in self._pairs:
            for each in pair:
                each.close()
        self._pairs = []
