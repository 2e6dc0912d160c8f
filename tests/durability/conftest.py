"""Programs that a test starts have their data where the test has its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memotheca.storage import roles
from tests.storage.postgres_server import shared_server

SILENT = 3  # seconds after which a role of a program that was killed is free there


@pytest.fixture(autouse=True)
def told_where(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if database != "postgres":
        yield
        return
    monkeypatch.setenv("MEMOTHECA_DATABASE", shared_server().for_data(tmp_path / "data"))
    monkeypatch.setenv("MEMOTHECA_LEASE_SECONDS", str(SILENT))
    roles.set_patience(SILENT)
    yield
    roles.set_patience(roles.SECONDS)
