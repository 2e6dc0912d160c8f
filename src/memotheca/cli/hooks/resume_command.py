"""memotheca resume: let hooks tell and keep things."""

import argparse

from memotheca.cli.hooks.hook_state import say_state
from memotheca.hooks.switch import ON, turn

EPILOG = """It says yes for every client whose hooks are there; memotheca connect CLIENT
--hooks puts them there, as does the plugin of Claude Code."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(parsed: argparse.Namespace) -> int:
    told = "On: sessions are briefed and kept; memotheca pause stops it, memotheca history shows it."
    return say_state(parsed, lambda data: turn(data, ON), {ON: told})
