"""The examples of docs/notes.md do what the page says."""

import re
import shlex
from pathlib import Path

from memotheca.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "notes.md"


def _commands():
    for block in re.findall(r"```sh\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
        yield from (shlex.split(line, comments=True)[1:] for line in block.splitlines() if line.startswith("memotheca"))


def test_every_command_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MEMOTHECA_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    seen = [command for command in _commands() if command[0] != "serve"]
    assert len(seen) > 10
    for command in seen:
        assert main(command) == 0, (command, capsys.readouterr().err)
    assert "[[black-tea|her tea]]" in (tmp_path / "notes" / "ada.md").read_text()
