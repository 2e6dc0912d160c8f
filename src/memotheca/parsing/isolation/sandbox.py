"""Reading files where they can do no harm: in another process, with limits, killed when it is no longer wanted."""

import signal
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from threading import BoundedSemaphore
from typing import Any

from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.document import Document, Report, say_nothing
from memotheca.parsing.formats import promised_format
from memotheca.parsing.isolation.frames import OversizedFrame, Unpacker
from memotheca.parsing.isolation.launch import Parsers, find_parsers
from memotheca.parsing.isolation.resource_limits import ResourceLimits
from memotheca.parsing.open_safely import OpenedFile
from memotheca.parsing.page_picture import PagePicture
from memotheca.parsing.source import Wishes

PATIENCE = 0.1  # chosen: how soon a cancelled file is left

# Chosen: a busy machine gives a parser less than the whole of a processor; its own clock is the one that
# counts.
SLOWER = 5

# Chosen: two processors' worth; whoever leafs through a document waits for a page at a time.
DRAWN_AT_ONCE = 2
# Chosen: a page of a book takes a tenth of a second; one that takes so long is made to.
DRAWING = ResourceLimits(memory_mb=1024, step_seconds=20.0, total_seconds=60.0, result_mb=16)


class Sandbox:
    """Reads files, several at once if several ask; its parser process starts with the first of them."""

    def __init__(
        self, *, limits: ResourceLimits | None = None, languages: str = "eng", tesseract: str = "", tessdata: str = ""
    ) -> None:
        self._limits = limits or ResourceLimits()
        self.wishes = Wishes(languages=languages, tesseract=tesseract, tessdata=tessdata)
        self._parsers: Parsers = find_parsers()
        self._drawing = BoundedSemaphore(DRAWN_AT_ONCE)

    def read(
        self,
        opened: OpenedFile,
        *,
        force_ocr: bool = False,
        report: Report = say_nothing,
        stop: Callable[[], bool] = lambda: False,
    ) -> Document:
        """The file's text and structure; or a refusal, after which nothing is left running."""
        promised_format(opened.name)
        wishes = replace(self.wishes, force_ocr=force_ocr)
        watch = _Watch(opened.name, self._limits, report, stop)
        return Document.from_wire(self._ask(opened, {"wishes": asdict(wishes)}, watch)["document"])

    def draw(
        self, opened: OpenedFile, *, page: int, width: int, stop: Callable[[], bool] = lambda: False
    ) -> PagePicture:
        """How a page looks; a few at once, each in much less than a file may take that is read."""
        watch = _Watch(opened.name, DRAWING, say_nothing, stop)
        asked = {"wishes": asdict(self.wishes), "draw": {"page": page, "width": width}}
        with self._drawing:
            return PagePicture.from_wire(self._ask(opened, asked, watch)["picture"])

    def _ask(self, opened: OpenedFile, asked: Mapping[str, Any], watch: "_Watch") -> dict[str, Any]:
        job = {"name": opened.name, "limits": asdict(watch.limits), **asked}
        for _ in range(2):
            with self._parsers.start(job, opened.descriptor) as channel:
                answer = watch.follow(channel)
            if answer:
                return answer
        raise Refusal(Failure.UNAVAILABLE, f"Reading {opened.name} was cut short: the parser process ended. Try again")

    def close(self) -> None:
        self._parsers.close()


class _Watch:
    """Waits for one file: passes progress on, and gives up when told to or when nothing moves any more."""

    def __init__(self, name: str, limits: ResourceLimits, report: Report, stop: Callable[[], bool]) -> None:
        self._name = name
        self.limits = limits
        self._report = report
        self._stop = stop
        self._began = time.monotonic()
        self._moved = self._began

    def follow(self, channel: socket.socket) -> dict[str, Any] | None:
        """The answer; nothing if the parser process itself has gone."""
        unpacker = Unpacker(self.limits.result_mb << 20)
        channel.settimeout(PATIENCE)
        while True:
            self._look_around()
            try:
                arrived = channel.recv(1 << 20)
            except TimeoutError:
                continue
            except OSError:
                return None
            if not arrived:
                return None
            try:
                for message in unpacker.feed(arrived):
                    if (answer := self._take(message)) is not None:
                        return answer
            except OversizedFrame as problem:
                raise Refusal(
                    Failure.TOO_LARGE,
                    f"The text of {self._name} is larger than {self.limits.result_mb} MB. Split the file",
                ) from problem

    def _look_around(self) -> None:
        if self._stop():
            raise Refusal(Failure.CANCELLED, f"Reading {self._name} was cancelled")
        now = time.monotonic()
        if now - self._moved > SLOWER * self.limits.step_seconds or now - self._began > self.limits.total_seconds:
            raise self._too_slow()

    def _take(self, message: dict[str, Any]) -> dict[str, Any] | None:
        if "document" in message or "picture" in message:
            return message
        if "refusal" in message:
            refused = message["refusal"]
            raise Refusal(
                Failure[refused["failure"]], refused["message"], field=refused["field"], details=refused["details"]
            )
        if "exit" in message:
            raise self._ended(*message["exit"])
        self._moved = time.monotonic()
        self._report(*message["progress"])
        return None

    def _ended(self, code: int, seconds: float, _memory: int) -> Refusal:
        """A child that has ended without an answer."""
        if code == -getattr(signal, "SIGXCPU", 0) or seconds > self.limits.step_seconds:
            return self._too_slow()
        if code == -getattr(signal, "SIGKILL", 0):
            return Refusal(
                Failure.TOO_LARGE, f"Reading {self._name} was stopped by the system, most likely for want of memory"
            )
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return Refusal(
            Failure.CORRUPT,
            f"{self._name} crashed its parser ({how}): it is damaged, or made to do harm, or needs more than "
            f"{self.limits.memory_mb} MB of memory. Get the file again or save it anew",
        )

    def _too_slow(self) -> Refusal:
        return Refusal(
            Failure.TIMEOUT,
            f"Reading {self._name} took too long: nothing was read for {self.limits.step_seconds:.0f} seconds. "
            "The file may be damaged; save it anew or split it",
        )
