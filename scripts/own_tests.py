"""Own tests: the test files that are called as a module is, where its room is tested."""

from pathlib import Path

# Where the modules of a room are tested; a file of the same name elsewhere is about something else.
HOMES = {
    "admin": ("storage", "tools", "conversations"),
    "cli": ("cli",),
    "conversations": ("conversations",),
    "documents": ("documents",),
    "hooks": ("hooks",),
    "jobs": ("documents",),
    "kernel": ("kernel", "tools", "engine"),
    "memory": ("memories", "mind", "spaces"),
    "notes": ("engine", "vault"),
    "parsing": ("reading",),
    "patterns": ("engine/patterns",),
    "search": ("engine",),
    "server": ("server",),
    "storage": ("storage",),
    "text": ("text", "reading", "spaces", "mind"),
    "toolkit": ("toolkit",),
    "vault": ("vault",),
    "vectors": ("spaces",),
    "views": ("tools", "server"),
}


def own_tests(module: str, tests: Path) -> list[str]:
    """The tests of a module, which is named by its path within the package, that have its name."""
    room, _, _ = module.partition("/")
    named = f"test_{Path(module).stem}.py"
    return [f"{home}/{named}" for home in HOMES.get(room, ()) if (tests / home / named).is_file()]
