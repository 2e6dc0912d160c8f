"""Several machines on one PostgreSQL: each has a data directory of its own, which it can lose, and all answer alike."""

import json
import os
import shutil
import threading
import time as clock
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import hypothesis
import pytest
from hypothesis import HealthCheck, strategies

from memotheca import settings
from memotheca.admin.erasure import erase
from memotheca.app import build, look_after, open_store
from memotheca.cli.main import main
from memotheca.kernel.kernel import Kernel
from memotheca.memory.dream.sleeper import is_somebody_dreaming, sleeper_of
from memotheca.model.errors import Refusal
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.search.finder import finder_of
from memotheca.search.index.seal import maintain
from memotheca.storage import roles, shared_files
from memotheca.storage.segments import read_names, tend_segments
from tests.conftest import Agent, Time
from tests.patience import PATIENCE
from tests.storage.players import CHANGES, Move, Player, fresh_kernel, moves, retold
from tests.storage.postgres_server import UNSAFE, needs_postgres, not_well, open_on_postgres, shared_server

pytestmark = needs_postgres


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    yield shared_server().for_data(tmp_path)
    shared_server().clear(tmp_path)


@pytest.fixture
def machine(address: str, tmp_path: Path) -> Iterator[Callable[[str], Agent]]:
    """A server on a machine of this name."""
    opened: list[Agent] = []

    def start(name: str) -> Agent:
        chosen = settings.load({"data": str(tmp_path / name), "database": address, "toolsets": "all"}, {})
        agent = Agent(build(chosen))
        choose_embedder(agent.kernel.store, agent.kernel.collection, "none")
        opened.append(agent)
        return agent

    yield start
    for agent in opened:
        agent.app.close()


def seal(agent: Agent) -> None:
    index = finder_of(agent.kernel).index_of(agent.kernel.collection, "")
    assert maintain(agent.kernel.store, index, seal_at=1)


def tend(agent: Agent, *, room: int) -> int:
    with agent.kernel.store.database.read() as session:
        return tend_segments(session, finder_of(agent.kernel).folder, room=room)


def found(agent: Agent, query: str) -> list[str]:
    return [item["topic"] for item in agent.call("query", content=query)["items"]]


def cached(tmp_path: Path, name: str) -> list[Path]:
    return sorted((tmp_path / name / "segments").glob("*.seg"))


def test_what_one_machine_stores_and_seals_the_others_find(machine: Callable[[str], Agent], tmp_path: Path) -> None:
    one, other = machine("one"), machine("other")
    for number in range(20):
        one.store(f"tea {number}", "Green leaves.")
    assert len(found(other, "green leaves")) == len(found(one, "green leaves")) > 0
    seal(one)
    assert cached(tmp_path, "one")
    third = machine("third")
    assert found(third, "green leaves") == found(one, "green leaves")
    assert [path.read_bytes() for path in cached(tmp_path, "third")] == [
        path.read_bytes() for path in cached(tmp_path, "one")
    ]


def test_a_machine_can_lose_all_it_has(machine: Callable[[str], Agent], tmp_path: Path) -> None:
    one = machine("one")
    one.store("tea", "Green leaves.")
    seal(one)
    before = found(one, "leaves")
    one.app.close()
    shutil.rmtree(tmp_path / "one")
    assert found(machine("one"), "leaves") == before == ["tea"]


def test_what_is_merged_away_is_kept_no_longer(machine: Callable[[str], Agent], tmp_path: Path) -> None:
    one = machine("one")
    for number in range(6):
        one.store(f"tea {number}", "Green leaves.")
        seal(one)
    with one.kernel.store.database.read() as session:
        kept = {name for (name,) in session.rows("SELECT DISTINCT name FROM shared_file")}
        named = {f"{name}.seg" for name in read_names(session)}
    assert kept == named
    assert found(machine("other"), "green leaves")


def test_what_counts_no_more_leaves_the_cache(machine: Callable[[str], Agent], tmp_path: Path) -> None:
    one, other = machine("one"), machine("other")
    one.store("tea", "Green leaves.")
    seal(one)
    found(other, "leaves")
    stale = tmp_path / "other" / "segments" / "text-stale.seg"
    stale.write_bytes(b"x")
    os.utime(stale, (0, 0))
    one.store("milk", "White, from leaves.")
    seal(one)
    assert len(found(other, "leaves")) == 2
    assert not stale.exists()


def test_a_cache_has_a_bound_and_what_was_wanted_longest_ago_goes(
    machine: Callable[[str], Agent], tmp_path: Path
) -> None:
    one, other = machine("one"), machine("other")
    for number in range(3):
        one.store(f"tea {number}", f"Green leaves, {number}.")
        seal(one)
    assert len(found(other, "leaves")) == 3
    oldest, *rest = cached(tmp_path, "other")
    assert rest
    for path in (oldest, *rest):
        os.utime(path, (0, clock.time() - (5000 if path == oldest else 4000)))
    room = sum(path.stat().st_size for path in rest)
    assert tend(other, room=room) == 1
    assert cached(tmp_path, "other") == rest
    assert len(found(other, "leaves")) == 3, "what is open stays open"
    # What was let go is brought again by whoever needs it, who keeps what they wanted just now.
    other.app.close()
    assert len(found(machine("other"), "leaves")) == 3
    assert cached(tmp_path, "other") == [oldest, *rest]
    assert tend(machine("other"), room=1) == 0


def test_what_another_machine_erased_leaves_the_cache_in_minutes(
    machine: Callable[[str], Agent], tmp_path: Path
) -> None:
    one, other = machine("one"), machine("other")
    id = one.store("tea", "Green leaves.")
    one.store("milk", "White.")
    seal(one)
    assert found(other, "leaves") == ["tea"]
    (held,) = cached(tmp_path, "other")
    erase(one.kernel, id, actor="t")
    look_after(other.app, lambda: False)
    assert held.exists(), "somebody may be about to open it"
    os.utime(held, (0, clock.time() - shared_files.GRACE_SECONDS - 1))
    look_after(other.app, lambda: False)
    assert not held.exists()
    assert found(other, "leaves") == []


def test_one_of_all_machines_dreams_at_a_time(machine: Callable[[str], Agent]) -> None:
    one, other = (machine(name).kernel for name in ("one", "other"))
    slumber = sleeper_of(one).fall_asleep(one, "dream_1", 5, wakes_on_query=False)
    assert slumber is not None
    assert is_somebody_dreaming(other)
    assert sleeper_of(other).fall_asleep(other, "dream_2", 5, wakes_on_query=False) is None
    slumber.spend(lambda sleep: None)
    assert not is_somebody_dreaming(other)
    second = sleeper_of(other).fall_asleep(other, "dream_3", 5, wakes_on_query=False)
    assert second is not None
    second.spend(lambda sleep: None)


@pytest.fixture
def impatient() -> Iterator[Callable[[], None]]:
    yield lambda: roles.set_patience(2.0)
    roles.set_patience(roles.SECONDS)


def test_a_role_is_held_by_one_of_all_machines(machine: Callable[[str], Agent], tmp_path: Path) -> None:
    one, other = (machine(name).kernel.store.database for name in ("one", "other"))
    with one.lease(tmp_path, "upkeep") as held:
        assert held is not None
        assert held.is_held
        with other.lease(tmp_path, "upkeep") as second:
            assert second is None
        with other.lease(tmp_path, "review") as another:
            assert another is not None
    with other.lease(tmp_path, "upkeep") as after:
        assert after is not None


def test_who_was_suspended_cannot_write_after_another_took_over(
    machine: Callable[[str], Agent], tmp_path: Path, impatient: Callable[[], None]
) -> None:
    one, other = machine("one").kernel.store, machine("other").kernel.store
    impatient()
    with one.database.lease(tmp_path, "upkeep") as held:
        assert held is not None
        one.operate(held.refuse_lost)
        cast(Any, held)._ended.set()  # no sign of life any more
        deadline = clock.monotonic() + PATIENCE
        while clock.monotonic() < deadline:
            with other.database.lease(tmp_path, "upkeep") as second:
                if second is not None:
                    with pytest.raises(Refusal):
                        one.operate(held.refuse_lost)
                    other.operate(second.refuse_lost)
                    return
            threading.Event().wait(0.1)
    raise AssertionError("nobody took over")


def test_commands_do_and_say_the_right_thing(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], machine: Callable[[str], Agent]
) -> None:
    machine("one").store("tea", "Green leaves.")
    secret = address.replace("user=memotheca", "user=memotheca&password=hunter2")

    def run(*words: str) -> tuple[int, str]:
        status = main([*words, "--data", str(tmp_path / "desk"), "--database", secret])
        told = "".join(capsys.readouterr())
        assert "hunter2" not in told
        return status, told

    status, told = run("status", "--json")
    assert status == 0
    assert json.loads(told)["data"].startswith("postgresql://memotheca@")
    status, told = run("doctor", "--json")
    assert not_well(told) == UNSAFE
    assert "vaults" not in told  # None is mounted, here or elsewhere.
    assert status == 1
    assert run("export", str(tmp_path / "export.jsonl"))[0] == 0
    assert run("import", str(tmp_path / "export.jsonl"), "--collection", "copy")[0] == 0
    assert "pg_dump" in run("backup")[1]
    assert "pg_restore" in run("restore", str(tmp_path / "nothing.db"))[1]
    assert run("history")[0] == 0
    assert json.loads(run("reindex", "--json")[1])["versions"] == 1
    status, told = run("erase", "e-1", "--yes", "--json")
    assert status == 0
    assert "pg_dump" in json.loads(told)["beyond_reach"]
    with machine("other").kernel.store.database.read() as session:
        assert session.rows("SELECT image FROM version WHERE collection = 'default' AND image IS NOT NULL") == []
    assert not_well(run("doctor", "--json")[1]) == UNSAFE


def test_a_user_with_no_more_than_the_rights_that_are_documented_can_do_everything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """CONNECT on the database, CREATE and USAGE on its schema."""
    import psycopg

    server = shared_server()
    with psycopg.connect(server.address(), autocommit=True) as connection:
        connection.execute("CREATE ROLE modest LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE")
        connection.execute("CREATE SCHEMA modest")
        connection.execute("GRANT USAGE, CREATE ON SCHEMA modest TO modest")
    address = server.address("modest").replace("user=memotheca", "user=modest")
    try:
        agent = Agent(build(settings.load({"data": str(tmp_path / "x"), "database": address, "toolsets": "all"}, {})))
        choose_embedder(agent.kernel.store, agent.kernel.collection, "none")
        agent.store("tea", "Green leaves.")
        seal(agent)
        assert found(agent, "leaves") == ["tea"]
        agent.app.close()
        words = ["--data", str(tmp_path / "x"), "--database", address]
        assert main(["erase", "e-1", "--yes", *words]) == 0
        capsys.readouterr()
        main(["doctor", "--json", *words])
        assert not_well(capsys.readouterr().out) == UNSAFE
    finally:
        with psycopg.connect(server.address(), autocommit=True) as connection:
            connection.execute("DROP SCHEMA modest CASCADE")
            connection.execute("DROP OWNED BY modest")
            connection.execute("DROP ROLE modest")


def test_the_address_may_be_in_the_environment_or_the_file(address: str, tmp_path: Path) -> None:
    assert settings.load({"data": str(tmp_path)}, {"MEMOTHECA_DATABASE": address}).text("database") == address
    (tmp_path / "memotheca.toml").write_text(f'database = "{address}"')
    assert settings.load({"data": str(tmp_path)}, {}).text("database") == address


@hypothesis.settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@hypothesis.given(done=moves(*CHANGES, "undo", "erase"), turns=strategies.lists(strategies.integers(0, 2), min_size=16))
def test_three_servers_do_what_one_file_does(
    done: list[Move], turns: list[int], address: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    clocks = Time(), Time()
    alone = fresh_kernel(open_store(tmp_path_factory.mktemp("alone"), clock=clocks[0]))
    servers = [open_on_postgres(address, clock=clocks[1]) for _ in range(3)]
    with pytest.MonkeyPatch.context() as patch:
        for each in (alone.store, servers[0]):
            patch.setattr(type(each.database), "forget_log", lambda self: True)
        one, many = Player(alone), Player(Kernel(servers[0], alone.collection))
        for move, turn in zip(done, turns, strict=False):
            one.play([move])
            many.kernel = Kernel(servers[turn], alone.collection)
            many.play([move])
    assert retold(many.kernel) == retold(alone)
    for each in (alone.store, *servers):
        each.close()
