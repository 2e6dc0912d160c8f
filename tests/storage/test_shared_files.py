"""Jobs and files of several machines on one PostgreSQL: what is sent to one can be read by any, each job is done once,
and what a machine leaves behind another takes up."""

import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from memotheca import settings
from memotheca.app import build
from memotheca.cli.main import main
from memotheca.jobs import file_access
from memotheca.jobs.queue import adopt_orphans, bench_of, call_off, enqueue, look_up, take_next, wait, work
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.storage import jobs, roles, shared_files
from memotheca.storage.jobs import Job
from tests.conftest import Agent
from tests.patience import PATIENCE, until
from tests.reading.conftest import text_pdf
from tests.storage.postgres_server import needs_postgres, shared_server

pytestmark = needs_postgres

LANES = ("small", "large")
TEXT = b"Tea. " * 40


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    yield shared_server().for_data(tmp_path)
    shared_server().clear(tmp_path)


@pytest.fixture
def machine(address: str, tmp_path: Path) -> Iterator[Callable[[str], Agent]]:
    """A server on a machine of this name, with a data directory of its own."""
    opened: list[Agent] = []

    def start(name: str) -> Agent:
        agent = Agent(build(settings.load({"data": str(tmp_path / name), "database": address, "toolsets": "all"}, {})))
        choose_embedder(agent.kernel.store, agent.kernel.collection, "none")
        opened.append(agent)
        return agent

    yield start
    for agent in opened:
        bench_of(agent.kernel).sandbox.close()
        agent.app.close()


@pytest.fixture
def impatient() -> Iterator[Callable[[], None]]:
    yield lambda: roles.set_patience(2.0)
    roles.set_patience(roles.SECONDS)


def send(kernel: Kernel, content: bytes = TEXT, name: str = "tea.txt") -> str:
    upload = file_access.Upload(bench_of(kernel), name, len(content))
    upload.write(content)
    return upload.finish()


def name_of(kernel: Kernel, sent: str) -> str:
    return f"{bench_of(kernel).drawer}/{sent.partition(':')[2]}"


def do(kernel: Kernel, job: Job, **given: Any) -> None:
    work(kernel, job, report=lambda *told: None, interrupted=lambda: False, **given)


def take(kernel: Kernel) -> Job:
    taken = take_next(kernel, LANES)
    assert taken is not None
    return taken


def held(kernel: Kernel) -> tuple[int, int]:
    return bench_of(kernel).sent.count(bench_of(kernel).drawer)


def left_here(kernel: Kernel) -> list[Path]:
    return [path for path in bench_of(kernel).sent.folder.rglob("*") if path.is_file()]


def titles(agent: Agent) -> list[str]:
    return [each["filename"] for each in agent.call("knowledge-show")["documents"]]


def test_a_file_sent_to_one_machine_is_added_through_another_and_read_by_a_third(
    machine: Callable[[str], Agent],
) -> None:
    one, other, third = machine("one"), machine("other"), machine("third")
    sent = send(one.kernel)
    assert left_here(one.kernel) == []
    task = other.call("knowledge-add", file_path=sent)["task_id"]
    assert held(third.kernel) == (1, len(TEXT))
    do(third.kernel, take(third.kernel))
    assert look_up(one.kernel, task).state == "completed"
    assert titles(one) == titles(other) == ["tea.txt"]
    assert held(one.kernel) == (0, 0)
    assert left_here(third.kernel) == left_here(other.kernel) == []


def test_a_page_of_what_was_sent_to_one_machine_is_drawn_on_another_after_the_first_lost_all_it_had(
    machine: Callable[[str], Agent], address: str, tmp_path: Path
) -> None:
    one, other = machine("one"), machine("other")
    sent = send(one.kernel, text_pdf("The kiln has three shelves.", "Glaze is glass."), "pots.pdf")
    one.call("knowledge-add", file_path=sent)
    do(one.kernel, take(one.kernel))
    shutil.rmtree(tmp_path / "one")
    document = other.call("knowledge-show")["documents"][0]["id"]
    drawn = other.call("console_page", handle=document, page=2, width=200)
    assert (drawn["page"], drawn["pages"], drawn["width"]) == (2, 2, 200)
    assert main(["erase", document, "--yes", "--data", str(tmp_path / "desk"), "--database", address]) == 0
    with other.kernel.store.database.read() as session:
        assert session.rows("SELECT digest FROM original_piece") == []


def test_a_file_sent_to_one_collection_is_not_there_for_another(machine: Callable[[str], Agent]) -> None:
    one = machine("one")
    sent = send(one.kernel)
    elsewhere = replace(machine("other").kernel, collection="another")
    with pytest.raises(Refusal) as refused:
        file_access.locate(bench_of(elsewhere), sent)
    assert refused.value.failure is Failure.NOT_FOUND
    assert held(elsewhere) == (0, 0)


def test_a_large_file_comes_whole(machine: Callable[[str], Agent], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_files, "PIECE", 1000)
    content = b"".join(b"%07d " % number for number in range(2000))
    one = machine("one")
    name = name_of(one.kernel, send(one.kernel, content))
    assert bench_of(machine("other").kernel).sent.bring(name).read_bytes() == content


def test_a_file_that_lies_on_a_machine_is_read_there(machine: Callable[[str], Agent], tmp_path: Path) -> None:
    one, other = machine("one"), machine("other")
    (tmp_path / "tea.txt").write_bytes(TEXT)
    task = one.call("knowledge-add", file_path=str(tmp_path / "tea.txt"))["task_id"]
    assert take_next(other.kernel, LANES) is None
    assert take(one.kernel).id == task


def test_the_room_for_files_is_that_of_all_machines(
    machine: Callable[[str], Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_access, "MAX_HELD", 1000)
    one, other = machine("one"), machine("other")
    begun = file_access.Upload(bench_of(one.kernel), "tea.txt", 900)
    with pytest.raises(Refusal) as refused:
        file_access.Upload(bench_of(other.kernel), "milk.txt", 200)
    assert refused.value.failure is Failure.BUSY
    begun.discard()
    assert held(one.kernel) == (0, 0)
    send(other.kernel)


def test_a_file_whose_connection_is_lost_while_it_is_kept_is_whole_or_refused(
    machine: Callable[[str], Agent], address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    one = machine("one")
    monkeypatch.setattr(shared_files, "PIECE", 100)
    keep = shared_files.share
    cut: list[int] = []

    def share(session: Any, path: Path, name: str = "") -> None:
        keep(session, path, name)
        if len(cut) < cuts:
            cut.append(session.rows("SELECT pg_backend_pid()")[0][0])
            with psycopg.connect(address, autocommit=True) as connection:
                connection.execute("SELECT pg_terminate_backend(%s)", (cut[-1],))

    monkeypatch.setattr(shared_files, "share", share)
    cuts = 1
    name = name_of(one.kernel, send(one.kernel))
    assert bench_of(machine("other").kernel).sent.bring(name).read_bytes() == TEXT
    cuts, cut = 100, []
    with pytest.raises(Refusal) as refused:
        send(one.kernel)
    assert refused.value.failure is Failure.UNAVAILABLE
    assert held(one.kernel) == (1, len(TEXT))
    assert left_here(one.kernel) == []


def test_a_file_that_was_never_added_goes_after_a_day(machine: Callable[[str], Agent]) -> None:
    one, other = machine("one"), machine("other")
    kept, forgotten = (name_of(one.kernel, send(one.kernel)) for _ in range(2))
    now = one.kernel.now() / 1_000_000
    bench_of(other.kernel).sent.drop_stale(now + 3600, set())
    assert held(one.kernel)[0] == 2
    bench_of(other.kernel).sent.drop_stale(now + 25 * 3600, {kept})
    assert bench_of(one.kernel).sent.size_of(kept, kept) == len(TEXT)
    with pytest.raises(Refusal):
        bench_of(one.kernel).sent.size_of(forgotten, forgotten)


def test_sealing_the_index_keeps_what_was_sent(machine: Callable[[str], Agent]) -> None:
    one = machine("one")
    name = name_of(one.kernel, send(one.kernel))
    one.kernel.store.operate(lambda session: shared_files.unshare(session, but=[]))
    assert bench_of(machine("other").kernel).sent.bring(name).read_bytes() == TEXT


def test_each_job_is_taken_once_by_many_workers_at_once(machine: Callable[[str], Agent]) -> None:
    machines = [machine(f"machine{number}") for number in range(3)]
    wanted = {enqueue(machines[0].kernel, "index", {}, actor="ada").id for _ in range(30)}

    def take_all(agent: Agent) -> list[str]:
        taken: list[str] = []
        while (job := take_next(agent.kernel, LANES)) is not None:
            taken.append(job.id)
        return taken

    with ThreadPoolExecutor(6) as threads:
        taken = [id for found in threads.map(take_all, machines * 2) for id in found]
    assert len(taken) == 30
    assert set(taken) == wanted


def test_who_takes_a_job_does_not_wait_for_who_writes(machine: Callable[[str], Agent]) -> None:
    one, other = machine("one"), machine("other")
    job = enqueue(one.kernel, "index", {}, actor="ada")
    other.store("tea", "Green.")
    with ThreadPoolExecutor(1) as threads, one.kernel.store.database.write("default"):
        assert threads.submit(take, other.kernel).result(PATIENCE).id == job.id


def test_a_job_that_is_being_taken_is_passed_over(machine: Callable[[str], Agent]) -> None:
    one, other = machine("one"), machine("other")
    first = enqueue(one.kernel, "index", {}, actor="ada")
    second = enqueue(one.kernel, "index", {}, actor="ada")
    with one.kernel.store.database.write_apart() as session, ThreadPoolExecutor(1) as threads:
        assert jobs.claim(session, "default", first.id, one.kernel.now()) is not None
        assert threads.submit(take, other.kernel).result(PATIENCE).id == second.id


def test_what_a_machine_left_another_does_and_the_first_can_settle_no_more(
    machine: Callable[[str], Agent], impatient: Callable[[], None]
) -> None:
    one, other = machine("one"), machine("other")
    impatient()
    one.call("knowledge-add", file_path=send(one.kernel))
    lost = take(one.kernel)  # Its machine ends here.
    adopt_orphans(other.kernel, shared_only=True)
    assert take_next(other.kernel, LANES) is None

    def take_up() -> Job | None:
        adopt_orphans(other.kernel, shared_only=True)
        return take_next(other.kernel, LANES)

    again = until(take_up)
    assert again.id == lost.id
    assert again.attempts == 2
    do(other.kernel, again)
    do(one.kernel, lost)
    assert titles(one) == ["tea.txt"]
    settled = look_up(one.kernel, lost.id)
    assert (settled.state, settled.attempts) == ("completed", 2)


def test_a_job_that_somebody_is_at_is_not_taken_up_however_long_it_takes(
    machine: Callable[[str], Agent], impatient: Callable[[], None]
) -> None:
    one, other = machine("one"), machine("other")
    impatient()
    begun, go_on = threading.Event(), threading.Event()

    def slow(kernel: Kernel, job: Job, progress: Any) -> dict[str, Any]:
        begun.set()
        assert go_on.wait(PATIENCE)
        return {}

    bench = bench_of(one.kernel)
    cast(dict[str, Any], bench.acts)["index"] = slow
    enqueue(one.kernel, "index", {}, actor="ada")
    job = take(one.kernel)
    with ThreadPoolExecutor(1) as threads:
        doing = threads.submit(do, one.kernel, job)
        assert begun.wait(PATIENCE)
        for _ in range(15):
            threading.Event().wait(0.2)
            adopt_orphans(other.kernel, shared_only=True)
            assert take_next(other.kernel, LANES) is None
        go_on.set()
        doing.result(PATIENCE)
    assert look_up(other.kernel, job.id).state == "completed"


def test_a_job_is_called_off_from_another_machine(machine: Callable[[str], Agent]) -> None:
    one, other = machine("one"), machine("other")
    task = one.call("knowledge-add", file_path=send(one.kernel))["task_id"]
    job = take(other.kernel)
    call_off(one.kernel, task)
    do(other.kernel, job)
    assert look_up(other.kernel, task).state == "cancelled"
    assert titles(one) == []
    assert held(other.kernel) == (0, 0)


def test_who_waits_on_one_machine_sees_what_another_does(machine: Callable[[str], Agent]) -> None:
    one, other = machine("one"), machine("other")
    task = one.call("knowledge-add", file_path=send(one.kernel))["task_id"]
    job = take(other.kernel)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(wait, one.kernel, task, report=lambda *told: None, cancelled=lambda: False)
        do(other.kernel, job)
        assert waiting.result(PATIENCE).state == "completed"
