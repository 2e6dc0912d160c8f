"""Reads while nothing can be written: they answer at once, and a failure is told as a failure."""

import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from memotheca.app import CONTRACTS, DATABASE, load_catalog
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import system_clock
from memotheca.patterns import starter
from memotheca.storage.migrations import open_migrated
from memotheca.storage.sqlite import SQLiteDatabase
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.dispatch import Dispatcher
from memotheca.toolkit.tool import Call
from tests.durability.faulty_vfs import CrampedVFS
from tests.write_lock import nobody_can_write

PATTERN_TOOLS = [
    ("search_patterns", {"q": "retry"}),
    ("get_pattern", {"id": "circuit-breaker"}),
    ("list_pattern_categories", {}),
    ("list_skills", {}),
    ("get_skill", {"slug": "curate-memory"}),
]
# Far below the half minute that a writer waits for another.
AT_ONCE = 15.0
GIVEN_UP = starter.PATIENCE


def run(kernel: Kernel, name: str, arguments: dict[str, Any]) -> Reply:
    return Dispatcher(load_catalog(), CONTRACTS).run(name, arguments, Call(kernel=kernel, actor="test"))


@pytest.fixture(autouse=True)
def impatient(patient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As users have it: giving up is what is tested here."""
    monkeypatch.setattr(starter, "PATIENCE", GIVEN_UP)


@pytest.fixture
def locked(tmp_path: Path) -> Generator[Kernel]:
    """A store that another program is writing to, for as long as anybody waits."""
    store = open_migrated(SQLiteDatabase(tmp_path / DATABASE), clock=system_clock)
    kernel = Kernel(store, "default")
    assert not run(kernel, "store", {"topic": "tea", "content": "Black."}).failed
    with nobody_can_write(tmp_path / DATABASE):
        yield kernel
    store.close()


@pytest.mark.parametrize(("name", "arguments"), PATTERN_TOOLS)
def test_patterns_that_cannot_be_installed_are_a_failure_to_try_again(locked, name, arguments):
    began = time.monotonic()
    reply = run(locked, name, {**arguments, "format": "json"})
    assert time.monotonic() - began < AT_ONCE
    assert reply.failed
    assert reply.structured is not None
    assert reply.structured["kind"] == "toolError:v1"
    assert (reply.structured["code"], reply.structured["retryable"]) == ("SERVER_ERROR", True)


def test_patterns_are_there_as_soon_as_they_can_be_installed(tmp_path):
    store = open_migrated(SQLiteDatabase(tmp_path / DATABASE), clock=system_clock)
    kernel = Kernel(store, "default")
    with nobody_can_write(tmp_path / DATABASE):
        assert run(kernel, "list_pattern_categories", {}).failed
    assert not run(kernel, "list_pattern_categories", {}).failed
    store.close()


def test_a_full_disk_is_told_by_patterns(tmp_path):
    disk = CrampedVFS()
    database = SQLiteDatabase(tmp_path / DATABASE, vfs=disk.name)
    try:
        kernel = Kernel(open_migrated(database, clock=system_clock), "default")
        disk.free = 0
        for name, arguments in PATTERN_TOOLS:
            reply = run(kernel, name, {**arguments, "format": "json"})
            assert reply.structured is not None
            assert reply.structured["kind"] == "toolError:v1", name
            assert "disk is full" in reply.structured["message"]
            assert reply.structured["retryable"] is True
        disk.free = None
        assert not run(kernel, "list_pattern_categories", {}).failed
    finally:
        database.close()
        disk.unregister()
