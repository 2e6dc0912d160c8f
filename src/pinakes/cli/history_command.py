"""pinakes history: list transactions."""

import argparse

from pinakes.cli.terminal import app_of, print_json, styled
from pinakes.contracts.entries import transaction_shape
from pinakes.engine.history import list_history
from pinakes.toolkit.fields import to_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="how many (default: 20)")
    parser.add_argument("--type", metavar="TYPE", help="only about: entry, entity or triple")


def run(parsed: argparse.Namespace) -> int:
    page = list_history(app_of(parsed).kernel, limit=max(1, parsed.limit), entity_type=parsed.type)
    shapes = [transaction_shape(found.transaction, found.about, found.undone_by) for found in page.happenings]
    if parsed.json:
        print_json({"items": to_json(shapes), "next_cursor": page.next_cursor, "as_of_tx_id": page.as_of_tx})
        return 0
    for shape in shapes:
        undone = f"  reverted by {shape.reverted_by}" if shape.reverted_by else ""
        undone = f"  reverts {shape.reverts}" if shape.reverts else undone
        print(
            f"{styled(str(shape.tx_id), 'bold'):>6}  {shape.created_at[:19]}  {shape.op:7} "
            f"{shape.entity_type:7} {shape.entity_id}  by {shape.actor}{styled(undone, 'dim')}"
        )
    if not shapes:
        print("Nothing has happened yet.")
    return 0
