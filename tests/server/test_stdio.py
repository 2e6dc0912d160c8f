"""stdio: every line is answered or understood, and the server leaves with its client."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.server.raw import INITIALIZE, MEMOTHECA, RawServer
from tests.storage.postgres_server import environment_for


@pytest.fixture
def server(tmp_path):
    server = RawServer(tmp_path / "data")
    yield server
    if server.child.poll() is None:
        server.close()


@pytest.fixture(scope="module")
def talker(tmp_path_factory):
    server = RawServer(tmp_path_factory.mktemp("talker") / "data").begin()
    yield server
    server.close()


@pytest.mark.parametrize(
    ("line", "code", "error_type", "id"),
    [
        ("{broken", -32700, "parse_error", None),
        ('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', -32700, "parse_error", None),
        ("[" * 100_000, -32700, "parse_error", None),
        ("[]", -32600, "invalid_request", None),
        ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, "invalid_request", None),
        ('"ping"', -32600, "invalid_request", None),
        ('{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, "invalid_request", 7),
        ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, "invalid_request", None),
        ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, "invalid_request", None),
        ('{"jsonrpc":"2.0","id":7}', -32600, "invalid_request", 7),
        ('{"jsonrpc":"2.0","id":7,"method":7}', -32600, "invalid_request", 7),
        ('{"jsonrpc":"2.0","id":1,"error":"x"}', -32600, "invalid_request", None),
        ('{"jsonrpc":"2.0","id":1,"result":5}', -32600, "invalid_request", None),
        (
            '{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"knowledge://[bad"}}',
            -32602,
            "invalid_params",
            7,
        ),
        ('{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', -32602, "invalid_params", 7),
        ('{"jsonrpc":"2.0","id":"a","method":"no/such"}', -32601, "method_not_found", "a"),
        ('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}', -32602, "invalid_params", 7),
        ('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nope"}}', -32602, "invalid_params", 7),
        ('{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"x:y"}}', -32602, "invalid_params", 7),
        ('{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"x"}}', -32602, "invalid_params", 7),
    ],
)
def test_what_is_wrong_is_answered_with_its_code_and_the_server_goes_on(talker, line, code, error_type, id):
    talker.write(line)
    answer = talker.read()
    assert answer["error"]["code"] == code
    assert answer["error"]["data"]["error_type"] == error_type
    assert answer["error"]["data"]["details"]
    assert answer.get("id") == id
    assert "Traceback" not in json.dumps(answer)
    assert "pydantic" not in json.dumps(answer)
    assert talker.request("ping")["result"] == {}


def test_a_cancellation_that_makes_no_sense_is_passed_over(talker):
    talker.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1]}}')
    assert talker.request("ping")["result"] == {}


def test_a_request_before_initialize_is_an_error_with_a_type(server):
    answer = server.request("tools/list")
    assert answer["error"]["code"] == -32602
    assert answer["error"]["data"]["error_type"] == "invalid_params"


def test_a_message_larger_than_the_limit_is_refused_and_the_next_one_read(talker):
    talker.write('{"jsonrpc":"2.0","id":1,"method":"' + "x" * (17 * 1024 * 1024) + '"}')
    assert talker.read()["error"]["code"] == -32700
    assert talker.request("ping")["result"] == {}


def test_calls_under_way_are_answered_before_the_server_leaves(tmp_path):
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE}),
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    ]
    for number in range(1, 21):
        params = {"name": "store", "arguments": {"topic": f"t{number}", "content": "x"}}
        lines.append(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}))
    command = [*MEMOTHECA, "serve", "--data", str(tmp_path / "data")]
    said = "\n".join(lines).encode()
    environment = environment_for(tmp_path / "data")
    done = subprocess.run(command, input=said, capture_output=True, timeout=PATIENCE, check=True, env=environment)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert {answer["id"] for answer in answers} == set(range(21))
    assert all("result" in answer for answer in answers)


def test_the_server_leaves_when_stdin_closes(server):
    server.begin()
    assert server.close() == 0


def test_the_server_leaves_when_its_parent_dies_though_stdin_stays_open(tmp_path):
    read_end, write_end = os.pipe()
    os.set_inheritable(read_end, True)
    script = (
        "import subprocess, sys, os\n"
        f"child = subprocess.Popen({[*MEMOTHECA, 'serve', '--data', str(tmp_path / 'data')]!r}, stdin={read_end},"
        " stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)\n"
        "child.stdout.readline()\n"
        "print(child.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE}
    os.write(write_end, json.dumps(hello).encode() + b"\n")
    command = [sys.executable, "-c", script]
    parent = subprocess.run(command, pass_fds=[read_end], stdout=subprocess.PIPE, timeout=PATIENCE, check=False)
    child = int(parent.stdout)
    os.close(read_end)
    descriptor = os.pidfd_open(child) if is_alive(child) else None
    try:
        assert descriptor is None or wait_for_end(descriptor), "the orphan is still running"
    finally:
        os.close(write_end)
        if descriptor is not None:
            os.close(descriptor)
        if is_alive(child):
            os.kill(child, signal.SIGKILL)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for_end(descriptor: int) -> bool:
    import select

    return bool(select.select([descriptor], [], [], PATIENCE)[0])


def test_whoever_started_the_server_is_told_where_the_data_lies(tmp_path):
    server = RawServer(tmp_path / "data").begin()
    try:
        held = server.call("knowledge-status")["knowledge_base"]
        assert held["storage_path"] == str(tmp_path / "data")
        assert held["vector_db_path"] == str(tmp_path / "data" / "segments")
    finally:
        server.close()


def test_a_stray_print_does_not_reach_the_wire(talker):
    descriptors = Path(f"/proc/{talker.child.pid}/fd")
    assert (descriptors / "1").readlink() == (descriptors / "2").readlink()
    assert talker.request("ping")["result"] == {}


def test_read_only_hides_writing_tools_and_refuses_them(tmp_path):
    RawServer(tmp_path / "data").begin().close()
    server = RawServer(tmp_path / "data", "--read-only").begin()
    names = {tool["name"] for tool in server.request("tools/list")["result"]["tools"]}
    documents = {"knowledge-search", "knowledge-show", "knowledge-status", "knowledge-task-status"}
    patterns = {"search_patterns", "get_pattern", "list_pattern_categories", "list_skills", "get_skill"}
    assert names == {"query", "query_graph", "history"} | documents | patterns
    answer = server.request("tools/call", {"name": "store", "arguments": {"topic": "a", "content": "b"}})
    assert answer["result"]["isError"] is True
    assert answer["result"]["structuredContent"]["error"]["code"] == "policy"
    server.close()


def test_whoever_asks_before_the_handshake_is_told_so(tmp_path):
    server = RawServer(tmp_path / "data")
    error = server.request("tools/list")["error"]
    assert error["code"] == -32602
    assert "initialize" in error["data"]["details"]
    server.close()


@pytest.mark.parametrize(
    ("revision", "code", "has_tasks"), [("2025-06-18", -32002, False), ("2025-11-25", -32602, True)]
)
def test_each_revision_is_told_what_it_knows(tmp_path, revision, code, has_tasks):
    server = RawServer(tmp_path / "data")
    told = server.request("initialize", {**INITIALIZE, "protocolVersion": revision})["result"]
    assert ("tasks" in told["capabilities"]) == has_tasks
    server.write('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    tools = server.request("tools/list")["result"]["tools"]
    assert any("execution" in tool for tool in tools) == has_tasks
    uri = "knowledge://entries/01ARZ3NDEKTSV4RRFFQ69G5FAV"
    assert server.request("resources/read", {"uri": uri})["error"]["code"] == code
    server.close()
