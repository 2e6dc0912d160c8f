"""Many processes on one index: each sees what the others have committed, whoever seals and merges meanwhile."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memotheca.admin.erasure import erase
from memotheca.admin.upkeep import forget_erased, rebuild
from memotheca.model.errors import Failure, Refusal
from memotheca.search.chosen_embedder import embedder_of
from memotheca.search.finder import Search
from memotheca.search.index.score import Filter
from memotheca.search.index.seal import MERGE_AT, collect_orphans
from memotheca.storage.store import Transaction
from memotheca.vectors.embedders import understand
from tests.durability.accounts import find_damage
from tests.durability.processes import Child, ask, follow, hear
from tests.engine.desk import Desk

WORKER = Path(__file__).parent / "worker.py"
LINES = 800
FAKE = "openai:fake@http://nowhere"
# How many threads a program has that has multiplied matrices.
MULTIPLY = """
import sys
from pathlib import Path
from memotheca.app import build
from memotheca.settings import load
app = build(load({"data": Path(sys.argv[1])}, {}))
import numpy
large = numpy.ones((600, 600), numpy.float32)
large @ large
print(len(list(Path("/proc/self/task").iterdir())))
app.kernel.store.close()
"""


@pytest.fixture
def desk(tmp_path):
    desk = Desk(tmp_path)
    yield desk
    desk.close()


@pytest.fixture
def other(tmp_path, desk):
    other = Desk(tmp_path)
    yield other
    other.close()


@pytest.mark.slow
def test_every_search_sees_all_that_was_acknowledged_before_it_while_others_import_seal_and_merge(tmp_path):
    Desk(tmp_path).close()
    searches = 0
    with (
        Child(WORKER, "search", tmp_path) as reader,
        Child(WORKER, "seal", tmp_path) as sealer,
        Child(WORKER, "seal", tmp_path) as rival,
    ):
        assert [hear(each) for each in (reader, sealer, rival)] == ["ready"] * 3
        with Child(WORKER, "import", tmp_path, LINES) as importer:
            acknowledged = 0
            for _, lines in follow([importer], 60):
                acknowledged = int(lines[-1]) if lines else acknowledged
                found, newest = map(int, ask(reader, str(acknowledged)).split())
                assert found >= acknowledged
                assert newest == 1
                searches += 1
                if lines:
                    importer.tell("go on")
            assert importer.finish() == 0, importer.complaint
        rounds = [int(ask(each, "enough")) for each in (sealer, rival)]
        reader.hang_up()
        assert [each.finish() for each in (reader, sealer, rival)] == [0, 0, 0]
    assert searches > 10
    assert sum(rounds) > MERGE_AT
    desk = Desk(tmp_path)
    assert len(desk.find("tea", depth=LINES * 2).passages) == LINES
    assert find_damage(desk.store) == []
    desk.close()


def test_a_write_is_found_by_another_process_at_once(desk, other):
    for number in range(5):
        id = (desk, other)[number % 2].put(f"tea number{number}")
        assert other.ids(f"number{number}") == desk.ids(f"number{number}") == [id]


def test_whoever_seals_second_throws_its_file_away_and_goes_on(desk, other, monkeypatch):
    ids = [desk.put(f"tea {number}") for number in range(3)]
    original = desk.store.operate
    monkeypatch.setattr(desk.store, "operate", lambda act: (other.seal(), original(act))[1])
    assert not desk.seal(), "the other was first"
    monkeypatch.undo()
    assert len(desk.segments) == 1
    assert set(desk.ids("tea")) == set(other.ids("tea")) == set(ids)


def make_old(path: Path) -> None:
    then = time.time() - 10_000
    os.utime(path, (then, then))


def fill(desk: Desk, count: int = MERGE_AT - 1) -> list[str]:
    """Entries in as many segments, written long ago."""
    ids: list[str] = []
    for number in range(count):
        ids.append(desk.put(f"tea {number}"))
        desk.seal()
    for path in desk.segments:
        make_old(path)
    return ids


def test_a_reader_whose_segments_were_merged_away_keeps_answering(desk, other):
    ids = fill(desk)
    with other.kernel.read() as snapshot:
        search = Search(text="tea", filter=Filter(as_of=snapshot.tx))
        before = other.finder.find(snapshot, search, None)
        desk.put("tea late")
        assert desk.seal()
        assert collect_orphans(desk.store, desk.finder.folder, older_than=-1) == MERGE_AT
        assert len(desk.segments) == 1
        assert other.finder.find(snapshot, search, None) == before
    assert len(other.ids("tea")) == len(ids) + 1


def test_a_reader_with_an_older_snapshot_can_still_open_the_segments_it_names(desk, other):
    """However long ago they were written: their time of grace begins when they are merged away."""
    ids = fill(desk)
    with other.kernel.read() as snapshot:
        desk.put("tea late")
        assert desk.seal()
        collect_orphans(desk.store, desk.finder.folder)
        found = other.finder.find(snapshot, Search(text="tea", filter=Filter(as_of=snapshot.tx)), None)
    assert {passage.entry_id for passage in found.passages} == set(ids)


def test_files_that_nobody_names_are_collected_once_they_are_old(desk):
    fill(desk)
    orphans = [desk.finder.folder / name for name in ("text-0.seg", ".text-1.99.part")]
    for path in orphans:
        path.write_bytes(b"left by a killed process")
    assert collect_orphans(desk.store, desk.finder.folder) == 0
    make_old(orphans[0])
    assert collect_orphans(desk.store, desk.finder.folder) == 1
    assert collect_orphans(desk.store, desk.finder.folder, older_than=-1) == 1
    assert len(desk.ids("tea")) == MERGE_AT - 1


def test_a_search_during_which_segments_are_erased_is_done_again(tmp_path):
    desk, other = Desk(tmp_path, FAKE), Desk(tmp_path, FAKE)
    ids = fill(desk, 2)
    embedder = other.load(understand(FAKE))
    original = embedder.embed_question

    def embed_question(text: str) -> object:
        """Between the snapshot and the moment its segments are opened."""
        if desk.entries()[0].id == ids[0]:
            desk.kernel.write(lambda transaction: erase_rows(transaction, ids[0]), actor="test")
            forget_erased(desk.kernel)
        return original(text)

    embedder.embed_question = embed_question
    assert other.ids("tea") == [ids[1]]
    other.close()
    desk.close()


def erase_rows(transaction: Transaction, id: str) -> None:
    transaction.describe("ERASE")
    transaction.erase(id)


def test_searches_go_on_after_an_erasure_that_got_no_further_than_the_rows(tmp_path):
    """Segments still hold the erased chunk and name its vector, which is there no more."""
    desk, other = Desk(tmp_path, FAKE), Desk(tmp_path, FAKE)
    ids = fill(desk, 3)
    assert len(other.ids("tea")) == 3
    desk.kernel.write(lambda transaction: erase_rows(transaction, ids[1]), actor="test")
    for each in (other, desk, Desk(tmp_path, FAKE)):
        assert set(each.ids("tea")) == {ids[0], ids[2]}
        assert set(each.ids("")) == {ids[0], ids[2]}
    with pytest.raises(Refusal):
        erase(desk.kernel, ids[1], actor="test")
    assert len(desk.find("tea").passages) == 2
    other.close()
    desk.close()


@pytest.mark.parametrize("is_sealed", [False, True])
def test_no_process_counts_what_is_erased_though_the_erasure_got_no_further_than_the_rows(tmp_path, is_sealed):
    desk, other = Desk(tmp_path, FAKE), Desk(tmp_path, FAKE)
    ids = fill(desk, 3) if is_sealed else [desk.put(f"tea {number}") for number in range(3)]
    assert len(desk.found("tea")) == len(other.found("tea")) == 3
    desk.kernel.write(lambda transaction: erase_rows(transaction, ids[1]), actor="test")
    fresh = Desk(tmp_path, FAKE)
    for each in (desk, other, fresh):
        assert {found[0] for found in each.found("tea")} == {ids[0], ids[2]}
        assert each.ask("tea").total == 2
        assert each.found("tea") == desk.found("tea")
    desk.put("tea later")
    assert desk.found("tea") == other.found("tea") == fresh.found("tea")
    for each in (fresh, other, desk):
        each.close()


def test_an_erasure_that_meets_a_process_that_seals_breaks_no_manifest(desk, other, monkeypatch):
    ids = fill(desk)
    other.put("tea late")
    original, sealed = desk.store.operate, list[bool]()

    def operate(act):
        if not sealed:
            sealed.append(other.seal())
        return original(act)

    monkeypatch.setattr(desk.store, "operate", operate)
    erase(desk.kernel, ids[0], actor="test")
    monkeypatch.undo()
    assert sealed == [True]
    for each in (desk, other, Desk(desk.data)):
        assert len(each.ids("tea")) == len(ids)
        assert ids[0] not in each.ids("tea")
        assert len(each.find("tea").passages) == len(ids), "it still stands in a segment"


def test_a_thread_with_an_older_snapshot_gets_the_answer_of_that_snapshot(tmp_path):
    """The index has moved on, and knows vectors that the snapshot does not have."""
    desk = Desk(tmp_path, FAKE)
    first = desk.put("tea")
    long = desk.put("tea. " * 2000)
    with desk.kernel.read() as snapshot:
        search = Search(text="tea", filter=Filter(as_of=snapshot.tx))
        desk.embed()
        desk.put("tea tea")
        desk.seal()
        assert len(desk.ids("tea")) == 3
        fake = embedder_of(desk.kernel, snapshot.session)
        found = desk.finder.find(snapshot, search, fake)
        assert {passage.entry_id for passage in found.passages} == {first, long}
    assert len(desk.ids("tea")) == 3
    desk.close()


def test_a_lost_segment_is_said_and_made_anew(desk):
    ids = fill(desk)
    desk.segments[0].unlink()
    desk.reopen()
    with pytest.raises(Refusal) as refused:
        desk.ask("tea")
    assert refused.value.failure is Failure.CORRUPT
    assert "memotheca reindex" in refused.value.message
    rebuild(desk.kernel, lambda done, total, message: None)
    assert set(desk.ids("tea")) == set(ids)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts threads in /proc")
@pytest.mark.parametrize(("asked", "threads"), [({}, 1), ({"OPENBLAS_NUM_THREADS": "2"}, 2)])
def test_a_program_multiplies_in_its_own_thread_unless_somebody_asks_for_more(
    asked: dict[str, str], threads: int, tmp_path: Path
) -> None:
    if (os.cpu_count() or 1) < 2:
        pytest.skip("one processor")
    inherited = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", MULTIPLY, str(tmp_path / "data")]
    told = subprocess.run(command, env=inherited | asked, capture_output=True, text=True, check=True, timeout=120)
    assert int(told.stdout) == threads
