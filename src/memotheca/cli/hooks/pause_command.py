"""memotheca pause: stop what remembers by itself, at once and for every client."""

import argparse

from memotheca.cli.hooks.hook_state import say_state
from memotheca.hooks.switch import OFF, ON, PAUSED, read_switch, turn

EPILOG = """Hooks of clients stay where they are and do nothing; what is stored stays too.
memotheca connect CLIENT --remove takes them out of the client."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(parsed: argparse.Namespace) -> int:
    def pause(data: str) -> None:
        if read_switch(data) == ON:
            turn(data, PAUSED)

    return say_state(
        parsed,
        pause,
        {PAUSED: "Paused: nothing is told or kept until memotheca resume.", OFF: "Hooks were never switched on here."},
    )
