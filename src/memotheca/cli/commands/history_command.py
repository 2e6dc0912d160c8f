"""memotheca history: list transactions."""

import argparse
from typing import Any

from memotheca.admin.history import HistoryRecord, list_history
from memotheca.cli.layout import say
from memotheca.cli.terminal import app_of, at_least, plain, print_json, styled
from memotheca.kernel.names import call
from memotheca.model.kinds import KINDS
from memotheca.storage.journal import count_about
from memotheca.toolkit.fields import to_json
from memotheca.tools.entries.contract import transaction_shape

EPILOG = """examples:
  memotheca history
  memotheca history --type document --limit 5
  memotheca undo --tx 66           take back one of them"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", type=at_least(1), default=20, metavar="N", help="how many (default: 20)")
    types = (*KINDS, "triple")
    parser.add_argument("--type", choices=types, metavar="TYPE", help=f"only about: {', '.join(types)}")


def run(parsed: argparse.Namespace) -> int:
    kernel = app_of(parsed).kernel
    page = list_history(kernel, limit=parsed.limit, entity_type=parsed.type)
    with kernel.read() as snapshot:
        called = [call(snapshot, found.about) for found in page.happenings]
    shapes = [transaction_shape(found.commit, found.about, found.undone_by) for found in page.happenings]
    if parsed.json:
        items = [
            {**shape, "name": each.name, "batch": _batch_of(found)}
            for shape, each, found in zip(to_json(shapes), called, page.happenings, strict=True)
        ]
        print_json({"items": items, "next_cursor": page.next_cursor, "as_of_tx_id": page.as_of_tx})
        return 0
    for shape, each, found in zip(shapes, called, page.happenings, strict=True):
        _print(shape, each, _batch_of(found))
    if page.next_cursor:
        with kernel.read() as snapshot:
            more = count_about(snapshot.session, kernel.collection, parsed.type) - len(shapes)
        print(f"… and {more:,} more; --limit {len(shapes) + more} shows all")
    if not shapes:
        print("Nothing has happened yet.")
    return 0


def _batch_of(found: HistoryRecord) -> str | None:
    """What the transactions of one command have in common, where it made several."""
    batch = found.commit.batch
    return None if batch is None else batch.id[:8]


def _print(shape: Any, called: Any, batch: str | None) -> None:
    undone = f"reverted by {shape.reverted_by}" if shape.reverted_by else ""
    undone = f"reverts {shape.reverts}" if shape.reverts else undone
    told = [plain(called.name), f"by {plain(shape.actor)}", undone, f"in batch {batch}" if batch else ""]
    if called.handle and called.handle not in called.name:
        told.append(f"({plain(called.handle)})")
    when = shape.created_at[:16].replace("T", " ")
    lead = f"{styled(f'{shape.tx_id:>5}', 'bold')}  {when}  {shape.op:7} {called.kind:8} "
    say("  ".join(part for part in told if part), lead=lead, hang=" " * 25)
