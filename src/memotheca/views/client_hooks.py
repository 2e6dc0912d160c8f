"""Hooks of the clients that have them: where each names what it starts at the events of a session."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from memotheca.views.clients import Shape, place_of
from memotheca.views.shells import spell_command

OURS = "memotheca", " hook "  # by which a command of ours is known again, however it is quoted


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientHooks:
    """Of one client: its file, its events with the seconds that it waits for each, and what it counts those in."""

    place: str
    project: str
    events: dict[str, int]
    unit: int = 1
    note: str = ""

    def path(self) -> Path:
        return place_of(self.place)


HOOKS = {
    "claude-code": ClientHooks(
        place="CLAUDE/settings.json",
        project=".claude/settings.json",
        events={"SessionStart": 15, "UserPromptSubmit": 10, "Stop": 10, "PreCompact": 15, "SessionEnd": 10},
    ),
    "codex": ClientHooks(
        place="CODEX/hooks.json",
        project=".codex/hooks.json",
        # It lets the end of a session have three seconds at the most.
        events={"SessionStart": 15, "UserPromptSubmit": 10, "Stop": 10, "PreCompact": 15, "SessionEnd": 3},
        note="Codex runs hooks only once you have said there that you trust them: /hooks in a session.",
    ),
    "gemini": ClientHooks(
        place="HOME/.gemini/settings.json",
        project=".gemini/settings.json",
        events={"SessionStart": 15, "BeforeAgent": 10, "AfterAgent": 10, "PreCompress": 15, "SessionEnd": 10},
        unit=1000,
    ),
}


def hook_shapes(client: str, words: Sequence[str], *, platform: str = sys.platform) -> Shape:
    """What is to stand under `hooks`: for each event, how we are started."""
    hooks = HOOKS[client]
    shapes: Shape = {}
    for event, seconds in hooks.events.items():
        (command, *_) = spell_command([*words, event, "--client", client], platform)
        command = command.removesuffix("    (cmd)")
        shapes[event] = [{"hooks": [{"type": "command", "command": command, "timeout": seconds * hooks.unit}]}]
    return shapes


def with_hooks(shapes: Shape) -> Callable[[Shape], None]:
    """Put ours in the place of those that were ours before; all others stay."""

    def change(content: Shape) -> None:
        without_hooks(content)
        held = content.setdefault("hooks", {})
        for event, groups in shapes.items():
            held.setdefault(event, []).extend(groups)

    return change


def without_hooks(content: Shape) -> None:
    """Take ours out, and what is empty then."""
    held = cast(Shape, content.get("hooks") or {})
    for event in list(held):
        left: list[Any] = []
        for group in held[event]:
            kept = [each for each in group.get("hooks", ()) if not _is_ours(each)]
            if kept or not group.get("hooks"):
                left.append({**group, **({"hooks": kept} if kept else {})})
        held[event] = left
        if not left:
            del held[event]
    if "hooks" in content and not content["hooks"]:
        del content["hooks"]


def has_hooks(content: Shape) -> bool:
    held = cast(dict[str, list[Shape]], content.get("hooks") or {})
    return any(_is_ours(each) for groups in held.values() for group in groups for each in group.get("hooks", ()))


def _is_ours(hook: Any) -> bool:
    command = str(cast(Shape, hook).get("command", "")) if isinstance(hook, dict) else ""
    return all(part in f"{command} ".lower() for part in OURS)
