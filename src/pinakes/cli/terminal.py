"""Words on a terminal: colours only where somebody looks, progress on stderr, data on stdout."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from pinakes.app import App, build, lazily
from pinakes.settings import OPTIONS, Settings, load

_STYLES = {"green": "32", "red": "31", "yellow": "33", "bold": "1", "dim": "2"}

Report = Callable[[float, float | None, str], None]


def settings_of(parsed: argparse.Namespace) -> Settings:
    flags = {option.name: getattr(parsed, option.name.replace("-", "_"), None) for option in OPTIONS}
    return load({**flags, "data": parsed.data})


def app_of(parsed: argparse.Namespace) -> App:
    parsed.app = build(settings_of(parsed))
    return parsed.app


def leave(parsed: argparse.Namespace) -> None:
    """Before the command ends, write down what it looked at and leave the data file whole."""
    app: App | None = getattr(parsed, "app", None)
    if app is not None:
        app.close()


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
    lines = "\n".join(plain(line) for line in message.split("\n"))
    print(f"{styled('pinakes:', 'red', stream=sys.stderr)} {lines}", file=sys.stderr)


def print_json(value: Any) -> None:
    spelled = json.dumps(value, ensure_ascii=False, indent=2)
    # The name of a file may hold bytes that are no letters; escaped, they are still JSON.
    print(spelled if _is_text(spelled) else json.dumps(value, indent=2))


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def progress(title: str, *, quiet: bool = False) -> Generator[Report]:
    """A bar on stderr while something long runs, where a person is there to see it."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total, message: None
        return
    with lazily("tqdm", "tqdm")(desc=title, leave=False, unit="") as bar:

        def report(done: float, total: float | None, message: str) -> None:
            del message
            bar.total = total
            bar.update(done - bar.n)

        yield report
