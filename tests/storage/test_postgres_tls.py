"""The way to PostgreSQL is encrypted and verified as the address says, and where it cannot be, that is said at once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memotheca.entries.entries import NewEntry, store_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from tests.storage.partition import Way
from tests.storage.postgres_server import USER, needs_postgres, open_on_postgres, shared_server
from tests.storage.test_postgres_partition import schema_of
from tests.storage.tls_door import TlsDoor, make_certificate

pytestmark = needs_postgres
HOST = "localhost"


@pytest.fixture
def schema(tmp_path: Path) -> Iterator[str]:
    yield schema_of(shared_server(), tmp_path)
    shared_server().clear(tmp_path)


@pytest.fixture
def door(tmp_path: Path) -> Iterator[TlsDoor]:
    door = TlsDoor(shared_server().folder / "socket" / ".s.PGSQL.5432", *make_certificate(tmp_path, HOST))
    yield door
    door.close()


def address(port: int, schema: str, host: str = HOST, **said: object) -> str:
    chosen = "".join(f"&{name}={value}" for name, value in said.items())
    return f"postgresql://{USER}@{host}:{port}/postgres?options=-csearch_path%3D{schema}{chosen}"


def test_what_is_stored_travels_encrypted_also_after_the_way_was_cut(
    door: TlsDoor, schema: str, tmp_path: Path
) -> None:
    trusted = tmp_path / f"{HOST}.pem"
    store = open_on_postgres(address(door.port, schema, sslmode="verify-full", sslrootcert=trusted))
    store_entry(Kernel(store, "default"), NewEntry(title="tea", body="Green."), actor="test")
    before = door.encrypted
    assert before
    door.cut()
    store_entry(Kernel(store, "default"), NewEntry(title="milk", body="White."), actor="test")
    with store.read("default") as snapshot:
        assert snapshot.tx == 2
    store.close()
    assert door.encrypted > before


@pytest.mark.parametrize("what", ["another root", "another name", "no encryption"])
def test_a_database_that_is_not_whom_the_address_trusts_is_told_nothing(
    door: TlsDoor, schema: str, tmp_path: Path, what: str
) -> None:
    other, _ = make_certificate(tmp_path, "elsewhere.example")
    trusted = other if what == "another root" else tmp_path / f"{HOST}.pem"
    plain = Way(shared_server().folder / "socket" / ".s.PGSQL.5432")
    port = plain.port if what == "no encryption" else door.port
    host = "127.0.0.1" if what == "another name" else HOST
    try:
        with pytest.raises(Refusal, match="TLS") as refused:
            open_on_postgres(address(port, schema, host, sslmode="verify-full", sslrootcert=trusted))
        assert (refused.value.failure, refused.value.failure.retryable) == (Failure.FORBIDDEN, False)
        assert HOST not in refused.value.message
    finally:
        plain.close()
