"""Hook door: a socket at which hooks of this machine's own user ask a server that has everything
loaded, instead of loading it themselves at every prompt (`cli/hooks/hook_client.py`).

The socket is in a folder of passing files that is its user's alone, since a data directory is copied, and a socket
cannot be; a file in the data directory says where. Where a system has no such sockets, hooks do without.
"""

import json
import logging
import os
import socket
import tempfile
import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from memotheca.app import App
from memotheca.hooks.hook_event import read_event
from memotheca.hooks.hook_log import note_failure
from memotheca.hooks.switch import ON, read_switch
from memotheca.settings import hook_wishes, load

log = logging.getLogger(__name__)

FOLDER, SIGN = Path("locks") / "doors", ".door"  # where `cli/hooks/hook_client.py` looks
LONGEST_PATH = 100  # specification: 108 bytes with the last zero on Linux, 104 on macOS
MOST = 16_000_000  # chosen: bytes, as the hook takes of stdin
PATIENCE = 5.0  # chosen: seconds for a hook to say what it wants
GLANCE = 0.1  # chosen: seconds; a socket of this machine accepts or refuses at once
HANDS = 4  # chosen: so many prompts at once, of as many sessions
WARM_UP = "what was decided about the memory"


class HookDoor:
    """A door that is open: when somebody last came to it."""

    def __init__(self) -> None:
        self.visited = time.monotonic()


@contextmanager
def hook_door(app: App) -> Generator[HookDoor | None]:
    """Answer hooks while this lasts; none where no door can be opened."""
    door = _open(app.data)
    if door is None:
        yield None
        return
    opened = HookDoor()
    path = Path(door.getsockname())
    sign = app.data / FOLDER / f"{os.getpid()}{SIGN}"
    hands = ThreadPoolExecutor(HANDS, thread_name_prefix="hook")
    threading.Thread(target=_keep_door, args=(app, door, hands, opened), name="hooks", daemon=True).start()
    try:
        yield opened
    finally:
        for each in (sign, path):
            with suppress(OSError):
                each.unlink()
        # Wakes whoever waits at it.
        with suppress(OSError):
            door.shutdown(socket.SHUT_RDWR)
        door.close()
        hands.shutdown(wait=False, cancel_futures=True)


def _open(data: Path) -> socket.socket | None:
    if not hasattr(socket, "AF_UNIX"):
        return None
    folder = Path(tempfile.gettempdir()) / f"memotheca-{os.getuid()}"
    path = folder / f"{os.getpid()}-{uuid4().hex[:12]}.sock"
    if len(os.fsencode(path)) > LONGEST_PATH:
        return None
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        held = folder.stat()
        if held.st_uid != os.getuid() or held.st_mode & 0o077:
            raise PermissionError(1, f"{folder} is somebody else's")
        door.bind(str(path))
        path.chmod(0o600)
        door.listen(HANDS * 4)
        signs = data / FOLDER
        signs.mkdir(mode=0o700, parents=True, exist_ok=True)
        _clear(signs)
        (signs / f"{os.getpid()}{SIGN}").write_text(str(path), "utf-8")
    except OSError as error:
        log.warning("hooks have to do without this server: %s", error.strerror)
        door.close()
        return None
    return door


def _clear(signs: Path) -> None:
    """Take away the doors of servers that have ended."""
    for sign in signs.glob(f"*{SIGN}"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line, suppress(OSError, ValueError):
            path = Path(sign.read_text("utf-8"))
            line.settimeout(GLANCE)
            try:
                line.connect(str(path))
            except (ConnectionRefusedError, FileNotFoundError):
                sign.unlink(missing_ok=True)
                path.unlink(missing_ok=True)


def _keep_door(app: App, door: socket.socket, hands: ThreadPoolExecutor, opened: HookDoor) -> None:
    if read_switch(str(app.data)) == ON:
        # The first question loads the model; better now than while somebody waits.
        hands.submit(_answer, app, {"event": "UserPromptSubmit", "said": {"prompt": WARM_UP}, "options": {}})
    with suppress(OSError, RuntimeError):
        while True:
            line, _ = door.accept()
            hands.submit(_converse, app, line, opened)


def _converse(app: App, line: socket.socket, opened: HookDoor) -> None:
    with line, suppress(OSError):
        line.settimeout(PATIENCE)
        heard = bytearray()
        while not heard.endswith(b"\n") and len(heard) <= MOST:
            piece = line.recv(1 << 16)
            if not piece:
                break
            heard += piece
        if not heard:
            # A server that begins looks who is there.
            return
        opened.visited = time.monotonic()
        try:
            said = {"told": _answer(app, json.loads(heard))}
        except Exception as error:  # noqa: BLE001 — no failure of ours is a client's
            # The hook goes on by itself; what went wrong here is noted.
            note_failure(str(app.data), "asked", error)
            said = dict[str, str]()
        line.sendall(json.dumps(said).encode())


def _answer(app: App, asked: Any) -> str:
    # What looks into everything takes longer to load than a server may take to start.
    from memotheca.hooks.answers import answer

    options = cast(dict[str, str], asked.get("options") or {})
    event = read_event(asked.get("said"), str(asked.get("event") or ""), options.get("client") or "")
    settings = load({**options, "data": str(app.data)}, folder=event.folder)
    if read_switch(str(app.data)) != ON:
        return ""
    return answer(replace(app.kernel, collection=settings.text("collection")), event, hook_wishes(settings))
