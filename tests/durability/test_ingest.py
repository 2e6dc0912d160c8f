"""kill -9 while files are read: the next server finishes what was asked for, once, and nothing is half there."""

import threading

from memotheca.app import open_store
from memotheca.storage.journal import compare_heads
from tests.server.raw import RawServer

PATIENCE = 60.0
PAUSE = 0.05
LONG = "".join(f"Paragraph {n} says something about tea, water, kettles and cups.\n\n" for n in range(150))


def test_a_killed_server_s_task_is_finished_by_the_next(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text(LONG, "utf-8")
    doomed = RawServer(tmp_path / "data").begin()
    arguments = {"file_path": str(path)}
    answer = doomed.request(
        "tools/call", {"name": "knowledge-add", "arguments": arguments, "_meta": {"progressToken": "t"}}
    )
    task = answer["result"]["structuredContent"]["task_id"]
    while doomed.notification(PATIENCE)["params"]["progress"] == 0:
        pass
    doomed.child.kill()
    doomed.child.wait()
    heir = RawServer(tmp_path / "data").begin()
    try:
        deadline = threading.Event()
        threading.Timer(PATIENCE, deadline.set).start()
        while (status := heir.call("knowledge-task-status", task_id=task))["status"] in ("queued", "running"):
            assert not deadline.wait(PAUSE), status
        assert status["status"] == "completed", status
        listed = heir.call("knowledge-show")["documents"]
        assert [document["id"] for document in listed] == [status["result"]["document_id"]]
        assert [item["op"] for item in heir.call("history")["items"]] == ["CREATE"]
    finally:
        heir.close()
        doomed.close()
    store = open_store(tmp_path / "data")
    with store.database.read() as session:
        assert compare_heads(session, "default") == []
    store.close()


def test_another_server_that_is_already_there_takes_over(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text(LONG, "utf-8")
    doomed = RawServer(tmp_path / "data").begin()
    doomed.call("knowledge-show")
    other = RawServer(tmp_path / "data").begin()
    try:
        task = other.call("knowledge-add", file_path=str(path))["task_id"]
        deadline = threading.Event()
        threading.Timer(PATIENCE, deadline.set).start()
        while other.call("knowledge-task-status", task_id=task)["status"] == "queued":
            assert not deadline.wait(PAUSE)
        doomed.child.kill()
        doomed.child.wait()
        while (status := other.call("knowledge-task-status", task_id=task))["status"] in ("queued", "running"):
            assert not deadline.wait(PAUSE), status
        assert status["status"] == "completed", status
    finally:
        other.close()
        doomed.close()
