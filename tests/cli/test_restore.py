"""`memotheca restore` puts a backup in place of the data, whatever that is like, or changes nothing."""

import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from memotheca.app import DATABASE
from memotheca.cli.main import main
from memotheca.model.clock import system_clock
from memotheca.storage.migrations import STEPS, open_migrated
from memotheca.storage.sqlite import SQLiteDatabase
from tests.patience import PATIENCE
from tests.server.raw import MEMOTHECA, RawServer
from tests.server.test_http import HttpServer

SECRET = "xyzzy-plugh-0451"


@pytest.fixture
def run(tmp_path, invoke):
    return lambda *arguments, data=tmp_path / "data": invoke(*arguments, "--data", data)


@pytest.fixture
def memotheca(run):
    """The JSON of a command that succeeds."""

    def call(*arguments, **options):
        code, out, err = run(*arguments, "--json", **options)
        assert code == 0, out + err
        return json.loads(out)

    return call


@pytest.fixture
def topics(memotheca):
    def listed(**options):
        page = memotheca("call", "query", json.dumps({"limit": 100}), **options)
        return sorted(entry["topic"] for entry in page["items"])

    return listed


@pytest.fixture
def store(memotheca):
    def call(*topics, **options):
        return [
            memotheca("call", "store", json.dumps({"topic": topic, "content": f"about {topic}"}), **options)["id"]
            for topic in topics
        ]

    return call


@pytest.fixture
def seen(memotheca, store, topics):
    return memotheca, store, topics


def restored(memotheca, file, **options):
    done = memotheca("restore", file, **options)
    assert memotheca("doctor", **options)["ok"]
    return done


def test_a_restore_brings_back_what_was_and_keeps_what_is(memotheca, store, topics, tmp_path):
    store("tea", "milk")
    memotheca("backup", tmp_path / "b.db")
    store("bread")
    done = restored(memotheca, tmp_path / "b.db")
    assert topics() == ["milk", "tea"]
    assert done["collections"] == {"default": 2}
    kept = Path(done["kept"])
    assert kept.parent == tmp_path / "data" / "backups"
    restored(memotheca, kept)
    assert topics() == ["bread", "milk", "tea"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_restore_after_a_server_was_stopped_or_killed_restores(memotheca, topics, tmp_path, number):
    server = RawServer(tmp_path / "data").begin()
    for topic in ("tea", "milk", "bread"):
        server.call("store", topic=topic, content="needed")
    memotheca("backup", tmp_path / "b.db")
    for count in range(40):
        server.call("store", topic=f"{count}", content="not needed")
    server.child.send_signal(number)
    server.child.wait(PATIENCE)
    server.close()
    restored(memotheca, tmp_path / "b.db")
    assert topics() == ["bread", "milk", "tea"]


def test_a_restore_is_refused_while_a_server_or_a_command_has_the_data_open_and_names_it(run, store, tmp_path, topics):
    store("tea")
    run("backup", tmp_path / "b.db")
    for start, command in (
        (lambda: RawServer(tmp_path / "data").begin(), "memotheca serve --transport stdio"),
        (lambda: HttpServer(tmp_path / "data"), "memotheca serve --transport http"),
    ):
        server = start()
        code, out, _ = run("restore", tmp_path / "b.db", "--json")
        assert code == 1
        error = json.loads(out)["error"]
        assert error["code"] == "busy"
        assert f"`{command}` (process {server.child.pid}, since 20" in error["message"]
        [holder] = error["holders"]
        assert (holder["pid"], holder["command"]) == (server.child.pid, command)
        server.close()
    assert run("restore", tmp_path / "b.db")[0] == 0
    assert topics() == ["tea"]


def test_a_restore_is_refused_while_a_program_that_leaves_no_name_has_the_file_open(run, store, tmp_path):
    store("tea")
    run("backup", tmp_path / "b.db")
    look = "c = apsw.Connection(sys.argv[1]); c.execute('SELECT * FROM tx').fetchall()"
    script = f"import apsw, sys; {look}; print(1, flush=True); input()"
    command = [sys.executable, "-c", script, str(tmp_path / "data" / DATABASE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline()
        code, _, err = run("restore", tmp_path / "b.db")
        assert code == 1
        assert "Another program has the data open" in err
        other.communicate(b"\n")
    assert run("restore", tmp_path / "b.db")[0] == 0


def test_a_server_that_starts_during_a_restore_waits_for_it(memotheca, store, topics, tmp_path):
    """Whoever comes in while others are kept out is let in afterwards, and sees the new state alone."""
    store("tea")
    memotheca("backup", tmp_path / "b.db")
    store("bread")
    servers: list[RawServer] = []
    command = [*MEMOTHECA, "restore", str(tmp_path / "b.db"), "--data", str(tmp_path / "data")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        gate = tmp_path / "data" / "locks" / "gate.lock"
        while child.poll() is None and not gate.stat().st_size:
            pass
        servers.append(RawServer(tmp_path / "data").begin())
        _, complaint = child.communicate(timeout=PATIENCE)
    found = servers[0].call("query")["total"]
    assert found == (1 if child.returncode == 0 else 2), complaint
    servers[0].close()


DAMAGES = {
    "gone": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "other": lambda path: path.write_bytes(b"no database" * 1000),
    "header": lambda path: path.write_bytes(b"\0" * 100 + path.read_bytes()[100:]),
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "texts": lambda path: path.write_bytes(path.read_bytes().replace(b"about tea", b"about \xff\xfe\xfd")),
    "images": lambda path: path.write_bytes(path.read_bytes().replace(b'{"aliases"', b'x"aliases"')),
    "pages": lambda path: path.write_bytes(path.read_bytes()[:8192] + b"\xff" * 40_000 + path.read_bytes()[48_192:]),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_doctor_names_the_newest_good_backup_and_its_command_mends_a_damaged_file(run, seen, tmp_path, damage):
    memotheca, store, topics = seen
    store("tea", "milk")
    good = memotheca("backup")["file"]
    bad = memotheca("backup")["file"]
    Path(bad).write_bytes(Path(bad).read_bytes()[:5000])
    DAMAGES[damage](tmp_path / "data" / DATABASE)
    if damage not in ("gone", "empty"):
        code, out, _ = run("doctor", "--json")
        assert code == 1
        broken = [finding for finding in json.loads(out)["findings"] if finding["name"] == "integrity"]
        assert f"memotheca restore --data {tmp_path / 'data'} {good}" in broken[0]["fix"], broken
        for command in (("status",), ("call", "query", "{}"), ("backup",)):
            code, _, err = run(*command)
            assert (code, "Traceback" in err) != (0, True)
    done = restored(memotheca, good)
    assert topics() == ["milk", "tea"]
    if damage not in ("gone", "empty"):
        # What only a reader of the texts can know is kept as a backup like others.
        assert done["before"] == ("whole" if damage in ("texts", "images") else "damaged")
        assert Path(done["kept"]).exists()


def test_what_is_no_good_backup_is_refused_and_nothing_is_changed(run, memotheca, store, topics, tmp_path):
    store("tea")
    memotheca("backup", tmp_path / "good.db")
    whole = (tmp_path / "good.db").read_bytes()
    run("export", tmp_path / "export.jsonl")
    (tmp_path / "cut.db").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "torn.db").write_bytes(whole[:8192] + b"\xff" * 40_000 + whole[48_192:])
    (tmp_path / "empty.db").write_bytes(b"")
    other = apsw.Connection(str(tmp_path / "other.db"))
    other.execute("CREATE TABLE t (x)").fetchall()
    other.close()
    store("bread")
    named = [tmp_path / name for name in ("export.jsonl", "cut.db", "torn.db", "empty.db", "other.db")]
    for path in [*named, tmp_path, tmp_path / "nowhere.db", tmp_path / "data" / DATABASE]:
        code, _, err = run("restore", path)
        assert code in (1, 2), path
        assert str(path) in err
        assert "Traceback" not in err
    assert topics() == ["bread", "tea"]
    assert not (tmp_path / "data" / "restoring").exists()


def test_a_backup_of_a_newer_program_is_refused_and_one_of_an_older_is_migrated(
    run, memotheca, store, topics, tmp_path
):
    store("tea")
    memotheca("backup", tmp_path / "newer.db")
    newer = apsw.Connection(str(tmp_path / "newer.db"))
    newer.execute("UPDATE meta SET value = ? WHERE name = 'format'", (str(len(STEPS) + 1),)).fetchall()
    newer.close()
    code, _, err = run("restore", tmp_path / "newer.db")
    assert code == 1
    assert f"format {len(STEPS) + 1}" in err

    open_migrated(SQLiteDatabase(tmp_path / "older.db"), clock=system_clock, steps=STEPS[:2]).close()
    assert restored(memotheca, tmp_path / "older.db")["migrated_from"] == 2
    assert topics() == []


def test_a_file_copied_without_its_log_is_refused_unless_that_is_accepted(run, memotheca, store, topics, tmp_path):
    store("milk", data=tmp_path / "other")
    server = RawServer(tmp_path / "other").begin()
    server.call("store", topic="tea", content="black")
    shutil.copy(tmp_path / "other" / DATABASE, tmp_path / "alone.db")
    shutil.copy(tmp_path / "other" / DATABASE, tmp_path / "both.db")
    shutil.copy(tmp_path / "other" / f"{DATABASE}-wal", tmp_path / "both.db-wal")
    store("bread")
    code, _, err = run("restore", tmp_path / "alone.db")
    assert code == 1
    assert "incomplete" in err
    assert topics() == ["bread"]
    log = (tmp_path / "both.db-wal").read_bytes()
    restored(memotheca, tmp_path / "both.db")
    assert topics() == ["milk", "tea"]
    assert (tmp_path / "both.db-wal").read_bytes() == log
    restored(memotheca, tmp_path / "other" / DATABASE)
    assert topics() == ["milk", "tea"]
    assert server.close() == 0
    restored(memotheca, tmp_path / "other" / DATABASE)
    assert topics() == ["milk", "tea"]
    memotheca("restore", tmp_path / "alone.db", "--accept-incomplete")
    assert topics() == ["milk"]


def test_the_command_that_a_backup_prints_puts_it_back(seen, run, tmp_path, monkeypatch, capsys):
    _, store, topics = seen
    data = tmp_path / "the data"
    store("tea", data=data)
    monkeypatch.chdir(tmp_path)
    _, out, _ = run("backup", "copy of it.db", data=data)
    command = shlex.split(out.splitlines()[-1])
    store("bread", data=data)
    monkeypatch.chdir("/")
    monkeypatch.setenv("MEMOTHECA_DATA", str(tmp_path / "another"))
    assert command[0] == "memotheca"
    assert main(command[1:]) == 0, capsys.readouterr().err
    capsys.readouterr()
    assert topics(data=data) == ["tea"]


def test_doctor_says_of_an_incomplete_file_what_to_do(run, memotheca, store, topics, tmp_path):
    store("tea")
    good = memotheca("backup")["file"]
    server = RawServer(tmp_path / "data").begin()
    server.call("store", topic="bread", content="rye")
    shutil.copytree(tmp_path / "data", tmp_path / "copy", ignore=shutil.ignore_patterns("*-wal", "*-shm", "locks"))
    server.close()
    code, out, _ = run("doctor", "--json", data=tmp_path / "copy")
    assert code == 1
    [broken] = [finding for finding in json.loads(out)["findings"] if not finding["well"]]
    copied = tmp_path / "copy" / "backups" / Path(good).name
    assert f"memotheca restore --data {tmp_path / 'copy'} {copied}" in broken["fix"]
    assert f"memotheca doctor --data {tmp_path / 'copy'} --accept-incomplete" in broken["fix"]
    assert run("doctor", "--accept-incomplete", data=tmp_path / "copy")[0] == 0
    assert topics(data=tmp_path / "copy") == ["tea"]


def test_what_was_erased_stays_erased_when_an_older_backup_is_restored(run, memotheca, store, topics, tmp_path):
    [id] = store(SECRET)
    store("tea")
    memotheca("backup", tmp_path / "old.db")
    run("erase", id, "--yes")
    store("bread")
    memotheca("backup", tmp_path / "between.db")
    done = restored(memotheca, tmp_path / "old.db")
    assert done["erased_again"] == 1
    assert topics() == ["tea"]
    holding = [
        path for path in (tmp_path / "data").rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()
    ]
    assert holding == []
    # Also where the state in between knew nothing of it any more.
    memotheca("backup", tmp_path / "before.db")
    other = tmp_path / "fresh"
    store("fresh", data=other)
    memotheca("backup", tmp_path / "fresh.db", data=other)
    restored(memotheca, tmp_path / "fresh.db")
    restored(memotheca, tmp_path / "old.db")
    assert topics() == ["tea"]


@pytest.mark.parametrize("damage", ["gone", "empty"])
def test_what_was_erased_stays_so_where_the_data_was_lost_and_begun_anew(run, seen, tmp_path, damage):
    memotheca, store, topics = seen
    [id] = store(SECRET)
    store("tea")
    memotheca("backup", tmp_path / "old.db")
    run("erase", id, "--yes")
    memotheca("backup")
    DAMAGES[damage](tmp_path / "data" / DATABASE)
    assert run("doctor", "--accept-incomplete")[0] == 0
    store("new")
    assert restored(memotheca, tmp_path / "old.db")["erased_again"] == 1
    assert topics() == ["tea"]


def test_what_is_erased_leaves_the_state_that_a_restore_has_kept(run, memotheca, store, tmp_path):
    store("tea")
    memotheca("backup", tmp_path / "b.db")
    store(SECRET)
    restored(memotheca, tmp_path / "b.db")
    kept = [path for path in (tmp_path / "data" / "backups").iterdir() if SECRET.encode() in path.read_bytes()]
    assert len(kept) == 1
    memotheca("restore", kept[0])
    # The newest entry has the second number in the restored history.
    run("erase", "e-2", "--yes")
    holding = [
        path for path in (tmp_path / "data").rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()
    ]
    assert holding == []


def test_nothing_is_erased_while_a_damaged_backup_may_hold_it(run, memotheca, store, tmp_path, topics):
    [id] = store("tea")
    bad = Path(memotheca("backup")["file"])
    bad.write_bytes(bad.read_bytes()[:5000])
    code, _, err = run("erase", id, "--yes")
    assert code == 1
    assert str(bad) in err
    assert topics() == ["tea"]
    bad.unlink()
    assert run("erase", id, "--yes")[0] == 0


def test_searching_works_at_once_after_a_restore(run, memotheca, store, tmp_path):
    store("tea", "milk")
    run("reindex")
    memotheca("backup", tmp_path / "b.db")
    store("bread")
    restored(memotheca, tmp_path / "b.db")
    found = memotheca("call", "query", json.dumps({"content": "bread"}))
    assert "bread" not in [entry["topic"] for entry in found["items"]]
    found = memotheca("call", "query", json.dumps({"content": "milk"}))
    assert found["items"][0]["topic"] == "milk"


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")
def test_a_restore_keeps_modes_and_goes_through_links_blanks_and_other_disks(memotheca, store, topics, tmp_path):
    real = tmp_path / "a folder" / "with blanks"
    real.mkdir(parents=True, mode=0o700)
    link = tmp_path / "link to it"
    link.symlink_to(real)
    store("tea", data=link)
    shared = Path("/dev/shm") if Path("/dev/shm").is_dir() else tmp_path
    target = shared / f"memotheca test {os.getpid()}.db"
    try:
        memotheca("backup", target, data=link)
        target.chmod(0o644)
        memotheca("backup", target, "--force", data=link)
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
        store("bread", data=link)
        target.chmod(0o644)
        restored(memotheca, target, data=link)
    finally:
        target.unlink()
    assert topics(data=real) == ["tea"]
    assert stat.S_IMODE((real / DATABASE).stat().st_mode) == 0o600
    assert link.is_symlink()


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_a_database_that_is_a_link_to_another_place_stays_one(memotheca, store, topics, tmp_path):
    store("tea")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.move(tmp_path / "data" / DATABASE, elsewhere / "real.db")
    (tmp_path / "data" / DATABASE).symlink_to(elsewhere / "real.db")
    memotheca("backup", tmp_path / "b.db")
    store("bread")
    restored(memotheca, tmp_path / "b.db")
    assert (tmp_path / "data" / DATABASE).is_symlink()
    assert topics() == ["tea"]


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
@pytest.mark.parametrize("state", ["log", "damaged"])
def test_a_restore_killed_at_any_step_leaves_the_old_or_the_new(run, seen, tmp_path, state):
    memotheca, store, topics = seen
    origin = tmp_path / "origin"
    store("tea", data=origin)
    memotheca("backup", tmp_path / "b.db", data=origin)
    store("bread", data=origin)
    if state == "log":
        server = RawServer(origin).begin()
        server.call("store", topic="late", content="in the log")
        server.child.kill()
        server.child.wait()
        server.close()
        assert (origin / f"{DATABASE}-wal").stat().st_size
    if state == "damaged":
        (origin / DATABASE).write_bytes((origin / DATABASE).read_bytes()[:9000])
    old = {"log": ["bread", "late", "tea"], "damaged": None}[state]
    script = Path(__file__).parents[1] / "durability" / "restorer.py"
    outcomes, step, ended = set(), 0, False
    while not ended:
        step += 1
        data = tmp_path / f"step {step}"
        shutil.copytree(origin, data)
        command = [sys.executable, script, str(step), tmp_path / "b.db", data]
        child = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE)
        ended = b"done" in child.stdout
        assert ended or child.returncode == -signal.SIGKILL, child.stderr
        if old is None and run("status", data=data)[0] != 0:
            outcomes.add("old")
            assert (data / DATABASE).read_bytes() == (origin / DATABASE).read_bytes()
            restored(memotheca, tmp_path / "b.db", data=data)
        else:
            found = topics(data=data)
            assert found in (old, ["tea"]), step
            outcomes.add("old" if found == old else "new")
            assert memotheca("doctor", data=data)["ok"]
        assert not (data / "restoring").exists()
        shutil.rmtree(data)
    assert outcomes == {"old", "new"}
    assert step > 10
