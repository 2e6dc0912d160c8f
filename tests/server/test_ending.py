"""However a server is told to end, it closes its database: the one file is whole, and no log is left."""

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from memotheca.cli.main import main
from memotheca.storage.presence import present as others_in
from tests.patience import PATIENCE
from tests.server.raw import INITIALIZE, MEMOTHECA, RawServer
from tests.server.test_http import HELLO, HttpServer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


def entries_of(capsys, data):
    capsys.readouterr()
    assert main(["status", "--data", str(data), "--json"]) == 0
    return json.loads(capsys.readouterr().out)["entry"]


def assert_is_whole(capsys, data, tmp_path, entries):
    assert [path.name for path in data.iterdir() if path.name.startswith("memotheca.db")] == ["memotheca.db"]
    (tmp_path / "copy").mkdir()
    shutil.copy(data / "memotheca.db", tmp_path / "copy")
    assert entries_of(capsys, tmp_path / "copy") == entries


@pytest.mark.parametrize("number", [*SIGNALS, None])
def test_a_stdio_server_that_ends_leaves_one_whole_file(capsys, tmp_path, number):
    server = RawServer(tmp_path / "data").begin()
    for topic in ("tea", "milk", "bread"):
        server.call("store", topic=topic, content="needed")
    if number is not None:
        server.child.send_signal(number)
        assert server.child.wait(PATIENCE) == 0
    assert server.close() == 0
    assert_is_whole(capsys, tmp_path / "data", tmp_path, 3)


@pytest.mark.parametrize("number", SIGNALS)
def test_an_http_server_that_is_stopped_leaves_one_whole_file_and_exits_with_0(capsys, tmp_path, number):
    server = HttpServer(tmp_path / "data")
    call = {"name": "store", "arguments": {"topic": "tea", "content": "needed"}}
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": INITIALIZE["clientInfo"],
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**call, "_meta": meta}}
    headers = {"Mcp_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/call", "Mcp_Name": "store"}
    status, text = server.post(message, **headers)
    assert status == 200, text
    server.child.send_signal(number)
    assert server.child.wait(PATIENCE) == 0
    server.close()
    assert_is_whole(capsys, tmp_path / "data", tmp_path, 1)


def test_an_http_server_with_an_open_stream_still_ends_when_it_is_stopped(tmp_path):
    server = HttpServer(tmp_path / "data")
    assert server.post(HELLO)[0] == 200
    assert server.close() == 0


def test_a_stdio_server_whose_client_does_not_read_ends_when_it_is_stopped(capsys, tmp_path):
    command = [*MEMOTHECA, "serve", "--data", str(tmp_path / "data")]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE}).encode())
    child.stdin.write(b"\n")
    child.stdin.flush()
    assert child.stdout.readline()
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode() + b"\n"
    os.set_blocking(child.stdin.fileno(), False)
    # Until nothing more fits: then the server waits for somebody to read.
    for _ in range(100_000):
        try:
            if os.write(child.stdin.fileno(), asked) < len(asked):
                break
        except BlockingIOError:
            break
    child.send_signal(signal.SIGTERM)
    assert child.wait(PATIENCE) == 0
    child.stdin.close()
    child.stdout.close()
    assert entries_of(capsys, tmp_path / "data") == 0


def test_the_last_of_several_servers_leaves_the_file_whole(capsys, tmp_path):
    servers = [RawServer(tmp_path / "data").begin() for _ in range(3)]
    for server in servers:
        server.call("store", topic="tea", content=f"cup of {server.child.pid}")
    for server in servers:
        server.child.send_signal(signal.SIGTERM)
    for server in servers:
        assert server.close() == 0
    assert_is_whole(capsys, tmp_path / "data", tmp_path, 3)


def test_a_command_that_is_stopped_says_so_by_its_exit_code_and_closes(tmp_path):
    (tmp_path / "folder").mkdir()
    for number, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129)):
        command = [*MEMOTHECA, "import", "-", "--data", str(tmp_path / "data")]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        present = tmp_path / "data" / "locks" / "present"
        while not (present.is_dir() and list(present.iterdir())):
            assert child.poll() is None
        child.send_signal(number)
        # While it opens its database it cannot be interrupted, then it is.
        assert child.wait(PATIENCE) == code
        child.communicate()
        # Stopped while it comes in, it may leave its file, but nobody is there.
        assert others_in(tmp_path / "data") == []
        assert not (tmp_path / "data" / "memotheca.db-wal").exists()
