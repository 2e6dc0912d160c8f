"""Attendant: a program that stands in for a server where none has the data open, for as long as prompts come, so that
only the first of them waits for everything to load.

A hook that had to answer by itself leaves it behind. It ends by itself: some minutes after the last prompt, as soon
as a server has the data open, and within seconds of `memotheca pause`.
"""

import os
import socket
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from memotheca.app import build
from memotheca.cli.hooks.hook_notes import start_apart
from memotheca.cli.interrupt import Deferral, deferring
from memotheca.hooks.hook_log import note_failure
from memotheca.hooks.switch import ON, read_switch
from memotheca.server.operation.hook_door import FOLDER, SIGN, HookDoor, hook_door
from memotheca.settings import Settings, load
from memotheca.storage.locks import role

ROLE = "hook-attendant"
GLANCE = 1.0  # chosen: seconds; so soon it ends where it is not wanted any more
MINUTE = 60.0  # specification: in seconds


def leave_attendant(options: Mapping[str, str], settings: Settings) -> None:
    """Start one that outlives this hook, unless there is one, nobody wants any, or it could not be asked."""
    if not hasattr(socket, "AF_UNIX") or not settings.number("hook-attendant-minutes"):
        return
    with role(settings.data, ROLE) as is_free:
        pass
    if is_free:
        start_apart(options, str(settings.data), "--attend")


def attend(options: Mapping[str, str], data: str) -> int:
    """Answer hooks until nobody needs it."""
    settings = load({**{name: value for name, value in options.items() if name != "attend"}, "data": data})
    try:
        with deferring() as deferral, role(settings.data, ROLE) as is_mine:
            if is_mine:
                _attend(settings, deferral)
    except Exception as error:  # noqa: BLE001 — no failure of ours is a client's
        note_failure(data, "attend", error)
    return 0


def _attend(settings: Settings, deferral: Deferral) -> None:
    seconds = settings.number("hook-attendant-minutes") * MINUTE
    app, pause = build(settings), threading.Event()
    try:
        with hook_door(app) as door:
            while door is not None and _is_wanted(settings.data, door, seconds) and not deferral.is_due():
                pause.wait(GLANCE)
    finally:
        app.close()


def _is_wanted(data: Path, door: HookDoor, seconds: float) -> bool:
    is_asked = time.monotonic() - door.visited < seconds
    own = f"{os.getpid()}{SIGN}"
    is_alone = all(sign.name == own for sign in (data / FOLDER).glob(f"*{SIGN}"))
    return is_asked and is_alone and read_switch(str(data)) == ON
