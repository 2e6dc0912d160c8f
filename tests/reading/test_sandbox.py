"""The parser process: limits, cancelling, dying and starting again, several files at once, and no secrets."""

import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.isolation.launch import Forked, Spawned, environment
from memotheca.parsing.isolation.resource_limits import ResourceLimits
from memotheca.parsing.isolation.sandbox import Sandbox
from memotheca.parsing.open_safely import hold_content, open_file
from tests.patience import PATIENCE, until
from tests.reading.conftest import FILES, read_in, text_pdf

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def children_of(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return found


def nursery_of(sandbox: Sandbox) -> int:
    parsers: Any = sandbox._parsers
    return parsers._running.pid


def test_progress_is_told_in_pages(sandbox: Sandbox) -> None:
    told: list[tuple[float, float | None, str]] = []
    with hold_content(text_pdf(*(f"Page {n}" for n in range(1, 8))), "seven.pdf") as opened:
        document = sandbox.read(opened, report=lambda *step: told.append(step))
    assert told[-1] == (7, 7, "Reading page 7 of 7")
    assert document.pages == 7
    assert [mark.place["page"] for mark in document.marks] == [1, 2, 3, 4, 5, 6, 7]


@needs_fork
def test_cancelling_kills_the_parser_and_its_programs(sandbox: Sandbox) -> None:
    started = threading.Event()
    asked = threading.Event()

    def stop() -> bool:
        if children_of(nursery_of(sandbox)):
            started.set()
        return asked.is_set()

    failures: list[Refusal] = []

    def run() -> None:
        with open_file(str(FILES / "turned.png")) as opened:
            try:
                sandbox.read(opened, stop=stop)
            except Refusal as refusal:
                failures.append(refusal)

    read_in(sandbox, FILES / "tides.csv")
    thread = threading.Thread(target=run)
    thread.start()
    assert started.wait(PATIENCE)
    asked.set()
    thread.join(PATIENCE)
    assert failures[0].failure is Failure.CANCELLED
    until(lambda: not children_of(nursery_of(sandbox)))


@needs_fork
def test_a_parser_process_that_died_is_started_again(sandbox: Sandbox) -> None:
    read_in(sandbox, FILES / "tides.csv")
    first = nursery_of(sandbox)
    os.kill(first, signal.SIGKILL)
    assert read_in(sandbox, FILES / "tides.csv").format == "csv"
    assert nursery_of(sandbox) != first


def test_several_files_are_read_at_once(sandbox: Sandbox) -> None:
    names = ["report.docx", "report.pdf", "tides.xlsx", "talk.pptx", "report.html", "report.odt"] * 3
    formats: dict[int, str] = {}

    def run(place: int) -> None:
        formats[place] = read_in(sandbox, FILES / names[place]).format

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(names))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert [formats[place] for place in range(len(names))] == [name.rpartition(".")[2] for name in names]


def test_a_text_larger_than_allowed_is_refused() -> None:
    small = Sandbox(limits=ResourceLimits(result_mb=1))
    try:
        with hold_content(b"words " * 300_000, "long.txt") as opened, pytest.raises(Refusal) as refused:
            small.read(opened)
        assert refused.value.failure is Failure.TOO_LARGE
    finally:
        small.close()


def test_parsers_know_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMOTHECA_TOKEN", "secret")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    assert "secret" not in environment().values()


@needs_fork
def test_the_parser_process_ends_with_the_server() -> None:
    mine = Sandbox()
    read_in(mine, FILES / "tides.csv")
    parsers: Any = mine._parsers
    assert type(parsers) is Forked
    running: Any = parsers._running
    control: Any = parsers._control
    control.close()
    assert running.wait(PATIENCE) == 0
    mine.close()


def test_where_nothing_forks_an_interpreter_is_started_for_each_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memotheca.parsing.isolation.sandbox.find_parsers", Spawned)
    spawning = Sandbox(limits=ResourceLimits(memory_mb=1024, step_seconds=60))
    told: list[Any] = []
    with open_file(str(FILES / "report.pdf")) as opened:
        assert "northerly gale" in spawning.read(opened, report=lambda *step: told.append(step)).text
    assert told
    with hold_content(b"no pdf", "a.pdf") as opened, pytest.raises(Refusal) as refused:
        spawning.read(opened)
    assert refused.value.failure is Failure.CORRUPT
    with open_file(str(FILES / "report.pdf")) as opened, pytest.raises(Refusal) as refused:
        spawning.read(opened, stop=lambda: True)
    assert refused.value.failure is Failure.CANCELLED
    spawning.close()


def test_a_missing_tesseract_is_an_ocr_failure_that_says_what_to_do() -> None:
    blind = Sandbox(tesseract="/nowhere/tesseract")
    try:
        with pytest.raises(Refusal) as refused:
            read_in(blind, FILES / "scan.jpg")
        assert refused.value.failure is Failure.OCR_FAILED
        assert "cannot run tesseract: No such file or directory. Install Tesseract" in refused.value.message
        assert "/nowhere" not in refused.value.message
        assert read_in(blind, FILES / "mixed.pdf").failed_pages != ()
    finally:
        blind.close()


def test_a_language_that_is_not_installed_is_an_ocr_failure() -> None:
    foreign = Sandbox(languages="tlh")
    try:
        with pytest.raises(Refusal) as refused:
            read_in(foreign, FILES / "scan.jpg")
        assert refused.value.failure is Failure.OCR_FAILED
        assert "tlh" in refused.value.message
    finally:
        foreign.close()


def test_a_system_without_room_for_a_parser_is_a_passing_trouble(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "a.txt").write_text("words")
    crowded = Sandbox()

    def refuse(*arguments: Any, **options: Any) -> Any:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr("subprocess.Popen", refuse)
        with pytest.raises(Refusal) as refused:
            read_in(crowded, tmp_path / "a.txt")
        assert refused.value.failure is Failure.UNAVAILABLE
        meanwhile.setattr("socket.socketpair", refuse)
        with pytest.raises(Refusal) as refused:
            read_in(crowded, tmp_path / "a.txt")
        assert refused.value.failure is Failure.UNAVAILABLE
    assert read_in(crowded, tmp_path / "a.txt").text.strip() == "words"
    crowded.close()


def test_what_tesseract_complains_of_is_told_without_where_it_lies(tmp_path: Path) -> None:
    lost = Sandbox(languages="eng", tessdata=str(tmp_path / "nowhere"))
    try:
        with pytest.raises(Refusal) as refused:
            read_in(lost, FILES / "scan.jpg")
        assert "eng.traineddata" in refused.value.message
        assert str(tmp_path) not in refused.value.message
    finally:
        lost.close()
