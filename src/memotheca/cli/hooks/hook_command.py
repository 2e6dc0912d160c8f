"""memotheca hook: answer an event of a client's session, and keep the session at its end."""

import argparse

from memotheca.cli.hooks import hook_client
from memotheca.hooks.hook_event import KINDS

OPTIONS = ("hook-exclude", "hook-start-tokens", "hook-prompt-tokens", "hook-attendant-minutes")

EPILOG = """A client starts it: memotheca connect CLIENT --hooks tells it to. The event's
JSON is read from stdin; what is to be told stands on stdout, and nothing where
there is nothing to say. It ends with 0 whatever happens; what went wrong is in
hooks.log in the data directory. memotheca pause stops all hooks at once."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("event", nargs="?", default="", metavar="EVENT", help=f"one of {', '.join(KINDS)}")
    parser.add_argument("--client", default="claude-code", metavar="CLIENT", help="whose event it is")
    parser.add_argument("--keep", action="store_true", help="keep the sessions that wait for it, and end")
    parser.add_argument("--attend", action="store_true", help="answer hooks where no server does, for some minutes")


def run(parsed: argparse.Namespace) -> int:
    """As where it is started by its shorter way, `memotheca.__main__`."""
    named = {name: value for name, value in vars(parsed).items() if isinstance(value, str) and name != "event"}
    words = [word for name, value in named.items() for word in (f"--{name.replace('_', '-')}", value)]
    errands = [f"--{name}" for name in ("keep", "attend") if getattr(parsed, name)]
    return hook_client.run([parsed.event, *words, *errands])
