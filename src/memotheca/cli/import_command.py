"""memotheca import: bring in a file."""

import argparse
from dataclasses import asdict, replace

from memotheca.admin.history import new_batch
from memotheca.admin.transfer import import_lines
from memotheca.app import lazily
from memotheca.cli.call_command import ACTOR
from memotheca.cli.layout import counted, say
from memotheca.cli.terminal import app_of, print_json, progress
from memotheca.jobs.queue import enqueue
from memotheca.model.errors import Failure, Refusal

index_everything = lazily("memotheca.admin.upkeep", "index_everything")

EPILOG = """An export of Memotheca brings its whole history and goes into an empty collection
(--collection NAME makes one). A memory.json of the reference memory server goes
into any collection, in one transaction that undo can revert: every observation
becomes an entry about its entity, every relation a triple; what is there is
skipped. A corpus of JSON lines with _id, title and text goes into any
collection, a transaction for every 500 lines; run it again if it was cut off."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the file to read, or - for stdin")
    parser.add_argument("--no-wait", action="store_true", help="leave vectors to the next server that runs")


def run(parsed: argparse.Namespace) -> int:
    kernel = app_of(parsed, begins=True).kernel
    try:
        with (
            progress("importing", quiet=parsed.json) as report,
            open(0 if parsed.file == "-" else parsed.file, encoding="utf-8", closefd=parsed.file != "-") as file,
        ):
            together = replace(kernel, batch=new_batch(kernel))
            moved = import_lines(together, file, actor=ACTOR, report=report)
        task = None
        if parsed.no_wait:
            task = enqueue(kernel, "index", {}, actor=ACTOR).id
        else:
            with progress("embedding", quiet=parsed.json) as report:
                index_everything(kernel, report)
    except OSError as error:
        raise Refusal(Failure.INVALID, f"{parsed.file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise Refusal(Failure.INVALID, f"{parsed.file} is not UTF-8 text; nothing was imported.") from None
    if parsed.json:
        print_json({**asdict(moved), **({"task_id": task} if task else {})})
    else:
        also = f", {moved.skipped} there already" if moved.skipped else ""
        held = f"{counted(moved.entries, 'entry')}, {counted(moved.edges, 'edge')}"
        say(f"Imported {counted(moved.transactions, 'transaction')}: {held}{also}.")
    return 0
