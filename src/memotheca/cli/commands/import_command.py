"""memotheca import: bring in a file."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TextIO

from memotheca.admin.corpus import Moved, Unmerged
from memotheca.admin.history import new_batch
from memotheca.admin.imports.bring_in import ImportAccount, Importer, Rehearsal, bring_in
from memotheca.admin.imports.foreign_content import ForeignContent
from memotheca.admin.imports.import_formats import read_foreign
from memotheca.admin.imports.table import read_map
from memotheca.admin.transfer import check_lines, import_lines
from memotheca.admin.upkeep import index_everything
from memotheca.cli.interrupt import Deferral, Stopped, deferring
from memotheca.cli.layout import cut, say
from memotheca.cli.terminal import ACTOR, app_of, plain, print_json, progress
from memotheca.jobs.queue import enqueue
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.proposals import propose_lately
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import counted

EPILOG = """What a file is, is told by what is in it:
  an export of Memotheca   its whole history into an empty collection;
                           into one that holds something what that lacks,
                           and a list of what is not alike in both
  memory.json              of the reference memory server
  JSON lines               with _id, title and text
  ChatGPT, Claude          the export, zip or conversations.json
  Claude Code, Codex       a transcript (.jsonl), or the folder of them
  mem0, OpenMemory         a dump, JSON, JSON lines or zip
  Notion                   the export as markdown and CSV, zip
  CSV                      --map says which column is what
  basic-memory             the folder

What is there already is skipped, so it can be run again. One undo takes all
of it back. Secrets are taken out. A file that is broken leaves nothing behind.
Ctrl-C or SIGTERM end it between two transactions, and it says what is in."""


# What a merge could not or would not make alike, in the order in which somebody wants to know it.
_UNMERGED = {
    "changed_both": "Not alike, kept as it is here; changed in both",
    "changed_there": "Not alike, kept as it is here; changed there",
    "changed_here": "Not alike, kept as it is here; changed here",
    "differs": "Not alike, kept as it is here; of the same name",
    "deleted_there": "Deleted there, kept here",
    "erased_there": "Erased there for good, kept here",
    "deleted_here": "Deleted here, left out",
    "erased_here": "Erased here for good, left out",
    "end_missing": "Relations left out, since one of their ends is not here",
    "document_missing": "Sections left out, since their document is not here",
    "note": "Notes left out: they come with their folder (memotheca vault)",
    "setting": "What the memory learned about itself there, left out",
    "name_taken": "Came in without a name that something else bears here",
    "renamed": "Came in under another handle, since theirs is taken here",
    "embedder": "Its embedder was not taken over; memotheca reindex --embedder chooses it",
}
_SHOWN = 5  # chosen: of each reason; all of them are in --json
_NAME = 40  # chosen: letters; with handle and reason it fits a line of 80
_RARE = ("redacted", "listed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the file or folder to read, or - for JSON lines of ours on stdin")
    parser.add_argument("--dry-run", action="store_true", help="say what would be imported, and import nothing")
    parser.add_argument(
        "--map", default="", metavar="PAIRS", help="columns of a CSV file: title=Name,text=Notes,tags=Labels,id=Key"
    )
    parser.add_argument("--no-wait", action="store_true", help="leave vectors to the next server that runs")


def run(parsed: argparse.Namespace) -> int:
    mapping = read_map(parsed.map)
    kernel = app_of(parsed, begins=True).kernel
    if parsed.dry_run:
        kernel = replace(kernel, once=Rehearsal(kernel.collection))
    try:
        content = None if parsed.file == "-" else read_foreign(Path(parsed.file), mapping)
    except OSError as error:
        raise Refusal(Failure.INVALID, f"{parsed.file} cannot be read: {error.strerror}.") from None
    importing: Import | ForeignImport = Import(kernel, parsed)
    if content is not None:
        importing = ForeignImport(kernel, parsed, content)
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
            if name != "-":
                check_lines(_breakable(file, deferral))
                file.seek(0)
            lines = _breakable(file, deferral)

            def keep(moved: Moved) -> None:
                self._kept = moved
                deferral.look()

            self._kept = import_lines(together, lines, actor=ACTOR, report=report, keep=keep)
        self._is_whole = True

    def make_vectors(self, deferral: Deferral) -> None:
        self._task = make_vectors(self._kernel, self._parsed, deferral)

    def tell(self, *, stopped: bool = False) -> None:
        moved = self._kept
        if self._parsed.json:
            said = {name: value for name, value in asdict(moved).items() if name not in _RARE or value}
            said |= {} if moved.listed is None else {"listed": [asdict(each) for each in moved.listed]}
            said |= {"task_id": self._task} if self._task else {}
            said |= {"dry_run": True} if self._parsed.dry_run else {}
            print_json({**said, **({"stopped": True, "whole": self._is_whole} if stopped else {})})
            return
        also = f", {moved.skipped:,} there already" if moved.skipped else ""
        also += f", {counted(moved.redacted, 'secret')} taken out" if moved.redacted else ""
        held = f"{counted(moved.entries, 'entry')}, {counted(moved.edges, 'edge')}"
        told = f"mported {counted(moved.transactions, 'transaction')}: {held}{also}."
        if self._parsed.dry_run:
            say(f"Would be i{told} Nothing was stored.")
        elif not stopped:
            say(f"I{told}")
        elif self._is_whole:
            say(f"Stopped after all was in: i{told} Vectors that are missing are made by the next server that runs.")
        elif moved.transactions or moved.skipped:
            say(f"Stopped: i{told} Run it again for the rest.")
        else:
            say("Stopped; nothing was imported.")
        if moved.listed is not None and not stopped:
            _tell_unmerged(moved.listed)


def _tell_unmerged(listed: Sequence[Unmerged]) -> None:
    """What is not alike in the file and here, by the reason, the first few of each."""
    for reason, words in _UNMERGED.items():
        found = [each for each in listed if each.reason == reason]
        if not found:
            continue
        say(f"{words}: {len(found)}.", lead="  ", hang="  ")
        for each in found[:_SHOWN]:
            arrow = f" → {each.detail}" if reason == "renamed" else f" ({each.detail})" if each.detail else ""
            here = f", {each.here} here" if each.here != each.handle else ""
            name = "" if each.name == each.handle else f" {plain(each.name)}"
            say(plain(f"{each.handle}{here}{arrow}{cut(name, _NAME)}"), lead="    ", hang="      ")
        if len(found) > _SHOWN:
            say(f"and {len(found) - _SHOWN} more; --json names them all.", lead="    ", hang="    ")


class ForeignImport:
    """What was read of another program's file, and what of it is in so far."""

    def __init__(self, kernel: Kernel, parsed: argparse.Namespace, content: ForeignContent) -> None:
        self._kernel = kernel
        self._parsed = parsed
        self._content = content
        self._account = ImportAccount(content.format)
        self._proposed = 0
        self._task: str | None = None

    def bring_in(self, deferral: Deferral) -> None:
        together = replace(self._kernel, batch=new_batch(self._kernel))
        with progress("importing", quiet=self._parsed.json) as report:
            bring_in(Importer(together, ACTOR, deferral.look), self._content, report, self._account)
        if not self._parsed.dry_run:
            self._proposed = propose_lately(self._kernel)

    def make_vectors(self, deferral: Deferral) -> None:
        self._task = make_vectors(self._kernel, self._parsed, deferral)

    def tell(self, *, stopped: bool = False) -> None:
        account = self._account
        if self._parsed.json:
            held = {each.name: getattr(account, each.name) for each in fields(account)}
            said = {**held, **({"task_id": self._task} if self._task else {})}
            said |= {"dry_run": True} if self._parsed.dry_run else {}
            print_json({**said, **({"stopped": True} if stopped else {})})
            return
        parts = [
            counted(account.conversations, "conversation") + f" with {counted(account.turns, 'new turn')}",
            counted(account.entries, "entry"),
            counted(account.relations, "relation"),
        ]
        counts = (account.conversations, account.entries, account.relations)
        new = [told for told, count in zip(parts, counts, strict=True) if count] or ["nothing new"]
        told = f"mported from {account.format}: {', '.join(new)}"
        told += f"; {account.known} there already." if account.known else "."
        begun = "Would be i" if self._parsed.dry_run else "Stopped: i" if stopped else "I"
        say(
            begun + told + (" Nothing was stored." if self._parsed.dry_run else " Run it again for the rest." * stopped)
        )
        if account.redactions:
            taken = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in sorted(account.redactions.items()))
            say(f"Secrets taken out: {taken}.", lead="  ", hang="  ")
        if self._proposed:
            say(
                f"{counted(self._proposed, 'thing')} said in it may be worth remembering: memotheca memory --review.",
                lead="  ",
                hang="  ",
            )
        for why, count in account.left_out.most_common():
            say(plain(f"Not read: {why} ({count:,})."), lead="  ", hang="  ")


def make_vectors(kernel: Kernel, parsed: argparse.Namespace, deferral: Deferral) -> str | None:
    """Make what vectors are missing, or leave that to a server, whose task is returned; a trial has none to make."""
    if parsed.dry_run:
        return None
    if parsed.no_wait:
        return enqueue(kernel, "index", {}, actor=ACTOR).id
    deferral.look()
    with progress("embedding", quiet=parsed.json) as report:
        index_everything(kernel, report, stop=deferral.is_due)
    deferral.look()
    return None


def _breakable(file: TextIO, deferral: Deferral) -> Iterator[str]:
    """The lines of a file; while one is awaited, and before it is used, the command can be stopped."""
    while True:
        with deferral.breakable():
            line = file.readline()
        if not line:
            return
        yield line
