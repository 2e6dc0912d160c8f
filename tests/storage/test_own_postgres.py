"""A PostgreSQL of the tests starts whatever the tests before it have left in this process, and on any machine."""

import shutil
import tempfile
from pathlib import Path

import psycopg
import pytest

from tests.environment import forget_settings
from tests.storage import postgres_server
from tests.storage.postgres_server import PostgresServer, needs_postgres

pytestmark = [needs_postgres]


def test_it_starts_where_folders_are_closed_and_settings_are_those_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = postgres_server.programs()
    assert found is not None
    closed = tmp_path / ("deep" * 20)
    closed.mkdir(mode=0o700)
    package = found.parents[1]
    if (found.parent / "share").is_dir():  # Debian's do not work elsewhere.
        for source in (package, package.with_name(f"{package.name}.libs")):
            if source.exists():
                shutil.copytree(source, closed / source.name)
        monkeypatch.setattr(postgres_server, "programs", lambda: closed / found.relative_to(package.parent))
    monkeypatch.setattr(tempfile, "tempdir", str(closed))
    monkeypatch.chdir(closed)
    for name, value in {"LC_ALL": "xx_YY", "PATH": "/nowhere", "PGPORT": "7", "PGOPTIONS": "-c nonsense=1"}.items():
        monkeypatch.setenv(name, value)
    forget_settings()
    server = PostgresServer()
    try:
        psycopg.connect(server.address()).close()
    finally:
        server.remove()
    assert not server.folder.exists()
