"""The `pinakes` command: finds the subcommand, loads only that, and turns refusals into exit codes."""

import argparse
import json
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from pinakes import __version__
from pinakes.cli.stopping import Stopped, stop_on_signals
from pinakes.cli.terminal import is_json, leave, say_error
from pinakes.model.errors import Failure, Refusal
from pinakes.settings import DATA_DOC, OPTIONS, Option

Group = Any

COMMANDS = {
    "serve": "run the server for an MCP client, over stdio or HTTP",
    "connect": "print or write the configuration that lets a client start Pinakes",
    "call": "call a tool with JSON arguments and print its answer",
    "add": "make files searchable: documents, pictures, whole folders",
    "documents": "list the files that were added",
    "remove": "take documents out; undo brings them back",
    "search": "find something in everything that is stored",
    "vault": "show what is in the mounted folders of notes, and what to mend there",
    "graph": "draw what is around a note: a tree, or mermaid, dot or json",
    "memory": "show what a librarian needs to know, and walk through what there is to decide",
    "patterns": "look up patterns, and bring in catalogues of them",
    "status": "show what is stored and where",
    "history": "list the transactions, newest first",
    "undo": "revert the newest transactions, or one by its number",
    "export": "write a collection with its whole history to a file",
    "import": "bring in an export, or the memory.json of the reference memory server",
    "backup": "copy the database, safely while it is in use",
    "erase": "remove something for good, from history, log and backups too",
    "reindex": "make the search index anew, or with another embedder",
    "doctor": "check that everything is well and say what to do where it is not",
}

EXAMPLES = """examples:
  pinakes serve                                   for a client that starts the server itself
  pinakes serve --transport http --port 3000      for clients that connect to a running one
  pinakes connect claude-code                     how to tell Claude Code about it
  pinakes call store '{"topic": "tea", "content": "Ada takes it black."}'
  pinakes call query '{"content": "how does Ada take her tea?"}'
  pinakes add ~/Documents/handbook.pdf            a file becomes searchable
  pinakes undo                                    take back the newest change

Options can also stand in the environment (PINAKES_DATA, PINAKES_PORT, …) or in pinakes.toml in the
data directory; a flag wins over the environment, the environment over the file.

A command exits with 0 when it is done, 1 when it is refused or finds something wrong, 2 when it is not understood,
and with 130, 143 or 129 when Ctrl-C, SIGTERM or SIGHUP stop it; a server that is stopped exits with 0."""

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
EVERYWHERE = ("collection", "log-level")


def build_overview() -> argparse.ArgumentParser:
    listed = "\n".join(f"  {name:10} {doc}" for name, doc in COMMANDS.items())
    overview = argparse.ArgumentParser(
        prog="pinakes",
        usage="pinakes COMMAND [options]",
        description="Pinakes keeps knowledge for AI agents and the people who work with them, on your own machine.",
        epilog=f"commands:\n{listed}\n\n{EXAMPLES}\n\npinakes COMMAND --help tells more about each.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    overview.add_argument("--version", action="version", version=f"pinakes {__version__}")
    overview.add_argument("command", nargs="?", help=argparse.SUPPRESS)
    return overview


def build_parser(name: str, command: ModuleType) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"pinakes {name}",
        description=COMMANDS[name][0].upper() + COMMANDS[name][1:] + ".",
        epilog=getattr(command, "EPILOG", None),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_arguments(parser)
    shared = parser.add_argument_group("everywhere")
    shared.add_argument("--data", metavar="DIR", help=DATA_DOC)
    shared.add_argument("--json", action="store_true", help="answer in JSON, for scripts")
    own: tuple[str, ...] = getattr(command, "OPTIONS", ())
    for option in OPTIONS:
        if option.flag and option.name in (*EVERYWHERE, *own):
            _add_option(shared if option.name in EVERYWHERE else parser, option)
    return parser


def _add_option(parser: Group, option: Option) -> None:
    if isinstance(option.default, bool):
        parser.add_argument(f"--{option.name}", action="store_true", default=None, help=option.doc)
        return
    parser.add_argument(
        f"--{option.name}",
        choices=option.choices or None,
        default=None,
        metavar=None if option.choices else option.name.upper(),
        help=f"{option.doc} (default: {option.default or 'none'})",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] not in COMMANDS:
        return _explain(given)
    name = given[0]
    command = import_module(f"pinakes.cli.{name}_command")
    parsed = build_parser(name, command).parse_args(given[1:])
    restore_signals = stop_on_signals()
    try:
        return command.run(parsed)
    except Refusal as refusal:
        _tell(refusal, as_json=is_json(parsed))
        return EXIT_USAGE if refusal.failure is Failure.INVALID else 1
    except KeyboardInterrupt as stop:
        return stop.code if isinstance(stop, Stopped) else EXIT_INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    finally:
        leave(parsed)
        restore_signals()


def _explain(given: list[str]) -> int:
    overview = build_overview()
    parsed, _ = overview.parse_known_args(given)
    if parsed.command is None:
        overview.print_help()
        return 0
    overview.print_usage(sys.stderr)
    say_error(f"there is no command {parsed.command!r}; pinakes --help lists them")
    return EXIT_USAGE


def _tell(refusal: Refusal, *, as_json: bool) -> None:
    if as_json:
        error = {"code": refusal.failure.code, "message": refusal.message, "retryable": refusal.failure.retryable}
        print(json.dumps({"error": {**error, "field": refusal.field, **refusal.details}}, ensure_ascii=False))
    else:
        say_error(refusal.message)


if __name__ == "__main__":
    raise SystemExit(main())
