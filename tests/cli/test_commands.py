"""The command line: what a person types and what comes back."""

import json
import os
import stat
from pathlib import Path

import pytest

from memotheca.admin.erasure import BACKUP_ROLE
from memotheca.app import SEGMENTS, open_store
from memotheca.cli.commands import serve_command
from memotheca.cli.main import COMMANDS
from memotheca.search.finder import Finder
from memotheca.search.index.seal import maintain
from memotheca.settings import OPTIONS
from memotheca.storage.locks import role


def tell(run, tool, **arguments):
    code, out, err = run("call", tool, json.dumps(arguments), "--json")
    assert code == 0, err
    return json.loads(out)


def test_help_lists_every_command_with_examples(run):
    code, out, _ = run("--help")
    assert code == 0
    for name, doc in COMMANDS.items():
        assert name in out
        assert doc in " ".join(out.split())
    assert "examples:" in out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_and_takes_data_and_json(run, name):
    code, out, _ = run(name, "--help")
    assert code == 0
    assert "--data" in out
    assert "--json" in out


def test_an_unknown_command_is_a_usage_error(run):
    code, _, err = run("frobnicate")
    assert code == 2
    assert "frobnicate" in err


def test_call_prints_a_sentence_and_json(run):
    code, out, _ = run("call", "store", '{"topic": "tea", "content": "black"}')
    assert code == 0
    assert out.startswith("Stored e-1 about 'tea' in transaction 1.")
    assert len(tell(run, "query", content="tea")["items"]) == 1


def test_call_says_what_is_wrong_and_exits_accordingly(run):
    assert run("call", "store", "{broken")[0] == 2
    assert run("call", "nope", "{}")[0] == 2
    code, _, err = run("call", "store", '{"topic": "", "content": "x"}')
    assert code == 1
    assert "topic" in err
    assert run("call", "store", '{"topic": "a", "content": "b"}', "--read-only")[0] == 1


def test_history_and_undo(run):
    tell(run, "store", topic="a", content="b")
    assert run("history", "--collection", "other")[1] == "Nothing has happened yet.\n"
    assert "CREATE" in run("history")[1]
    out = run("undo", "--json")[1]
    assert json.loads(out)["reverted"][0]["entity_id"] == "e-1"
    assert run("undo")[1] == "There is nothing to undo.\n"
    assert run("undo", "--tx", "9")[0] == 1


def test_status_counts_what_is_there(run):
    tell(run, "store", topic="a", content="b")
    tell(run, "relate", subject="x", predicate="y", object="z")
    found = json.loads(run("status", "--json")[1])
    assert (found["entry"], found["entity"], found["edge"], found["transactions"], found["tx_id"]) == (1, 2, 1, 2, 2)
    assert found["size_bytes"] > 0


def test_the_data_directory_is_for_its_owner_alone(run, tmp_path):
    tell(run, "store", topic="a", content="b")
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "data" / "memotheca.db").stat().st_mode) == 0o600


def test_export_and_import_carry_the_whole_history(run, tmp_path):
    tell(run, "store", topic="a", content="b", tags=["t"])
    tell(run, "update", id="e-1", content="c")
    tell(run, "relate", subject="x", predicate="y", object="z")
    run("undo")
    file = str(tmp_path / "out.jsonl")
    code, out, _ = run("export", file)
    assert code == 0
    assert "4 transactions" in out
    assert json.loads(run("import", file, "--json")[1])["listed"] == []
    code, out, err = run("import", file, "--collection", "copy", "--json")
    assert code == 0, err
    again = str(tmp_path / "again.jsonl")
    assert run("export", again, "--collection", "copy")[0] == 0
    first, second = Path(file).read_text().replace('"default"', '"copy"'), Path(again).read_text()
    assert first == second


def test_an_export_comes_into_a_collection_that_holds_something(run, tmp_path):
    tell(run, "store", topic="Kettle", content="boils")
    tell(run, "store", topic="Pot", content="holds a litre")
    file = str(tmp_path / "out.jsonl")
    run("export", file)
    tell(run, "update", id="e-1", content="whistles")
    run("call", "store", "topic=Cup", "content=is blue", "--collection", "other")
    trial = run("import", file, "--collection", "other", "--dry-run")[1]
    assert "Would be imported" in trial
    code, out, err = run("import", file, "--collection", "other")
    assert code == 0, err
    assert "2 entries" in out
    assert "e-1 → e-3 Kettle" in out
    listed = json.loads(run("import", file, "--json")[1])["listed"]
    assert [(each["reason"], each["handle"], each["detail"]) for each in listed] == [("changed_here", "e-1", "body")]
    assert "Not alike, kept as it is here; changed here: 1." in run("import", file)[1]
    run("undo", "--collection", "other")
    assert len(json.loads(run("call", "query", "--collection", "other", "--json")[1])["items"]) == 1


@pytest.mark.parametrize("damage", ["cut", "garbled", "empty", "other", "missing-field"])
def test_a_damaged_export_is_refused_whole(run, tmp_path, damage):
    tell(run, "store", topic="a", content="b")
    tell(run, "store", topic="c", content="d")
    file = tmp_path / "out.jsonl"
    run("export", str(file))
    lines = file.read_text().splitlines()
    text = {
        "cut": "\n".join(lines[:-1]),
        "garbled": "\n".join([lines[0], lines[1][:40], *lines[2:]]),
        "empty": "",
        "other": '{"hello": 1}',
        "missing-field": "\n".join([lines[0], '{"tx": 1}', *lines[2:]]),
    }[damage]
    file.write_text(text)
    code, _, err = run("import", str(file), "--collection", "copy")
    assert code in (1, 2)
    assert err
    assert json.loads(run("status", "--collection", "copy", "--json")[1])["versions"] == 0


def test_a_memory_json_comes_in_once_and_can_be_undone(run, tmp_path):
    lines = [
        {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["likes tea", "lives in London"]},
        {"type": "entity", "name": "London", "entityType": "city", "observations": []},
        {"type": "relation", "from": "Ada", "to": "London", "relationType": "lives_in"},
        {"type": "relation", "from": "Ada", "to": "Tea", "relationType": "likes"},
    ]
    file = tmp_path / "memory.json"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    assert json.loads(run("import", str(file), "--json")[1]) == {
        "transactions": 1, "entries": 2, "edges": 2, "skipped": 0,
    }  # fmt: skip
    again = json.loads(run("import", str(file), "--json")[1])
    assert (again["transactions"], again["skipped"]) == (0, 4)
    found = tell(run, "query", content="where does Ada live?")["items"][0]
    assert (found["topic"], found["content"], found["tags"]) == ("Ada", "lives in London", ["person"])
    assert tell(run, "query_graph", subject="Ada", object="London")["items"][0]["predicate"] == "lives_in"
    run("undo")
    assert len(tell(run, "query")["items"]) == 0


def test_a_backup_opens_as_a_data_directory(run, tmp_path, monkeypatch):
    tell(run, "store", topic="a", content="b")
    code, out, _ = run("backup", "--json")
    assert code == 0
    copied = Path(json.loads(out)["file"])
    assert copied.parent == tmp_path / "data" / "backups"
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    os.replace(copied, other / "memotheca.db")
    monkeypatch.setenv("MEMOTHECA_DATA", str(other))
    assert len(tell(run, "query")["items"]) == 1


def test_a_backup_and_an_erasure_remove_what_a_killed_backup_has_left(run, tmp_path):
    tell(run, "store", topic="secret", content="xyzzy-plugh")
    leftover = tmp_path / "data" / "backups" / "memotheca-20260101T000000Z-asked.db.part"
    for command in (("backup",), ("erase", "e-1", "--yes")):
        leftover.parent.mkdir(exist_ok=True)
        leftover.write_bytes(b"xyzzy-plugh")
        assert run(*command)[0] == 0
        assert not leftover.exists()


def test_one_backup_is_made_at_a_time_and_nothing_is_erased_meanwhile(run, tmp_path):
    tell(run, "store", topic="secret", content="xyzzy-plugh")
    with role(tmp_path / "data", BACKUP_ROLE) as held:
        assert held
        for command in (("backup",), ("erase", "e-1", "--yes")):
            code, _, err = run(*command)
            assert code == 1
            assert "backup is being made" in err
    assert run("erase", "e-1", "--yes")[0] == 0


def test_doctor_finds_segments_that_are_missing_or_damaged_and_reindexing_brings_them_back(run, tmp_path):
    tell(run, "store", topic="tea", content="green")
    data = tmp_path / "data"
    store = open_store(data)
    maintain(store, Finder(data / SEGMENTS).index_of("default", ""), seal_at=1)
    store.close()
    (segment,) = (data / SEGMENTS).glob("text-*.seg")
    whole = segment.read_bytes()
    assert run("doctor")[0] == 0
    for left in (None, b"", whole[:100], whole[: len(whole) // 2], b"x" * len(whole)):
        segment.unlink()
        if left is not None:
            segment.write_bytes(left)
        code, out, _ = run("doctor")
        assert code == 1
        assert "files of the index are missing or damaged (1)" in out
        assert "memotheca reindex" in out
        assert run("call", "query", json.dumps({"content": "green"}))[0] == 1
        segment.write_bytes(whole)
    segment.unlink()
    assert run("reindex")[0] == 0
    assert run("doctor")[0] == 0
    assert len(tell(run, "query", content="green")["items"]) == 1


def test_erasing_asks_for_a_yes_and_then_really_erases(run, tmp_path):
    tell(run, "store", topic="secret", content="xyzzy-plugh")
    run("backup")
    assert run("erase", "e-1")[0] == 1
    assert run("erase", "--yes")[0] == 2
    code, out, err = run("erase", "e-1", "--yes")
    assert code == 0, err
    assert "1 backup." in out
    for path in (tmp_path / "data").rglob("*"):
        if path.is_file():
            assert b"xyzzy-plugh" not in path.read_bytes()
    assert run("doctor")[0] == 0


def test_doctor_finds_and_mends_heads_that_differ_from_the_journal(run, tmp_path):
    from memotheca.app import open_store

    tell(run, "store", topic="a", content="b")
    tell(run, "store", topic="c", content="d")
    assert run("doctor")[0] == 0
    store = open_store(tmp_path / "data")
    store.operate(lambda session: session.run("DELETE FROM entry_head WHERE label = 'a'"))
    store.close()
    code, out, _ = run("doctor", "--json")
    assert code == 1
    broken = next(finding for finding in json.loads(out)["findings"] if not finding["well"])
    assert "--repair" in broken["fix"]
    code, out, _ = run("doctor", "--repair")
    assert code == 0
    assert len(tell(run, "query")["items"]) == 2


def test_doctor_complains_of_a_directory_that_others_can_read(run, tmp_path):
    tell(run, "store", topic="a", content="b")
    (tmp_path / "data").chmod(0o755)
    code, out, _ = run("doctor")
    assert code == 1
    assert "chmod 700" in out


def test_whatever_a_server_heeds_is_a_flag_of_serve():
    everywhere = {"database", "collection", "log-level"}
    heeded = {option.name for option in OPTIONS if option.flag and not option.name.startswith("hook-")}
    assert heeded - everywhere == set(serve_command.OPTIONS)


def test_settings_come_from_flag_then_environment_then_file(run, tmp_path, monkeypatch):
    tell(run, "store", topic="a", content="b")
    (tmp_path / "data" / "memotheca.toml").write_text('collection = "from-file"\n')
    assert json.loads(run("status", "--json")[1])["collection"] == "from-file"
    monkeypatch.setenv("MEMOTHECA_COLLECTION", "from-environment")
    assert json.loads(run("status", "--json")[1])["collection"] == "from-environment"
    assert json.loads(run("status", "--json", "--collection", "from-flag")[1])["collection"] == "from-flag"
    (tmp_path / "data" / "memotheca.toml").write_text("colour = 1\n")
    code, _, err = run("status")
    assert code == 2
    assert "colour" in err


def test_a_directory_that_cannot_be_made_is_said_plainly(run, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = run("status", "--data", str(tmp_path / "file"))
    assert code == 2
    assert "is a file" in err
