"""Jobs: queued, run once, in turn, retried, called off, and picked up after whoever ran them has gone."""

import threading
from dataclasses import replace
from typing import Any

import pytest

from memotheca.documents import ingest
from memotheca.jobs import queue as jobs_module
from memotheca.jobs import workers
from memotheca.jobs.queue import adopt_orphans, bench_of, call_off, enqueue, look_up, take_next, wait, work
from memotheca.jobs.sent_files import FolderFiles
from memotheca.jobs.workers import LANES, Workers
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.locks import role
from tests.patience import PATIENCE, until


def take(kernel, *lanes) -> Any:
    return take_next(kernel, lanes)


def found(kernel, id) -> Any:
    return look_up(kernel, id)


def silence(done, total, message):
    return None


def never():
    return False


@pytest.fixture
def kernel(librarian):
    """A kernel whose jobs are what a test makes of them."""
    acts = {"greet": lambda kernel, job, progress: {"said": "hello", "entry_id": None}}
    return librarian.kernel.having(replace(bench_of(librarian.kernel), acts=acts))


def with_act(kernel, act):
    return kernel.having(replace(bench_of(kernel), acts={"greet": act}))


def run_to_end(kernel, job) -> Any:
    return wait(kernel, job.id, report=silence, cancelled=never)


def test_a_job_is_done_where_nobody_else_works(kernel):
    job = run_to_end(kernel, enqueue(kernel, "greet", {}, actor="ada"))
    assert (job.state, job.outcome["said"], job.attempts) == ("completed", "hello", 1)
    assert job.done == job.total


def test_a_job_is_run_by_one_worker_only(kernel):
    runs = []
    kernel = with_act(kernel, lambda kernel, job, progress: runs.append(job.id) or {})
    jobs = [enqueue(kernel, "greet", {}, actor="ada", lane="small") for _ in range(20)]
    crews = [Workers(kernel).start(), Workers(replace(kernel)).start()]
    try:
        for job in jobs:
            assert run_to_end(kernel, job).state == "completed"
    finally:
        for crew in crews:
            crew.stop()
    assert sorted(runs) == sorted(job.id for job in jobs)


def test_a_refusal_fails_the_job_with_its_reason(kernel):
    def refuse(kernel, job, progress):
        raise Refusal(Failure.ENCRYPTED, "It is locked.", field="file_path")

    job = run_to_end(with_act(kernel, refuse), enqueue(kernel, "greet", {}, actor="ada"))
    assert job.state == "failed"
    assert (job.outcome["failure"], job.outcome["message"], job.attempts) == ("ENCRYPTED", "It is locked.", 1)


def test_what_nobody_expected_fails_one_job_and_leaks_nothing(kernel):
    def explode(kernel, job, progress):
        raise RuntimeError("secret")

    job = run_to_end(with_act(kernel, explode), enqueue(kernel, "greet", {}, actor="ada"))
    assert (job.state, job.outcome["failure"]) == ("failed", "INTERNAL")
    assert "secret" not in str(job.outcome)


def test_a_passing_trouble_is_tried_again_and_then_given_up(kernel):
    attempts = []

    def stumble(kernel, job, progress):
        attempts.append(job.attempts)
        raise Refusal(Failure.BUSY, "Somebody else is at it.")

    job = run_to_end(with_act(kernel, stumble), enqueue(kernel, "greet", {}, actor="ada"))
    assert attempts == [1, 2, 3]
    assert (job.state, job.outcome["failure"]) == ("failed", "BUSY")


def test_a_passing_trouble_that_passes_leaves_the_job_completed(kernel):
    def stumble_once(kernel, job, progress):
        if job.attempts == 1:
            raise Refusal(Failure.UNAVAILABLE, "Not now.")
        return {}

    job = run_to_end(with_act(kernel, stumble_once), enqueue(kernel, "greet", {}, actor="ada"))
    assert (job.state, job.attempts) == ("completed", 2)


def test_a_queued_job_is_called_off_at_once(kernel):
    job = enqueue(kernel, "greet", {}, actor="ada")
    assert call_off(kernel, job.id).state == "cancelled"
    assert take(kernel, "small", "large") is None


def test_a_running_job_hears_that_it_is_not_wanted(kernel):
    begun, seen = threading.Event(), threading.Event()

    def go_on(kernel, job, progress):
        begun.set()
        while not progress.stop():
            seen.wait(0.01)
        raise Refusal(Failure.CANCELLED, "Stopped.")

    kernel = with_act(kernel, go_on)
    crew = Workers(kernel).start()
    try:
        job = enqueue(kernel, "greet", {}, actor="ada")
        assert begun.wait(PATIENCE)
        call_off(kernel, job.id)
        assert run_to_end(kernel, job).state == "cancelled"
    finally:
        crew.stop()


def test_calling_off_what_is_done_changes_nothing(kernel):
    job = run_to_end(kernel, enqueue(kernel, "greet", {}, actor="ada"))
    assert call_off(kernel, job.id).state == "completed"


def test_an_unknown_job_is_not_found(kernel):
    with pytest.raises(Refusal) as refusal:
        call_off(kernel, "nothing")
    assert refusal.value.failure is Failure.NOT_FOUND


def test_those_who_wait_take_turns(kernel):
    for number in range(3):
        enqueue(kernel, "greet", {"number": number}, actor="hoarder", lane="small")
    enqueue(kernel, "greet", {"number": 9}, actor="guest", lane="small")
    order = []
    while (job := take(kernel, "small")) is not None:
        order.append((job.actor, job.arguments["number"]))
        work(kernel, job, report=silence, interrupted=never)
    assert order == [("hoarder", 0), ("guest", 9), ("hoarder", 1), ("hoarder", 2)]


def test_big_files_leave_a_worker_to_the_small_ones(kernel):
    assert ("small",) in LANES
    for number in range(5):
        enqueue(kernel, "greet", {"number": number}, actor="ada", lane="large")
    small = enqueue(kernel, "greet", {}, actor="ada", lane="small")
    assert take(kernel, "small").id == small.id
    assert take(kernel, "small") is None


def test_what_a_dead_worker_left_is_queued_again_and_given_up_in_the_end(kernel):
    job = enqueue(kernel, "greet", {}, actor="ada", lane="small")
    for attempt in (1, 2, 3):
        assert take(kernel, "small").attempts == attempt
        adopt_orphans(kernel)
    left = found(kernel, job.id)
    assert (left.state, left.outcome["failure"]) == ("failed", "UNAVAILABLE")
    assert "3 times" in left.outcome["message"]


def test_stopping_gives_work_back_without_counting_the_attempt(kernel):
    begun = threading.Event()

    def go_on(kernel, job, progress):
        begun.set()
        while not progress.stop():
            pass
        raise Refusal(Failure.CANCELLED, "Stopped.")

    slow = with_act(kernel, go_on)
    crew = Workers(slow).start()
    job = enqueue(slow, "greet", {}, actor="ada")
    assert begun.wait(PATIENCE)
    crew.stop()
    left = found(kernel, job.id)
    assert (left.state, left.attempts) == ("queued", 0)
    assert run_to_end(kernel, job).state == "completed"


def test_only_whoever_holds_the_role_works(kernel):
    with role(bench_of(kernel).data, "jobs") as held:
        assert held
        crew = Workers(kernel).start()
        job = enqueue(kernel, "greet", {}, actor="ada")
        crew.stop()
        assert look_up(kernel, job.id).state == "queued"


def test_collections_take_turns(kernel):
    other = replace(kernel, collection="zebra")
    for _ in range(3):
        enqueue(kernel, "greet", {}, actor="ada", lane="small")
    enqueue(other, "greet", {}, actor="ada", lane="small")
    order = []
    while (job := take(kernel, "small")) is not None:
        order.append(job.collection)
        work(kernel, job, report=silence, interrupted=never)
    assert order == ["default", "zebra", "default", "default"]


def test_the_role_is_kept_while_somebody_works_whatever_fails_beside_it(kernel, monkeypatch):
    """Whoever else takes the role takes every running job for one that was left behind."""
    begun, go_on, troubled = threading.Event(), threading.Event(), threading.Event()

    def hold_on(kernel, job, progress):
        begun.set()
        assert go_on.wait(PATIENCE)
        return {}

    def fail(*arguments):
        if begun.is_set():
            troubled.set()
            raise OSError("no disk today")

    monkeypatch.setattr(workers, "TIDY_SECONDS", 0.01)
    monkeypatch.setattr(FolderFiles, "drop_stale", fail)
    kernel = with_act(kernel, hold_on)
    crew = Workers(kernel).start()
    try:
        job = enqueue(kernel, "greet", {}, actor="ada")
        assert begun.wait(PATIENCE)
        assert troubled.wait(PATIENCE)
        with role(bench_of(kernel).data, "jobs") as held:
            assert not held
        go_on.set()
        assert run_to_end(kernel, job).attempts == 1
    finally:
        go_on.set()
        crew.stop()


def holds(kernel):
    with role(bench_of(kernel).data, "jobs") as free:
        return not free


def test_workers_of_an_older_program_leave_the_role_to_a_newer_one(kernel):
    job = enqueue(kernel, "greet", {}, actor="ada")
    call_off(kernel, job.id)
    crew = Workers(kernel).start()
    try:
        until(lambda: holds(kernel))
        with kernel.store.database.write() as session:
            session.run("UPDATE meta SET value = '99' WHERE name = 'format'")
            session.run("UPDATE job SET state = 'queued'")
        bench_of(kernel).ring()
        until(lambda: not holds(kernel))
        assert found(kernel, job.id).state == "queued"
    finally:
        crew.stop()


def test_progress_that_cannot_be_written_now_is_no_reason_to_begin_again(kernel, monkeypatch):
    def report(kernel, job, progress):
        monkeypatch.setattr(jobs_module, "LOOK_SECONDS", -1.0)
        operate = kernel.store.operate

        def refuse(act):
            raise Refusal(Failure.BUSY, "Somebody writes for long.")

        monkeypatch.setattr(kernel.store, "operate", refuse)
        progress.reach(1, 2, "half")
        monkeypatch.setattr(kernel.store, "operate", operate)
        return {"attempts": job.attempts}

    job = run_to_end(with_act(kernel, report), enqueue(kernel, "greet", {}, actor="ada"))
    assert (job.state, job.outcome["attempts"]) == ("completed", 1)


def test_jobs_of_every_collection_are_done(kernel):
    other = replace(kernel, collection="other")
    job = enqueue(other, "greet", {}, actor="ada", lane="small")
    taken = take(kernel, "small")
    assert (taken.id, taken.collection) == (job.id, "other")


def test_the_estimate_knows_how_many_wait(librarian, monkeypatch):
    """Of those before it only the newest are looked at one by one."""
    monkeypatch.setattr(ingest, "LEARNT_FROM", 2)
    big, small = librarian.write("big.txt", "words " * 100_000), librarian.write("small.txt")

    def estimate(path):
        return librarian.call("knowledge-add", file_path=str(path))["estimated_time_seconds"]

    assert [estimate(big) for _ in range(5)] == [3, 6, 9, 12, 15]
    librarian.call("store", topic="tea", content="It has nothing to do with it.")
    assert estimate(small) == 16
