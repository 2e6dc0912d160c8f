"""A full disk or a read-only directory refuses a write in the words of the contract, saves nothing, and heals."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memotheca.app import (
    CONTRACTS,
    DATABASE,
    build_derivations,
    build_kernel,
    load_catalog,
    open_store,
    prepare_directory,
)
from memotheca.entries.edges import new_entity
from memotheca.entries.entries import blank_entry
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.parts import Parts
from memotheca.model.clock import system_clock
from memotheca.model.errors import Failure, Refusal
from memotheca.search.prepared import LATER
from memotheca.storage.journal import dump
from memotheca.storage.migrations import open_migrated
from memotheca.storage.sqlite import SQLiteDatabase
from memotheca.storage.store import Transaction
from memotheca.toolkit.dispatch import Dispatcher
from memotheca.toolkit.tool import Call
from tests.durability.accounts import find_damage
from tests.durability.caller import NOBODY
from tests.durability.faulty_vfs import CrampedVFS
from tests.durability.processes import Child, ask, hear

pytestmark = pytest.mark.xdist_group("durability")

TEA = {"topic": "tea", "content": "Ada takes it black. " * 200}


@pytest.fixture
def disk():
    vfs = CrampedVFS()
    yield vfs
    vfs.unregister()


@contextmanager
def opened(data: Path, disk: CrampedVFS | None) -> Generator[Kernel]:
    database = SQLiteDatabase(prepare_directory(data), vfs=disk.name if disk else "")
    try:
        yield Kernel(open_migrated(database, clock=system_clock), "default")
    finally:
        database.close()


def call(kernel: Kernel, name: str, arguments: Mapping[str, object]) -> dict:
    reply = Dispatcher(load_catalog(), CONTRACTS).run(name, arguments, Call(kernel=kernel, actor="test"))
    assert reply.structured is not None
    return reply.structured


def answer_to(child: Child, line: str) -> Any:
    return json.loads(ask(child, line))


def history(kernel: Kernel) -> list:
    with kernel.read() as snapshot:
        return list(dump(snapshot.session, kernel.collection, snapshot.tx))


def refuses_for_now(answer: dict) -> bool:
    error = answer.get("error", {})
    assert not {"database", "sqlite", "disk i/o"} & set(error.get("message", "").lower().split())
    return (error.get("code"), error.get("retryable")) == ("dependency", True)


@pytest.mark.parametrize("free", [0, 1, 31, 32, 33, 4000, 4200, 8300, 12400, 20_000])
def test_a_full_disk_refuses_a_write_wherever_it_strikes_and_the_same_call_succeeds_later(tmp_path, disk, free):
    with opened(tmp_path, disk) as kernel:
        assert call(kernel, "store", {"topic": "earlier", "content": "Still here."})["tx_id"] == 1
        kernel.store.database.forget_log()
        before = history(kernel)
        disk.free = free
        answer = call(kernel, "store", TEA)
        assert refuses_for_now(answer), answer
        assert "disk is full" in answer["error"]["message"]
        assert history(kernel) == before
        assert find_damage(kernel.store) == []

        disk.free = None
        assert call(kernel, "store", TEA)["tx_id"] == 2
        assert history(kernel)[:1] == before
    store = open_store(tmp_path)
    assert find_damage(store) == []
    assert len(history(Kernel(store, "default"))) == 2
    store.close()


def test_a_transaction_too_large_for_memory_and_disk_leaves_nothing_behind(tmp_path, disk):
    def act(transaction: Transaction) -> int:
        transaction.describe("IMPORT")
        for number in range(3000):
            transaction.put(blank_entry(transaction, f"entry {number}", "x" * 4000), LATER)
        transaction.put(new_entity(transaction, "the last"), LATER)
        return transaction.tx

    with opened(tmp_path, disk) as kernel:
        call(kernel, "store", {"topic": "earlier", "content": "Still here."})
        before = history(kernel)
        disk.free = 9_000_000
        with pytest.raises(Refusal) as refused:
            kernel.write(act, actor="test")
        assert refused.value.failure is Failure.DISK_FULL
        assert history(kernel) == before
        assert find_damage(kernel.store) == []
        disk.free = None
        assert kernel.write(act, actor="test") == 2
        assert find_damage(kernel.store) == []


def test_a_commit_stands_although_there_is_no_space_to_move_it_out_of_the_log(tmp_path):
    """The system limits the size of files here: an error that SQLite swallows must not surface as an exception."""
    line, limit, stored = "store " + json.dumps(TEA), 300_000, 0
    with Child("caller.py", tmp_path) as child:
        assert json.loads(hear(child)) == "ready"
        assert answer_to(child, f"limit {limit}") == limit
        while not (answer := answer_to(child, line)).get("error"):
            stored += 1
        assert refuses_for_now(answer), answer
        assert (tmp_path / f"{DATABASE}-wal").stat().st_size > limit / 2, "no commit met a checkpoint that failed"
        answer_to(child, "limit -1")
        assert answer_to(child, line)["tx_id"] == stored + 1
        child.hang_up()
        assert child.finish() == 0, child.complaint
    store = open_store(tmp_path)
    assert find_damage(store) == []
    assert len(history(Kernel(store, "default"))) == stored + 1
    store.close()


@pytest.mark.parametrize("free", [0, 100, 5000, 30_000, 80_000])
def test_a_directory_that_cannot_be_made_for_lack_of_space_can_be_made_later(tmp_path, disk, free):
    disk.free = free
    with pytest.raises(Refusal) as refused, opened(tmp_path, disk):
        pass
    assert refused.value.failure.retryable
    disk.free = None
    with opened(tmp_path, disk) as kernel:
        assert call(kernel, "store", TEA)["tx_id"] == 1
        assert find_damage(kernel.store) == []


@contextmanager
def small_disk(folder: Path, size: str = "1m", mode: str = "0700") -> Generator[bool]:
    """A small file system over the folder, where we may mount one."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode={mode}", "tmpfs", str(folder)]
    allowed = os.geteuid() == 0 and shutil.which("mount") is not None
    mounted = allowed and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_small_file_system_fills_up_and_goes_on_when_space_is_made(tmp_path, disk):
    """On a real one where that is allowed, else on the simulated one."""
    with small_disk(tmp_path) as real, opened(tmp_path, None if real else disk) as kernel:
        ballast = tmp_path / "ballast"
        ballast.write_bytes(bytes(300_000))
        disk.free = 600_000
        stored = 0
        while not (answer := call(kernel, "store", TEA)).get("error"):
            stored += 1
        assert stored > 0
        assert refuses_for_now(answer), answer
        assert len(history(kernel)) == stored
        ballast.unlink()
        disk.free = 300_000
        assert call(kernel, "store", TEA)["tx_id"] == stored + 1
        assert find_damage(kernel.store) == []


class Directory:
    """A data directory that belongs to the caller, who is not root, and can be closed and opened again."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def allow(self, *, writing: bool) -> None:
        for path in (self.path, *self.path.iterdir()):
            if os.geteuid() == 0:
                os.chown(path, NOBODY, NOBODY)
            path.chmod((0o700 if writing else 0o500) if path.is_dir() else (0o600 if writing else 0o400))


@pytest.fixture
def directory():
    """Not under `tmp_path`, whose parents only its owner may enter."""
    with tempfile.TemporaryDirectory() as path:
        yield Directory(Path(path))


def test_a_read_only_directory_is_read_and_can_be_written_once_it_may(directory):
    store = open_store(directory.path, derive=build_derivations())
    kernel = build_kernel(store, Parts(), "default")
    call(kernel, "store", {"topic": "earlier", "content": "Still here."})
    before = history(kernel)
    directory.allow(writing=False)
    with Child("caller.py", directory.path, "nobody") as child:
        assert json.loads(hear(child)) == "ready"
        found = answer_to(child, 'query {"content": "still"}')
        assert [item["topic"] for item in found["items"]] == ["earlier"]
        answer = answer_to(child, "store " + json.dumps(TEA))
        assert refuses_for_now(answer), answer
        assert history(kernel) == before

        directory.allow(writing=True)
        assert answer_to(child, "store " + json.dumps(TEA)).get("tx_id") == 2
        child.hang_up()
        assert child.finish() == 0, child.complaint
    assert history(kernel)[:1] == before
    assert find_damage(store) == []
    store.close()


def test_a_read_only_directory_that_nobody_else_has_open_refuses_to_start_a_server(directory):
    store = open_store(directory.path)
    call(Kernel(store, "default"), "store", TEA)
    store.close()
    directory.allow(writing=False)
    with Child("caller.py", directory.path, "nobody") as child:
        answer = json.loads(hear(child))
        assert child.finish() == 0, child.complaint
    assert (answer["refused"], answer["retryable"]) == ("unavailable", True)
    assert str(directory.path) not in answer["message"]

    directory.allow(writing=True)
    with Child("caller.py", directory.path, "nobody") as child:
        assert json.loads(hear(child)) == "ready"
        child.hang_up()
        assert child.finish() == 0, child.complaint
