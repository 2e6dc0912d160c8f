"""Moods of sessions: each its own, remembered over restarts, and no more of them than are worth it."""

import pytest

from memotheca import settings
from memotheca.app import build
from memotheca.memory.session import state
from memotheca.memory.session.state import activity_of
from memotheca.model.errors import Failure, Refusal
from memotheca.storage import activity
from memotheca.storage.activity import ActivityRecord, LogFilter


@pytest.fixture
def open_kernel(tmp_path, time):
    opened = []

    def open():
        opened.append(build(settings.load({"data": str(tmp_path)}, {}), clock=time).kernel)
        return opened[-1]

    yield open
    for kernel in opened:
        kernel.store.close()


def feel(kernel, name, coherence):
    with kernel.read() as snapshot:
        mood = activity_of(kernel).mood(snapshot.session, kernel.collection, name)
    activity_of(kernel).feel((kernel.collection, name), mood, (0.5, coherence, 0.5))


def coherence(kernel, name):
    with kernel.read() as snapshot:
        return activity_of(kernel).mood(snapshot.session, kernel.collection, name).coherence


def test_a_session_is_remembered_by_the_next_run(open_kernel):
    kernel = open_kernel()
    feel(kernel, "one", 1.0)
    activity_of(kernel).flush(kernel.store)
    assert coherence(open_kernel(), "one") == coherence(kernel, "one") > 0.5
    assert coherence(kernel, "other") == 0.5


def test_of_very_many_sessions_the_newest_are_held_and_remembered(open_kernel, monkeypatch):
    monkeypatch.setattr(state, "HELD_MOODS", 3)
    monkeypatch.setattr(activity, "KEPT_SESSIONS", 5)
    kernel = open_kernel()
    for number in range(10):
        feel(kernel, f"s{number}", 1.0)
        activity_of(kernel).flush(kernel.store)
    assert len(activity_of(kernel)._moods) == 3
    later = open_kernel()
    assert [number for number in range(10) if coherence(later, f"s{number}") > 0.5] == [5, 6, 7, 8, 9]


def test_what_is_not_written_is_not_let_go(open_kernel, monkeypatch):
    monkeypatch.setattr(state, "HELD_MOODS", 1)
    kernel = open_kernel()
    feel(kernel, "old", 1.0)
    feel(kernel, "new", 1.0)
    assert coherence(kernel, "old") > 0.5
    activity_of(kernel).flush(kernel.store)
    assert coherence(kernel, "old") > 0.5


def test_what_cannot_be_written_now_is_written_with_the_next_batch(open_kernel, monkeypatch):
    kernel = open_kernel()
    place = (kernel.collection, "one")

    def busy(act):
        raise Refusal(Failure.BUSY, "Somebody else writes.")

    feel(kernel, "one", 1.0)
    activity_of(kernel).look(kernel.collection, ["a"], 5)
    activity_of(kernel).add(kernel.collection, "things", 2)
    activity_of(kernel).set_state(kernel.collection, "level", "old")
    activity_of(kernel).set_state(kernel.collection, "other", "kept")
    activity_of(kernel).log(kernel.collection, ActivityRecord(time=1, level="info", component="gwt", action="first"))
    with monkeypatch.context() as patched:
        patched.setattr(kernel.store, "operate", busy)
        activity_of(kernel).flush(kernel.store)
    activity_of(kernel).look(kernel.collection, ["a"], 6)
    activity_of(kernel).add(kernel.collection, "things", 1)
    activity_of(kernel).set_state(kernel.collection, "level", "new")
    activity_of(kernel).log(kernel.collection, ActivityRecord(time=2, level="info", component="gwt", action="second"))
    activity_of(kernel).flush(kernel.store)
    later = open_kernel()
    with later.read() as snapshot:
        session, collection = snapshot.session, later.collection
        assert activity_of(later).looks(session, collection, ["a"]) == {"a": (2, 6)}
        assert activity_of(later).count(session, collection, "things") == 3
        assert activity_of(later).state(session, collection, "level") == "new"
        assert activity_of(later).state(session, collection, "other") == "kept"
        lines = activity_of(later).happenings(
            session, collection, LogFilter(levels=("info",), components=("gwt",), limit=9)
        )
        assert [line.action for line in lines] == ["second", "first"]
    assert coherence(later, place[1]) > 0.5


def test_what_a_crash_kept_from_being_written_is_written_with_the_next_batch(open_kernel, monkeypatch):
    kernel = open_kernel()
    feel(kernel, "one", 1.0)
    activity_of(kernel).look(kernel.collection, ["x"], 7)
    activity_of(kernel).set_state(kernel.collection, "learned", [0.5])

    def crash(act):
        with kernel.read() as snapshot:
            assert activity_of(kernel).state(snapshot.session, kernel.collection, "learned") == [0.5]
        raise MemoryError

    with monkeypatch.context() as broken:
        broken.setattr(kernel.store, "operate", crash)
        with pytest.raises(MemoryError):
            activity_of(kernel).flush(kernel.store)
    activity_of(kernel).flush(kernel.store)
    later = open_kernel()
    assert coherence(later, "one") > 0.5
    with later.read() as snapshot:
        assert activity_of(later).looks(snapshot.session, later.collection, ["x"]) == {"x": (1, 7)}
        assert activity_of(later).state(snapshot.session, later.collection, "learned") == [0.5]
