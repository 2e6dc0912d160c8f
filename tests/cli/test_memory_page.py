"""The examples of docs/memory.md do what the page says."""

import io
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memotheca import settings
from memotheca.app import build
from memotheca.cli.main import main
from tests.conftest import Agent

PAGE = Path(__file__).parents[2] / "docs" / "memory.md"
TEXT = PAGE.read_text("utf-8")


def _examples() -> Iterator[tuple[str, str, str | None]]:
    """Every call of the page, with what it shows of the answer."""
    blocks = re.findall(r"```(call|answer)\n(.*?)\n```", TEXT, re.DOTALL)
    for (kind, call), (following, shown) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if kind == "call":
            name, arguments = call.split(" ", 1)
            yield name, arguments, shown if following == "answer" else None


def _holds(answer: Any, shown: Any) -> bool:
    """Whether an answer has what is shown of it; of a list, each shown member is one of the answer's."""
    if isinstance(shown, dict):
        return isinstance(answer, dict) and all(name in answer and _holds(answer[name], shown[name]) for name in shown)
    if isinstance(shown, list):
        return all(any(_holds(member, each) for member in answer) for each in shown) if shown else answer == []
    return answer == shown


@pytest.fixture
def librarian(tmp_path, time):
    app = build(settings.load({"data": str(tmp_path / "data"), "toolsets": "memory"}, {}), clock=time)
    yield Agent(app)
    app.kernel.store.close()


def test_every_example_of_the_page_runs_and_answers_as_it_says(librarian):
    answer: dict[str, Any] = {}
    count = 0
    for name, arguments, shown in _examples():
        spelled = re.sub(r"\$(\w+)", lambda found, last=answer: str(last[found[1]]), arguments)
        answer = librarian.call(name, **json.loads(spelled))
        count += 1
        if shown is not None:
            assert _holds(answer, json.loads(shown)), (name, shown, answer)
    assert count > 10


def test_every_tool_that_the_page_names_is_there(librarian):
    listed = librarian.app.catalog.listed()
    parameters = {name for listing in listed for name in listing.wire["inputSchema"]["properties"]}
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", TEXT)) - parameters
    assert len(named) >= 3
    assert named <= {listing.name for listing in listed}


def test_every_command_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MEMOTHECA_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["call", "store", "topic=tea", "content=black"]) == 0
    for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL):
        for line in block.splitlines():
            assert re.match(r"memotheca (?!serve)\w", line), "a server would end the program of the test"
            assert main(shlex.split(line, comments=True)[1:]) == 0, (line, capsys.readouterr().err)
