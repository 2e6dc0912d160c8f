"""What hooks do where no server answers them, and keeping what waits for it."""

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memotheca.app import App, build, look_after, refuse_missing
from memotheca.cli.hooks.hook_attendant import leave_attendant
from memotheca.hooks.answers import answer
from memotheca.hooks.hook_event import read_event
from memotheca.hooks.hook_log import note_failure
from memotheca.hooks.kept_session import LostTranscript, MissingTranscript, keep_session
from memotheca.hooks.switch import ON, read_switch
from memotheca.hooks.waiting_sessions import (
    TRIES,
    WaitingSession,
    settle,
    take_up,
    withdraw_try,
)
from memotheca.memory.care.proposals import propose_lately
from memotheca.model.errors import Refusal
from memotheca.search.chosen_embedder import Embedding
from memotheca.settings import Settings, hook_wishes, load

TENDED = 120.0  # chosen: seconds that making vectors may take after a session was kept; a server makes the rest


def answer_here(options: Mapping[str, str], data: str, name: str, said: Mapping[str, Any]) -> str:
    """What is to be told where no server answers: by words alone, since a model takes longer to load than anybody
    waits."""
    event = read_event(said, name, options.get("client", ""))
    settings = load({**options, "data": data}, folder=event.folder)
    if hook_wishes(settings).excludes(event.folder):
        return ""
    if not settings.text("database"):
        refuse_missing(settings.data)
    app = build(settings)
    try:
        words_alone = Embedding(lambda choice: None, lambda vector: b"")
        return answer(app.kernel.having(words_alone), event, hook_wishes(settings))
    finally:
        app.kernel.store.close()


def attend_next(options: Mapping[str, str], data: str, said: Mapping[str, Any]) -> None:
    """Have the next prompts answered by a program that has everything loaded."""
    event = read_event(said, "", options.get("client", ""))
    settings = load({**options, "data": data}, folder=event.folder)
    if hook_wishes(settings).excludes(event.folder):
        return
    if not settings.text("database"):
        refuse_missing(settings.data)
    leave_attendant(options, settings)


def keep_waiting(options: Mapping[str, str], data: str) -> int:
    """Keep what waits and is due, and make the vectors of it."""
    settings = load({**{name: value for name, value in options.items() if name != "keep"}, "data": data})
    apps: dict[str, App] = {}
    try:
        if read_switch(data) == ON:
            for path, waiting in take_up(settings.data):
                _keep(settings, apps, path, waiting)
        ends = time.monotonic() + TENDED
        for app in apps.values():
            look_after(app, lambda: time.monotonic() > ends)
    except Exception as error:  # noqa: BLE001 — no failure of ours is a client's
        note_failure(data, "keep", error)
    for app in apps.values():
        with suppress(Refusal):
            app.close()
    return 0


def _keep(settings: Settings, apps: dict[str, App], path: Path, waiting: WaitingSession) -> None:
    data = str(settings.data)
    if hook_wishes(settings).excludes(waiting.folder):
        settle(path, waiting)
        return
    try:
        app = apps.get(waiting.collection)
        if app is None:
            app = apps[waiting.collection] = build(
                load({"data": data, "collection": waiting.collection, "database": settings.text("database")})
            )
        keep_session(app.kernel, waiting)
        propose_lately(app.kernel)
        settle(path, waiting)
    except MissingTranscript:
        if waiting.tries >= TRIES:
            settle(path, waiting)
    except Exception as error:  # noqa: BLE001 — no failure of ours is a client's
        note_failure(data, "keep", error)
        if isinstance(error, Refusal) and error.failure.retryable:
            withdraw_try(path, waiting)
        elif isinstance(error, Refusal | LostTranscript) or waiting.tries >= TRIES:
            settle(path, waiting)
