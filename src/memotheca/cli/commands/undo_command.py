"""memotheca undo: revert transactions."""

import argparse

from memotheca.admin.history import undo
from memotheca.cli.layout import say
from memotheca.cli.terminal import ACTOR, app_of, at_least, plain, print_json
from memotheca.kernel.names import call
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import handle_of
from memotheca.tools.entries.contract import entity_type

SHOWN = 20  # chosen: what one command did in hundreds of transactions leaves its last words on the terminal

EPILOG = """examples:
  memotheca undo               take back the newest change
  memotheca undo --count 3     the newest three
  memotheca undo --tx 66       that one alone, as memotheca history numbers it"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=at_least(1), metavar="N", help="how many of the newest (default: 1)")
    parser.add_argument("--tx", type=at_least(1), metavar="NUMBER", help="this transaction instead")
    parser.add_argument("bare", nargs="*", help=argparse.SUPPRESS)


def run(parsed: argparse.Namespace) -> int:
    if parsed.bare:
        told = f"Say what {' '.join(parsed.bare)} is: --count how many of the newest, --tx one of them by its number."
        raise Refusal(Failure.INVALID, told)
    kernel = app_of(parsed).kernel
    undoing = undo(kernel, count=parsed.count, tx=parsed.tx, actor=ACTOR)
    done = undoing.done
    lines = [
        {
            "tx_id": undone.happening.commit.tx,
            "op": undone.happening.commit.operation,
            "entity_type": entity_type(undone.happening.about),
            "entity_id": handle_of(undone.happening.about.thing) if undone.happening.about.thing else "",
            "revert_tx_id": undone.revert_tx,
        }
        for undone in done
    ]
    with kernel.read() as snapshot:
        called = [call(snapshot, undone.happening.about) for undone in done]
    if parsed.json:
        reverted = [{**line, "name": each.name} for line, each in zip(lines, called, strict=True)]
        print_json({"reverted": reverted, "steps": undoing.steps, "passed_over": undoing.passed_over})
        return 0
    for line, each in list(zip(lines, called, strict=True))[:SHOWN]:
        what = f"{line['op']} {each.kind} {plain(each.name)}"
        say(f"Reverted {line['tx_id']} in transaction {line['revert_tx_id']}: {what}", hang="  ")
    if len(lines) > SHOWN:
        told = f"{len(lines) - SHOWN:,} more, back to {lines[-1]['tx_id']}"
        print(f"… and {told}; memotheca history lists them")
    if not lines:
        print("There is nothing to undo.")
    for remark in undoing.remarks:
        say(remark)
    return 0
