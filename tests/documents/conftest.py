"""A person with files: an app that searches by words alone, and ways to add what they wrote."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memotheca.jobs.queue import bench_of
from memotheca.jobs.workers import Workers
from memotheca.parsing.isolation.sandbox import Sandbox
from memotheca.search.chosen_embedder import choose_embedder
from tests.conftest import Agent
from tests.patience import PATIENCE


class Librarian(Agent):
    """Somebody who adds files and looks things up."""

    def __init__(self, agent: Agent, folder: Path, sandbox: Sandbox) -> None:
        super().__init__(agent.app)
        self.bench = replace(bench_of(agent.kernel), sandbox=sandbox)
        self.kernel = agent.kernel.having(self.bench)
        self.folder = folder
        choose_embedder(self.kernel.store, self.kernel.collection, "none")

    def write(self, name: str, text: str = "Green tea wants water of seventy degrees.") -> Path:
        path = self.folder / name
        path.write_text(text, "utf-8")
        return path

    def add(self, path: Any, **more: Any) -> dict[str, Any]:
        """Add a file and wait for it."""
        return self.call("knowledge-add", file_path=str(path), **{"async": False}, **more)

    def refused(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The whole answer of a failure."""
        reply = self.reply(name, **arguments)
        assert reply.failed, reply.structured
        assert reply.structured is not None
        return reply.structured

    def found(self, query: str, **more: Any) -> list[dict[str, Any]]:
        return self.call("knowledge-search", query=query, **more)["results"]

    def filenames(self, query: str, **filters: Any) -> list[str]:
        return [result["filename"] for result in self.found(query, filters=filters)]

    def status(self, task_id: str) -> dict[str, Any]:
        return self.reply("knowledge-task-status", task_id=task_id).structured or {}

    def settled(self, task_id: str, within: float = PATIENCE) -> dict[str, Any]:
        """The status of a task once it has one that stays."""
        bell = self.bench.bell
        deadline = threading.Event()
        timer = threading.Timer(within, deadline.set)
        timer.start()
        try:
            while (status := self.status(task_id))["status"] in ("queued", "running"):
                assert not deadline.is_set(), status
                with bell:
                    bell.wait(0.02)
        finally:
            timer.cancel()
        return status


@pytest.fixture(scope="session")
def sandbox() -> Any:
    """One parser process for all tests; what they read has nothing to do with each other."""
    sandbox = Sandbox()
    yield sandbox
    sandbox.close()


@pytest.fixture
def librarian(agent: Agent, tmp_path: Path, sandbox: Sandbox) -> Librarian:
    folder = tmp_path / "files"
    folder.mkdir()
    return Librarian(agent, folder, sandbox)


@pytest.fixture
def workers(librarian: Librarian) -> Any:
    """The workers of a server, without one."""
    crew = Workers(librarian.kernel).start()
    yield crew
    crew.stop()
