"""Vaults where machines share a PostgreSQL: they stay on the machine that mounted them, all others see their notes, and
another machine can take them over when that one has died or is suspended."""

import json
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memotheca.cli.main import main
from tests.patience import PATIENCE, until
from tests.server.raw import RawServer
from tests.storage.postgres_server import needs_postgres, shared_server

pytestmark = needs_postgres

Start = Callable[..., "Machine"]


class Machine(RawServer):
    """A server with a data directory of its own, and with a vault if it is given one."""

    def ask(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self.request("tools/call", {"name": name, "arguments": arguments})["result"]

    def await_text(self, path: str, wanted: str | None) -> None:
        """Until a note holds this, or is gone."""
        deadline = time.monotonic() + PATIENCE
        while True:
            said = self.ask("get_node", id=path)["content"][0]["text"]
            if (wanted in said) if wanted is not None else said == "null":
                return
            assert time.monotonic() < deadline, said


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    yield shared_server().for_data(tmp_path)
    shared_server().clear(tmp_path)


@pytest.fixture
def start(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    monkeypatch.setenv("MEMOTHECA_LEASE_SECONDS", "2")
    running: list[Machine] = []

    def start(name: str, vault: Path | None = None) -> Machine:
        named = [] if vault is None else ["--vault", str(vault)]
        options = ["--database", address, "--toolsets", "notes,entries", *named]
        machine = Machine(tmp_path / name, *options)
        running.append(machine)
        machine.begin()
        return machine

    yield start
    for each in running:
        each.child.send_signal(signal.SIGCONT)
        each.close()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    place = tmp_path / "vault"
    place.mkdir()
    (place / "a.md").write_text("one [[b]]")
    (place / "b.md").write_text("two")
    return place


def is_refused(address: str, tmp_path: Path, name: str, vault: Path) -> bool:
    words = ["vault", "--data", str(tmp_path / name), "--database", address, "--vault", str(vault), "--no-wait"]
    return main(words) != 0


def test_all_machines_see_the_notes_and_the_one_with_the_files_changes_them(start: Start, vault: Path) -> None:
    one, other = start("one", vault), start("other")
    for each in (one, other):
        each.await_text("a.md", "one [[b]]")
    assert [each["id"] for each in map(dict, _list(other, "get_neighbors", id="b.md"))] == ["a.md"]
    refused = other.ask("update_node", id="a.md", content="from afar")
    assert refused["isError"]
    assert "is mounted on" in refused["content"][0]["text"]
    assert (vault / "a.md").read_text() == "one [[b]]"
    assert not one.ask("update_node", id="a.md", content="from here")["isError"]
    assert "from here" in (vault / "a.md").read_text()
    (vault / "c.md").write_text("by hand")
    for each in (other, one):
        each.await_text("c.md", "by hand")
        each.await_text("a.md", "from here")
    (vault / "c.md").unlink()
    other.await_text("c.md", None)


def _list(machine: Machine, name: str, **arguments: Any) -> list[Any]:
    return json.loads(machine.ask(name, **arguments)["content"][0]["text"])


def test_a_vault_is_taken_over_when_its_machine_has_died_and_not_before(
    start: Start, vault: Path, tmp_path: Path, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    one = start("one", vault)
    one.await_text("a.md", "one")
    copy = tmp_path / "copy"
    shutil.copytree(vault, copy)
    assert is_refused(address, tmp_path, "other", copy)
    assert "has other vaults mounted in this collection" in capsys.readouterr().err
    one.child.kill()
    one.child.wait()
    _await(lambda: not is_refused(address, tmp_path, "other", copy))
    other = start("other", copy)
    (copy / "d.md").write_text("after the first died")
    other.await_text("d.md", "after the first died")
    assert not other.ask("update_node", id="b.md", content="over there")["isError"]
    assert (copy / "b.md").read_text() == "over there"
    assert (vault / "b.md").read_text() == "two"
    assert is_refused(address, tmp_path, "one", vault)


def test_who_was_suspended_changes_neither_notes_nor_rows_after_another_took_over(
    start: Start, vault: Path, tmp_path: Path, address: str
) -> None:
    one = start("one", vault)
    one.await_text("a.md", "one")
    copy = tmp_path / "copy"
    shutil.copytree(vault, copy)
    one.child.send_signal(signal.SIGSTOP)
    _await(lambda: not is_refused(address, tmp_path, "other", copy))
    other = start("other", copy)
    other.await_text("a.md", "one")
    one.child.send_signal(signal.SIGCONT)
    (vault / "a.md").write_text("nobody follows this folder any more")
    (vault / "e.md").write_text("nor this file")
    refused = one.ask("update_node", id="b.md", content="too late")
    assert refused["isError"], refused
    assert "Another machine has mounted" in refused["content"][0]["text"]
    assert [(vault / "b.md").read_text(), (copy / "b.md").read_text()] == ["two", "two"]
    (copy / "f.md").write_text("here it goes on")
    for each in (other, one):
        each.await_text("f.md", "here it goes on")
        each.await_text("e.md", None)
        each.await_text("a.md", "one [[b]]")


def _await(holds: Callable[[], bool]) -> None:
    """Whoever is suspended in the middle of a write keeps others waiting until PostgreSQL lets go of it."""
    until(holds, 4 * PATIENCE)
