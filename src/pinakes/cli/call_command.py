"""pinakes call: call a tool."""

import argparse
import json
import sys
from typing import Any, cast

from pinakes.app import refresh_vaults
from pinakes.cli.terminal import app_of, print_json, say_error
from pinakes.model.errors import Failure, Refusal
from pinakes.toolkit.contract import Reply
from pinakes.toolkit.dispatch import UnknownTool
from pinakes.toolkit.tool import Call

OPTIONS = ("toolsets", "read-only", "vault", "vault-ignore", "vault-gitignore")

EPILOG = """examples:
  pinakes call query '{"content": "deployment"}'
  pinakes call store - < entry.json
  pinakes call --list                       the tools there are"""

ACTOR = "cli"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tool", nargs="?", help="the tool's name")
    parser.add_argument("arguments", nargs="?", default="{}", help="its arguments as a JSON object, or - for stdin")
    parser.add_argument(
        "--key", default="", help="carry out a call of this key only once, however often it is asked for"
    )
    parser.add_argument("--list", action="store_true", help="list the tools")


def run(parsed: argparse.Namespace) -> int:
    app = app_of(parsed)
    if parsed.list or parsed.tool is None:
        return _list(app.catalog.listed(), parsed)
    arguments = _read(parsed.arguments)
    listing = app.catalog.find(parsed.tool)
    if listing is not None and listing.toolset == "notes":
        refresh_vaults(app)
    try:
        reply = app.dispatcher.run(parsed.tool, arguments, Call(kernel=app.kernel, actor=ACTOR, key=parsed.key))
    except UnknownTool:
        raise Refusal(Failure.INVALID, f"There is no tool {parsed.tool!r}; pinakes call --list shows them.") from None
    if parsed.json:
        print_json(reply.structured)
    elif reply.failed:
        say_error(_message(reply))
    else:
        print(reply.blocks[0]["text"])
        print_json(reply.structured)
    return 1 if reply.failed else 0


def _message(reply: Reply) -> str:
    """What went wrong, wherever the tool's contract says it."""
    structured = reply.structured or {}
    error = structured.get("error")
    said = (cast(dict[str, Any], error) if isinstance(error, dict) else structured).get("message")
    return str(said or reply.blocks[0]["text"])


def _list(listings: Any, parsed: argparse.Namespace) -> int:
    if parsed.json:
        print_json([listing.wire for listing in listings])
    else:
        for listing in listings:
            print(f"{listing.name:16} {listing.wire['description']}")
    return 0


def _read(text: str) -> dict[str, Any]:
    try:
        arguments = json.loads(sys.stdin.read() if text == "-" else text)
    except ValueError as error:
        raise Refusal(Failure.INVALID, f"The arguments are not JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise Refusal(Failure.INVALID, "The arguments must be a JSON object.")
    return cast(dict[str, Any], arguments)
