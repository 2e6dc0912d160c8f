"""memotheca remember: keep something, in a person's own words."""

import argparse
import sys

from memotheca.cli.layout import cut, say
from memotheca.cli.terminal import ACTOR, app_of, plain, print_json
from memotheca.entries.entries import NewEntry, store_entry
from memotheca.model.errors import Failure, Refusal
from memotheca.tools.entries.contract import entry_fields

TOPIC_WIDTH = 60  # chosen: a line of `history` and `search` shows it whole

EPILOG = """examples:
  memotheca remember "We release on Tuesdays."
  memotheca remember We release on Tuesdays --topic releases --tag team
  git log -1 --format=%B | memotheca remember - --topic "last commit"

Without --topic the first sentence is the topic. memotheca undo takes it back."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="+", metavar="TEXT", help="what to keep; - reads it from stdin")
    parser.add_argument("--topic", default="", help="what it is about")
    parser.add_argument("--tag", action="append", default=[], dest="tags", help="a tag; may be given several times")
    parser.add_argument("--source", default="", help="where it is known from")


def run(parsed: argparse.Namespace) -> int:
    text = (sys.stdin.read() if parsed.text == ["-"] else " ".join(parsed.text)).strip()
    if not text:
        raise Refusal(Failure.INVALID, "There is nothing to remember; give a sentence.")
    told = {"source": parsed.source} if parsed.source else {}
    new = NewEntry(title=parsed.topic.strip() or _topic(text), body=text, tags=tuple(parsed.tags), **told)
    written = store_entry(app_of(parsed, begins=True).kernel, new, actor=ACTOR)
    fields = entry_fields(written.version)
    if parsed.json:
        print_json({**fields, **({"notice": written.notice} if written.notice else {})})
        return 0
    say(f"Remembered as {fields['id']}, about {plain(fields['topic'])!r}. memotheca undo takes it back.")
    if written.notice:
        say(written.notice)
    return 0


def _topic(text: str) -> str:
    """The first sentence, or as much of it as a line has room for."""
    line = text.splitlines()[0].strip()
    return cut(line.split(". ")[0].rstrip("."), TOPIC_WIDTH) or cut(line, TOPIC_WIDTH)
