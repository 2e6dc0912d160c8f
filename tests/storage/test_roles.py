"""A role is free at once when its holder dies, and after a while when it is suspended; who wakes up writes nothing."""

import os
import signal
import subprocess
import sys
import threading
import time as clock
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memotheca import settings
from memotheca.admin.health import examine
from memotheca.app import build
from memotheca.jobs.ingest_job import IngestJob
from memotheca.jobs.queue import adopt_orphans, enqueue, look_up, take_next
from memotheca.model.errors import Failure, Refusal
from memotheca.storage import jobs, roles
from memotheca.storage.migrations import open_migrated
from memotheca.storage.roles import holder_of, lease
from memotheca.storage.sqlite import SQLiteDatabase
from tests.conftest import Agent, Time
from tests.patience import PATIENCE, until

HOLDING = """
import sys, pathlib, threading
from memotheca.storage import roles
roles.set_patience(float(sys.argv[2]))
with roles.lease(pathlib.Path(sys.argv[1]), "work") as held:
    print(held is not None, flush=True)
    sys.stdin.readline()
    print(held.is_held, flush=True)
"""
# Long enough that a busy machine does not take a living holder for a silent one.
LEASE = 3.0


@pytest.fixture(autouse=True)
def short() -> Iterator[None]:
    roles.set_patience(LEASE)
    yield
    roles.set_patience(roles.SECONDS)


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the role and gives signs of life."""
    command = [sys.executable, "-c", HOLDING, str(tmp_path), str(LEASE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "True\n"
        yield child
        child.kill()


def taken(tmp_path: Path, seconds: float = PATIENCE) -> bool:
    """Whether the role can be taken within some time."""
    deadline = clock.monotonic() + seconds
    while clock.monotonic() < deadline:
        with lease(tmp_path, "work") as held:
            if held is not None:
                return True
        threading.Event().wait(0.02)
    return False


def test_who_lives_keeps_its_role_however_long(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    assert not taken(tmp_path, LEASE * 2)
    found = holder_of(tmp_path, "work")
    assert found is not None
    assert found.pid == holder.pid


def test_who_is_killed_leaves_its_role_at_once(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    roles.set_patience(1000)
    holder.kill()
    holder.wait(PATIENCE)
    assert taken(tmp_path)


def test_who_is_suspended_loses_its_role_and_learns_it_when_it_wakes(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    os.kill(holder.pid, signal.SIGSTOP)
    assert taken(tmp_path)
    os.kill(holder.pid, signal.SIGCONT)
    assert holder.stdin is not None
    assert holder.stdout is not None
    holder.stdin.write("\n")
    holder.stdin.flush()
    assert holder.stdout.readline() == "False\n"


def test_only_one_takes_over(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    os.kill(holder.pid, signal.SIGSTOP)
    winners: list[int] = []
    over = threading.Event()

    def try_it(number: int) -> None:
        while not over.is_set():
            with lease(tmp_path, "work") as held:
                if held is not None:
                    winners.append(number)
                    over.wait(PATIENCE)
            threading.Event().wait(0.005)

    threads = [threading.Thread(target=try_it, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    until(lambda: winners)
    threading.Event().wait(LEASE * 2)
    assert len(winners) == 1
    over.set()
    for thread in threads:
        thread.join(PATIENCE)


def test_the_doctor_names_who_is_silent(agent: Agent, holder: subprocess.Popen[str], tmp_path: Path) -> None:
    roles.set_patience(LEASE)
    os.kill(holder.pid, signal.SIGSTOP)
    found = until(lambda: seen if (seen := holder_of(tmp_path, "work")) is not None and seen.is_silent else None)
    assert f"process {holder.pid}" in str(found)
    assert "suspended?" in str(found)
    with lease(agent.app.data, "jobs") as held:
        assert held is not None
        told = [finding for finding in examine(agent.kernel) if finding.name == "role jobs"]
    assert [finding.well for finding in told] == [True]
    assert f"process {os.getpid()}" in told[0].detail


def test_a_job_that_was_taken_over_is_settled_only_by_who_took_it(agent: Agent, time: Time) -> None:
    kernel = agent.kernel
    queued = enqueue(kernel, "ingest", IngestJob(path="x").to_arguments(), actor="tester")
    kernel.write(lambda transaction: transaction.describe("CREATE"), actor="tester")
    agent.store("so that the collection is there")
    first = take_next(kernel, ("small", "large"))
    assert first is not None
    adopt_orphans(kernel)
    second = take_next(kernel, ("small", "large"))
    assert second is not None
    assert (first.id, second.id) == (queued.id, queued.id)

    def settle(session: Any) -> bool:
        stale = jobs.is_running(session, first)
        jobs.settle(session, first, "completed", outcome={}, now=1)
        jobs.give_back(session, first, due=0, count_attempt=False)
        return stale

    assert kernel.store.operate(settle) is False
    assert look_up(kernel, queued.id).state == "running"
    kernel.store.operate(lambda session: jobs.settle(session, second, "completed", outcome={}, now=1))
    assert look_up(kernel, queued.id).state == "completed"


def test_a_role_that_was_lost_is_refused_inside_the_transaction(
    tmp_path: Path, agent: Agent, holder: subprocess.Popen[str]
) -> None:
    holder.kill()
    holder.wait(PATIENCE)
    with lease(tmp_path, "work") as held:
        assert held is not None
        held.refuse_lost()
        (tmp_path / "locks" / "work.lock").unlink()
        with pytest.raises(Refusal) as refused:
            agent.kernel.write(lambda transaction: held.refuse_lost(), actor="tester")
    assert refused.value.failure is Failure.BUSY


def test_whoever_reads_does_not_wait_for_whoever_writes(agent: Agent, tmp_path: Path, time: Time) -> None:
    """Every tool that only reads answers while somebody else holds the write lock."""
    app = build(settings.load({"data": str(tmp_path / "data"), "toolsets": "all"}, {}), clock=time)
    other = Agent(app)
    calls: dict[str, dict[str, Any]] = {
        "knowledge-status": {},
        "knowledge-show": {},
        "query": {},
        "query_graph": {},
        "history": {},
        "utl_status": {},
        "get_memetic_status": {},
        "homeostatic_status": {},
    }
    for name, arguments in calls.items():
        other.reply(name, **arguments)
    with agent.kernel.store.database.write() as session:
        session.run("INSERT INTO meta (name, value) VALUES ('held', '1')")
        for name, arguments in calls.items():
            replies: list[Any] = []
            reader = threading.Thread(target=lambda: replies.append(other.reply(name, **arguments)), daemon=True)  # noqa: B023
            reader.start()
            reader.join(25)
            assert replies, f"{name} waits for a writer"
            assert "degraded" not in str(replies[0].structured), name
    app.kernel.store.close()


def test_who_cannot_write_is_told_who_does(agent: Agent, tmp_path: Path) -> None:
    impatient = open_migrated(
        SQLiteDatabase(tmp_path / "data" / "memotheca.db", patience=0.2), clock=agent.kernel.store.clock
    )
    with (
        lease(tmp_path / "data", "any"),
        agent.kernel.store.database.write(),
        pytest.raises(Refusal) as refused,
    ):
        impatient.operate(lambda session: None)
    impatient.close()
    assert refused.value.failure is Failure.BUSY
    assert f"process {os.getpid()}" in refused.value.message
