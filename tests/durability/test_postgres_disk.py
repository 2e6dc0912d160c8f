"""A PostgreSQL whose disk is full refuses a write in the words of the contract, loses nothing, and heals."""

import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memotheca.kernel.kernel import Kernel
from memotheca.storage.store import Store
from tests.durability.accounts import find_damage
from tests.durability.test_disk import call, small_disk
from tests.patience import until
from tests.storage.postgres_server import PostgresServer, needs_postgres, open_on_postgres

pytestmark = [needs_postgres, pytest.mark.xdist_group("durability")]

WHOLE = "160m"  # a new PostgreSQL takes some 40 MB, and as much for its log
LEFT = 1 << 20  # less than the writes below want
WRITES = 200
LETTERS = 20_000  # of a kind that cannot be packed


@pytest.fixture
def store(server: PostgresServer) -> Iterator[Store]:
    store = open_on_postgres(server.address())
    yield store
    store.close()


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """On a disk of its own."""
    with tempfile.TemporaryDirectory() as name, small_disk(Path(name), WHOLE, "0777") as mounted:
        if not mounted:
            pytest.skip("no disk can be mounted here")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tempfile, "tempdir", name)
            server = PostgresServer(fsync="on", full_page_writes="on", max_wal_size="32MB", min_wal_size="32MB")
        assert server.folder.is_relative_to(name)
        try:
            yield server
        finally:
            server.remove()


def test_a_full_disk_of_the_database_refuses_writes_loses_none_and_heals(server: PostgresServer, store: Store) -> None:
    rng = random.Random(18)

    def text(number: int) -> dict[str, str]:
        return {"topic": f"t{number}", "content": "".join(f"{rng.getrandbits(32):08x} " for _ in range(LETTERS // 9))}

    kernel = Kernel(store, "default")
    assert call(kernel, "store", text(0))["tx_id"] == 1
    ballast = server.folder / "ballast"
    ballast.write_bytes(bytes(max(0, shutil.disk_usage(server.folder).free - LEFT)))
    stored = 0
    while not (answer := call(kernel, "store", text(stored + 1))).get("error"):
        stored += 1
        assert stored < WRITES
    refused = answer["error"]
    assert (refused["code"], refused["retryable"]) == ("dependency", True), refused
    ballast.unlink()
    # A server that could not write its log begins again, and is waited for.
    done = until(lambda: call(kernel, "store", {"topic": "after", "content": "It goes on."}).get("tx_id"))
    with kernel.read() as snapshot:
        assert sorted(commit.tx for commit in snapshot.commits()) == list(range(1, done + 1))
    assert done == stored + 2, "what was refused was not saved"
    assert find_damage(store) == []
