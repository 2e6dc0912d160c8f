"""What hooks write down at once, for a program that outlives them: which sessions are to be kept.

Loaded at the end of every turn, so that it imports little.
"""

import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from memotheca.hooks.hook_event import TURN, read_event
from memotheca.hooks.waiting_sessions import WaitingSession, let_wait
from memotheca.settings import hook_wishes, load
from memotheca.views.shells import this_program


def usual_directory() -> str:
    return str(load({}).data)


def note_session(options: Mapping[str, str], data: str, name: str, said: Mapping[str, Any]) -> bool:
    """Write down that a session ended, or that it may have; whether it is to be kept now."""
    event = read_event(said, name, options.get("client") or "claude-code")
    settings = load({**options, "data": data}, folder=event.folder)
    if not event.kind or not event.transcript or hook_wishes(settings).excludes(event.folder):
        return False
    waiting = WaitingSession(
        client=event.client,
        session=event.session,
        transcript=event.transcript,
        folder=event.folder,
        collection=settings.text("collection"),
        is_due=event.kind != TURN,
    )
    let_wait(settings.data, waiting)
    return waiting.is_due


def start_keeper(options: Mapping[str, str], data: str) -> None:
    """What keeps the sessions that wait."""
    start_apart(options, data, "--keep")


def start_apart(options: Mapping[str, str], data: str, errand: str) -> None:
    """A program that outlives the hook, its client and their terminal."""
    errands = ("data", "keep", "attend")
    named = {"data": data, **{name: value for name, value in options.items() if name not in errands}}
    words = [
        *this_program(),
        "hook",
        errand,
        *(word for name, value in named.items() for word in (f"--{name}", value)),
    ]
    quiet = subprocess.DEVNULL
    if sys.platform == "win32":
        apart = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS
        subprocess.Popen(words, creationflags=apart, stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603  # our own program
    else:
        subprocess.Popen(words, start_new_session=True, stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603  # our own program
