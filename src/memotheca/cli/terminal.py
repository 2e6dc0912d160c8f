"""Words on a terminal: colours only where somebody looks, progress on stderr, data on stdout."""

import argparse
import codecs
import io
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memotheca.app import App, build, refuse_missing
from memotheca.cli.layout import columns, say
from memotheca.model.errors import Failure, Refusal
from memotheca.settings import OPTIONS, Settings, default_directory, load

# Who a change made from a terminal is attributed to.
ACTOR = "cli"

_STYLES = {"green": "32", "red": "31", "yellow": "33", "bold": "1", "dim": "2"}

# What we draw with, for a console that has no such letters.
_PLAINER = {
    "…": "...", "✓": "+", "✗": "x", "█": "#", "░": "-", "•": "*", "·": "|", "⟷": "<->", "→": "->",
    "└": "`", "├": "|", "│": "|", "─": "-", "═": "=", "“": '"', "”": '"', "�": "?",
}  # fmt: skip
SPELLED_OUT = "spelled-out"

Report = Callable[[float, float | None, str], None]


def _spell_out(error: UnicodeError) -> tuple[str, int]:
    """What a console cannot show: our own signs by plainer ones, all else by its number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_PLAINER.get(each) or ascii(each)[1:-1] for each in lacking), error.end


def make_printable() -> None:
    """Let everything be printed on any console: what its encoding lacks is spelled out and ends no program."""
    codecs.register_error(SPELLED_OUT, _spell_out)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=SPELLED_OUT)


def settings_of(parsed: argparse.Namespace) -> Settings:
    flags = {option.name: getattr(parsed, option.name.replace("-", "_"), None) for option in OPTIONS}
    return load({**flags, "data": parsed.data})


def unreadable(given: list[str]) -> str:
    """The first argument that is no text, in words; what is UTF-8, though the locale speaks otherwise, is put right."""
    for place, said in enumerate(given):
        if said.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in said):
            continue
        try:
            given[place] = os.fsencode(said).decode("utf-8")
        except UnicodeDecodeError:
            return repr(said.encode("ascii", "replace").decode())
    return ""


def app_of(parsed: argparse.Namespace, *, begins: bool = False) -> App:
    """What a command works with. Only one that brings something in begins a store where there is none, and none does
    where one was lost."""
    settings = settings_of(parsed)
    try:
        if not settings.text("database"):
            refuse_missing(settings.data)
    except Refusal as refusal:
        if refusal.failure is not Failure.NOT_FOUND:
            raise
        if not begins:
            raise _not_begun(settings, refusal) from None
    parsed.app = build(settings)
    return parsed.app


def _not_begun(settings: Settings, refusal: Refusal) -> Refusal:
    """Whoever named no directory has misspelled none, and is new."""
    if settings.data != default_directory(os.environ):
        return refusal
    return Refusal(
        Failure.NOT_FOUND,
        'Nothing is stored yet. `memotheca remember "…"` begins, and so does an agent that is told of Memotheca: '
        "`memotheca connect CLIENT --write`.",
    )


def refuse_taken(target: Path, kind: str, is_one: Callable[[Path], bool], *, force: bool) -> None:
    """An earlier one is written over where that is asked for; whatever else has that name is somebody's, or the data
    itself."""
    if not target.is_file() or not target.stat().st_size:
        return
    if not is_one(target):
        raise Refusal(Failure.INVALID, f"{target} is there already and is no {kind}; name another file.")
    if not force:
        article = "an" if kind[0] in "aeiou" else "a"
        raise Refusal(
            Failure.ALREADY_EXISTS,
            f"{target} is there already, {article} earlier {kind}; name another file, or say --force to replace it.",
        )


def aimed(parsed: argparse.Namespace, told: str) -> str:
    """What is told, with the commands in it for the data directory that was named: they are taken literally."""
    if not parsed.data:
        return told
    option = f" --data {shlex.quote(str(settings_of(parsed).data))}"
    return re.sub(r"\bmemotheca [a-z]+\b", lambda command: command[0] + option, told)


def leave(parsed: argparse.Namespace) -> None:
    """Before the command ends, write down what it looked at and leave the data file whole."""
    app: App | None = getattr(parsed, "app", None)
    if app is not None:
        app.close()


def at_least(least: int) -> Callable[[str], int]:
    """The type of an option that is a number not below this one."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"a number is wanted, not {text!r}") from None
        if number < least:
            raise argparse.ArgumentTypeError(f"{number} is too little; it is at least {least}")
        return number

    return read


def is_json(parsed: argparse.Namespace) -> bool:
    return bool(parsed.json)


def styled(text: str, style: str, *, stream: Any = None) -> str:
    stream = sys.stdout if stream is None else stream
    if not stream.isatty() or os.environ.get("NO_COLOR"):
        return text
    return f"\033[{_STYLES[style]}m{text}\033[0m"


def plain(text: str) -> str:
    """What others have named, as it may stand on a line: nothing in it moves the cursor or ends the line."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def say_error(message: str) -> None:
    for number, line in enumerate(message.split("\n")):
        lead = f"{styled('memotheca:', 'red', stream=sys.stderr)} " if number == 0 else ""
        say(plain(line), lead=lead, stream=sys.stderr)


def print_json(value: Any) -> None:
    print(to_json_text(value, indent=2))


def to_json_text(value: Any, *, indent: int | None = None) -> str:
    """JSON as stdout can carry it: what it cannot, as the bytes of a name that are no letters, is escaped."""
    spelled = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        spelled.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return json.dumps(value, indent=indent)
    return spelled


@contextmanager
def progress(title: str, *, quiet: bool = False) -> Generator[Report]:
    """A bar on stderr while something long runs, where a person is there to see it."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total, message: None
        return
    from tqdm import tqdm

    with tqdm(desc=title, leave=False, unit="", dynamic_ncols=True) as bar:
        width = columns(sys.stderr)

        def report(done: float, total: float | None, message: str) -> None:
            nonlocal width
            del message
            now = max(1, columns(sys.stderr))
            if now < width:
                # In a terminal that was made narrower meanwhile, what was one line is several.
                sys.stderr.write(f"\033[{-(-width // now) - 1}A\r\033[J")
            width = now
            bar.total = total
            bar.update(done - bar.n)

        yield report
