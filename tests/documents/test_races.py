"""Several at once: versions of one file, what is said of it, and files that come and go."""

import threading
from dataclasses import replace
from typing import Any

from memotheca.documents import ingest
from memotheca.documents.ingest import Wish, queue_file
from memotheca.jobs import file_access
from memotheca.jobs.queue import bench_of, call_off, look_up, unsettled_jobs, wait, work
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.search.passages import Passage
from memotheca.storage import jobs
from memotheca.vectors.embedders import DEFAULT
from tests.patience import PATIENCE


class Waits:
    """The real sandbox, which waits in the middle of reading until it is told to go on."""

    def __init__(self, sandbox):
        self._sandbox = sandbox
        self.snapshot, self.go_on = threading.Event(), threading.Event()

    def read(self, opened, **wishes):
        document = self._sandbox.read(opened, **wishes)
        self.snapshot.set()
        assert self.go_on.wait(PATIENCE)
        return document


def begin(kernel, path, metadata) -> Any:
    """A job for a file, taken by a worker of ours; returns what does it, and the job once that is done."""
    job, _ = queue_file(kernel, Wish(file_path=str(path), metadata=metadata), actor="tester")
    with kernel.store.database.write() as session:
        taken: Any = jobs.claim(session, kernel.collection, job.id, kernel.now())

    def act():
        work(kernel, taken, report=lambda *told: None, interrupted=lambda: False)
        return look_up(kernel, job.id)

    return act


def ingest_slowly(librarian, path, **metadata):
    """A file that is being read, and what to call to have it stored; it returns the job."""
    waits = Waits(librarian.bench.sandbox)
    kernel = librarian.kernel.having(replace(librarian.bench, sandbox=waits))
    ended: list[Any] = []
    act = begin(kernel, path, metadata)
    thread = threading.Thread(target=lambda: ended.append(act()))
    thread.start()
    assert waits.snapshot.wait(PATIENCE)

    def finish():
        waits.go_on.set()
        thread.join()
        return ended[0]

    return finish


def documents_of(librarian) -> Any:
    with librarian.kernel.read() as snapshot:
        return [version.thing for version in snapshot.entries(("document",))]


def run_again(librarian, job) -> Any:
    return wait(librarian.kernel, job.id, report=lambda *told: None, cancelled=lambda: False)


def test_an_older_state_of_a_file_never_replaces_a_newer_one(librarian):
    path = librarian.write("a.txt", "The kettle is red.")
    finish = ingest_slowly(librarian, path)
    begin(librarian.kernel, librarian.write("a.txt", "The kettle is blue."), {})()
    job = finish()
    assert job.state == "queued"
    job = run_again(librarian, job)
    assert (job.state, job.outcome["duplicate"]) == ("completed", True)
    assert [result["chunk_text"] for result in librarian.found("kettle")] == ["The kettle is blue."]


def test_two_versions_of_a_document_are_written_side_by_side(librarian):
    choose_embedder(librarian.kernel.store, librarian.kernel.collection, DEFAULT)
    path = librarian.write("a.txt", "The kettle is red.")
    librarian.add(path)
    librarian.write("a.txt", "The kettle is blue.")
    finishes = [ingest_slowly(librarian, path) for _ in range(2)]
    outcomes = [finish() for finish in finishes]
    assert [job.state for job in outcomes] == ["completed", "completed"]
    assert [bool(job.outcome.get("duplicate")) for job in outcomes] == [False, True]


def test_what_two_say_of_the_same_new_file_is_all_kept(librarian):
    path = librarian.write("a.txt")
    finish = ingest_slowly(librarian, path, author="Ada")
    begin(librarian.kernel, path, {"tags": ["kitchen"]})()
    assert finish().outcome["duplicate"] is True
    (document,) = documents_of(librarian)
    assert document.attributes["metadata"] == {"tags": ["kitchen"], "author": "Ada"}


def test_what_others_send_may_come_and_go_meanwhile(librarian):
    bench, stopped = bench_of(librarian.kernel), threading.Event()
    uploads = bench.sent.folder / bench.drawer

    def come_and_go():
        while not stopped.is_set():
            folders = [uploads / f"other{number}" for number in range(20)]
            for folder in folders:
                folder.mkdir(parents=True)
                (folder / "a.html").write_text("x")
            for folder in folders:
                bench.sent.drop(f"{bench.drawer}/{folder.name}/a.html")

    other = threading.Thread(target=come_and_go)
    other.start()
    try:
        for number in range(200):
            file_access.Upload(bench, f"n{number}.html").discard()
            bench.sent.drop_stale(0.0, set())
    finally:
        stopped.set()
        other.join()


def test_a_text_without_end_is_called_off_while_it_is_cut(librarian, monkeypatch):
    def cut_for_ever(entry, chunk_size):
        call_off(librarian.kernel, job_id)
        while True:
            yield Passage(0, 1, None, "x")

    act = begin(librarian.kernel, librarian.write("a.txt"), {})
    (job_id,) = [job.id for job in unsettled_jobs(librarian.kernel)]
    monkeypatch.setattr(ingest, "passages_of_document", cut_for_ever)
    assert act().state == "cancelled"
    assert documents_of(librarian) == []
