"""Tasks of the protocol: in the older form asked for by the client, in the newer one ours to begin; durable in both."""

import json
from collections import Counter

import pytest

from memotheca.storage.locks import role
from tests.patience import until
from tests.server.raw import RawServer

TASKS = "io.modelcontextprotocol/tasks"
TEA = "data:text/html;name=tea.html,<p>Steep it.</p>"


def envelope(**capabilities):
    return {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    }


MODERN = envelope(extensions={TASKS: {}})


def settled(ask):
    """The task once it has a status that stays."""
    return until(lambda: None if (task := ask())["status"] == "working" else task)


@pytest.fixture
def older(tmp_path):
    server = RawServer(tmp_path / "data").begin()
    yield server
    server.close()


def test_the_older_form_creates_follows_and_fetches_a_task(older):
    listed = {tool["name"]: tool for tool in older.request("tools/list")["result"]["tools"]}
    assert listed["knowledge-add"]["execution"]["taskSupport"] == "optional"
    params = {"name": "knowledge-add", "arguments": {"file_path": TEA, "async": False}, "task": {"ttl": 60_000}}
    task = older.request("tools/call", params)["result"]["task"]
    assert (task["status"], task["pollInterval"] > 0, task["ttl"] > 60_000) == ("working", True, True)
    result = older.request("tasks/result", {"taskId": task["taskId"]})["result"]
    assert result["structuredContent"]["filename"] == "tea.html"
    assert older.request("tasks/get", {"taskId": task["taskId"]})["result"]["status"] == "completed"
    assert [each["taskId"] for each in older.request("tasks/list")["result"]["tasks"]] == [task["taskId"]]
    assert older.call("knowledge-task-status", task_id=task["taskId"])["status"] == "completed"
    assert older.request("tasks/cancel", {"taskId": task["taskId"]})["error"]["code"] == -32602


def test_a_call_that_is_refused_becomes_no_task(older):
    params = {"name": "knowledge-add", "arguments": {"file_path": "a.xyz"}, "task": {}}
    result = older.request("tools/call", params)["result"]
    assert (result["isError"], result["structuredContent"]["error"]) == (True, "unsupported_format")


def test_a_tool_without_tasks_answers_at_once_whatever_is_asked(older):
    result = older.request("tools/call", {"name": "knowledge-show", "arguments": {}, "task": {}})["result"]
    assert result["structuredContent"]["total_count"] == 0


@pytest.fixture
def newer(tmp_path):
    server = RawServer(tmp_path / "data")
    yield server
    server.close()


def ask(server, method, **params):
    return server.request(method, {**params, "_meta": MODERN})


def test_the_newer_form_begins_a_task_for_who_knows_tasks(newer):
    capabilities = ask(newer, "server/discover")["result"]["capabilities"]
    assert TASKS in capabilities["extensions"]
    created = ask(newer, "tools/call", name="knowledge-add", arguments={"file_path": TEA})["result"]
    assert (created["resultType"], created["status"]) == ("task", "working")
    task = settled(lambda: ask(newer, "tasks/get", taskId=created["taskId"])["result"])
    assert task["status"] == "completed"
    assert task["result"]["structuredContent"]["filename"] == "tea.html"
    assert json.loads(task["result"]["content"][0]["text"])["success"] is True
    assert ask(newer, "tasks/cancel", taskId=created["taskId"])["result"]["resultType"] == "complete"
    assert ask(newer, "tasks/list")["error"]["code"] == -32601


def test_a_client_that_knows_no_tasks_gets_its_answer(newer):
    params = {"name": "knowledge-add", "arguments": {"file_path": TEA, "async": False}, "_meta": envelope()}
    result = newer.request("tools/call", params)["result"]
    assert (result["resultType"], result["structuredContent"]["filename"]) == ("complete", "tea.html")
    refused = newer.request("tasks/get", {"taskId": "nothing", "_meta": envelope()})
    assert refused["error"]["code"] == -32021


def test_a_task_outlives_the_server_that_began_it(newer, tmp_path):
    created = ask(newer, "tools/call", name="knowledge-add", arguments={"file_path": TEA})["result"]
    newer.child.kill()
    newer.child.wait()
    heir = RawServer(tmp_path / "data")
    try:
        task = settled(lambda: ask(heir, "tasks/get", taskId=created["taskId"])["result"])
        assert task["result"]["structuredContent"]["success"] is True
    finally:
        heir.close()


def test_those_who_wait_for_files_hold_up_nobody_else(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    with role(data, "jobs"):  # so that nobody works
        server = RawServer(data).begin()
        waiting = [
            server.send("tools/call", {"name": "knowledge-add", "arguments": {"file_path": named(n), "async": False}})
            for n in range(20)
        ]
        for number in range(20, 40):
            params = {"name": "knowledge-add", "arguments": {"file_path": named(number)}, "task": {}}
            task = server.request("tools/call", params)["result"]["task"]
            waiting.append(server.send("tasks/result", {"taskId": task["taskId"]}))
        assert statuses(server) == {"pending": 40}
    try:
        answers = {}
        while set(waiting) - set(answers):
            message = server.read()
            answers[message.get("id")] = message
        assert all(answers[id]["result"]["structuredContent"]["success"] for id in waiting)
        assert statuses(server) == {"completed": 40}
    finally:
        server.close()


def statuses(server):
    shown = server.call("knowledge-show", limit=100)["documents"]
    return Counter(document["processing_status"] for document in shown)


def named(number):
    return f"data:text/html;name=n{number}.html,<p>Number {number}.</p>"
