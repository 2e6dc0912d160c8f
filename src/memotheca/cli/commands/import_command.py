"""memotheca import: bring in a file."""

import argparse
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TextIO

from memotheca.admin.corpus import Moved
from memotheca.admin.history import new_batch
from memotheca.admin.transfer import import_lines
from memotheca.admin.upkeep import index_everything
from memotheca.cli.interrupt import Deferral, Stopped, deferring
from memotheca.cli.layout import counted, say
from memotheca.cli.terminal import ACTOR, app_of, print_json, progress
from memotheca.jobs.queue import enqueue
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal

EPILOG = """An export of Memotheca brings its whole history and goes into an empty
collection (--collection NAME makes one). A memory.json of the reference memory
server goes into any collection, in one transaction that undo can revert: every
observation becomes an entry about its entity, every relation a triple; what is
there is skipped. A corpus of JSON lines with _id, title and text goes into any
collection, a transaction for every 500 lines; run it again if it was cut off.

Ctrl-C or SIGTERM end it between two transactions, and it says what is in."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the file to read, or - for stdin")
    parser.add_argument("--no-wait", action="store_true", help="leave vectors to the next server that runs")


def run(parsed: argparse.Namespace) -> int:
    importing = Import(app_of(parsed, begins=True).kernel, parsed)
    try:
        with deferring() as deferral:
            importing.bring_in(deferral)
            importing.make_vectors(deferral)
    except Stopped:
        importing.tell(stopped=True)
        raise
    except OSError as error:
        raise Refusal(Failure.INVALID, f"{parsed.file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise Refusal(Failure.INVALID, f"{parsed.file} is not UTF-8 text; nothing was imported.") from None
    importing.tell()
    return 0


class Import:
    """One file that is brought in, and what is kept of it so far."""

    def __init__(self, kernel: Kernel, parsed: argparse.Namespace) -> None:
        self._kernel = kernel
        self._parsed = parsed
        self._kept = Moved(0, 0, 0)
        self._is_whole = False
        self._task: str | None = None

    def bring_in(self, deferral: Deferral) -> None:
        name = self._parsed.file
        with (
            progress("importing", quiet=self._parsed.json) as report,
            open(0 if name == "-" else name, encoding="utf-8", closefd=name != "-") as file,
        ):
            together = replace(self._kernel, batch=new_batch(self._kernel))
            lines = _breakable(file, deferral)
            self._keep(import_lines(together, lines, actor=ACTOR, report=report, keep=self._keep))
        self._is_whole = True

    def _keep(self, moved: Moved) -> None:
        self._kept = moved

    def make_vectors(self, deferral: Deferral) -> None:
        if self._parsed.no_wait:
            self._task = enqueue(self._kernel, "index", {}, actor=ACTOR).id
            return
        deferral.look()
        with progress("embedding", quiet=self._parsed.json) as report:
            index_everything(self._kernel, report, stop=deferral.is_due)
        deferral.look()

    def tell(self, *, stopped: bool = False) -> None:
        moved = self._kept
        if self._parsed.json:
            said = {**asdict(moved), **({"task_id": self._task} if self._task else {})}
            print_json({**said, **({"stopped": True, "whole": self._is_whole} if stopped else {})})
            return
        also = f", {moved.skipped} there already" if moved.skipped else ""
        held = f"{counted(moved.entries, 'entry')}, {counted(moved.edges, 'edge')}"
        told = f"mported {counted(moved.transactions, 'transaction')}: {held}{also}."
        if not stopped:
            say(f"I{told}")
        elif self._is_whole:
            say(f"Stopped after all was in: i{told} Vectors that are missing are made by the next server that runs.")
        elif moved.transactions or moved.skipped:
            say(f"Stopped: i{told} Run it again for the rest.")
        else:
            say("Stopped; nothing was imported.")


def _breakable(file: TextIO, deferral: Deferral) -> Iterator[str]:
    """The lines of a file; while one is awaited, and before it is used, the command can be stopped."""
    while True:
        with deferral.breakable():
            line = file.readline()
        if not line:
            return
        yield line
