"""The `memotheca` command: finds the subcommand, loads only that, and turns refusals into exit codes."""

import argparse
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from types import ModuleType
from typing import Any, Never

from memotheca import __version__
from memotheca.cli.interrupt import Stopped, stop_on_signals
from memotheca.cli.layout import columns, table
from memotheca.cli.terminal import aimed, is_json, leave, make_printable, say_error, to_json_text, unreadable
from memotheca.cli.welcome import welcome
from memotheca.model.errors import Failure, Refusal
from memotheca.settings import DATA_DOC, OPTIONS, Option

Group = Any

COMMANDS = {
    "serve": "run the server for an MCP client, over stdio or HTTP",
    "open": "look at everything in a browser; starts a server where none runs",
    "connect": "print or write the configuration that lets a client start Memotheca",
    "hook": "answer an event of a client's session, which the client sends",
    "pause": "let no hook tell or keep anything until memotheca resume",
    "resume": "let hooks tell and keep things again, or for the first time",
    "remember": "keep something, in your own words",
    "call": "call a tool and print its answer",
    "add": "make files searchable: documents, pictures, whole folders",
    "documents": "list the files that were added",
    "remove": "take documents out; undo brings them back",
    "search": "find something in everything that is stored",
    "show": "show one thing in full: an entry, a document, a note, a relation",
    "rename": "give a note or an entry another name; links to a note follow",
    "vault": "show what is in the mounted folders of notes, and what to mend there",
    "graph": "draw what is around a thing: a tree, or mermaid, dot or json",
    "memory": "show what a librarian needs to know, and walk through what there is to decide",
    "dream": "let the memory tend itself, and see what it did and whether it helped",
    "patterns": "look up patterns, and bring in catalogues of them",
    "status": "show what is stored and where",
    "collections": "list the collections in the data directory",
    "history": "list the transactions, newest first",
    "undo": "revert the newest transactions, or one by its number",
    "export": "write a collection with its whole history to a file",
    "import": "bring in an export of ours, or what another program kept",
    "backup": "copy the database, safely while it is in use",
    "restore": "put a backup in place of the data, and keep what was there",
    "migrate": "move everything to PostgreSQL, or back into a directory",
    "erase": "remove something for good, from history, log and backups too",
    "reindex": "make the search index anew, or with another embedder",
    "token": "make, list and revoke the tokens by which clients reach a server",
    "doctor": "check that everything is well and say what to do where it is not",
    "completion": "print what lets a shell complete commands and options",
}

EXAMPLES = """examples:
  memotheca serve                      for a client that starts the server
  memotheca serve --transport http     for clients that connect to a running one
  memotheca open                       look at it in a browser
  memotheca connect claude-code        how to tell Claude Code about it
  memotheca remember "Ada takes her tea black."
  memotheca search "how does Ada take her tea?"
  memotheca add ~/Documents/handbook.pdf
  memotheca undo                       take back the newest change

Options can also stand in the environment (MEMOTHECA_DATA, MEMOTHECA_PORT, …) or
in memotheca.toml in the data directory; a flag wins over the environment, the
environment over the file.

A command exits with 0 when it is done, 1 when it is refused or finds something
wrong, 2 when it is not understood, and with 130, 143 or 129 when Ctrl-C,
SIGTERM or SIGHUP stop it; a server that is stopped exits with 0."""

# What is typed after these is text, but for their options; after others it may be a file's name, which is bytes.
OF_TEXT = ("remember", "call", "search", "show", "rename", "graph", "erase", "token", "collections")
OF_HOOKS = ("hook", "pause", "resume")  # what `memotheca/cli/hooks` has
EXIT_USAGE = 2  # specification: what shells and argparse use for a wrong command line
EXIT_INTERRUPTED = 130  # specification: 128 and the number of SIGINT
EVERYWHERE = ("collection", "database", "log-level")
FLAGS = ("--json", *(f"--{option.name}" for option in OPTIONS if isinstance(option.default, bool)))
VALUED = ("--data", *(f"--{option.name}" for option in OPTIONS if not isinstance(option.default, bool)))


_MISTYPED = re.compile(r"invalid choice: '([^']*)'|unrecognized arguments: (--[\w-]+)")


class Parser(argparse.ArgumentParser):
    """One that says what a misspelled option or choice may have meant, in JSON where that is asked for."""

    answers_json = False

    def error(self, message: str) -> Never:
        mistyped = _MISTYPED.search(message)
        typed = "" if mistyped is None else mistyped[1] or mistyped[2] or ""
        known = [
            str(each)
            for action in self._actions
            for each in (action.option_strings if typed.startswith("-") else action.choices or ())
        ]
        near = get_close_matches(typed, known, n=1)
        told = f"{message}. Did you mean {near[0]}?" if near else message
        if self.answers_json:
            _tell(Refusal(Failure.INVALID, told), as_json=True)
            self.exit(EXIT_USAGE)
        super().error(told)


class Help(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal, but not wider than is pleasant to read."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=max(40, min(columns(), 100) - 1))


def build_overview() -> argparse.ArgumentParser:
    listed = "\n".join(table([*COMMANDS.items(), ("help", "explain a command"), ("version", "show the version")]))
    overview = argparse.ArgumentParser(
        prog="memotheca",
        usage="memotheca COMMAND [options]",
        description="Memotheca keeps knowledge for AI agents and the people who work with\nthem, on your own machine.",
        epilog=f"commands:\n{listed}\n\n{EXAMPLES}\n\nmemotheca COMMAND --help tells more about each.",
        formatter_class=Help,
    )
    overview.add_argument("--version", action="version", version=f"memotheca {__version__}")
    overview.add_argument("command", nargs="?", help=argparse.SUPPRESS)
    return overview


def build_parser(name: str, command: ModuleType) -> Parser:
    parser = Parser(
        prog=f"memotheca {name}",
        description=COMMANDS[name][0].upper() + COMMANDS[name][1:] + ".",
        epilog=getattr(command, "EPILOG", None),
        formatter_class=Help,
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


def load_command(name: str) -> ModuleType:
    folder = "hooks" if name in OF_HOOKS else "commands"
    return import_module(f"memotheca.cli.{folder}.{name}_command")


def main(arguments: Sequence[str] | None = None) -> int:
    make_printable()
    given = _command_first(list(sys.argv[1:] if arguments is None else arguments))
    if not given:
        if _is_person_there():
            print(welcome())
            return 0
        given = ["serve"]
    if given[0] not in COMMANDS:
        return _explain(given)
    name = given[0]
    command = load_command(name)
    if name in OF_TEXT and (unread := unreadable(given)):
        say_error(f"{unread} is neither UTF-8 nor in the encoding of this terminal; nothing was done.")
        return EXIT_USAGE
    parser = build_parser(name, command)
    parser.answers_json = "--json" in given
    parsed = parser.parse_intermixed_args(given[1:])
    restore_signals = stop_on_signals()
    try:
        return command.run(parsed)
    except Refusal as refusal:
        if refusal.failure is not Failure.BUSY:
            # Whoever is in the way is named by its command as it is, not as one to run.
            refusal.message = aimed(parsed, refusal.message)
        _tell(refusal, as_json=is_json(parsed))
        return EXIT_USAGE if refusal.failure is Failure.INVALID else 1
    except KeyboardInterrupt as stop:
        return stop.code if isinstance(stop, Stopped) else EXIT_INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        # A path that a person gave: that it cannot be used is no fault of ours to be shown with its traces.
        _tell(Refusal(Failure.UNAVAILABLE, _reason(error)), as_json=is_json(parsed))
        return 1
    finally:
        leave(parsed)
        restore_signals()


def _is_person_there() -> bool:
    """A client that starts the bare command talks to it over stdin; a person sits at a terminal."""
    return sys.stdin is None or sys.stdin.isatty()


def _command_first(given: list[str]) -> list[str]:
    """Options may also stand before the command. What we do not know here is taken for a flag if a command follows."""
    place = 0
    while place < len(given) and given[place].startswith("--") and given[place] not in ("--help", "--version"):
        follows = given[place + 1] if place + 1 < len(given) else ""
        is_flag = "=" in given[place] or given[place] in FLAGS or (given[place] not in VALUED and follows in COMMANDS)
        place += 1 if is_flag else 2
    return [*given[place : place + 1], *given[:place], *given[place + 1 :]]


def _explain(given: list[str]) -> int:
    overview = build_overview()
    wanted = given[1] if given[:1] == ["help"] and len(given) > 1 else ""
    if wanted in COMMANDS:
        build_parser(wanted, load_command(wanted)).print_help()
        return 0
    if given[:1] == ["version"]:
        print(to_json_text({"version": __version__}) if "--json" in given else f"memotheca {__version__}")
        return 0
    parsed, _ = overview.parse_known_args([wanted] if wanted else given)
    if parsed.command in (None, "help"):
        overview.print_help()
        return 0
    near = get_close_matches(str(parsed.command), COMMANDS, n=1)
    meant = f" Did you mean {near[0]}?" if near else " memotheca help lists them."
    if "--json" not in given:
        overview.print_usage(sys.stderr)
    _tell(Refusal(Failure.INVALID, f"There is no command {parsed.command!r}.{meant}"), as_json="--json" in given)
    return EXIT_USAGE


def _reason(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}."


def _tell(refusal: Refusal, *, as_json: bool) -> None:
    if as_json:
        error = {"code": refusal.failure.code, "message": refusal.message, "retryable": refusal.failure.retryable}
        print(to_json_text({"error": {**error, "field": refusal.field, **refusal.details}}))
    else:
        say_error(refusal.message)


if __name__ == "__main__":
    raise SystemExit(main())
