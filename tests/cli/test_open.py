"""memotheca open: a server of this data, started where none runs, and its address in a browser."""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from memotheca.storage.presence import SERVED, gate, present
from tests.patience import PATIENCE
from tests.server.sockets import free_port

PROGRAM = [sys.executable, "-m", "memotheca"]


@pytest.fixture
def open_(tmp_path):
    """Run `memotheca open` as a program of its own; whatever it has started is stopped in the end."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MEMOTHECA_")}
    environment |= {"HOME": str(tmp_path / "home"), "MEMOTHECA_DATA": str(tmp_path / "data")}

    def call(*arguments, code=0, **further):
        command = [*PROGRAM, "open", *arguments]
        done = subprocess.run(
            command, env={**environment, **further}, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout) if "--json" in arguments else done.stdout + done.stderr

    yield call
    call("--stop")


def fetch(address):
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return answer.status, answer.read().decode()


def test_it_starts_a_server_that_stays_and_finds_it_again_until_it_is_stopped(open_, tmp_path):
    port = str(free_port())
    first = open_("--no-browser", "--json", "--port", port)
    assert (first["started"], first["opened"], first["asks_for_token"]) == (True, False, False)
    assert first["address"] == f"http://127.0.0.1:{port}/"
    assert fetch(first["address"])[0] == 200
    again = open_("--no-browser", "--json")
    assert (again["started"], again["process"]) == (False, first["process"])
    assert open_("--stop", "--json") == {"stopped": [first["process"]], "left": []}
    with pytest.raises(OSError, match="refused"):
        fetch(first["address"])
    assert open_("--stop") == "No server of this data runs.\n"
    with gate(tmp_path / "data"):
        assert present(tmp_path / "data", room=SERVED) == []


def test_a_browser_is_told_the_address_and_no_token(open_, tmp_path):
    seen, script = tmp_path / "seen", tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$1" > {shlex.quote(str(seen))}\n')
    script.chmod(0o755)
    told = open_("--json", "--port", str(free_port()), BROWSER=str(script), MEMOTHECA_TOKEN="mt_secret")
    assert (told["opened"], told["asks_for_token"]) == (True, True)
    assert seen.read_text().strip() == told["address"]
    assert "mt_secret" not in seen.read_text() + json.dumps(told)
    assert "memotheca token add NAME" in open_("--no-browser")


def test_where_no_browser_can_be_opened_it_says_so(open_):
    told = open_("--port", str(free_port()), BROWSER="/bin/false", DISPLAY="", PATH="/nowhere")
    assert "No browser could be opened" in told
    assert "memotheca open --stop" in told


def test_a_port_that_was_asked_for_and_is_taken_is_refused(open_):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        refused = open_("--no-browser", "--json", "--port", port, code=1)["error"]
        assert refused["code"] == "unavailable"
        assert f"Port {port}" in refused["message"]


def test_where_the_usual_port_is_taken_it_takes_another(open_):
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 3000))
            taken.listen()
        except OSError:
            pass  # somebody else has taken it, which is as good
        told = open_("--no-browser", "--json")
    assert not told["address"].endswith(":3000/")
    assert fetch(told["address"])[0] == 200


def test_what_is_asked_of_a_server_that_runs_already_is_refused_and_not_passed_over(open_, tmp_path):
    open_("--no-browser", "--port", str(free_port()))
    for asked in (["--read-only"], ["--vault", str(tmp_path)], ["--foreground"]):
        told = open_("--no-browser", *asked, code=1)
        assert asked[0] in told
        assert "memotheca open --stop" in told


def test_one_that_was_killed_is_started_anew(open_):
    first = open_("--no-browser", "--json", "--port", str(free_port()))
    os.kill(first["process"], signal.SIGKILL)
    second = open_("--no-browser", "--json", "--port", str(free_port()))
    assert second["started"]
    assert second["process"] != first["process"]


def test_those_who_open_at_the_same_moment_share_one_server(open_):
    with ThreadPoolExecutor(3) as pool:
        told = list(pool.map(lambda _: open_("--no-browser", "--json"), range(3)))
    assert len({each["process"] for each in told}) == 1
    assert sum(each["started"] for each in told) >= 1


def test_a_server_that_somebody_else_started_is_used_and_not_stopped(open_, tmp_path):
    serve = [*PROGRAM, "serve", "--transport", "http", "--port", "0", "--json", "--data", str(tmp_path / "data")]
    server = subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    try:
        endpoint = json.loads(server.stdout.readline())["endpoint"]
        told = open_("--no-browser", "--json")
        assert (told["address"] + "mcp", told["started"], told["process"]) == (endpoint, False, server.pid)
        assert open_("--stop", "--json") == {"stopped": [], "left": [server.pid]}
        assert fetch(told["address"])[0] == 200
        other = open_("--no-browser", "--json", "--collection", "work", "--port", str(free_port()))
        assert other["started"]
        assert open_("--stop", "--json", "--collection", "work")["stopped"] == [other["process"]]
    finally:
        server.terminate()
        server.wait(PATIENCE)
        server.stdout.close()


def test_in_the_foreground_it_serves_until_it_is_told_to_stop(open_, tmp_path):
    command = [
        *PROGRAM,
        "open",
        "--foreground",
        "--no-browser",
        "--json",
        "--port",
        "0",
        "--data",
        str(tmp_path / "data"),
    ]
    complaint = (tmp_path / "complaint").open("w+")
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=complaint, text=True)
    assert server.stdout is not None
    told = ""
    while not told.endswith("}\n"):
        line = server.stdout.readline()
        assert line, (server.wait(PATIENCE), (tmp_path / "complaint").read_text())
        told += line
    assert fetch(json.loads(told)["address"])[0] == 200
    server.send_signal(signal.SIGINT)
    assert server.wait(PATIENCE) == 0
    server.stdout.close()
    complaint.close()
