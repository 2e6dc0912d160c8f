"""Plain words at a terminal: the bare command, remember and rename."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memotheca import __main__ as module
from memotheca.views import shells
from tests.patience import PATIENCE

SOURCE = Path(__file__).parents[2] / "src"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_what_is_remembered_is_found_and_can_be_taken_back(run):
    code, out, err = run("remember", "We release on Tuesdays.", "Nobody works on Mondays.", "--tag", "team")
    assert (code, err) == (0, "")
    assert "e-1, about 'We release on Tuesdays'" in out
    assert "Tuesdays" in run("search", "when do we release?")[1]
    kept = json.loads(run("remember", "Tea is black.", "--topic", "tea", "--source", "Ada", "--json")[1])
    assert (kept["id"], kept["topic"], kept["source"]) == ("e-2", "tea", "Ada")
    assert run("undo")[0] == 0
    assert run("show", "e-2")[1].count("Deleted in transaction") == 1


def test_what_is_remembered_may_come_from_a_pipe(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("Fix the roof\n\nIt leaks.\n"))
    kept = json.loads(run("remember", "-", "--json")[1])
    assert (kept["topic"], kept["content"]) == ("Fix the roof", "Fix the roof\n\nIt leaks.")


def test_a_note_is_renamed_with_its_links_and_an_entry_by_its_topic(run, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "tea.md").write_text("Hot.\n")
    (notes / "ada.md").write_text("Drinks [[tea]].\n")
    assert run("vault", "--vault", notes)[0] == 0
    code, out, err = run("rename", "tea.md", "Black tea", "--dry-run")
    assert (code, err) == (0, "")
    assert "2 files would change, 1 link with them" in out
    assert (notes / "tea.md").exists()
    told = json.loads(run("rename", "tea.md", "Black tea", "--json")[1])
    assert len(told["files"]) == 2
    assert (notes / "ada.md").read_text() == f"Drinks [[{Path(told['to']).stem}]].\n"
    run("remember", "Tea is black.")
    assert "is now leaves" in run("rename", "e-1", "leaves")[1]
    assert "leaves" in run("show", "e-1")[1]
    assert run("undo", "--count", "2")[0] == 0
    assert "e-1 was deleted" in run("rename", "e-1", "twigs")[2]


def test_the_bare_command_tells_a_person_what_to_do_next(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", Terminal())
    code, out, _ = run()
    assert code == 0
    assert "connect claude-code --write" in out
    assert "Remember that we release on Tuesdays" in out
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, run()[1].splitlines())) <= 80


def test_the_bare_command_serves_a_client_over_stdio(tmp_path):
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    done = subprocess.run(
        [sys.executable, "-m", "memotheca"],
        input=json.dumps(hello) + "\n",
        env={**os.environ, "MEMOTHECA_DATA": str(tmp_path), "MEMOTHECA_EMBEDDER": "none"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "memotheca"


def test_a_python_that_is_too_old_gets_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", (3, 10, 13))
    assert module.start() == 1
    assert capsys.readouterr().err == "memotheca: Python 3.11 or newer is needed, and this is 3.10.\n"


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.8", "3.10"])
def test_an_old_python_that_is_there_gets_it_too(version):
    found = sorted(Path.home().glob(f".pyenv/versions/{version}*/bin/python"))
    if not found:
        pytest.skip(f"there is no Python {version}")
    done = subprocess.run(
        [found[0], "-m", "memotheca"], env={"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"memotheca: Python 3.11 or newer is needed, and this is {version}.\n"


@pytest.mark.parametrize(
    ("prefix", "words"),
    [
        ("/home/ada/.cache/uv/archive-v0/x1y2", ["uvx", "memotheca"]),
        ("/home/ada/.cache/pipx/.cache/0a1b", ["pipx", "run", "memotheca"]),
    ],
)
def test_a_client_is_told_of_the_runner_and_not_of_a_place_that_passes(monkeypatch, prefix, words):
    monkeypatch.setattr(sys, "prefix", prefix)
    monkeypatch.setattr(shells.shutil, "which", lambda name: None)
    assert shells.this_program() == words == shells.typed_program()
    monkeypatch.setattr(sys, "prefix", "/home/ada/.local/share/uv/tools/memotheca")
    assert shells.this_program()[:1] != words[:1]
