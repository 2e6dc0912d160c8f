"""memotheca add: make files searchable."""

import argparse
import glob
import time
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from memotheca.admin.history import new_batch
from memotheca.cli.bars import Bars
from memotheca.cli.file_arguments import gather, look_around
from memotheca.cli.interrupt import Deferral, Stopped, deferring
from memotheca.cli.layout import say
from memotheca.cli.terminal import ACTOR, app_of, plain, print_json
from memotheca.documents.ingest import Wish, queue_file
from memotheca.documents.relocate import follow_gone
from memotheca.jobs.queue import bench_of, call_off, cancelled_meanwhile, enqueue, look_up_all, refusal_of
from memotheca.jobs.workers import Workers
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.names import SHORT
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import counted
from memotheca.notes.vanished import LEAST, SHARE, identity_of
from memotheca.storage.jobs import Job
from memotheca.tools.documents.contract import code_of

POLL_SECONDS = 0.2  # chosen: a bar that moves five times a second looks alive
WATCH_SECONDS = 1.0  # chosen: a person who has saved a file does not wait longer

OPTIONS = ("ocr-languages", "tesseract", "tessdata")

EPILOG = """examples:
  memotheca add report.pdf slides.pptx
  memotheca add ~/Documents               every file below it that can be read
  memotheca add 'scans/*.png' --ocr
  memotheca add handbook.pdf --set author="Ada" --tag onboarding
  memotheca add ~/Notes --watch           and whatever changes, until Ctrl-C

A file that is there already is recognised; one that has changed replaces its
old version, which stays in history. With --watch a file that is renamed or
moved within what is watched stays the document it is, and one that is deleted
takes its document out; memotheca undo brings that back."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILES", help="files, folders or patterns")
    parser.add_argument(
        "--ocr", action="store_true", help="recognise text in pictures of all pages, also where there is text"
    )
    parser.add_argument(
        "--watch", action="store_true", help="keep looking, and follow what is new, changed, renamed or deleted"
    )
    parser.add_argument(
        "--accept-removals", action="store_true", help="with --watch: many files gone at once are meant to be"
    )
    parser.add_argument("--tag", action="append", default=[], metavar="TAG", help="a tag for each; can be repeated")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="metadata for each; repeatable"
    )
    parser.add_argument("--no-wait", action="store_true", help="leave the work to the next server that runs")


def run(parsed: argparse.Namespace) -> int:
    kernel = app_of(parsed, begins=True).kernel
    # On the command line it is the user who reads, not somebody on the network.
    kernel = kernel.having(replace(bench_of(kernel), roots=None))
    paths = gather(parsed.files, patient=parsed.watch)
    with deferring() as deferral:
        adding = Adding(kernel, parsed, deferral)
        if parsed.no_wait:
            return adding.leave(paths)
        stop = _work(kernel, adding, paths)
    code = adding.sum_up(stopped=stop is not None and not parsed.watch)
    if stop is not None and not parsed.watch:
        raise stop
    return code


def _work(kernel: Kernel, adding: "Adding", paths: list[str]) -> Stopped | None:
    """Add the files, and with --watch what comes, until all are done or somebody stops it."""
    workers = Workers(kernel).start()
    try:
        adding.add(paths)
        while adding.watches:
            adding.follow()
    except Stopped as stop:
        adding.abandon()
        return stop
    finally:
        workers.stop()
        bench_of(kernel).sandbox.close()
    return None


class Adding:
    """The files of one command: queued, watched, and told of as each is done."""

    def __init__(self, kernel: Kernel, parsed: argparse.Namespace, deferral: Deferral) -> None:
        self._kernel = kernel
        self._parsed = parsed
        self.watches: bool = parsed.watch
        self._deferral = deferral
        self._metadata = _metadata(parsed)
        self._bars = Bars(quiet=parsed.json)
        self._waiting: dict[str, str] = {}
        self._outcomes: list[dict[str, Any]] = []
        self._began = time.monotonic()
        self._seen = look_around(parsed.files) if parsed.watch else {}
        self._roots = {name: identity_of(_root(name)) for name in parsed.files}
        self._is_warned = False

    def add(self, paths: list[str]) -> None:
        self._begin(paths)
        for number, path in enumerate(paths):
            if self._deferral.is_due():
                self._pass_over(paths[number:])
            self._deferral.look()
            self._queue(path)
        while self._waiting:
            self._look()
            self._pause(POLL_SECONDS)
        self._bars.close()

    def _pause(self, seconds: float) -> None:
        with self._deferral.breakable():
            time.sleep(seconds)

    def follow(self) -> None:
        """Wait a little, follow what was renamed or deleted, and add what is new or other than before."""
        self._pause(WATCH_SECONDS)
        present = look_around(self._parsed.files, self._seen)
        gone = {path: state for path, state in self._seen.items() if path not in present}
        if gone and self._is_away(gone):
            present |= gone
            gone = {}
        moved = self._follow_gone(gone, present)
        changed = [path for path, state in present.items() if self._seen.get(path) != state and path not in moved]
        self._seen = present
        self.add(changed)

    def _is_away(self, gone: Collection[str]) -> bool:
        """Whether files are more likely on a disk that is away than deleted; their documents then stay."""
        if self._parsed.accept_removals:
            return False
        elsewhere = [name for name, identity in self._roots.items() if identity_of(_root(name)) != identity]
        if not elsewhere and (len(gone) < LEAST or len(gone) < SHARE * len(self._seen)):
            return False
        if not self._is_warned:
            files = counted(len(gone), "file")
            self._bars.tell(
                f"{files} gone at once, so the documents stay; --accept-removals takes them out, if that is meant."
            )
            self._is_warned = True
        return True

    def _follow_gone(self, gone: Collection[str], present: dict[str, tuple[int, int]]) -> set[str]:
        """Tell what became of the documents of files that are gone; the new paths of those that were renamed."""
        sizes = {path: size for path, (_, size) in present.items()}
        followed = follow_gone(self._kernel, gone, sizes, actor=ACTOR)
        for path, each in followed.items():
            told = "removed; memotheca undo brings it back" if each.now is None else f"is now {plain(each.now)}"
            self._bars.tell(f"{self._bars.styled('✓', 'green')} {plain(path)}: {told}")
        moved = {each.now for each in followed.values() if each.now is not None}
        if moved:
            # A document that is called after its file has another title now, and vectors of it are to be made.
            enqueue(self._kernel, "index", {}, actor=ACTOR)
        return moved

    def _begin(self, paths: list[str]) -> None:
        """Several files of one command are one undo."""
        self._kernel = replace(self._kernel, batch=new_batch(self._kernel) if len(paths) > 1 else None)

    def leave(self, paths: list[str]) -> int:
        self._begin(paths)
        for path in paths:
            if self._deferral.is_due():
                break
            self._queue(path)
        if self._parsed.json:
            print_json({"queued": [{"file": path, "task_id": id} for id, path in self._waiting.items()]})
        else:
            say(f"Queued {counted(len(self._waiting), 'file')}; the next server that runs reads them.")
        self._deferral.look()
        return 1 if self._outcomes else 0

    def abandon(self) -> None:
        """Call off what is not done, and tell of each file which it was."""
        for id in self._waiting:
            call_off(self._kernel, id)
        self._look()
        self._bars.close()

    def _pass_over(self, paths: list[str]) -> None:
        for path in paths:
            self._fail(path, cancelled_meanwhile())

    def _queue(self, path: str) -> None:
        wish = Wish(file_path=path, metadata=self._metadata, force_ocr=self._parsed.ocr)
        try:
            job, _ = queue_file(self._kernel, wish, actor=ACTOR)
            self._waiting[job.id] = path
        except Refusal as refusal:
            self._fail(path, refusal)

    def _look(self) -> None:
        jobs = {job.id: job for job in look_up_all(self._kernel, self._waiting)}
        running = {
            self._waiting[id]: (job.done / max(job.total, 1), job.step)
            for id, job in jobs.items()
            if job.state == "running"
        }
        for id, job in jobs.items():
            if job.is_settled:
                self._tell(self._waiting.pop(id), job)
        self._bars.show(running, len(self._waiting) - len(running))

    def _tell(self, path: str, job: Job) -> None:
        if job.state != "completed" or job.outcome is None:
            self._fail(path, refusal_of(job))
            return
        outcome = {name: value for name, value in job.outcome.items() if name != "entry_id"}
        self._outcomes.append({"file": path, "success": True, **outcome})
        how = "there already" if outcome.get("duplicate") else "replaced" if outcome.get("replaced") else "added"
        passages = counted(outcome["chunks_created"], "passage")
        told = f"{how} ({passages}, {outcome['processing_method']}, {outcome['seconds']:.1f} s)"
        mark, id = self._bars.styled("✓", "green"), self._bars.styled(outcome["document_id"][:SHORT], "dim")
        self._bars.tell(f"{mark} {plain(path)}: {told}  {id}")

    def _fail(self, path: str, refusal: Refusal) -> None:
        error = {"error": code_of(refusal), "message": refusal.message}
        self._outcomes.append({"file": path, "success": False, **error})
        self._bars.tell(f"{self._bars.styled('✗', 'red')} {plain(path)}: {plain(refusal.message)}")

    def sum_up(self, *, stopped: bool = False) -> int:
        failed = [outcome for outcome in self._outcomes if not outcome["success"]]
        known = [outcome for outcome in self._outcomes if outcome.get("duplicate")]
        added = len(self._outcomes) - len(failed) - len(known)
        passages = sum(outcome.get("chunks_created", 0) for outcome in self._outcomes if not outcome.get("duplicate"))
        seconds = time.monotonic() - self._began
        if self._parsed.json:
            counts = {"added": added, "duplicates": len(known), "failed": len(failed), "passages": passages}
            also = {"stopped": True} if stopped else {}
            print_json({"files": self._outcomes, **counts, "seconds": round(seconds, 1), **also})
        else:
            also = f", {len(known)} were there already" if known else ""
            bad = f", {len(failed)} {'left out' if stopped else 'failed'}" if failed else ""
            lead = "Stopped: " if stopped else ""
            say(f"{lead}{added} added with {counted(passages, 'passage')}{also}{bad} in {seconds:.1f} s.")
        return 1 if failed else 0


def _root(name: str) -> Path:
    """The folder that a file or a folder stands for; of a pattern, the last folder before it."""
    place = Path(name).expanduser()
    while glob.has_magic(str(place)):
        place = place.parent
    return place if place.is_dir() else place.parent


def _metadata(parsed: argparse.Namespace) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    for pair in parsed.set:
        name, sign, value = pair.partition("=")
        if not sign or not name.strip():
            raise Refusal(Failure.INVALID, f"--set wants NAME=VALUE, not {pair!r}.")
        metadata[name.strip()] = value
    return {**metadata, "tags": list(parsed.tag)} if parsed.tag else metadata
