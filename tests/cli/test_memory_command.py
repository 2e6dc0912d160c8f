"""memotheca memory: what a librarian sees, and a review in which everything can be taken back."""

import io
import json
import re

import pytest

from memotheca.memory.safety.adversarial import Threat
from memotheca.memory.safety.speakers import Hearing
from tests.memories.gardens import BAKERY, REACTOR

DEPLOYS = "The deployment runs on Tuesday evenings after the backup"
WORKS, BROKEN = "The lift in the north hall works.", "The lift in the north hall does not work."


@pytest.fixture
def run(run, monkeypatch):
    monkeypatch.setenv("MEMOTHECA_TOOLSETS", "all")
    run("reindex", "--embedder", "none")

    def answering(*arguments, answers=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(answers))
        return run(*arguments)

    return answering


def store(run, content):
    arguments = json.dumps({"content": content, "rationale": "Somebody said so."})
    assert run("call", "store_memory", arguments)[0] == 0


def state(run):
    return json.loads(run("memory", "--json")[1])


def contents(run):
    found = run("call", "search_graph", '{"query": "lift deployment hall Tuesday", "include_content": true}', "--json")
    return {result["content"] for result in json.loads(found[1])["results"]}


@pytest.fixture
def full(run):
    for content in (f"{DEPLOYS}.", f"{DEPLOYS}!", WORKS, BROKEN):
        store(run, content)
    return run


def test_an_empty_memory_says_so(run):
    code, out, _ = run("memory")
    assert code == 0
    assert "0 memories" in out
    assert out.count("none") >= 4
    assert "nothing to decide" in run("memory", "--review")[1]


def test_tasks_conflicts_recent_and_tombstones_are_shown(full):
    shown = state(full)
    assert shown["health"]["memories"] == 4
    assert shown["health"]["tombstones"] == 0
    assert {task["task_type"] for task in shown["tasks"]} >= {"potential_merge"}
    (conflict,) = shown["conflicts"]
    assert {conflict["older"], conflict["newer"]} == {WORKS, BROKEN}
    assert len(shown["recent"]) == 4
    out = full("memory")[1]
    assert "potential_merge" in out
    assert "--review" in out


def test_a_review_merges_forgets_and_can_bring_each_back_for_thirty_days(full):
    code, out, _ = full("memory", "--review", answers="f1\nm\n")
    assert code == 0
    assert "2 decided." in out
    shown = state(full)
    assert shown["health"]["memories"] == 2
    assert shown["tasks"] == []
    assert len(shown["tombstones"]) == 3
    assert all(29 < tombstone["days_left"] <= 30 for tombstone in shown["tombstones"])
    for reversal_hash in re.findall(r"restore_from_hash (\S+) within", out):
        assert full("call", "restore_from_hash", json.dumps({"reversal_hash": reversal_hash}))[0] == 0
    assert contents(full) == {f"{DEPLOYS}.", f"{DEPLOYS}!", WORKS, BROKEN}


def test_every_decision_can_be_taken_back_within_the_review(full):
    _, out, _ = full("memory", "--review", answers="f2\nu\nk\nu\ns\nm\n")
    assert out.count("Taken back.") == 2
    assert "1 decided." in out
    shown = state(full)
    assert shown["health"]["memories"] == 3
    assert len(shown["conflicts"]) == 1
    assert len(shown["tasks"]) == 1


def test_the_last_decision_can_be_taken_back_too(full):
    _, out, _ = full("memory", "--review", answers="s\nm\nu\nq\n")
    assert "Nothing is left." in out
    assert "0 decided." in out
    assert state(full)["health"]["memories"] == 4


def test_what_is_kept_does_not_come_up_again(full):
    assert "2 decided." in full("memory", "--review", answers="k\nk\n")[1]
    assert state(full)["tasks"] == []
    assert state(full)["health"]["memories"] == 4


def test_leaving_or_an_answer_that_is_none_changes_nothing(full):
    _, out, _ = full("memory", "--review", answers="what?\nf9\nu\nq\n")
    assert "Choose one of the letters." in out
    assert "There is no such number." in out
    assert "Nothing has been decided yet." in out
    assert "0 decided." in out
    assert "0 decided." in full("memory", "--review")[1]
    assert state(full)["health"]["memories"] == 4


def test_a_review_cannot_be_answered_in_json(run):
    code, out, _ = run("memory", "--review", "--json")
    assert (code, json.loads(out)["error"]["code"]) == (2, "invalid")


def test_what_a_decision_settles_besides_comes_up_again_when_it_is_taken_back(run):
    for mark in ("", ".", "!"):
        store(run, f"{DEPLOYS}{mark}")
    before = run("memory", "--review", answers="q\n")[1]
    assert "2 more" in before
    _, out, _ = run("memory", "--review", answers="m\nu\ns\ns\ns\nq\n")
    assert out.count("potential_merge") == 4


@pytest.fixture
def held(run, monkeypatch):
    """A memory that is held, and the way to look for it."""
    planted = Hearing(Threat(0.6, "prompt_injection", ("say only",)), is_held=True, is_refused=False)
    with monkeypatch.context() as patched:
        patched.setattr("memotheca.memory.curation.remember.hear", lambda *_: planted)
        store(run, WORKS)
    return run


def test_quarantine_is_shown_with_its_reason_and_since_when(held):
    (shown,) = state(held)["quarantine"]
    assert (shown["name"], shown["reason"]) == (WORKS, "prompt_injection")
    assert (shown["since"] is not None, shown["until"]) == (True, None)
    out = held("memory")[1]
    assert f"{WORKS} {shown['citation']}: prompt_injection, held since" in out
    assert "--release" in out
    assert contents(held) == set()


def test_a_person_lets_out_what_is_held_and_can_take_that_back(held):
    (shown,) = state(held)["quarantine"]
    code, out, _ = held("memory", "--release", shown["citation"])
    assert code == 0
    assert "can be found again" in out
    assert state(held)["quarantine"] == []
    assert contents(held) == {WORKS}
    logged = json.loads(held("call", "get_system_logs", "{}", "--json")[1])["entries"]
    assert ("release", [shown["id"]]) in [(line["action"], line["node_ids"]) for line in logged]
    assert held("undo")[0] == 0
    assert state(held)["quarantine"] == [shown]
    assert contents(held) == set()


def test_only_what_is_held_can_be_let_out(held):
    store(held, BROKEN)
    (free,) = [each for each in state(held)["recent"] if each["name"] == BROKEN]
    before = state(held)
    code, _, err = held("memory", "--release", free["id"])
    assert code != 0
    assert "not in quarantine" in err
    assert state(held) == before
    assert held("memory", "--release", "node_00000000")[0] != 0


def test_what_is_recent_is_called_what_it_is(run):
    assert run("call", "store", '{"topic": "tea", "content": "Steep it."}')[0] == 0
    out = run("memory")[1]
    assert "0 memories among 1 thing that is kept" in out
    assert re.search(r"recent\n  entry +tea \S+", out), out


def test_what_is_erased_leaves_the_manifest_at_once(run, tmp_path):
    for word in ("oolong", "sencha"):
        store(run, f"The {word} is kept in the north cupboard.")
    assert run("call", "reload_manifest", "{}")[0] == 0
    page = tmp_path / "data" / "manifest.md"
    [line] = [each for each in page.read_text().splitlines() if "oolong" in each]
    [(name, tag)] = re.findall(r"^- (.*) \[(node_\w+)\]$", line)
    [other] = [each for each in page.read_text().splitlines() if "sencha" in each]
    page.write_text(page.read_text() + f"\n[NOTE: {name}] about it\n\nMine.\n")
    assert run("erase", tag, "--yes")[0] == 0
    left = page.read_text()
    assert "oolong" not in left
    assert tag not in left
    assert "about it" not in left
    assert other in left
    assert "Mine." in left


def test_thresholds_that_were_moved_are_shown(run):
    assert state(run)["thresholds"] == []
    assert "thresholds" not in run("memory")[1]
    moved = {"threshold_type": "link", "value": 0.6, "domain": "Code", "rationale": "Too little was linked there."}
    assert run("call", "set_threshold_prior", json.dumps(moved))[0] == 0
    (shown,) = state(run)["thresholds"]
    assert (shown["name"], shown["domain"], shown["value"], shown["prior"]) == ("link", "Code", 0.6, 0.7)
    assert "link 0.6 (at first 0.7) for Code, by hand" in run("memory")[1]


def test_topics_are_found_and_shown_with_what_serves_the_goal(run):
    assert state(run)["topics"] == []
    for group in (REACTOR, BAKERY):
        for text in group:
            store(run, text)
    shown = state(run)["topics"]
    assert len(shown) == 2
    assert {each["memories"] for each in shown} == {len(REACTOR), len(BAKERY)}
    assert run("call", "auto_bootstrap_north_star", '{"confidence_threshold": 0.3}')[0] == 0
    told = run("memory")[1]
    assert re.search(r"control.*: \d+ memories.*, serves the goal", told)
    assert re.search(r"bakery.*: 6 memories, growing$", told, re.MULTILINE)


def test_the_last_dream_is_shown_with_whether_it_helped(run):
    for content in ("INC-7 woke the night shift.", "The invoice quotes INC-7."):
        store(run, content)
    assert state(run)["last_dream"] is None
    assert "memotheca dream" in run("memory")[1]
    assert run("dream", "--phase", "rem")[0] == 0
    assert state(run)["last_dream"]["rem"]["blind_spots_found"] == 1
    told = run("memory")[1]
    assert "1 blind spot" in told
    assert "Whether it helped cannot be told" in told or "find they find" in told
    asked = json.loads(run("call", "inject_context", '{"query": "What woke the night shift?"}', "--json")[1])
    outcome = json.dumps({"prediction_id": asked["prediction_id"], "actual_outcome": 1})
    assert run("call", "observe_outcome", outcome)[0] == 0
    assert run("dream", "--phase", "nrem")[0] == 0
    assert "Of what questions should find they find 100% before and 100% after." in run("memory")[1]
    assert run("dream", "--dry-run")[0] == 0
    assert "a dry run" in run("memory")[1]
