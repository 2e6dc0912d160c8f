"""What a person is told of hooks: whether they are on, and what went wrong in them lately."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memotheca.app import make_directory
from memotheca.cli.layout import say
from memotheca.cli.terminal import print_json, settings_of
from memotheca.hooks.hook_log import FILE, read_failures
from memotheca.hooks.switch import read_switch
from memotheca.hooks.waiting_sessions import count_waiting
from memotheca.model.knowledge import counted

LATELY = 3  # chosen: lines; the file has the rest


def say_state(parsed: argparse.Namespace, change: Callable[[str], None], told: Mapping[str, str]) -> int:
    """Change it, and say how it is now."""
    data = settings_of(parsed).data
    make_directory(data)
    change(str(data))
    state = hook_state(data)
    if parsed.json:
        print_json(state)
    else:
        say(told.get(state["state"], f"Hooks are {state['state']}."))
        for line in spell_failures(data, state):
            say(line, hang="  ")
    return 0


def hook_state(data: Path) -> dict[str, Any]:
    return {
        "state": read_switch(str(data)),
        "waiting": count_waiting(data),
        "failures": read_failures(str(data), LATELY),
    }


def spell_hook_state(state: Mapping[str, Any]) -> str:
    parts = [state["state"]]
    if state["waiting"]:
        parts.append(f"{counted(state['waiting'], 'session')} not kept yet")
    if state["failures"]:
        parts.append(f"something went wrong last on {state['failures'][0].get('at', '')[:10]} (hooks.log)")
    return ", ".join(parts)


def spell_failures(data: Path, state: Mapping[str, Any]) -> list[str]:
    if not state["failures"]:
        return []
    lines = [
        f"{each.get('at', '')} {each.get('event', '')}: {each.get('code') or each.get('error', '')}"
        for each in state["failures"]
    ]
    return [f"What went wrong lately ({data / FILE} has more):", *lines]
