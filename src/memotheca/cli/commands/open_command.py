"""memotheca open: look at everything in a browser."""

import argparse
import os
import webbrowser
from collections.abc import Callable
from dataclasses import replace

from memotheca.cli.commands.serve_command import serve
from memotheca.cli.layout import say
from memotheca.cli.running_server import BEHIND, asks_for_token, running, start, stop
from memotheca.cli.terminal import aimed, print_json, settings_of, styled
from memotheca.model.errors import Failure, Refusal
from memotheca.server.page_files import BUILD, is_built
from memotheca.settings import OPTIONS as ALL_OPTIONS
from memotheca.settings import Settings
from memotheca.storage.presence import Holder

OPTIONS = (
    "collections",
    "port",
    "toolsets",
    "read-only",
    "vault",
    "vault-ignore",
    "vault-gitignore",
    "token-file",
    "roots",
    "ocr-languages",
    "tesseract",
    "tessdata",
)
ANY_PORT = 0  # specification: by which a system gives one that is free

EPILOG = """examples:
  memotheca open                   the page of what is stored here
  memotheca open --vault ~/notes   with a folder of notes
  memotheca open --no-browser      say the address, and open nothing
  memotheca open --stop            stop the server that it started
  memotheca open --foreground      serve until Ctrl-C, without a process behind

A server of this data that runs already is used, whoever started it. Where none
does, one is started that stays until --stop, at port 3000, or at a free one if
that is taken; what it says is in open.log of the data directory. Where the
server asks for a token the page does too; the token is never put into the
address."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-browser", action="store_true", help="only say the address")
    wish = parser.add_mutually_exclusive_group()
    wish.add_argument("--stop", action="store_true", help="stop the server that runs in the background")
    wish.add_argument("--foreground", action="store_true", help="serve from here, until it is stopped by Ctrl-C")


def run(parsed: argparse.Namespace) -> int:
    settings = settings_of(parsed)
    if parsed.stop:
        return _stop(parsed, settings)
    found = running(settings)
    if found:
        _refuse_other_wishes(parsed, found[0])
        return _show(parsed, found[0], fresh=False)
    if parsed.foreground:
        return _serve(parsed, settings)
    return _show(parsed, start(settings, ports=_ports(parsed, settings)), fresh=True)


def _ports(parsed: argparse.Namespace, settings: Settings) -> list[int]:
    """The one that was asked for, or the usual one, or else any."""
    usual = next(int(option.default) for option in ALL_OPTIONS if option.name == "port")
    port = settings.number("port")
    return [port] if parsed.port is not None or port != usual else [port, ANY_PORT]


def _refuse_other_wishes(parsed: argparse.Namespace, holder: Holder) -> None:
    """A server that runs is as it was started; what was asked for must not be passed over."""
    wished = [name for name in OPTIONS if getattr(parsed, name.replace("-", "_"), None) is not None]
    if wished or parsed.foreground:
        asked = f"--{wished[0]}" if wished else "--foreground"
        how = "`memotheca open --stop`" if holder.command == BEHIND else f"end process {holder.pid}"
        raise Refusal(
            Failure.CONFLICT,
            f"A server runs at {holder.address} already, so {asked} cannot be heeded: {how} first, or leave it out.",
        )


def _serve(parsed: argparse.Namespace, settings: Settings) -> int:
    values = {**settings.values, "transport": "http", "host": "127.0.0.1"}
    settings = replace(settings, values=values)

    def announce(settings: Settings, host: str, port: int) -> None:
        address = f"http://{host}:{port}/"
        _show(parsed, Holder(os.getpid(), BEHIND, "", address, settings.text("collection")), fresh=True, asks=False)

    try:
        return serve(parsed, settings, announce)
    except KeyboardInterrupt:
        return 0


def _show(parsed: argparse.Namespace, holder: Holder, *, fresh: bool, asks: bool = True) -> int:
    """Say where it is, and open it. A server that is about to begin cannot be asked yet whether it wants a token."""
    wants_token = asks and asks_for_token(holder.address)
    is_open = not parsed.no_browser and _open(holder.address)
    if parsed.json:
        told = {"address": holder.address, "process": holder.pid, "started": fresh, "opened": is_open}
        print_json({**told, "asks_for_token": wants_token, "page_is_built": is_built()})
        return 0
    print(f"{styled(holder.address, 'green')}  (process {holder.pid}{', just started' if fresh else ''})")
    if not is_built():
        say(f"Its page was not built in this checkout; `{BUILD}` builds it, with Node 20 or newer.")
    if wants_token:
        say(aimed(parsed, "It asks for a token; `memotheca token add NAME` makes one."))
    if not is_open and not parsed.no_browser:
        say("No browser could be opened here; open that address in one.")
    if fresh and not parsed.foreground:
        say(aimed(parsed, "It runs until `memotheca open --stop`."))
    return 0


def _open(address: str, opener: Callable[[str], bool] = webbrowser.open) -> bool:
    try:
        return opener(address)
    except webbrowser.Error:
        return False


def _stop(parsed: argparse.Namespace, settings: Settings) -> int:
    others = [each for each in running(settings) if each.command != BEHIND]
    stopped = stop(settings)
    if parsed.json:
        print_json({"stopped": [each.pid for each in stopped], "left": [each.pid for each in others]})
        return 0
    for each in stopped:
        print(f"Stopped the server at {each.address}.")
    for each in others:
        print(f"Left {each} at {each.address}: it was not started by memotheca open.")
    if not stopped and not others:
        print("No server of this data runs.")
    return 0
