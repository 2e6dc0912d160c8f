"""memotheca remove: take documents out."""

import argparse
import sys
from dataclasses import replace
from typing import Any

from memotheca.admin.history import new_batch
from memotheca.cli.layout import say
from memotheca.cli.terminal import ACTOR, app_of, plain, print_json
from memotheca.documents.documents import clear_documents, find_document, list_documents, remove_document
from memotheca.documents.unfinished import forget_failures
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import counted

EPILOG = """examples:
  memotheca remove report.pdf                    by its name, path or id
  memotheca remove --all                         every document
What is removed can be had back for 30 days: memotheca undo"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("documents", nargs="*", metavar="DOCUMENT", help="an id, a filename or a path")
    parser.add_argument("--all", action="store_true", help="every document")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(parsed: argparse.Namespace) -> int:
    kernel = app_of(parsed).kernel
    if parsed.all == bool(parsed.documents):
        raise Refusal(Failure.INVALID, "Name the documents to remove, or say --all.")
    if parsed.all:
        count = list_documents(kernel, limit=0)[1]
        _confirm(parsed, f"Remove all {counted(count, 'document')}?")
        cleared = clear_documents(kernel, actor=ACTOR)
        forget_failures(kernel)
        _say(parsed, [], f"Removed {counted(cleared.documents, 'document')}. memotheca undo brings them back.")
        return 0
    rows = [find_document(kernel, name) for name in parsed.documents]
    _confirm(parsed, f"Remove {', '.join(plain(row.filename) for row in rows)}?")
    together = replace(kernel, batch=new_batch(kernel) if len(rows) > 1 else None)
    removed = [remove_document(together, row.handle, actor=ACTOR) for row in rows]
    named: list[dict[str, Any]] = [
        {"document_id": row.handle, "filename": row.filename, "chunks_removed": row.chunks} for row in removed
    ]
    _say(parsed, named, f"Removed {', '.join(plain(row.filename) for row in removed)}. memotheca undo brings it back.")
    return 0


def _say(parsed: argparse.Namespace, removed: list[dict[str, Any]], sentence: str) -> None:
    if parsed.json:
        print_json({"removed": removed, "message": sentence})
    else:
        say(sentence)


def _confirm(parsed: argparse.Namespace, question: str) -> None:
    if parsed.yes:
        return
    if not sys.stdin.isatty():
        raise Refusal(Failure.CONFIRMATION_REQUIRED, f"{question} Say --yes to do so.")
    if input(f"{question} [y/N] ").strip().lower() not in ("y", "yes"):
        raise Refusal(Failure.CANCELLED, "Nothing was removed.")
