"""Undo on the command line: what one command did is one step, and nothing that was erased stands in the way."""

import json

import pytest

from memotheca.admin.corpus import BATCH
from memotheca.admin.erasure import BACKUP_ROLE
from memotheca.cli.commands.undo_command import SHOWN
from memotheca.storage.locks import role


@pytest.fixture
def run(tmp_path, invoke):
    return lambda *arguments: invoke(*arguments, "--data", tmp_path / "data")


@pytest.fixture
def memotheca(run):
    def call(*arguments):
        code, out, err = run(*arguments, "--json")
        assert code == 0, out + err
        return json.loads(out)

    return call


@pytest.fixture
def store(memotheca):
    def call(*topics):
        return [memotheca("call", "store", json.dumps({"topic": each, "content": each}))["id"] for each in topics]

    return call


@pytest.mark.parametrize(
    "command",
    [
        ("undo", "--count", "0"),
        ("undo", "--count", "-5"),
        ("undo", "--tx", "0"),
        ("undo", "--tx", "1", "--count", "2"),
        ("history", "--limit", "0"),
        ("history", "--limit", "-1"),
        ("search", "tea", "--limit", "0"),
        ("patterns", "tea", "--limit", "0"),
        ("reindex", "--chunk-size", "0"),
        ("erase", "--deleted-before", "-1", "--yes"),
        ("backup", "--keep", "0"),
    ],
)
def test_a_number_that_makes_no_sense_is_a_usage_error_and_changes_nothing(run, memotheca, store, command):
    store("tea", "milk")
    code, _, err = run(*command)
    assert code == 2, err
    assert memotheca("status")["tx_id"] == 2


def test_undo_goes_past_what_was_erased_and_says_so(run, memotheca, store):
    store("tea", "milk")
    [id] = store("secret")
    assert run("erase", id, "--yes")[0] == 0
    done = memotheca("undo")
    assert [each["tx_id"] for each in done["reverted"]] == [2]
    assert done["passed_over"] == [3]
    code, out, _ = run("undo")
    assert code == 0
    assert "Passed over 3, which touched what was erased since" in " ".join(out.split())
    assert memotheca("status")["entry"] == 0
    code, _, err = run("undo", "--tx", "3")
    assert code == 1
    assert "erased since; it cannot be undone" in " ".join(err.split())


def test_undoing_one_that_touched_what_was_erased_names_the_newest_that_can_be(run, store):
    store("tea")
    [id] = store("secret")
    run("erase", id, "--yes")
    _, out, _ = run("undo", "--tx", "2", "--json")
    error = json.loads(out)["error"]
    assert error["code"] == "erased"
    assert error["message"].endswith("The newest that can be is 1.")
    assert error["tx_id"] == 1


def test_the_tool_goes_past_what_was_erased_and_takes_no_number_beside_a_transaction(run, memotheca, store):
    store("tea")
    [id] = store("secret")
    run("erase", id, "--yes")
    code, out, _ = run("call", "undo", json.dumps({"tx_id": 1, "count": 2}), "--json")
    assert code != 0
    assert "not both" in out
    reverted = memotheca("call", "undo", json.dumps({"tx_id": 1, "count": 1}))["reverted"]
    assert [each["tx_id"] for each in reverted] == [1]
    assert memotheca("call", "undo", "{}")["reverted"] == []


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(5):
        (folder / f"{number}.txt").write_text(f"File {number} about tea.")
    return folder


def test_adding_many_files_is_one_undo(run, memotheca, store, folder):
    store("before")
    assert memotheca("add", folder)["added"] == 5
    store("after")
    items = memotheca("history")["items"]
    batches = {item["batch"] for item in items if item["entity_type"] == "document"}
    assert len(batches) == 1
    assert None not in batches
    assert len(memotheca("undo")["reverted"]) == 1
    done = memotheca("undo")
    assert (len(done["reverted"]), done["steps"]) == (5, 1)
    assert memotheca("status")["document"] == 0
    assert memotheca("status")["entry"] == 1
    assert [each["tx_id"] for each in memotheca("undo")["reverted"]] == [1]


def test_what_was_taken_back_leaves_its_last_words_on_the_terminal(run, tmp_path):
    talks = [
        {"uuid": f"u{each}", "name": f"t{each}", "chat_messages": [{"sender": "human", "text": f"Tea {each}."}]}
        for each in range(SHOWN + 5)
    ]
    (tmp_path / "talks.json").write_text(json.dumps(talks))
    assert run("import", tmp_path / "talks.json", "--no-wait")[0] == 0
    code, out, err = run("undo", "1")
    assert (code, out, "--tx" in err) == (2, "", True)
    code, out, _ = run("undo")
    assert code == 0
    assert (out.count("Reverted "), "… and 5 more, back to 1;" in out) == (SHOWN, True)


def test_two_steps_take_back_two_commands_and_an_erased_file_is_left_out(run, memotheca, store, folder):
    memotheca("add", folder)
    [gone, *_] = [item["entity_id"] for item in memotheca("history")["items"] if item["entity_type"] == "document"]
    run("erase", gone, "--yes")
    store("tea")
    done = memotheca("undo", "--count", "2")
    assert (len(done["reverted"]), done["steps"]) == (5, 2)
    assert memotheca("status")["document"] == 0


def test_one_of_a_batch_can_still_be_taken_back_alone(memotheca, folder):
    memotheca("add", folder)
    newest = memotheca("history")["items"][0]["tx_id"]
    assert len(memotheca("undo", "--tx", newest)["reverted"]) == 1
    assert memotheca("status")["document"] == 4
    assert len(memotheca("undo")["reverted"]) == 4


def test_removing_many_documents_and_importing_a_long_corpus_are_one_undo_each(memotheca, folder, tmp_path):
    memotheca("add", folder)
    named = [item["entity_id"] for item in memotheca("history")["items"] if item["entity_type"] == "document"]
    memotheca("remove", *named[:3], "--yes")
    lines = [json.dumps({"_id": f"c-{number}", "title": "", "text": f"{number}"}) for number in range(BATCH + 1)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines))
    assert memotheca("reindex", "--embedder", "none")
    assert memotheca("import", tmp_path / "corpus.jsonl")["transactions"] == 2
    assert memotheca("undo")["steps"] == 1
    assert memotheca("status")["entry"] == 0
    assert len(memotheca("undo")["reverted"]) == 3
    assert memotheca("status")["document"] == 5


def test_undoing_one_of_the_reverts_of_a_command_brings_all_of_it_back(memotheca, store, folder):
    memotheca("add", folder)
    for _ in range(2):
        reverts = [each["revert_tx_id"] for each in memotheca("undo")["reverted"]]
        store("between")
        done = memotheca("undo", "--tx", reverts[2])
        assert (len(done["reverted"]), done["steps"]) == (5, 1)
        assert memotheca("status")["document"] == 5
        again = [each["revert_tx_id"] for each in done["reverted"]]
        assert len(memotheca("undo", "--tx", again[1])["reverted"]) == 5
        assert memotheca("status")["document"] == 0
        newest = memotheca("history", "--limit", "1")["items"][0]["tx_id"]
        assert len(memotheca("undo", "--tx", newest)["reverted"]) == 5
        memotheca("undo")


def test_history_says_how_much_more_there_is(run, memotheca, store):
    store("one", "two", "three")
    memotheca("call", "relate", '{"subject": "x", "predicate": "y", "object": "z"}')
    assert "… and 3 more; --limit 4 shows all" in run("history", "--limit", "1")[1]
    assert "… and 2 more; --limit 3 shows all" in run("history", "--limit", "1", "--type", "entry")[1]
    assert "more" not in run("history", "--limit", "1", "--type", "triple")[1]
    assert "more" not in run("history")[1]


@pytest.mark.parametrize("command", [("erase", "e-1", "--yes"), ("backup",)])
def test_who_must_wait_for_a_backup_or_an_erasure_is_told_of_both(run, store, tmp_path, command):
    store("tea")
    with role(tmp_path / "data", BACKUP_ROLE):
        code, _, err = run(*command)
    assert code == 1
    assert "backup is being made" in err
    assert "being erased" in err
