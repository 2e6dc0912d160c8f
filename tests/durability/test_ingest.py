"""kill -9 while files are read: the next server finishes what was asked for, once, and nothing is half there."""

from typing import Any

from memotheca.storage.journal import compare_heads
from tests.conftest import open_store
from tests.patience import PATIENCE, until
from tests.server.raw import RawServer

LONG = "".join(f"Paragraph {n} says something about tea, water, kettles and cups.\n\n" for n in range(150))


def settled(server: RawServer, task: str) -> dict[str, Any]:
    """A task's status once it has one that stays."""

    def ask() -> dict[str, Any] | None:
        status = server.call("knowledge-task-status", task_id=task)
        return None if status["status"] in ("queued", "running") else status

    return until(ask)


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
        status = settled(heir, task)
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
        until(lambda: other.call("knowledge-task-status", task_id=task)["status"] != "queued")
        doomed.child.kill()
        doomed.child.wait()
        status = settled(other, task)
        assert status["status"] == "completed", status
    finally:
        other.close()
        doomed.close()
