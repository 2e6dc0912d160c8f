"""A server that is cut off from PostgreSQL, or whose words are swallowed on the way: refusals say that it may be tried
again, nothing that was acknowledged is lost or done twice, and it goes on by itself when the way is mended. And
pgbouncer, which hands out connections by transaction."""

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memotheca.entries.entries import NewEntry, store_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Refusal
from memotheca.model.knowledge import Entry
from memotheca.storage.store import Store
from scripts.debian_programs import find_program, surroundings_of
from tests.patience import PATIENCE, until
from tests.server.sockets import free_port
from tests.storage.partition import Way
from tests.storage.postgres_server import USER, PostgresServer, needs_postgres, open_on_postgres, shared_server
from tests.storage.test_postgres_changes import told_of

pytestmark = needs_postgres


def schema_of(server: PostgresServer, folder: Path) -> str:
    return server.for_data(folder).rpartition("search_path%3D")[2]


@pytest.fixture
def way(tmp_path: Path) -> Iterator[Way]:
    way = Way(shared_server().folder / "socket" / ".s.PGSQL.5432")
    yield way
    way.close()
    shared_server().clear(tmp_path)


@pytest.fixture
def cut_off(way: Way, tmp_path: Path) -> Iterator[Store]:
    store = open_on_postgres(
        way.address(schema_of(shared_server(), tmp_path), USER), away=0.5, answer=1.0, patience=5.0
    )
    yield store
    way.mend()
    store.close()


def put(store: Store, title: str) -> None:
    store_entry(Kernel(store, "default"), NewEntry(title=title, body=""), actor="test")


def titles(store: Store) -> list[str]:
    with store.read("default") as snapshot:
        things = [version.thing for version in snapshot.entries(("entry",))]
    return [thing.title for thing in things if isinstance(thing, Entry)]


def test_who_is_cut_off_is_told_so_and_goes_on_when_the_way_is_mended(cut_off: Store, way: Way) -> None:
    put(cut_off, "before")
    way.cut()
    with pytest.raises(Refusal) as refused:
        put(cut_off, "during")
    assert refused.value.failure.retryable
    way.mend()
    put(cut_off, "after")
    assert titles(cut_off) == ["before", "after"]


def test_who_is_not_answered_does_not_wait_for_ever(cut_off: Store, way: Way) -> None:
    put(cut_off, "before")
    way.silent = True
    with pytest.raises(Refusal) as refused:
        put(cut_off, "during")
    assert refused.value.failure.retryable
    way.mend()
    put(cut_off, "after")
    assert titles(cut_off) == ["before", "after"]


@pytest.mark.parametrize("silent", [False, True])
def test_nothing_that_was_acknowledged_is_lost_while_the_way_comes_and_goes(
    cut_off: Store, way: Way, silent: bool
) -> None:
    """The way fails at some moment of each write; what was refused is looked for before it is tried again."""
    stopped = threading.Event()

    def trouble() -> None:
        while not stopped.wait(0.15):
            way.silent = silent
            if not silent:
                way.cut()
            stopped.wait(0.1)
            way.mend()

    troubling = threading.Thread(target=trouble)
    troubling.start()
    acknowledged: list[str] = []
    told: list[Refusal] = []
    try:
        deadline = time.monotonic() + 2 * PATIENCE
        for number in range(12):
            assert time.monotonic() < deadline
            try:
                put(cut_off, f"tea {number}")
                acknowledged.append(f"tea {number}")
            except Refusal as refusal:
                told.append(refusal)
    finally:
        stopped.set()
        troubling.join()
    way.mend()
    found = titles(cut_off)
    assert len(found) == len(set(found))
    assert set(acknowledged) <= set(found)
    assert len(found) <= len(acknowledged) + len(told)
    assert all(refusal.failure.retryable for refusal in told)
    put(cut_off, "after")
    assert "after" in titles(cut_off)


@pytest.fixture
def pooled(tmp_path: Path) -> Iterator[str]:
    """The address of a pooler by transaction, before the tests' server."""
    program = find_program("pgbouncer")
    if program is None:
        pytest.skip("there is no pgbouncer here (python scripts/debian_programs.py)")
    server = shared_server()
    schema = schema_of(server, tmp_path)
    port = free_port()
    folder = server.folder / "pooler"
    folder.mkdir(exist_ok=True)
    (folder / "users.txt").write_text(f'"{USER}" ""\n')
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\npostgres = host={server.folder}/socket dbname=postgres user={USER} "
        f"connect_query='SET search_path = {schema}'\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = trust\n"
        f"auth_file = {folder}/users.txt\npool_mode = transaction\ndefault_pool_size = 4\nunix_socket_dir =\n"
    )
    libraries = bring_here(program, folder)
    for place in (folder, *folder.iterdir()):
        place.chmod(0o755 if place.is_dir() or place.name == program.name else 0o644)
    log = (folder / "log").open("wb")
    running = subprocess.Popen(
        [str(folder / program.name), str(folder / "pgbouncer.ini")],
        user=server.other_user(),
        env={"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": libraries},
        stdout=log,
        stderr=log,
    )
    try:
        _await(port, running, folder / "log")
        yield f"postgresql://{USER}@127.0.0.1:{port}/postgres"
    finally:
        running.terminate()
        running.wait()
        log.close()
        server.clear(tmp_path)


def bring_here(program: Path, folder: Path) -> str:
    """What was unpacked lies where the other user may not go; where its libraries are now."""
    shutil.copy(program, folder / program.name)
    libraries = folder / "libraries"
    libraries.mkdir(exist_ok=True)
    for each in surroundings_of(program.name).get("LD_LIBRARY_PATH", "").split(":"):
        for library in Path(each).glob("*.so*") if each else ():
            shutil.copy(library, libraries / library.name)
    return str(libraries)


def _await(port: int, running: "subprocess.Popen[bytes]", log: Path) -> None:
    def is_open() -> bool:
        assert running.poll() is None, log.read_text()
        with socket.socket() as trial:
            return trial.connect_ex(("127.0.0.1", port)) == 0

    until(is_open)


def test_several_servers_share_a_pooler_that_hands_out_connections_by_transaction(pooled: str) -> None:
    servers = [open_on_postgres(pooled) for _ in range(3)]
    try:
        threads = [
            threading.Thread(target=lambda each=each, name=name: [put(each, f"{name} {i}") for i in range(8)])
            for name, each in enumerate(servers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(titles(servers[0]))) == 24
        with servers[0].read("default") as snapshot:
            assert snapshot.tx == 24
        assert told_of(servers[0], servers[1]) == 25
    finally:
        for each in servers:
            each.close()
