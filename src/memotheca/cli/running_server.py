"""A server of this data directory that runs beside this command: found, started, asked and stopped."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from memotheca.model.errors import Failure, Refusal
from memotheca.settings import OPTIONS, Settings
from memotheca.storage.locks import role
from memotheca.storage.presence import SERVED, Holder, gate, present
from memotheca.views.shells import this_program

# The program that serves in the background, as whoever asks who is there is told.
BEHIND = "memotheca open"
STARTING = "open"
DETACHED = 0x8  # specification: Windows' DETACHED_PROCESS, a program without the console of whoever starts it
LOG = "open.log"
PATIENCE = 60.0  # chosen: a start with a large vault on a slow disk
ENDING = 20.0  # chosen: more than a server gives its calls to end
ANSWER = 3.0  # chosen: a server that is there answers at once
PAUSE = 0.05  # chosen: not felt by whoever waits for a browser


def running(settings: Settings) -> list[Holder]:
    """Who serves this collection at its own address, the newest first."""
    if not settings.data.is_dir():
        return []
    with gate(settings.data):
        found = present(settings.data, room=SERVED)
    return [each for each in reversed(found) if each.collection == settings.text("collection") and answers(each)]


def answers(holder: Holder) -> bool:
    return _ask(holder.address, "GET", "/health") is not None


def asks_for_token(address: str) -> bool:
    return _ask(address, "POST", "/mcp") == 401


def _ask(address: str, method: str, path: str) -> int | None:
    """The status of an answer, or None where there is none."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=ANSWER)
    try:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) if method == "POST" else None
        connection.request(method, path, body, {"Content-Type": "application/json", "Accept": "application/json"})
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def start(settings: Settings, *, ports: list[int]) -> Holder:
    """Start a server that stays when this command ends, at the first of these ports that is free. Whoever else starts
    one at the same moment does it for both."""
    for port in ports:
        with _alone(settings) as found:
            if found is not None:
                return found
            holder = _start_one(settings, port)
        if holder is not None:
            return holder
        told = _last_words(settings.data)
        if port == ports[-1] or "cannot be used" not in told:
            raise Refusal(
                Failure.UNAVAILABLE, told or f"The server did not start; {LOG} in the data directory says why."
            )
    raise AssertionError("there is no port to try")


def _start_one(settings: Settings, port: int) -> Holder | None:
    """A server that is there, or none where it has ended or does not come to answer."""
    child = _spawn(settings, port)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        is_over = child.poll() is not None
        if (found := _find(settings, child.pid)) is not None:
            return found
        if is_over:
            return None
        time.sleep(PAUSE)
    child.kill()
    return None


@contextmanager
def _alone(settings: Settings) -> Generator[Holder | None]:
    """Within, nobody else starts a server; gives the one that somebody else has started meanwhile."""
    deadline = time.monotonic() + PATIENCE
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    while True:
        with role(settings.data, STARTING) as is_free:
            found = running(settings)
            if found or is_free or time.monotonic() > deadline:
                yield found[0] if found else None
                return
        time.sleep(PAUSE)


def _spawn(settings: Settings, port: int) -> subprocess.Popen[bytes]:
    """It is told everything by its environment, where nobody else reads it."""
    told = {option.variable: str(settings.values[option.name]) for option in OPTIONS}
    environment = {**os.environ, **told, "MEMOTHECA_DATA": str(settings.data.absolute()), "MEMOTHECA_PORT": str(port)}
    command = [*this_program(), "open", "--foreground", "--no-browser", "--json"]
    descriptor = os.open(settings.data / LOG, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    try:
        return subprocess.Popen(  # noqa: S603  # our own program
            command,
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            env=environment,
            creationflags=DETACHED if sys.platform == "win32" else 0,
            start_new_session=True,
        )
    finally:
        os.close(descriptor)


def _find(settings: Settings, pid: int) -> Holder | None:
    return next((each for each in running(settings) if each.pid == pid), None)


def _last_words(data: Path) -> str:
    """Why a server that has ended did not start: the last line it wrote."""
    lines = (data / LOG).read_text("utf-8", errors="replace").strip().splitlines()
    for line in reversed(lines):
        try:
            told: Any = json.loads(line)
            return str(told["error"]["message"] if "error" in told else told["message"])
        except (ValueError, KeyError, TypeError):
            continue
    return lines[-1] if lines else ""


def stop(settings: Settings) -> list[Holder]:
    """End the servers of this collection that were started in the background; says which."""
    ending = [each for each in running(settings) if each.command == BEHIND]
    for each in ending:
        os.kill(each.pid, signal.SIGTERM)
    deadline = time.monotonic() + ENDING
    while any(_find(settings, each.pid) is not None for each in ending):
        if time.monotonic() > deadline:
            numbers = ", ".join(str(each.pid) for each in ending)
            raise Refusal(Failure.TIMEOUT, f"It was told to stop, but still runs: process {numbers}.")
        time.sleep(PAUSE)
    return ending
