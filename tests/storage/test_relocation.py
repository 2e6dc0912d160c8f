"""Everything moves from a directory to PostgreSQL and back: history included, compared, gone on with after a kill,
and into nothing that is not empty."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memotheca import settings
from memotheca.app import build
from memotheca.cli.main import main
from memotheca.jobs import file_access
from memotheca.jobs.queue import bench_of, newest_jobs, take_next
from memotheca.model.errors import Failure, Refusal
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.search.finder import finder_of
from memotheca.search.index.seal import maintain
from memotheca.storage import table_copy
from memotheca.storage.migrations import STEPS, migrate
from memotheca.storage.sqlite import SQLiteDatabase
from memotheca.storage.table_copy import list_tables
from tests.conftest import Agent
from tests.storage.postgres_server import needs_postgres, open_on_postgres, shared_server

pytestmark = needs_postgres

COLLECTIONS = ("default", "tea \u2615")


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    yield shared_server().for_data(tmp_path)
    shared_server().clear(tmp_path)


def open_at(data: Path, database: str = "", collection: str = "default") -> Agent:
    given = {"data": str(data), "toolsets": "all", "collection": collection, "database": database}
    return Agent(build(settings.load({name: value for name, value in given.items() if value}, {})))


def fill(data: Path, entries: int = 30) -> None:
    """Something of everything: versions, aliases, edges, tunings, tasks, settings, jobs, a file that waits."""
    for collection in COLLECTIONS:
        agent = open_at(data, collection=collection)
        choose_embedder(agent.kernel.store, collection, "none")
        for number in range(entries):
            agent.store(f"tea {number}", f"Green \0 leaves \1 {number}.")
        agent.call("relate", subject="tea 1", predicate="is", object="tea 2")
        agent.call("store_memory", content="Bo takes milk in his tea.", rationale="Said at lunch.")
        agent.call("store_memory", content="Bo takes no milk in his tea.", rationale="Said at dinner.")
        agent.call("inject_context", query="milk")
        index = finder_of(agent.kernel).index_of(collection, "")
        assert maintain(agent.kernel.store, index, seal_at=1)
        agent.store("late", "After the seal.")
        main(["undo", "--data", str(data), "--collection", collection, "--json"])
        upload = file_access.Upload(bench_of(agent.kernel), "tea.txt", 100)
        upload.write(b"Tea. " * 20)
        agent.call("knowledge-add", file_path=upload.finish())
        (data / "milk.txt").write_text("Milk. " * 20)
        agent.call("knowledge-add", file_path=str(data / "milk.txt"))
        agent.app.close()


def told(data: Path, database: str = "") -> Any:
    """What there is, as it is answered."""
    found: list[Any] = []
    for collection in COLLECTIONS:
        agent = open_at(data, database, collection)
        commits = agent.call("history", limit=100)
        asked = [agent.call("query", content="green leaves", limit=50), agent.call("query_graph", subject="tea 1")]
        asked[0].pop("retrieval_ms")
        jobs = sorted((job.id, job.state, job.arguments["path"]) for job in newest_jobs(agent.kernel, 10))
        found.append((commits, asked, jobs))
        agent.app.close()
    return json.loads(json.dumps(found, default=str))


def move(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    status = main(["migrate", *words, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_everything_goes_to_postgres_and_back(address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here, back = tmp_path / "here", tmp_path / "back"
    fill(here)
    before = told(here)
    status, moved = move(capsys, "--data", str(here), "--to", address)
    assert status == 0, moved
    assert moved["verified"]
    assert (moved["segments"] > 0, moved["files"], moved["resumed"]) == (True, 2, False)
    assert {"version", "tx", "alias", "edge_head", "care_task", "job", "retrieval"} <= moved["tables"].keys()
    assert told(here, address) == before
    status, returned = move(capsys, "--data", str(here), "--database", address, "--to", str(back))
    assert status == 0, returned
    assert returned["tables"].keys() == moved["tables"].keys()
    assert told(back) == before
    assert main(["doctor", "--data", str(back)]) == 0


def test_a_job_that_waits_is_done_where_its_file_is(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = tmp_path / "here"
    fill(here, entries=2)
    assert move(capsys, "--data", str(here), "--to", address)[0] == 0
    elsewhere = open_at(tmp_path / "elsewhere", address)
    taken = [take_next(elsewhere.kernel, ("small", "large")) for _ in range(3)]
    assert [Path(job.arguments["path"]).name for job in taken if job is not None] == ["tea.txt", "tea.txt"]
    for job in taken[:1]:
        assert job is not None
        path = bench_of(elsewhere.kernel).sent.bring(job.arguments["path"].rpartition("/uploads/")[2])
        assert path.read_bytes() == b"Tea. " * 20
    elsewhere.app.close()


def test_a_target_that_is_not_empty_is_refused(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = tmp_path / "here"
    fill(here, entries=1)
    other = open_at(tmp_path / "other", address)
    other.store("milk", "White.")
    other.app.close()
    status, refused = move(capsys, "--data", str(here), "--to", address)
    assert (status, refused["error"]["code"]) == (1, "already_exists")
    status, refused = move(capsys, "--data", str(here), "--to", str(here))
    assert (status, refused["error"]["code"]) == (2, "invalid")


def test_a_password_in_the_target_is_not_told(address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(tmp_path / "here", entries=1)
    secret = address.replace("user=memotheca", "user=memotheca&password=hunter2")
    capsys.readouterr()
    assert main(["migrate", "--data", str(tmp_path / "here"), "--to", secret]) == 0
    assert main(["migrate", "--data", str(tmp_path / "here"), "--to", secret]) == 1
    assert "hunter2" not in "".join(capsys.readouterr())


def test_data_that_a_server_has_open_is_not_moved(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(tmp_path / "here", entries=1)
    serve = [sys.executable, "-m", "memotheca.cli.main", "serve", "--data", str(tmp_path / "here")]
    with subprocess.Popen(serve, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        server.stdin.flush()
        server.stdout.readline()
        status, refused = move(capsys, "--data", str(tmp_path / "here"), "--to", address)
        server.stdin.close()
    assert (status, refused["error"]["code"]) == (1, "busy")


def test_data_that_another_machine_has_open_is_not_moved(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = open_on_postgres(address)
    command = ("--data", str(tmp_path / "here"), "--database", address, "--to", str(tmp_path / "there"))
    status, refused = move(capsys, *command)
    assert (status, refused["error"]["code"]) == (1, "busy")
    other.close()
    assert move(capsys, *command)[0] == 0


MOVER = """
import os, signal, sys
from memotheca.storage import table_copy
from memotheca.cli.main import main
table_copy.BATCH = 20
left = [int(sys.argv[1])]
write = table_copy._write_mark
def write_mark(session, mark):
    write(session, mark)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
table_copy._write_mark = write_mark
main(["migrate", *sys.argv[2:]])
"""


@pytest.mark.parametrize("into", ["postgres", "directory"])
def test_a_move_that_is_killed_goes_on_and_nobody_opens_it_before(
    into: str, address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    fill(here)
    before = told(here)
    words = ["--data", str(here), "--to", address if into == "postgres" else str(there)]
    for steps in (2, 9, 17):
        ended = subprocess.run([sys.executable, "-c", MOVER, str(steps), *words], check=False, capture_output=True)
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        with pytest.raises(Refusal) as refused:
            open_at(here, address) if into == "postgres" else open_at(there)
        assert refused.value.failure is Failure.UNAVAILABLE
    status, moved = move(capsys, *words)
    assert status == 0, moved
    assert moved["resumed"]
    assert (told(here, address) if into == "postgres" else told(there)) == before


def test_what_is_changed_while_a_move_was_cut_off_is_noticed(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = tmp_path / "here"
    fill(here)
    words = ["--data", str(here), "--to", address]
    ended = subprocess.run([sys.executable, "-c", MOVER, "30", *words], check=False, capture_output=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    agent = open_at(here)
    agent.store("later", "After the first try.")
    agent.app.close()
    status, refused = move(capsys, *words)
    assert (status, refused["error"]["code"]) == (1, "conflict")
    before = told(here)
    status, moved = move(capsys, *words)
    assert status == 0, moved
    assert told(here, address) == before


def test_another_move_that_was_cut_off_is_not_gone_on_with(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("here", "other"):
        fill(tmp_path / name, entries=1)
    words = ["--data", str(tmp_path / "here"), "--to", address]
    subprocess.run([sys.executable, "-c", MOVER, "3", *words], check=False, capture_output=True)
    status, refused = move(capsys, "--data", str(tmp_path / "other"), "--to", address)
    assert (status, refused["error"]["code"]) == (1, "conflict")


def test_a_row_that_did_not_arrive_as_it_was_is_noticed(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path / "here", entries=3)
    copy = table_copy.copy_rows

    def spoil(source: Any, target: Any, mark: Any, **given: Any) -> None:
        copy(source, target, mark, **given)
        target.operate(lambda session: session.run("UPDATE version SET image = '{}' WHERE tx = 2"))

    monkeypatch.setattr(table_copy, "copy_rows", spoil)
    status, refused = move(capsys, "--data", str(tmp_path / "here"), "--to", address)
    assert status == 1
    assert "version of default" in refused["error"]["message"]
    monkeypatch.undo()
    assert move(capsys, "--data", str(tmp_path / "here"), "--to", address)[0] == 0


def test_the_tables_that_are_moved_are_all_there_are(tmp_path: Path) -> None:
    database = SQLiteDatabase(tmp_path / "x.db")
    migrate(database, STEPS, before=lambda found: None)
    with database.read() as session:
        names = session.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        there = {
            str(name): [(str(row[1]), int(row[5])) for row in session.rows(f"PRAGMA table_info({name})")]
            for (name,) in names
        }
    database.close()
    del there["meta"]
    listed = {table.name: table for table in list_tables()}
    assert listed.keys() == there.keys()
    for name, columns in there.items():
        assert list(listed[name].columns) == [column for column, _ in columns]
        key = sorted((place, column) for column, place in columns if place)
        assert list(listed[name].key) == [column for _, column in key]
