"""memotheca collections: what collections there are."""

import argparse
from dataclasses import replace

from memotheca.admin.health import count_everything
from memotheca.cli.layout import counted, table
from memotheca.cli.terminal import app_of, print_json
from memotheca.model.kinds import KINDS, SECTION, STARTER_COLLECTION


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(parsed: argparse.Namespace) -> int:
    kernel = app_of(parsed).kernel
    found = {
        name: count_everything(replace(kernel, collection=name))
        for name in kernel.store.collections()
        if name != STARTER_COLLECTION
    }
    if parsed.json:
        print_json([{"collection": name, **counts} for name, counts in found.items()])
    elif not found:
        print("There is no collection yet; the first thing that is stored makes one.")
    else:
        rows = [(name, _spelled(counts)) for name, counts in found.items()]
        print("\n".join(table(rows)))
    return 0


def _spelled(counts: dict[str, int]) -> str:
    kinds = [counted(counts[kind], kind) for kind in KINDS if kind != SECTION and counts[kind]]
    return ", ".join([*kinds, counted(counts["transactions"], "transaction")])
