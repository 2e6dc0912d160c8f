"""Switch: whether a data directory remembers by itself. Off until somebody says so, and paused while somebody does.

Read by every hook before anything else, so that it imports next to nothing.
"""

import json
import os

FILE = "hooks.json"
ON, PAUSED, OFF = "on", "paused", "off"


def read_switch(data: str) -> str:
    """What was said last; a file that cannot be read is nobody's yes."""
    try:
        with open(os.path.join(data, FILE), encoding="utf-8") as file:
            state = json.load(file).get("state")
    except (OSError, ValueError, AttributeError, RecursionError):
        return OFF
    return state if state in (ON, PAUSED) else OFF


def turn(data: str, state: str) -> None:
    """Say from now on, at once for every hook that comes."""
    path = os.path.join(data, FILE)
    new = f"{path}.{os.getpid()}"
    with open(new, "w", encoding="utf-8", opener=_for_owner) as file:
        json.dump({"state": state}, file)
        file.write("\n")
    os.replace(new, path)


def _for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
