"""Servers and PostgreSQL itself, killed while they write, lose nothing that was acknowledged."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.durability import test_kill
from tests.durability.accounts import find_damage, find_lost
from tests.durability.test_kill import Crowd
from tests.storage.postgres_server import PostgresServer, needs_postgres, open_on_postgres

pytestmark = [needs_postgres, pytest.mark.xdist_group("durability"), pytest.mark.slow]

WRITERS, WRITES = 4, 60
MOMENTS = (30, 70, 110, 150, 190)


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    server = PostgresServer(fsync="on", full_page_writes="on")
    yield server
    server.remove()


def test_no_acknowledged_write_is_lost_when_servers_and_the_database_are_killed(
    server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("WRITERS", WRITERS), ("READERS", 0), ("WRITES", WRITES)):
        monkeypatch.setattr(test_kill, name, value)
    monkeypatch.setenv("MEMOTHECA_DATABASE", server.address())
    with Crowd(tmp_path, seed=18) as crowd:
        for turn, moment in enumerate(MOMENTS):
            crowd.run_until(moment)
            if turn % 2 == 0:
                server.kill()
                if turn == 2:
                    crowd.kill(list(crowd.children))
                server.start()
            else:
                crowd.kill(crowd.rng.sample(list(crowd.children), 2))
        crowd.run_until(WRITERS * WRITES)
        lines = [line for each in crowd.acks.values() for line in each]
    acks = [line for line in lines if "refused" not in line]
    assert {line["refused"] for line in lines if "refused" in line} <= {"unavailable"}
    assert len(acks) > len(lines) * 0.8, "an outage of a second is waited for"

    store = open_on_postgres(server.address())
    assert find_damage(store) == []
    assert find_lost(store, acks) == []
    with store.read("default") as snapshot:
        committed = {found.tx: found.actor for found in snapshot.commits()}
    store.close()
    by_tx = {ack["tx"]: ack for ack in acks}
    assert len(by_tx) == len(acks), "two writes were acknowledged with one number"
    assert all(committed[tx] == ack["life"] for tx, ack in by_tx.items())
    # What was refused as unknown may be there, and the last write of a life that was killed.
    doubted = Counter(line["life"] for line in lines if "refused" in line)
    in_doubt = Counter(actor for tx, actor in committed.items() if tx not in by_tx)
    assert all(count <= doubted[life] + (life in crowd.killed) for life, count in in_doubt.items())
