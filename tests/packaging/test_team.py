"""The examples for a team: two servers on one PostgreSQL behind Caddy and behind nginx, run from Debian's packages, and
units that systemd takes."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from memotheca.entries.entries import NewEntry, store_entry
from memotheca.kernel.kernel import Kernel
from memotheca.settings import OPTIONS
from scripts.debian_programs import find_program, surroundings_of
from tests.patience import PATIENCE, until
from tests.server.raw import INITIALIZE
from tests.server.sockets import free_port
from tests.server.test_http import HttpServer
from tests.storage.postgres_server import needs_postgres, open_on_postgres, programs, shared_server

EXAMPLES = Path(__file__).parents[2] / "packaging" / "team"
HOST = "memory.example"
TOKEN = "a-long-token-for-a-test"


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[list[HttpServer]]:
    environment = {**os.environ, "MEMOTHECA_TOKEN": TOKEN, "MEMOTHECA_DATABASE": shared_server().for_data(tmp_path)}
    options = ["--allowed-hosts", HOST, "--max-connections-per-client", "1000", "--toolsets", "entries,documents"]
    running = [HttpServer(tmp_path / name, *options, environment=environment) for name in ("one", "two")]
    # Asked for the first time a server takes its connections to the database, and on a busy machine longer than a
    # proxy waits before it gives its clients to another.
    for each in running:
        until(lambda port=each.port: is_ready(port))
    yield running
    for each in running:
        each.close()
    shared_server().clear(tmp_path)


def is_ready(port: int) -> bool:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as asked:
        asked.request("GET", "/ready", headers={"Host": HOST, "Authorization": f"Bearer {TOKEN}"})
        return asked.getresponse().status == 200


def is_open(port: int) -> bool:
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


def _ports(text: str, servers: list[HttpServer]) -> str:
    for named, server in zip(("3001", "3002"), servers, strict=True):
        assert f"127.0.0.1:{named}" in text
        text = text.replace(f"127.0.0.1:{named}", f"127.0.0.1:{server.port}")
    return text


def run_caddy(folder: Path, servers: list[HttpServer], port: int) -> list[str]:
    """The example, but for its address: no certificate is got here."""
    text = _ports((EXAMPLES / "Caddyfile").read_text(), servers)
    place = folder / "Caddyfile"
    place.write_text("{\n\tadmin off\n}\n" + text.replace(f"{HOST} {{", f"http://:{port} {{", 1))
    return ["run", "--adapter", "caddyfile", "--config", str(place)]


def run_nginx(folder: Path, servers: list[HttpServer], port: int) -> list[str]:
    """The example as part of a configuration that needs nothing of the machine, on a port without a certificate."""
    text = _ports((EXAMPLES / "nginx.conf").read_text(), servers)
    text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{port};")
    (folder / "memotheca.conf").write_text(re.sub(r"(?m)^ *ssl_.*\n", "", text))
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    (folder / "nginx.conf").write_text(
        f"{'user root;' if os.getuid() == 0 else ''}\ndaemon off;\npid {folder}/pid;\nerror_log stderr;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{places}include {folder}/memotheca.conf;\n}}\n"
    )
    return ["-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf")]


PROXIES = {"caddy": run_caddy, "nginx": run_nginx}


@contextmanager
def proxied(name: str, folder: Path, servers: list[HttpServer]) -> Generator[int]:
    program = find_program(name)
    if program is None:
        pytest.skip(f"there is no {name} here (make setup-dev gets Debian's)")
    port = free_port()
    folder.mkdir()
    environment = {**surroundings_of(name), "HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    with (folder / "log").open("wb") as log:
        command = [str(program), *PROXIES[name](folder, servers, port)]
        child = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        until(lambda: is_open(port) or child.poll() is not None)
        assert child.poll() is None, (folder / "log").read_text()
        yield port
    finally:
        child.terminate()
        try:
            child.wait(1)
        except subprocess.TimeoutExpired:
            child.kill()  # It waits for its clients.
            child.wait()


class Client:
    """Somebody who knows the address of the team's server alone."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connections: list[http.client.HTTPConnection] = []
        self._headers = {
            "Host": HOST,
            "Authorization": f"Bearer {TOKEN}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
        }

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)
        shown = self._headers | {name.replace("_", "-"): value for name, value in headers.items()}
        self._connections.append(connection)
        connection.request(method, path, body if isinstance(body, bytes | None) else json.dumps(body), shown)
        return connection.getresponse()

    def close(self) -> None:
        for connection in self._connections:
            connection.close()

    def call(self, name: str, **arguments: Any) -> http.client.HTTPResponse:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        return self.send("POST", "/mcp", message)

    def result(self, name: str, **arguments: Any) -> dict[str, Any] | None:
        """What a call has come to; nothing where it is to be repeated."""
        answer = self.call(name, **arguments)
        said = answer.read()
        assert answer.status in (200, 502, 503), said
        told = json.loads(said) if answer.status == 200 else {}
        if "error" in told:
            assert told["error"]["data"]["retryable"] is True, told
        return told.get("result")

    def has_stored(self, topic: str) -> bool:
        told = self.result("store", topic=topic, content="Kept.")
        return told is not None and not told["isError"]

    def topics(self) -> list[str]:
        told = None
        while told is None:
            told = self.result("query", limit=100)
        return sorted(item["topic"] for item in told["structuredContent"]["items"])


@needs_postgres
@pytest.mark.parametrize("name", sorted(PROXIES))
def test_two_servers_behind_a_proxy_are_one_to_clients(name: str, servers: list[HttpServer], tmp_path: Path) -> None:
    with proxied(name, tmp_path / name, servers) as port, closing(Client(port)) as client:
        refused = client.send("POST", "/mcp", _store("tea"), Authorization="Bearer wrong")
        assert (refused.status, refused.getheader("WWW-Authenticate") is None) == (401, False)
        refused.read()

        begun = client.send("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE})
        session = begun.getheader("Mcp-Session-Id")
        begun.read()
        assert session
        for number in range(6):
            asked = {"jsonrpc": "2.0", "id": number, "method": "ping"}
            answer = client.send("POST", "/mcp", asked, Mcp_Session_Id=session)
            assert (answer.status, answer.read() != b"") == (200, True), "a session is always at its own server"

        stream = client.send("GET", "/mcp", Mcp_Session_Id=session)
        followed = {
            "jsonrpc": "2.0",
            "id": 9,
            "method": "resources/subscribe",
            "params": {"uri": "knowledge://entries"},
        }
        client.send("POST", "/mcp", followed, Mcp_Session_Id=session).read()
        assert servers[0].post(_store("tea"), Authorization=f"Bearer {TOKEN}")[0] == 200
        assert servers[1].post(_store("milk"), Authorization=f"Bearer {TOKEN}")[0] == 200
        told = 0
        while told < 2:  # Each event comes at once, not when the stream ends.
            line = stream.readline()
            assert line
            told += b"notifications/resources/updated" in line
        stream.close()

        large = client.send("POST", "/uploads?name=large.html", b"<p>" + b"x" * 5_000_000, Content_Type="text/html")
        assert large.status in (200, 201), large.read()
        large.read()


def _store(topic: str) -> dict[str, Any]:
    arguments = {"topic": topic, "content": "Kept."}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "store", "arguments": arguments}}


@needs_postgres
@pytest.mark.parametrize("name", sorted(PROXIES))
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_server_that_ends_is_not_missed(
    name: str, how: signal.Signals, servers: list[HttpServer], tmp_path: Path
) -> None:
    """What was acknowledged is there, and after a moment everything is acknowledged again."""
    with proxied(name, tmp_path / name, servers) as port, closing(Client(port)) as client:
        kept = [f"before {number}" for number in range(3)]
        assert all(client.has_stored(topic) for topic in kept)
        servers[0].child.send_signal(how)
        deadline = time.monotonic() + PATIENCE
        in_a_row = 0
        while servers[0].child.poll() is None or in_a_row < 5:
            topic = f"during {time.monotonic_ns()}"
            is_stored = client.has_stored(topic)
            kept += [topic] if is_stored else []
            in_a_row = in_a_row + 1 if is_stored else 0
            assert time.monotonic() < deadline
        assert set(kept) <= set(client.topics())


@pytest.mark.parametrize("name", ["memotheca@.service", "memotheca-dump.service", "memotheca-dump.timer"])
def test_the_units_are_ones_for_systemd(name: str, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd")
    (tmp_path / "memotheca").write_text("#!/bin/sh\n")
    (tmp_path / "memotheca").chmod(0o755)
    for each in EXAMPLES.glob("memotheca*"):
        (tmp_path / each.name).write_text(each.read_text().replace("/usr/local/bin/memotheca", f"{tmp_path}/memotheca"))
    unit = tmp_path / name.replace("@.", "@3001.")
    if not unit.exists():
        unit.symlink_to(tmp_path / name)
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert str(tmp_path) not in done.stderr, done.stderr


@needs_postgres
def test_the_copy_that_the_unit_makes_can_be_restored(tmp_path: Path) -> None:
    server = shared_server()
    store = open_on_postgres(server.for_data(tmp_path))
    store_entry(Kernel(store, "default"), NewEntry(title="tea", body="Kept."), actor="test")
    store.close()
    tools = programs()
    assert tools is not None
    if not (tools / "pg_dump").exists():
        pytest.skip("there is no pg_dump beside the server")
    unit = (EXAMPLES / "memotheca-dump.service").read_text()
    [line] = re.findall(r"(?m)^ExecStart=/bin/sh -ec '(.*)'$", unit)
    spoken = line.replace("$$", "$").replace("%%", "%")
    given = {"PATH": f"{tools}:{os.defpath}", "STATE_DIRECTORY": str(tmp_path)}
    command = ["/bin/sh", "-ec", spoken]
    subprocess.run(command, env={**given, "MEMOTHECA_DATABASE": server.for_data(tmp_path)}, check=True)
    [copy] = tmp_path.glob("day-*.dump")
    with server.another_database("restored") as address:
        command = [str(tools / "pg_restore"), "--no-owner", f"--dbname={address}", str(copy)]
        subprocess.run(command, env=given, check=True)
        restored = open_on_postgres(f"{address}&options={schema_option(server.for_data(tmp_path))}")
        with restored.read("default") as snapshot:
            assert snapshot.tx == 1
        restored.close()
    server.clear(tmp_path)


def schema_option(address: str) -> str:
    return address.partition("&options=")[2]


def test_the_compose_file_keeps_servers_apart_from_the_disk_and_the_password_out_of_addresses() -> None:
    """No engine runs here: its structure and its words are looked at."""
    made = yaml.safe_load((EXAMPLES / "compose.yaml").read_text())
    for name in ("one", "two"):
        server = made["services"][name]
        assert server["read_only"] is True
        assert server["cap_drop"] == ["ALL"]
        assert not any("password" in word for word in server["command"])
        assert {volume.partition(":")[0] for volume in server["volumes"]} <= set(made["volumes"])
        known = {option for option in server["command"] if option.startswith("--")}
        assert {option.partition("=")[0] for option in known} <= _options()
    assert "5432" not in str(made["services"]["database"].get("ports", ""))


def _options() -> set[str]:
    return {f"--{option.name}" for option in OPTIONS}
