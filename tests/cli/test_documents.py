"""Files on the command line: added with a summary, listed, removed, watched."""

import io
import json
import os
import subprocess
import sys
import threading

import pytest

from memotheca.cli import file_arguments
from memotheca.cli.bars import Bars
from memotheca.cli.file_arguments import gather, look_around
from tests.patience import PATIENCE


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "files"
    (folder / "sub").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / "tea.txt").write_text("Green tea wants water of seventy degrees.")
    (folder / "sub" / "coffee.html").write_text("<h1>Coffee</h1><p>Grind it fine.</p>")
    (folder / "empty.pdf").write_text("")
    (folder / "archive.xyz").write_text("no")
    (folder / ".hidden" / "secret.txt").write_text("no")
    (folder / "link.txt").symlink_to(folder / "tea.txt")
    return folder


@pytest.fixture
def run(run):
    run("reindex", "--embedder", "none", "--json")
    return run


def told(run, *arguments):
    code, out, _ = run(*arguments, "--json")
    return code, json.loads(out)


def test_odd_names_fail_alone_and_move_no_cursor(run, files):
    other_letters = os.fsencode(files) + b"/\xff.txt"
    with open(other_letters, "w") as file:
        file.write("Nobody can say my name.")
    (files / "esc\033[2J\nnext.txt").write_text("A name that would wipe the terminal.")
    code, out, err = run("add", files)
    assert (code, out.split(" in ")[0]) == (1, "3 added with 3 passages, 2 failed")
    assert "is not written in UTF-8. Rename the file" in err
    assert "esc\ufffd[2J\ufffdnext.txt: added" in err
    assert "\033" not in err + run("documents")[1] + run("search", "terminal")[1]
    code, told_of = told(run, "add", files)
    assert (code, told_of["failed"], told_of["duplicates"]) == (1, 2, 3)


def test_a_folder_is_added_with_a_line_for_each_file_and_a_summary(run, files):
    code, out, err = run("add", files)
    assert code == 1
    assert out.startswith("2 added with 2 passages, 1 failed in ")
    assert "empty.pdf is empty: there is nothing to read. Check that it was saved whole" in err
    assert "tea.txt: added (1 passage, text_extraction" in err
    assert "secret" not in err
    code, listed = told(run, "documents", "--sort", "filename", "--ascending")
    assert [document["filename"] for document in listed["documents"]] == ["coffee.html", "tea.txt"]


def test_a_folder_that_is_not_there_is_told_as_such(run, files):
    code, _, err = run("add", files / "nowhere")
    assert code == 2
    assert f"{files / 'nowhere'}: there is no such file" in err


def test_a_known_file_is_told_and_metadata_is_kept(run, files):
    assert told(run, "add", files / "tea.txt", "--tag", "drinks", "--set", "author=Ada")[0] == 0
    code, again = told(run, "add", files / "tea.txt")
    assert (code, again["duplicates"], again["added"]) == (0, 1, 0)
    found = told(run, "search", "green tea", "--tag", "drinks")[1]["items"]
    assert [item["kind"] for item in found] == ["document"]


def test_documents_are_removed_by_name_and_come_back(run, files):
    run("add", files / "tea.txt")
    code, _, err = run("remove", "tea.txt")
    assert code == 1
    assert "--yes" in err
    assert run("remove", "tea.txt", "--yes")[0] == 0
    assert told(run, "documents")[1]["total"] == 0
    assert run("undo")[0] == 0
    assert told(run, "documents")[1]["total"] == 1
    assert run("remove", "--all", "--yes")[0] == 0
    assert told(run, "documents")[1]["total"] == 0
    assert run("remove", "nothing.pdf", "--yes")[0] == 1


def test_what_is_left_for_later_is_a_durable_job(run, files, tmp_path):
    code, queued = told(run, "add", files / "tea.txt", "--no-wait")
    assert (code, len(queued["queued"])) == (0, 1)
    tasks = told(run, "documents")[1]["tasks"]
    assert [(task["kind"], task["status"]) for task in tasks] == [("ingest", "queued")]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"_id": "1", "title": "a", "text": "b"}\n')
    code, moved = told(run, "import", corpus, "--no-wait")
    assert code == 0
    assert moved["task_id"] in [task["task_id"] for task in told(run, "documents")[1]["tasks"]]


def test_nothing_to_add_is_a_usage_error(run, tmp_path):
    (tmp_path / "bare").mkdir()
    assert run("add", tmp_path / "bare")[0] == 2
    assert run("add", tmp_path / "files" / "x.txt", "--set", "oops")[0] in (1, 2)


def test_a_tool_s_refusal_is_said_in_words(run):
    code, _, err = run("call", "knowledge-add", '{"file_path": "a.xyz"}')
    assert (code, "Unsupported file format: .xyz" in err) == (1, True)


def test_patterns_and_folders_name_readable_files_once(files, monkeypatch):
    monkeypatch.chdir(files)
    assert gather(["*.txt", "tea.txt", "."]) == ["link.txt", "tea.txt", "empty.pdf", "sub/coffee.html"]
    assert gather(["nothing-here-*"], patient=True) == []


class Terminal(io.StringIO):
    """Something that says it is a terminal and keeps what was written."""

    def isatty(self):
        return True


def test_bars_are_redrawn_in_place():
    terminal = Terminal()
    bars = Bars(terminal)
    bars.show({"a.pdf": (0.5, "Processing page 5 of 10")}, 3)
    bars.tell("done")
    assert "a.pdf" in terminal.getvalue()
    assert " 50%  Processing page 5 of 10" in terminal.getvalue()
    assert "\033[2A\033[J" in terminal.getvalue()


def listed(environment):
    """The documents there are by their filenames, with their ids."""
    command = [sys.executable, "-m", "memotheca.cli.main", "documents", "--json"]
    out = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    return {document["filename"]: document["id"] for document in json.loads(out)["documents"]}


def put(path, text):
    """All of it at once, as editors save: nobody sees a file that is empty yet."""
    beside = path.parents[1] / f"{path.name}.part"
    beside.write_text(text)
    beside.replace(path)


def test_documents_stay_where_a_watched_disk_is_taken_away(files, tmp_path):
    environment = {**os.environ, "MEMOTHECA_DATA": str(tmp_path / "data"), "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "memotheca.cli.main"]
    subprocess.run([*command, "reindex", "--embedder", "none"], env=environment, check=True, capture_output=True)
    watching = subprocess.Popen(
        [*command, "add", str(files / "sub"), "--watch"], env=environment, stderr=subprocess.PIPE, text=True
    )
    assert watching.stderr is not None
    timer = threading.Timer(PATIENCE, watching.kill)
    timer.start()
    try:
        assert "coffee.html: added" in watching.stderr.readline()
        (files / "sub").rename(files / "away")
        (files / "sub").mkdir()
        assert "1 file gone at once, so the documents stay; --accept-removals" in watching.stderr.readline()
        assert set(listed(environment)) == {"coffee.html"}
    finally:
        timer.cancel()
        watching.terminate()
        watching.wait(PATIENCE)
        watching.stderr.close()


def test_a_file_that_is_renamed_while_folders_are_read_is_seen_under_its_new_name(tmp_path, monkeypatch):
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text("Something.", "utf-8")
    known = look_around([str(tmp_path)])
    looked = file_arguments.snapshot

    def rename_first(paths):
        if old.exists():
            old.rename(new)
        return looked(paths)

    monkeypatch.setattr(file_arguments, "snapshot", rename_first)
    assert list(look_around([str(tmp_path)], known)) == [str(new)]


def test_a_watched_folder_takes_in_what_changes(files, tmp_path):
    environment = {**os.environ, "MEMOTHECA_DATA": str(tmp_path / "data"), "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "memotheca.cli.main"]
    subprocess.run([*command, "reindex", "--embedder", "none"], env=environment, check=True, capture_output=True)
    watching = subprocess.Popen(
        [*command, "add", str(files / "sub"), "--watch"], env=environment, stderr=subprocess.PIPE, text=True
    )
    assert watching.stderr is not None
    timer = threading.Timer(PATIENCE, watching.kill)
    timer.start()
    try:
        assert "coffee.html: added" in watching.stderr.readline()
        put(files / "sub" / "new.txt", "Something new.")
        assert "new.txt: added" in watching.stderr.readline()
        put(files / "sub" / "new.txt", "Something newer.")
        assert "new.txt: replaced" in watching.stderr.readline()
        before = listed(environment)
        (files / "sub" / "new.txt").rename(files / "sub" / "newer.txt")
        assert "newer.txt" in watching.stderr.readline()
        after = listed(environment)
        assert set(after) == {"coffee.html", "newer.txt"}
        assert after["newer.txt"] == before["new.txt"]
        (files / "sub" / "coffee.html").unlink()
        assert "coffee.html: removed; memotheca undo brings it back" in watching.stderr.readline()
        assert set(listed(environment)) == {"newer.txt"}
        subprocess.run([*command, "undo"], env=environment, check=True, capture_output=True)
        assert set(listed(environment)) == {"coffee.html", "newer.txt"}
    finally:
        timer.cancel()
        watching.terminate()
        watching.wait(PATIENCE)
        watching.stderr.close()
