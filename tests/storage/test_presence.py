"""Who has a data directory open is known while they live, and forgotten when they are killed."""

import os

import pytest

from memotheca.app import open_store
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.presence import enter, gate, present
from tests.server.raw import RawServer


def commands(data):
    with gate(data):
        return [(holder.pid, holder.command) for holder in present(data)]


def test_a_store_is_present_until_it_is_closed(tmp_path):
    store = open_store(tmp_path, command="memotheca something")
    assert commands(tmp_path) == [(os.getpid(), "memotheca something")]
    store.close()
    store.close()
    assert commands(tmp_path) == []


def test_a_server_is_named_and_gone_at_once_when_it_is_killed(tmp_path):
    server = RawServer(tmp_path).begin()
    assert commands(tmp_path) == [(server.child.pid, "memotheca serve --transport stdio")]
    server.child.kill()
    server.child.wait()
    assert commands(tmp_path) == []
    server.close()


def test_whoever_keeps_others_out_is_named(tmp_path):
    with gate(tmp_path, command="memotheca restore") as held:
        assert held
        with pytest.raises(Refusal) as refused, gate(tmp_path, patience=0.05):
            pass
    assert refused.value.failure is Failure.BUSY
    assert f"`memotheca restore` (process {os.getpid()}, since" in refused.value.message


def test_one_who_is_stuck_while_coming_in_keeps_nobody_out(tmp_path):
    with gate(tmp_path), gate(tmp_path, patience=0.05) as held:
        assert not held
        presence = enter(tmp_path, "memotheca")
        assert presence is not None
        assert present(tmp_path, besides=presence) == []
        presence.end()


def test_a_file_of_the_dead_that_says_nothing_is_removed(tmp_path):
    with gate(tmp_path):
        folder = tmp_path / "locks" / "present"
        folder.mkdir()
        (folder / "7-dead.lock").write_text("")
        assert present(tmp_path) == []
    assert list(folder.iterdir()) == []
