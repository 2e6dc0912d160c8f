"""memotheca patterns: bring in catalogues of patterns, and look things up in them."""

import argparse
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from memotheca.admin.upkeep import index_everything
from memotheca.app import App
from memotheca.cli.layout import page as width
from memotheca.cli.layout import say
from memotheca.cli.markdown_view import render
from memotheca.cli.terminal import ACTOR, app_of, at_least, print_json, progress, say_error, styled
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import counted
from memotheca.patterns.import_catalogue import import_catalogue
from memotheca.patterns.read_patterns import all_cards
from memotheca.toolkit.tool import Call
from memotheca.tools.patterns.contract import DIFFICULTIES, TOOL_ERROR

ACTIONS = ("import", "list", "show", "search")

EPILOG = """actions:
  import DIR     make a catalogue hold what a folder of markdown or MDX with
                 frontmatter says; run it again after changes, and it adds,
                 updates and removes what differs; undo reverts it
  list           every pattern, those that ship with Memotheca included
  show ID        one pattern in full
  search WORDS   the patterns that match

examples:
  memotheca patterns import ~/patterns --catalogue team
  memotheca patterns search retry with backoff --category reliability
  memotheca patterns show circuit-breaker"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=ACTIONS, help="what to do")
    parser.add_argument("what", nargs="*", help="the folder, the id or the words")
    parser.add_argument("--catalogue", default="", metavar="NAME", help="the catalogue's name (default: the folder's)")
    parser.add_argument("--category", metavar="NAME", help="only patterns of this category")
    parser.add_argument("--difficulty", choices=DIFFICULTIES, help="only patterns of this difficulty")
    parser.add_argument("--limit", type=at_least(1), metavar="N", help="at most so many, 1 to 100")
    parser.add_argument("--cards", type=at_least(0), metavar="N", help="how many are shown as cards (default: 3)")
    parser.add_argument("--no-wait", action="store_true", help="leave vectors to the next server that runs")


def run(parsed: argparse.Namespace) -> int:
    app = app_of(parsed, begins=parsed.action == "import")
    said = " ".join(parsed.what)
    if parsed.action == "list":
        return _list(app, parsed)
    if not said and parsed.action != "search":
        raise Refusal(Failure.INVALID, f"memotheca patterns {parsed.action} needs {_needed(parsed.action)}.")
    if parsed.action == "import":
        return _import(app, parsed)
    if parsed.action == "show":
        return _call(app, parsed, "get_pattern", {"id": said})
    asked = {"q": said, **{name: getattr(parsed, name) for name in ("category", "difficulty", "limit")}}
    return _call(app, parsed, "search_patterns", {**asked, "limitCards": parsed.cards})


def _needed(action: str) -> str:
    return "a folder" if action == "import" else "an id"


def _call(app: App, parsed: argparse.Namespace, tool: str, asked: dict[str, Any]) -> int:
    """Call a tool as an agent would, and show its pages as a person would like them."""
    app.catalog.choose(["patterns"])
    arguments = {name: value for name, value in asked.items() if value is not None}
    reply = app.dispatcher.run(tool, arguments, Call(kernel=app.kernel, actor=ACTOR))
    if parsed.json:
        print_json(reply.structured)
    elif reply.failed:
        say_error((reply.structured or {}).get("message", ""))
    else:
        print("\n".join(_shown(block["text"]) for block in reply.blocks))
    kind = (reply.structured or {}).get("kind")
    return 1 if kind == TOOL_ERROR or (kind == "needsInput:v1" and tool == "get_pattern") else 0


def _shown(page: str) -> str:
    """Laid out where somebody looks; as it is where it goes into a file or a program."""
    return page if width() == sys.maxsize else render(page, width())


def _list(app: App, parsed: argparse.Namespace) -> int:
    cards = [
        card
        for card in all_cards(app.kernel)
        if parsed.category in (None, card.category)
        and parsed.difficulty in (None, card.difficulty)
        and parsed.catalogue in ("", card.catalogue)
    ]
    if parsed.json:
        fields = ("slug", "title", "category", "difficulty", "catalogue", "tags")
        print_json([{name: getattr(card, name) for name in fields} for card in cards])
        return 0
    rows = [
        f"| {card.slug} | {card.title} | {card.category} | {card.difficulty} | {card.catalogue} |" for card in cards
    ]
    table = "\n".join(["| id | title | category | difficulty | catalogue |", "|---|---|---|---|---|", *rows])
    print(_shown(table))
    print(counted(len(cards), "pattern"), file=sys.stderr)
    return 0


def _import(app: App, parsed: argparse.Namespace) -> int:
    folder = Path(" ".join(parsed.what)).expanduser()
    with progress("reading", quiet=parsed.json) as report:
        account = import_catalogue(app.kernel, folder, name=parsed.catalogue, actor=ACTOR, report=report)
    if not parsed.no_wait:
        with progress("embedding", quiet=parsed.json) as report:
            index_everything(app.kernel, report)
    if parsed.json:
        print_json(asdict(account))
        return 0
    _print_account(account)
    return 0


def _print_account(account: Any) -> None:
    """A line for every file that was not read or not read as it stands, then the sum."""
    noted = [line for line in account.lines if line.notes]
    if noted:
        rows = [f"| {line.path} | {line.status} | {'; '.join(line.notes)} |" for line in noted]
        print(_shown("\n".join(["| file | | why |", "|---|---|---|", *rows])))
    statuses = Counter(line.status for line in account.lines)
    kept = account.kept
    print(f"{styled(account.catalogue, 'bold')}: {statuses['read']} read, {statuses['not read']} not read.")
    done = ", ".join(f"{len(getattr(kept, name))} {name}" for name in ("added", "changed", "removed", "unchanged"))
    undo = f" in transaction {', '.join(str(tx) for tx in kept.transactions)}" if kept.transactions else ""
    say(f"{done}{undo}.")
