"""Hooks in a client's configuration: shown, written beside what is there, found again and taken out."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memotheca.app import make_directory
from memotheca.cli.client_config import edit
from memotheca.cli.client_place import place_words
from memotheca.hooks.switch import ON, turn
from memotheca.model.errors import Failure, Refusal
from memotheca.settings import Settings, load
from memotheca.views.client_hooks import HOOKS, has_hooks, hook_shapes, with_hooks, without_hooks
from memotheca.views.clients import Shape
from memotheca.views.shells import this_program


@dataclass(frozen=True, slots=True)
class WrittenHooks:
    """The file of a client's hooks, whether it was changed, and where it is kept as it was."""

    path: Path
    is_fresh: bool
    kept: Path | None


def place_of_hooks(client: str, project: Path | None) -> Path:
    if client not in HOOKS:
        raise Refusal(
            Failure.UNSUPPORTED,
            f"{client} has no hooks that are known; {', '.join(HOOKS)} have. Without them it is connected as well.",
            field="hooks",
        )
    return HOOKS[client].path() if project is None else project / HOOKS[client].project


def spell_hooks(client: str, settings: Settings, project: Path | None) -> Iterator[str]:
    """What a person would put there by hand."""
    yield f"And this into {place_of_hooks(client, project)}, for what it does by itself:"
    yield ""
    yield json.dumps({"hooks": hook_shapes(client, hook_words(settings))}, ensure_ascii=False, indent=2)
    yield ""
    yield "Hooks do nothing until memotheca resume says that you want them (--write says it too)."


def write_hooks(client: str, settings: Settings, project: Path | None) -> WrittenHooks:
    """Put them there, and say yes to them in the data directory."""
    path = place_of_hooks(client, project)
    fresh, kept = edit(path, with_hooks(hook_shapes(client, hook_words(settings))))
    make_directory(settings.data)
    turn(str(settings.data), ON)
    return WrittenHooks(path, fresh, kept)


def remove_hooks(client: str, project: Path | None) -> WrittenHooks | None:
    """Take ours out of where they are; None where there are none."""
    if client not in HOOKS or not are_there(client, project):
        return None
    path = place_of_hooks(client, project)
    fresh, kept = edit(path, without_hooks)
    return WrittenHooks(path, fresh, kept)


def are_there(client: str, project: Path | None) -> bool:
    if client not in HOOKS:
        return False
    path = place_of_hooks(client, project)
    try:
        content: Any = json.loads(path.read_text("utf-8"))
        return has_hooks(content)
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        return False


def hook_words(settings: Settings) -> list[str]:
    """How a client starts a hook: with the directory, so that nothing has to be looked up while a prompt waits."""
    words = [*this_program(), "hook", *place_words(settings)]
    if settings.text("collection") != load({"data": str(settings.data.absolute())}, {}).text("collection"):
        words += ["--collection", settings.text("collection")]
    return words


def tell_hooks(hooks: WrittenHooks | None) -> Shape:
    """The same for programs."""
    if hooks is None:
        return {}
    kept = None if hooks.kept is None else str(hooks.kept)
    return {"hooks": {"file": str(hooks.path), "changed": hooks.is_fresh, "backup": kept}}
