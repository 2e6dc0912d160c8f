"""Waking: a search of whichever family, in whichever program on the same data, ends a dream."""

from functools import partial
from pathlib import Path

import pytest

from memotheca.app import build
from memotheca.cli.main import main
from memotheca.toolkit.tool import Call
from tests.conftest import build_fresh
from tests.memories.librarian import Librarian
from tests.memories.test_dreams import Asleep

SEARCHES = {
    "query": {"content": "lock"},
    "knowledge-search": {"query": "lock"},
    "search_patterns": {"q": "lock"},
    "inject_context": {"query": "lock"},
    "console_search": {"query": "lock"},
}


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "in another program"])
@pytest.mark.parametrize("tool", SEARCHES)
def test_a_search_of_any_family_wakes_it(
    tool: str, elsewhere: bool, librarian: Librarian, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    librarian.remember("The nightly job takes the lock.")
    asleep = Asleep(librarian, monkeypatch)
    vault = str(librarian.vault)
    other = (
        build_fresh(tmp_path / "data", librarian.kernel.store.clock, toolsets="all", vault=vault)
        if elsewhere
        else librarian.app
    )
    call = Call(kernel=other.kernel, actor="tester", session="other")
    other.dispatcher.run(tool, SEARCHES[tool], call)
    assert asleep.wait()["last_report"]["wake_reason"] == "external_query"
    if elsewhere:
        other.kernel.store.close()


@pytest.mark.only_sqlite(reason="commands open a directory")
def test_a_search_at_the_command_line_wakes_it(
    librarian: Librarian, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    librarian.remember("The nightly job takes the lock.")
    # The memory has a clock of its own here, by which events are old or new.
    monkeypatch.setattr("memotheca.cli.terminal.build", partial(build, clock=librarian.kernel.store.clock))
    asleep = Asleep(librarian, monkeypatch)
    assert main(["search", "lock", "--data", str(tmp_path / "data")]) == 0
    assert asleep.wait()["last_report"]["wake_reason"] == "external_query"
