"""After a power cut at any moment every acknowledged write is there, and the harness would notice if it were not."""

import random
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from memotheca.admin.erasure import erase
from memotheca.app import DATABASE, open_store, prepare_directory
from memotheca.entries.edge_ends import EdgeWithEnds
from memotheca.entries.edges import Claim, relate
from memotheca.entries.entries import EntryChange, NewEntry, delete_entry, store_entry, update_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import system_clock
from memotheca.model.errors import Refusal
from memotheca.storage import sqlite
from memotheca.storage.migrations import open_migrated
from memotheca.storage.sqlite import SQLiteDatabase
from tests.durability.accounts import Ack, digest, find_damage, find_lost
from tests.durability.faulty_vfs import Disk, FaultyVFS

pytestmark = pytest.mark.xdist_group("durability")

WRITES = 60
LONGEST = 2600


@pytest.fixture(autouse=True)
def _frequent_checkpoints(monkeypatch):
    """So that a short run meets checkpoints and restarts of the log."""
    monkeypatch.setattr(sqlite, "FOLD_AT", 15)


class Machine:
    """Two servers on one data directory, until somebody pulls the plug."""

    def __init__(self, data: Path, *, seed: int, cut_after: int) -> None:
        self.path = prepare_directory(data)
        self.disk = Disk(data, seed=seed, cut_after=cut_after)
        self.vfs = FaultyVFS(self.disk)
        self.rng = random.Random(f"work {seed}")
        self.databases: list[SQLiteDatabase] = []
        self.kernels: list[Kernel] = []
        self.ids: list[str] = []
        self.acks: list[Ack] = []

    def run(self) -> list[Ack]:
        """Work until the power fails, or all is done; whatever was acknowledged is returned."""
        try:
            self.kernels = [self._open(), self._open()]
            for number in range(WRITES):
                self._write(number)
        except Refusal:
            assert self.disk.dead, "a write was refused although there was power"
        return self.acks

    def __enter__(self) -> "Machine":
        return self

    def __exit__(self, *_: object) -> None:
        """Without power the connections can still be closed, but change nothing any more."""
        self.disk.dead = True
        for database in self.databases:
            with suppress(apsw.Error):
                database.close()
        self.vfs.unregister()

    def _open(self) -> Kernel:
        self.databases.append(SQLiteDatabase(self.path, vfs=self.vfs.name))
        return Kernel(open_migrated(self.databases[-1], clock=system_clock), "default")

    def _write(self, number: int) -> None:
        place = self.rng.randrange(2)
        match self.rng.randrange(12):
            case 0:
                self.kernels[place].store.database.forget_log()
            case 1:
                self.kernels[place].store.close()
                self.kernels[place] = self._open()
            case 2 | 3 if self.ids:
                self._delete(self.kernels[place])
            case 4 | 5:
                self._relate(self.kernels[place], number)
            case _:
                self._store_or_update(self.kernels[place], number)

    def _store_or_update(self, kernel: Kernel, number: int) -> None:
        body = f"{number} " + self.rng.randbytes(self.rng.choice((10, 100, 4000))).hex()
        if self.ids and self.rng.random() < 0.4:
            id = self.rng.choice(self.ids)
            version = update_entry(kernel, id, EntryChange(body=body), actor="test").version
        else:
            version = store_entry(kernel, NewEntry(title="tea", body=body), actor="test").version
            self.ids.append(version.id)
        self.acks.append({"id": version.id, "tx": version.tx, "content": digest("tea", body)})

    def _delete(self, kernel: Kernel) -> None:
        id = self.ids.pop(self.rng.randrange(len(self.ids)))
        _, _, tx = delete_entry(kernel, id, actor="test")
        self.acks.append({"id": id, "tx": tx, "content": None})

    def _relate(self, kernel: Kernel, number: int) -> None:
        object = f"{self.rng.random()} {number}"
        claim = Claim(subject="Ada", predicate="knows", object=object, multi=True)
        related = relate(kernel, claim, actor="test")
        assert isinstance(related, EdgeWithEnds)
        version = related.version
        self.acks.append({"id": version.id, "tx": version.tx, "content": ["Ada", "knows", object]})


def run_and_cut(folder: Path, data: Path, *, seed: int, cut_after: int) -> tuple[list[Ack], Path, bool]:
    """The acknowledged writes, what is left of the directory, and whether there was any work after the cut."""
    left = folder / f"left-{seed}"
    with Machine(data, seed=seed, cut_after=cut_after) as machine:
        acks = machine.run()
        machine.disk.leave_to(left)
    return acks, left, machine.disk.steps < cut_after


@pytest.mark.parametrize("seed", range(100))
def test_a_power_cut_loses_no_acknowledged_write(tmp_path, seed):
    """Three times in a row, each time with what the last one left."""
    rng = random.Random(seed)
    data, acks = tmp_path / "data", list[Ack]()
    for cut in range(3):
        cut_after = rng.randrange(1, rng.choice((150, LONGEST)))
        fresh, data, _ = run_and_cut(tmp_path, data, seed=seed * 10 + cut, cut_after=cut_after)
        acks += fresh
        store = open_store(data)
        assert find_damage(store) == []
        assert find_lost(store, acks) == []
        assert store.write("other", lambda transaction: transaction.tx, actor="test") == 1
        store.close()


@pytest.mark.parametrize("seed", range(8))
def test_what_was_erased_does_not_come_back_after_a_power_cut(tmp_path, monkeypatch, seed):
    monkeypatch.setattr(sqlite, "FOLD_AT", 1000)  # The text is to stay in the log until it is erased.
    secret = "xyzzy-plugh-0451"
    with Machine(tmp_path / "data", seed=seed, cut_after=10**6) as machine:
        machine.run()
        kernel = machine.kernels[0]
        written = store_entry(kernel, NewEntry(title="tea", body=f"{secret} " * 500), actor="test")
        erase(kernel, written.version.id, actor="test")
        machine.disk.leave_to(tmp_path / "left")
    left = [path for path in (tmp_path / "left").iterdir() if secret.encode() in path.read_bytes()]
    assert left == []
    assert find_trouble(tmp_path / "left", machine.acks) == ""


def find_trouble(data: Path, acks: list[Ack]) -> str:
    """What the account says of a directory: nothing, lost writes, or worse."""
    try:
        store = open_store(data)
    except Refusal as refusal:
        return refusal.failure.code
    try:
        return "damaged" if find_damage(store) else "lost" if find_lost(store, acks) else ""
    except Refusal as refusal:
        return refusal.failure.code
    finally:
        store.close()


@pytest.mark.parametrize("level", ["NORMAL", "OFF"])
def test_the_same_cut_loses_acknowledged_writes_if_commits_are_not_synced(tmp_path, monkeypatch, level):
    settings = tuple(s.replace("synchronous=FULL", f"synchronous={level}") for s in sqlite._SETTINGS)
    assert settings != sqlite._SETTINGS
    monkeypatch.setattr(sqlite, "_SETTINGS", settings)
    monkeypatch.setattr(sqlite, "FOLD_AT", 1000)
    found = list[str]()
    for seed in range(10):
        cut_after = random.Random(seed).randrange(200, 500)
        acks, left, _ = run_and_cut(tmp_path, tmp_path / f"data-{seed}", seed=seed, cut_after=cut_after)
        found.append(find_trouble(left, acks))
    assert "lost" in found


def test_nothing_that_was_synced_is_ever_forgotten_by_the_harness_itself(tmp_path):
    acks, left, finished = run_and_cut(tmp_path, tmp_path / "data", seed=1, cut_after=10**6)
    assert finished
    assert len(acks) > WRITES / 2
    assert find_trouble(left, acks) == ""
    assert (left / DATABASE).stat().st_size > 0
