"""memotheca dream: what a person sees of it, and that it can be taken back."""

import json

import pytest

from memotheca.memory.dream import sleeper


@pytest.fixture
def run(run, monkeypatch):
    monkeypatch.setenv("MEMOTHECA_TOOLSETS", "all")
    run("reindex", "--embedder", "none")
    for content in ("INC-7 woke the night shift.", "The invoice quotes INC-7."):
        said = json.dumps({"content": content, "rationale": "Seen in the log.", "session_id": content[:3]})
        assert run("call", "store_memory", said)[0] == 0
    return run


def test_it_says_what_it_did_and_what_is_to_decide(run):
    code, told, _ = run("dream")
    assert code == 0
    assert "Looked at 3 entries" in told or "Looked at 2 entries" in told
    assert "1 blind spot" in told
    assert "--review" in told
    (task,) = json.loads(run("memory", "--json")[1])["tasks"]
    assert "both name INC-7" in task["reason"]


def test_a_dry_run_leaves_nothing_behind(run):
    code, told, _ = run("dream", "--dry-run", "--phase", "rem")
    assert code == 0
    assert "1 blind spot" in told
    assert json.loads(run("memory", "--json")[1])["tasks"] == []


def test_scripts_get_the_whole_report(run):
    report = json.loads(run("dream", "--phase", "rem", "--json")[1])
    assert report["completed"]
    assert report["rem"]["blind_spots_found"] == 1


def test_a_phase_that_there_is_not_is_refused(run):
    assert run("dream", "--phase", "lucid")[0] == 2


def test_two_do_not_dream_at_once(run, monkeypatch):
    monkeypatch.setattr(sleeper.Sleeper, "fall_asleep", lambda *said, **more: None)
    code, _, complaint = run("dream")
    assert code != 0
    assert "goes on already" in complaint
