"""memotheca call: call a tool."""

import argparse
import json
import re
import sys
from difflib import get_close_matches
from typing import Any, cast

from memotheca.app import DATABASE, choose_tools, load_catalog, refresh_vaults
from memotheca.cli.layout import say, table
from memotheca.cli.terminal import ACTOR, app_of, print_json, say_error, settings_of
from memotheca.model.errors import Failure, Refusal
from memotheca.settings import Settings
from memotheca.toolkit.catalog import ALL
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.dispatch import UnknownTool
from memotheca.toolkit.tool import Call

OPTIONS = ("toolsets", "read-only", "vault", "vault-ignore", "vault-gitignore")

EPILOG = """examples:
  memotheca call --list                       the tools there are
  memotheca call query content=deployment limit=3
  memotheca call store topic=tea content="Ada takes it black." tags='["people"]'
  memotheca call query '{"content": "deployment"}'
  memotheca call store - < entry.json

A value is what its tool wants it to be: text, a number, yes or no; lists and
objects are JSON. --json prints the whole answer."""

_PAIR = re.compile(r"[A-Za-z_]\w*=", re.ASCII)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tool", nargs="?", help="the tool's name")
    parser.add_argument(
        "arguments", nargs="*", help="its arguments: NAME=VALUE for each, a JSON object, or - for JSON from stdin"
    )
    parser.add_argument(
        "--key", default="", help="carry out a call of this key only once, however often it is asked for"
    )
    parser.add_argument("--list", action="store_true", help="list the tools")


def run(parsed: argparse.Namespace) -> int:
    settings = settings_of(parsed)
    known = choose_tools(settings).find(parsed.tool) if parsed.tool else None
    is_begun = bool(settings.text("database")) or (settings.data / DATABASE).exists()
    if (parsed.list or parsed.tool is None) and not is_begun:
        return _list(choose_tools(settings).listed(), parsed)
    if parsed.tool and known is None and not is_begun:
        raise _unknown(parsed.tool, settings)
    app = app_of(parsed, begins=known is not None and known.writes)
    if parsed.list or parsed.tool is None:
        return _list(app.catalog.listed(), parsed)
    listing = app.catalog.find(parsed.tool)
    arguments = _read(parsed.arguments, {} if listing is None else listing.wire["inputSchema"])
    if listing is not None and listing.toolset == "notes":
        refresh_vaults(app)
    try:
        reply = app.dispatcher.run(parsed.tool, arguments, Call(kernel=app.kernel, actor=ACTOR, key=parsed.key))
    except UnknownTool:
        raise _unknown(parsed.tool, settings) from None
    if parsed.json:
        print_json(reply.structured)
    elif reply.failed:
        say_error(_message(reply))
    else:
        _print(reply)
    return 1 if reply.failed else 0


def _unknown(name: str, settings: Settings) -> Refusal:
    """Where it is, if it is not shown; else what may have been meant."""
    shown, whole = choose_tools(settings), load_catalog()
    whole.choose([ALL])
    listing = whole.find(name)
    if listing is not None and shown.find(name) is None:
        where = listing.toolset
        return Refusal(
            Failure.INVALID, f"{name} is a tool of the toolset {where}, which is not shown: add --toolsets {where}."
        )
    near = get_close_matches(name, [each.called for each in shown.listed()], n=1)
    meant = f"Did you mean {near[0]}?" if near else "memotheca call --list shows them."
    return Refusal(Failure.INVALID, f"There is no tool {name!r}. {meant}")


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
        print("\n".join(table([(listing.called, listing.wire["description"]) for listing in listings])))
    return 0


def _print(reply: Reply) -> None:
    """The answer once: as it reads, or where that is JSON or a mere sentence about it, the content laid out."""
    said = [block["text"] for block in reply.blocks if block.get("type") == "text"]
    if said and not _is_json(said[0]):
        if "\n" in said[0].strip():
            print(said[0])
            return
        say(said[0])
    print_json(reply.structured)


def _is_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[") or text.strip() == "null"


def _read(given: list[str], schema: dict[str, Any]) -> dict[str, Any]:
    if given and all(_PAIR.match(each) for each in given):
        pairs = (each.partition("=") for each in given)
        return {name: _value(value, schema.get("properties", {}).get(name, {})) for name, _, value in pairs}
    if len(given) > 1:
        raise Refusal(Failure.INVALID, "Give the arguments as NAME=VALUE each, or as one JSON object.")
    text = given[0] if given else "{}"
    try:
        arguments = json.loads(_read_stdin() if text == "-" else text)
    except ValueError as error:
        raise Refusal(Failure.INVALID, f"The arguments are not JSON, nor NAME=VALUE: {error}") from None
    if not isinstance(arguments, dict):
        raise Refusal(Failure.INVALID, "The arguments must be a JSON object.")
    return cast(dict[str, Any], arguments)


def _read_stdin() -> str:
    """JSON is UTF-8, whatever the console speaks."""
    stream: Any = sys.stdin
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(encoding="utf-8-sig")
    return stream.read()


def _value(text: str, schema: dict[str, Any]) -> Any:
    """A value as its tool wants it: text stays text, all else is JSON; a list may be given as its one member."""
    wanted = _types(schema)
    if not wanted or wanted == {"string"}:
        return text
    try:
        value: Any = json.loads({"yes": "true", "no": "false"}.get(text.lower(), text) if "boolean" in wanted else text)
    except ValueError:
        value = text
    if isinstance(value, str) or ("string" in wanted and not isinstance(value, list | dict)):
        return [text] if "array" in wanted and "string" not in wanted else text
    return cast(Any, value)


def _types(schema: dict[str, Any]) -> set[str]:
    own = schema.get("type", [])
    found = {own} if isinstance(own, str) else set(cast(list[str], own))
    for each in cast(list[dict[str, Any]], [*schema.get("anyOf", []), *schema.get("oneOf", [])]):
        found |= _types(each)
    return (found or ({"string"} if "enum" in schema else set())) - {"null"}
