"""Documents as clients meet them: progress, cancelling, a bare POST, a WebSocket, uploads, and many at once."""

import http.client
import json
import threading
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.patience import PATIENCE, until
from tests.server.raw import INITIALIZE, RawServer
from tests.server.test_http import HttpServer

LONG = "".join(f"Paragraph {n} says something about tea, water, kettles and cups.\n\n" for n in range(20_000))

SEARCH = {
    "jsonrpc": "2.0",
    "id": "1",
    "method": "tools/call",
    "params": {"name": "knowledge-search", "arguments": {"query": "authentication", "top_k": 5}},
}


@pytest.fixture
def server(tmp_path):
    server = RawServer(tmp_path / "data").begin()
    yield server
    server.close()


def write(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return str(path)


def add(server, path, **more):
    arguments = {"file_path": path, **more}
    return server.request(
        "tools/call", {"name": "knowledge-add", "arguments": arguments, "_meta": {"progressToken": "t"}}
    )


def heard(server):
    """Progress notifications until the one that says the whole is done."""
    told = []
    while not told or told[-1]["progress"] < 1:
        note = server.notification(PATIENCE)
        assert note["method"] == "notifications/progress"
        told.append(note["params"])
    return told


def test_a_task_s_progress_goes_to_the_caller_s_token(server, tmp_path):
    answer = add(server, write(tmp_path, "tea.md", "# Tea\n\nGreen.\n"))["result"]["structuredContent"]
    told = heard(server)
    assert {note["progressToken"] for note in told} == {"t"}
    assert [note["progress"] for note in told] == sorted(note["progress"] for note in told)
    assert all(note["total"] == 1.0 and note["message"] for note in told)
    status = server.call("knowledge-task-status", task_id=answer["task_id"])
    assert (status["status"], status["result"]["filename"]) == ("completed", "tea.md")


def test_a_call_that_waits_reports_while_it_does(server, tmp_path):
    id = server.send(
        "tools/call",
        {
            "name": "knowledge-add",
            "arguments": {"file_path": write(tmp_path, "tea.md", "# Tea\n\nGreen.\n"), "async": False},
            "_meta": {"progressToken": 7},
        },
    )
    told = []
    while (message := server.read(PATIENCE)).get("id") != id:
        told.append(message["params"])
    assert message["result"]["structuredContent"]["success"] is True
    assert told
    assert all(note["progressToken"] == 7 and 0 <= note["progress"] <= 1 for note in told)


@pytest.mark.parametrize("as_request", [True, False])
def test_a_task_is_cancelled_and_leaves_nothing(server, tmp_path, as_request):
    task = add(server, write(tmp_path, "long.txt", LONG))["result"]["structuredContent"]["task_id"]
    while server.notification(PATIENCE)["params"]["progress"] == 0:
        pass
    if as_request:
        assert server.request("tools/cancel", {"taskId": task})["result"]["status"] == "cancelled"
    else:
        server.write(json.dumps({"jsonrpc": "2.0", "method": "tools/cancel", "params": {"taskId": task}}))
    until(lambda: server.call("knowledge-task-status", task_id=task)["status"] != "running")
    assert server.call("knowledge-task-status", task_id=task)["status"] == "cancelled"
    assert server.call("knowledge-show")["total_count"] == 0
    assert server.call("history")["items"] == []


def test_a_waiting_call_is_cancelled_the_standard_way(server, tmp_path):
    path = write(tmp_path, "long.txt", LONG)
    params = {"name": "knowledge-add", "arguments": {"file_path": path, "async": False}, "_meta": {"progressToken": 1}}
    id = server.send("tools/call", params)
    while server.read(PATIENCE)["params"]["progress"] == 0:
        pass
    server.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}))
    until(lambda: not server.call("history")["items"] and not _running(tmp_path))
    assert server.call("knowledge-show")["total_count"] == 0


def _running(tmp_path):
    from memotheca.app import open_store
    from memotheca.storage import jobs

    store = open_store(tmp_path / "data")
    try:
        with store.database.read() as session:
            return jobs.unsettled(session, "default")
    finally:
        store.close()


def test_an_unknown_task_cannot_be_cancelled(server):
    error = server.request("tools/cancel", {"taskId": "nothing"})["error"]
    assert (error["code"], error["data"]["code"]) == (-32602, "not_found")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("web")


@pytest.fixture(scope="module")
def web(folder):
    shelf = folder / "shelf"
    shelf.mkdir()
    (shelf / "auth.md").write_text("# Guide\n\nTo configure authentication, first set up the provider.\n", "utf-8")
    (folder / "outside.md").write_text("secret", "utf-8")
    server = HttpServer(folder / "data", "--roots", str(shelf))
    added = bare(server, "knowledge-add", file_path=str(shelf / "auth.md"), **{"async": False})
    assert added["success"], added
    yield server
    server.close()


def post(server, path, body, headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.putrequest("POST", path)
    for name, value in {**headers, "Content-Length": str(len(body))}.items():
        connection.putheader(name, value)
    connection.endheaders(body)
    response = connection.getresponse()
    text = response.read()
    connection.close()
    return response, text


def bare(server, name, **arguments):
    """One POST as the contract shows it: no session, no Accept header."""
    message = {"jsonrpc": "2.0", "id": "1", "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    response, text = post(server, "/mcp", json.dumps(message).encode(), {"Content-Type": "application/json"})
    assert (response.status, response.headers["content-type"]) == (200, "application/json")
    answer = json.loads(text)
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", "1")
    return json.loads(answer["result"]["content"][0]["text"])


def test_the_contract_s_bare_post_is_answered_as_plain_json(web):
    answer = bare(web, "knowledge-search", query="authentication", top_k=5)
    assert answer["results"][0]["filename"] == "auth.md"


def test_a_bare_error_is_json_rpc(web):
    message = {"jsonrpc": "2.0", "id": 5, "method": "no/such", "params": {}}
    response, text = post(web, "/mcp", json.dumps(message).encode(), {"Content-Type": "application/json"})
    assert (response.status, json.loads(text)["error"]["code"]) == (200, -32601)


def test_a_bare_notification_is_accepted(web):
    message = {"jsonrpc": "2.0", "method": "tools/cancel", "params": {"taskId": "nothing"}}
    response, text = post(web, "/mcp", json.dumps(message).encode(), {"Content-Type": "application/json"})
    assert (response.status, text) == (202, b"")


@pytest.mark.parametrize(
    ("headers", "status"), [({"Origin": "http://evil.example"}, 403), ({"Content-Type": "text/plain"}, 400)]
)
def test_bare_posts_are_checked_like_the_others(web, headers, status):
    response, _ = post(web, "/mcp", json.dumps(SEARCH).encode(), {"Content-Type": "application/json", **headers})
    assert response.status == status


def test_over_http_only_the_configured_folders_are_read(web, folder):
    (folder / "shelf" / "link.md").symlink_to(folder / "outside.md")
    (folder / "shelf" / "up").symlink_to(folder)
    for path in ("outside.md", "shelf/../outside.md", "shelf/link.md", "shelf/up/outside.md"):
        refused = bare(web, "knowledge-add", file_path=str(folder / path))
        assert (refused["success"], refused["error"]) == (False, "access_denied"), path


def test_content_is_uploaded_and_then_added(web):
    response, text = post(web, "/uploads?name=sent.html", b"<p>Sent over the wire.</p>", {})
    sent = json.loads(text)
    assert (response.status, sent["size_bytes"]) == (201, 26)
    added = bare(web, "knowledge-add", file_path=sent["file_path"], **{"async": False})
    assert added["filename"] == "sent.html"
    again = bare(web, "knowledge-add", file_path=sent["file_path"])
    assert again["error"] == "file_not_found"


@pytest.mark.parametrize(
    ("path", "body", "status", "error"),
    [("/uploads?name=a.exe", b"x", 415, "unsupported_format"), ("/uploads", b"x", 415, "unsupported_format"),
     ("/uploads?name=a.pdf", b"", 400, "file_corrupt")],
)  # fmt: skip
def test_what_cannot_be_added_cannot_be_uploaded(web, path, body, status, error):
    response, text = post(web, path, body, {})
    assert (response.status, json.loads(text)["error"]) == (status, error)


def test_a_foreign_page_cannot_upload(web):
    assert post(web, "/uploads?name=a.html", b"x", {"Origin": "http://evil.example"})[0].status == 403


def socket_of(server, **options):
    return connect(f"ws://127.0.0.1:{server.port}/mcp", open_timeout=PATIENCE, **options)


def test_the_contract_s_message_goes_over_a_websocket_as_it_is(web):
    with socket_of(web) as ws:
        ws.send(json.dumps(SEARCH))
        answer = json.loads(ws.recv(PATIENCE))
    assert answer["id"] == "1"
    assert json.loads(answer["result"]["content"][0]["text"])["results"][0]["filename"] == "auth.md"


def test_a_websocket_client_may_shake_hands_and_hears_progress(web):
    with socket_of(web, subprotocols=["mcp"]) as ws:
        assert ws.subprotocol == "mcp"

        def ask(id, method, params):
            ws.send(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))

        ask(1, "initialize", INITIALIZE)
        assert json.loads(ws.recv(PATIENCE))["result"]["serverInfo"]["name"] == "memotheca"
        ws.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        sent = "data:text/html;name=ws.html,<p>From a socket.</p>"
        ask(
            2,
            "tools/call",
            {"name": "knowledge-add", "arguments": {"file_path": sent}, "_meta": {"progressToken": "w"}},
        )
        notes, answer = [], {}
        while not answer or not notes or notes[-1]["params"]["progress"] < 1:
            message = json.loads(ws.recv(PATIENCE))
            if "id" in message:
                answer = message
            else:
                notes.append(message)
        assert answer["result"]["structuredContent"]["success"] is True
        assert {note["params"]["progressToken"] for note in notes} == {"w"}


def test_what_is_no_message_is_answered_on_a_websocket_too(web):
    with socket_of(web) as ws:
        for text, code in (("{broken", -32700), ("[]", -32600), ('{"jsonrpc":"1.0","id":1,"method":"x"}', -32600)):
            ws.send(text)
            assert json.loads(ws.recv(PATIENCE))["error"]["code"] == code


def test_a_foreign_page_gets_no_websocket(web):
    with pytest.raises(InvalidStatus) as refused:
        socket_of(web, origin="http://evil.example")
    assert refused.value.response.status_code == 403


def test_a_websocket_needs_the_token_too(tmp_path):
    (tmp_path / "token").write_text("s3cret\n")
    server = HttpServer(tmp_path / "data", "--token-file", str(tmp_path / "token"))
    try:
        with pytest.raises(InvalidStatus) as refused:
            socket_of(server)
        assert refused.value.response.status_code == 401
        assert post(server, "/uploads?name=a.html", b"x", {})[0].status == 401
        with socket_of(server, additional_headers={"Authorization": "Bearer s3cret"}) as ws:
            ws.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))
            assert json.loads(ws.recv(PATIENCE))["result"]["tools"]
    finally:
        server.close()


def test_a_message_that_is_too_large_closes_the_websocket(web):
    def send_too_much(ws):
        ws.send('"' + "x" * (17 * 1024 * 1024) + '"')
        ws.recv(PATIENCE)

    with socket_of(web) as ws, pytest.raises((ConnectionClosed, OSError)):
        send_too_much(ws)


def test_twenty_files_at_once_while_somebody_searches(web):
    assert urlsplit(web.endpoint).path == "/mcp"
    answers, stopped = [], threading.Event()

    def send(number):
        text = f"data:text/html;name=n{number}.html,<p>Number {number} about herons.</p>"
        answers.append(bare(web, "knowledge-add", file_path=text, **{"async": False}))

    def search():
        while not stopped.is_set():
            assert bare(web, "knowledge-search", query="authentication")["success"]

    searcher = threading.Thread(target=search)
    senders = [threading.Thread(target=send, args=(number,)) for number in range(20)]
    searcher.start()
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join(60)
    stopped.set()
    searcher.join(PATIENCE)
    assert [answer for answer in answers if not answer["success"]] == []
    assert len(answers) == 20
    assert len({answer["document_id"] for answer in answers}) == 20
    assert bare(web, "knowledge-search", query="herons", top_k=50)["total_results"] == 20
