"""Health: what is measured moves with its cause, and healing does what it says and says what it did."""

import shutil
from typing import Any

import pytest

from memotheca.admin import checkup
from memotheca.admin.checkup import Vital
from memotheca.jobs.queue import bench_of, enqueue
from memotheca.memory.care.part_health import condition_of
from memotheca.model.kinds import MEMORY
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.search.finder import finder_of
from memotheca.search.index import seal
from memotheca.storage import jobs
from memotheca.storage.roles import RoleHolder
from memotheca.vectors.embedders import DEFAULT
from tests.conftest import Time
from tests.memories.librarian import WHY, Librarian


def checks(librarian: Librarian, subsystem: str) -> dict[str, dict[str, Any]]:
    told = librarian.call("get_health_status", subsystem=subsystem)
    assert list(told["subsystems"]) == [subsystem]
    return {each["name"]: each for each in told["subsystems"][subsystem]["checks"]}


def value(librarian: Librarian, subsystem: str, name: str) -> float:
    return checks(librarian, subsystem)[name]["value"]


def heal(librarian: Librarian, subsystem: str, severity: str = "medium") -> dict[str, Any]:
    return librarian.call("trigger_healing", subsystem=subsystem, severity=severity)


def test_a_new_memory_is_healthy_and_nothing_is_advised(librarian: Librarian) -> None:
    librarian.remember("Ada takes her tea black.")
    told = librarian.call("get_health_status")
    assert (told["overall_status"], told["overall_score"], told["recommendations"]) == ("healthy", 1, [])
    assert list(told["subsystems"]) == ["utl", "gwt", "dream", "storage"]
    assert told["subsystems"]["storage"]["ok"]
    assert told["subsystems"]["storage"]["node_count"] == 1
    assert told["subsystems"]["utl"]["accuracy"] is None


@pytest.mark.parametrize(
    ("size", "score", "status"), [(10, 1, "healthy"), (12, 0.833, "healthy"), (25, 0.4, "critical")]
)
def test_a_part_is_as_well_as_its_worst_check(size: float, score: float, status: str) -> None:
    vital = Vital(name="x", value=size, limit=10, advice="")
    assert vital.score == pytest.approx(score, abs=0.001)
    assert condition_of(vital.score) == status
    assert Vital(name="x", value=5, limit=10, advice="", is_wanted=True).score == 0.5
    assert Vital(name="x", value=1, limit=0, advice="").score == 0


def test_passages_without_vectors_are_counted_and_embedded(
    librarian: Librarian, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        librarian.remember(f"Note number {number}.")
    assert value(librarian, "storage", "vectors_waiting") == 0
    choose_embedder(librarian.kernel.store, librarian.kernel.collection, DEFAULT)
    assert value(librarian, "storage", "vectors_waiting") == 3
    monkeypatch.setattr(checkup, "WAITING_VECTORS", 1)
    ill = librarian.call("get_health_status")
    assert ill["overall_status"] == "critical"
    assert ill["recommendations"][0].startswith("vectors_waiting is 3")
    told = heal(librarian, "storage")
    assert "embedded 3 passages" in told["actions_taken"]
    assert (told["old_status"], told["new_status"], told["success"]) == ("critical", "healthy", True)
    assert value(librarian, "storage", "vectors_waiting") == 0
    assert not any("embedded" in done for done in heal(librarian, "storage")["actions_taken"])


def test_rows_are_sealed_and_segments_counted(librarian: Librarian, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        librarian.remember(f"Note number {number}.")
    assert value(librarian, "storage", "rows_unsealed") == 5
    monkeypatch.setattr(seal.maintain, "__kwdefaults__", {"seal_at": 4})
    assert "sealed 5 rows of the index" in heal(librarian, "storage", "low")["actions_taken"]
    assert value(librarian, "storage", "rows_unsealed") == 0
    assert value(librarian, "storage", "segments") == 1
    assert librarian.found("note")


@pytest.mark.only_sqlite(reason="elsewhere the folder is a cache, and brought again")
def test_a_file_of_the_index_that_is_gone_is_noticed_and_made_anew_only_when_it_is_critical(
    librarian: Librarian, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        librarian.remember(f"Note number {number}.")
    monkeypatch.setattr(seal.maintain, "__kwdefaults__", {"seal_at": 4})
    heal(librarian, "storage", "low")
    monkeypatch.undo()
    for file in finder_of(librarian.kernel).folder.iterdir():
        file.unlink()
    assert value(librarian, "storage", "segments_missing") == 1
    assert not heal(librarian, "storage", "high")["success"]
    told = heal(librarian, "storage", "critical")
    assert told["success"]
    assert any(done.startswith("made the index anew") for done in told["actions_taken"])
    assert len(librarian.found("note")) == 5


@pytest.mark.only_sqlite(reason="elsewhere the log is the servers")
def test_the_log_is_measured_and_shortened(librarian: Librarian) -> None:
    for number in range(30):
        librarian.remember(f"Note number {number}.")
    before = value(librarian, "storage", "log_bytes")
    assert before > 0
    told = heal(librarian, "storage", "low")
    assert any(done.startswith("moved") for done in told["actions_taken"])
    assert value(librarian, "storage", "log_bytes") < before
    assert len(librarian.found("note", top_k=100)) == 30


def test_a_full_disk_is_critical(librarian: Librarian, monkeypatch: pytest.MonkeyPatch) -> None:
    assert value(librarian, "storage", "disk_free_bytes") > 0
    usage = shutil.disk_usage(librarian.vault)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=checkup.FREE // 4))
    told = librarian.call("get_health_status")
    assert told["overall_status"] == "critical"
    assert "free some space" in told["recommendations"][0]


def failed(librarian: Librarian) -> str:
    """A job that has failed."""
    kernel = librarian.kernel
    job = enqueue(kernel, "index", {}, actor="tester")
    taken = kernel.store.operate(lambda session: jobs.claim(session, kernel.collection, job.id, kernel.now()))
    assert taken is not None
    outcome = {"failure": "INTERNAL", "message": "no"}
    kernel.store.operate(lambda session: jobs.settle(session, taken, "failed", outcome=outcome, now=kernel.now()))
    return job.id


def test_jobs_that_failed_are_counted_and_queued_again(librarian: Librarian, time: Time) -> None:
    ids = [failed(librarian) for _ in range(2)]
    assert value(librarian, "dream", "jobs_failed") == 2
    assert heal(librarian, "dream", "low")["actions_taken"] == []
    told = heal(librarian, "dream")
    assert told["actions_taken"] == ["queued 2 failed jobs again"]
    assert (value(librarian, "dream", "jobs_failed"), value(librarian, "dream", "jobs_waiting")) == (0, 2)
    time.advance(1200)
    assert value(librarian, "dream", "longest_wait_seconds") >= 1200
    assert librarian.call("get_health_status", subsystem="dream")["overall_status"] != "healthy"
    with librarian.kernel.store.database.read() as session:
        assert {jobs.find(session, librarian.kernel.collection, id).state for id in ids} == {"queued"}  # type: ignore[union-attr]


def test_what_was_left_running_is_queued_again_where_nobody_works(librarian: Librarian) -> None:
    kernel = librarian.kernel
    job = enqueue(kernel, "index", {}, actor="tester")
    kernel.store.operate(lambda session: jobs.claim(session, kernel.collection, job.id, kernel.now()))
    assert heal(librarian, "dream", "low")["actions_taken"] == ["queued again what had lost its worker: 1 job"]
    assert value(librarian, "dream", "jobs_waiting") == 1


def test_who_holds_a_role_and_gives_no_sign_is_told(librarian: Librarian, monkeypatch: pytest.MonkeyPatch) -> None:
    assert value(librarian, "dream", "silent_roles") == 0
    silent = RoleHolder("jobs", 4711, "here", "noon", 1e6)
    monkeypatch.setattr(checkup, "holders", lambda data: [silent])
    told = librarian.call("get_health_status")
    assert told["overall_status"] == "critical"
    assert "4711" in told["recommendations"][0]


def test_what_was_not_looked_through_yet_is_counted_and_looked_through(librarian: Librarian) -> None:
    for number in range(4):
        librarian.call("store", topic=f"cup {number}", content=f"The cup holds {number} teas.")
    assert value(librarian, "dream", "not_yet_looked_through") == 4
    assert "looked through 4 entries for what is to be decided" in heal(librarian, "dream", "high")["actions_taken"]
    assert value(librarian, "dream", "not_yet_looked_through") == 0


def test_poor_recall_is_told_and_can_be_measured_anew(librarian: Librarian) -> None:
    id = librarian.remember("Ada takes her tea black.")
    librarian.call("test_recall_accuracy", query="zzz", expected_node_ids=[id])
    told = librarian.call("get_health_status", subsystem="utl")
    assert (told["overall_status"], told["subsystems"]["utl"]["accuracy"]) == ("critical", 0)
    assert any("recall of 0.00" in done for done in heal(librarian, "utl", "high")["actions_taken"])
    assert librarian.call("get_health_status", subsystem="utl")["subsystems"]["utl"]["accuracy"] is None


def test_a_memory_without_a_fingerprint_is_noticed(librarian: Librarian) -> None:
    id = librarian.remember("Ada takes her tea black.")
    assert value(librarian, "utl", "fingerprints_missing") == 0
    collection = librarian.kernel.collection

    def lose(session: Any) -> None:
        session.run("DELETE FROM fingerprint WHERE collection = ? AND entry_id = ?", collection, id)

    librarian.kernel.store.operate(lose)
    with librarian.kernel.read() as snapshot:
        assert snapshot.count("entry", (MEMORY,)) == 1
    librarian.remember("Bo takes it white.")
    librarian.kernel.parts._kept.clear()  # as another process would see it
    assert value(librarian, "utl", "fingerprints_missing") == 1


def test_what_a_process_holds_of_its_sessions_is_written_down(librarian: Librarian) -> None:
    librarian.remember("Ada takes her tea black.")
    librarian.found("tea")
    assert value(librarian, "gwt", "unwritten") > 0
    assert heal(librarian, "gwt", "low")["actions_taken"][0].startswith("wrote down")
    assert "kuramoto_r" in librarian.call("get_health_status", subsystem="gwt")["subsystems"]["gwt"]
    librarian.call("adjust_neuromodulator", modulator="serotonin", delta=0.3)
    assert "brought dopamine, serotonin of this session to rest" in heal(librarian, "gwt", "high")["actions_taken"]
    assert librarian.call("get_neuromodulation_state")["serotonin"]["level"] == 0.5


@pytest.mark.parametrize("subsystem", ["utl", "gwt", "dream", "storage"])
def test_healing_changes_no_memory(librarian: Librarian, subsystem: str) -> None:
    librarian.remember("Ada takes her tea black.")
    with librarian.kernel.read() as snapshot:
        before = snapshot.tx
    told = heal(librarian, subsystem, "critical")
    assert told["success"]
    with librarian.kernel.read() as snapshot:
        assert snapshot.tx == before
    assert bench_of(librarian.kernel) is not None


def test_an_unknown_part_or_severity_is_refused_with_what_is_allowed(librarian: Librarian) -> None:
    for tool, said in (
        ("get_health_status", {"subsystem": "liver"}),
        ("trigger_healing", {"subsystem": "all"}),
        ("trigger_healing", {"subsystem": "utl", "severity": "mild"}),
    ):
        error = (librarian.reply(tool, **said).structured or {})["error"]
        assert error["code"] == -32002
        assert error["data"]["allowed"]


def test_a_pin_that_is_gone_is_taken_off_and_a_severe_healing_takes_off_any(librarian: Librarian) -> None:
    lost = librarian.remember("Ada takes her tea black.")
    librarian.call("trigger_workspace_broadcast", memory_id=lost, force=True)
    assert not any("took off" in done for done in heal(librarian, "gwt")["actions_taken"])
    librarian.call("forget_concept", node_id=lost, reason="obsolete", rationale=WHY)
    assert f"took off {lost}, which was pinned and is gone" in heal(librarian, "gwt")["actions_taken"]
    kept = librarian.remember("Bo takes it white.")
    librarian.call("trigger_workspace_broadcast", memory_id=kept, force=True)
    librarian.call("adjust_coupling", new_K=4)
    done = heal(librarian, "gwt", "high")["actions_taken"]
    assert f"took off what was pinned, {kept} and set the coupling from 4 to 0" in done
    assert not librarian.call("get_workspace_status")["is_broadcasting"]


def test_the_focus_and_the_dreams_are_told_beside_their_checks(librarian: Librarian) -> None:
    for number in range(4):
        librarian.remember(f"The nightly job {number} holds the lock.")
    parts = librarian.call("get_health_status")["subsystems"]
    assert parts["dream"]["last_cycle"] is None
    assert (parts["dream"]["is_dreaming"], parts["dream"]["cycles_completed"]) == (False, 0)
    assert parts["gwt"]["identity_continuity"] is None
    for _ in range(4):
        librarian.found("nightly job lock")
    librarian.call("trigger_dream", blocking=True)
    parts = librarian.call("get_health_status")["subsystems"]
    assert parts["dream"]["cycles_completed"] == 1
    assert parts["dream"]["last_cycle"] is not None
    assert parts["gwt"]["kuramoto_r"] == librarian.call("get_kuramoto_sync")["r"]
    ego = librarian.call("get_ego_state")["identity_continuity"]["ic"]
    assert parts["gwt"]["identity_continuity"] == ego
