"""Event: what a client's hook says on stdin, the same whichever client says it."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

# What clients call an event, and what it is to us. Stop ends a turn, and may be the last that is heard of a session.
START, PROMPT, TURN, COMPACT, END = "start", "prompt", "turn", "compact", "end"
KINDS = {
    "SessionStart": START,
    "UserPromptSubmit": PROMPT,
    "BeforeAgent": PROMPT,
    "Stop": TURN,
    "AfterAgent": TURN,
    "PreCompact": COMPACT,
    "PreCompress": COMPACT,
    "SessionEnd": END,
}
LONGEST_NAME = 4096  # chosen: the longest path of common systems
DEEPEST = 64  # chosen: folders above one that are looked at for a repository


@dataclass(frozen=True, slots=True, kw_only=True)
class HookEvent:
    """What happened, in which client's session, and where: the folder it works in, the file that it is written to."""

    name: str
    client: str
    session: str = ""
    folder: str = ""
    transcript: str = ""
    prompt: str = ""

    @property
    def kind(self) -> str:
        return KINDS.get(self.name, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class HookWishes:
    """What a person wishes of hooks: what they never hear of, and how much they may say."""

    excluded: Sequence[str] = ()
    start_tokens: int = 0
    prompt_tokens: int = 0

    def excludes(self, folder: str) -> bool:
        """Whether a folder, one above it, or its project is among what hooks never hear of."""
        if not folder or not self.excluded:
            return False
        place = os.path.realpath(folder)
        for named in self.excluded:
            wanted = os.path.expanduser(named)
            if not os.path.isabs(wanted):
                if fnmatchcase(project_of(folder), wanted):
                    return True
                continue
            wanted = wanted.rstrip("/\\") or wanted
            for each in (place, os.path.abspath(folder)):
                if fnmatchcase(each, wanted) or fnmatchcase(each, os.path.join(wanted, "*")):
                    return True
        return False


def read_event(said: Any, name: str, client: str) -> HookEvent:
    """The event that a hook's JSON tells of; what is no text in it is as if it were not there."""
    told = cast(dict[str, Any], said) if isinstance(said, dict) else {}

    def text(key: str, longest: int = LONGEST_NAME) -> str:
        value = told.get(key)
        return value[:longest] if isinstance(value, str) else ""

    return HookEvent(
        name=name or text("hook_event_name"),
        client=client,
        session=text("session_id"),
        folder=text("cwd"),
        transcript=text("transcript_path"),
        prompt=text("prompt", 1_000_000),
    )


def project_of(folder: str) -> str:
    """The project that a folder belongs to: the name of its repository, or else its own."""
    return repository_of(folder) or (Path(folder.replace("\\", "/")).name if folder else "")


def repository_of(folder: str) -> str:
    """The name of the git repository that a folder is in; empty outside of any."""
    place = Path(folder)
    for each in (place, *place.parents)[:DEEPEST] if folder else ():
        try:
            if (each / ".git").exists():
                return each.name
        except (OSError, ValueError):
            break
    return ""
