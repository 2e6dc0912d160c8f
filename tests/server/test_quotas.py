"""Quotas of a token: how often, how much, how many tasks and entries, and what is said to who wants more."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memotheca import settings
from memotheca.admin.access_tokens import AccessToken
from memotheca.app import build
from memotheca.jobs.ingest_job import IngestJob
from memotheca.jobs.queue import enqueue
from memotheca.server.access.quotas import AddingCall, QuotaExceeded, Quotas, refuse_excess
from tests.server.sockets import ask, spell
from tests.server.test_http import HttpServer
from tests.server.test_tokens import send, token


def refusal(quotas: Quotas, holder: AccessToken, size: int = 1) -> dict[str, Any]:
    with pytest.raises(QuotaExceeded) as refused:
        quotas.admit(holder, size)
    return refused.value.error.data


def test_a_rate_is_of_the_last_minute_and_says_when_to_come_again() -> None:
    now = [0.0]
    quotas, holder = Quotas(lambda: now[0]), AccessToken(name="ada", role="write", calls_per_minute=2)
    quotas.admit(holder, 1)
    now[0] = 20.0
    quotas.admit(holder, 1)
    told = refusal(quotas, holder)
    assert (told["code"], told["retryable"], told["retry_after_seconds"]) == ("rate_limited", True, 40)
    quotas.admit(AccessToken(name="bob", role="write", calls_per_minute=2), 1)
    now[0] = 60.0
    quotas.admit(holder, 1)
    assert refusal(quotas, holder)["retry_after_seconds"] == 20


def test_bytes_are_counted_and_what_never_fits_is_not_to_be_repeated() -> None:
    quotas, holder = Quotas(lambda: 0.0), AccessToken(name="ada", role="write", bytes_per_minute=100)
    assert refusal(quotas, holder, 101)["retryable"] is False
    quotas.admit(holder, 60)
    assert refusal(quotas, holder, 41)["code"] == "rate_limited"
    quotas.admit(holder, 40)


@pytest.fixture(scope="module")
def data(database: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for each database."""
    assert database
    return tmp_path_factory.mktemp("quotas") / "data"


@pytest.fixture(scope="module")
def secrets(data: Path) -> dict[str, str]:
    words = {
        "seldom": ("--calls-per-minute", "3"),
        "little": ("--bytes-per-minute", "400"),
        "few": ("--entries", "2", "--for", "small"),
        "free": (),
        "many": ("--entries", "5", "--for", "crowded"),
    }
    return {name: token(data, "add", name, *said)["token"] for name, said in words.items()}


@pytest.fixture(scope="module")
def server(data: Path, secrets: dict[str, str]) -> Iterator[HttpServer]:
    assert secrets
    server = HttpServer(data, "--toolsets", "all")
    yield server
    server.close()


def call(server: HttpServer, secret: str, name: str, **arguments: Any) -> Any:
    return send(server, secret, "tools/call", {"name": name, "arguments": arguments})[2]


def test_calls_of_every_kind_count(server: HttpServer, secrets: dict[str, str]) -> None:
    answers = [send(server, secrets["seldom"], method, {})[2] for method in ("ping", "tools/list", "ping", "ping")]
    assert ["error" in answer for answer in answers] == [False, False, False, True]
    told = answers[-1]["error"]["data"]
    assert (told["code"], told["retryable"]) == ("rate_limited", True)
    assert 0 < told["retry_after_seconds"] <= 60
    assert "result" in send(server, secrets["free"], "ping", {})[2]
    bearer = {"Authorization": f"Bearer {secrets['seldom']}"}
    status, headers, answer = ask(server.port, spell("POST", "/uploads?name=a.txt", b"text", **bearer))
    assert (status, answer["error"]) == (429, "rate_limited")
    assert int(headers["retry-after"]) > 0


def test_a_session_or_a_batch_does_not_get_around_it(server: HttpServer, secrets: dict[str, str]) -> None:
    messages = [{"jsonrpc": "2.0", "id": id, "method": "ping"} for id in range(5)]
    bearer = {"Authorization": f"Bearer {secrets['seldom']}", "Mcp-Protocol-Version": "2025-03-26"}
    answer = ask(server.port, spell("POST", "/mcp", json.dumps(messages).encode(), **bearer))[2]
    assert all(each["error"]["data"]["code"] == "rate_limited" for each in answer)


def test_bytes_of_arguments_count(server: HttpServer, secrets: dict[str, str]) -> None:
    assert "result" in call(server, secrets["little"], "store", topic="a", content="x" * 200)
    assert call(server, secrets["little"], "store", topic="b", content="x" * 200)["error"]["data"]["retryable"]
    alone = call(server, secrets["little"], "store", topic="b", content="x" * 500)["error"]["data"]
    assert (alone["code"], alone["retryable"]) == ("too_large", False)


def test_who_may_add_no_more_may_still_look_and_take_away(server: HttpServer, secrets: dict[str, str]) -> None:
    stored = [call(server, secrets["few"], "store", topic=f"t{n}", content="x")["result"] for n in range(2)]
    refused = call(server, secrets["few"], "store", topic="t3", content="x")["error"]["data"]
    assert (refused["code"], refused["retryable"]) == ("quota_exceeded", False)
    assert len(call(server, secrets["few"], "query")["result"]["structuredContent"]["items"]) == 2
    gone = call(server, secrets["few"], "delete", id=stored[0]["structuredContent"]["id"])
    assert not gone["result"]["isError"]
    assert not call(server, secrets["few"], "store", topic="t4", content="x")["result"]["isError"]


def test_calls_that_come_at_once_add_no_more_than_calls_one_after_the_other(
    server: HttpServer, secrets: dict[str, str]
) -> None:
    with ThreadPoolExecutor(16) as threads:
        answers = list(
            threads.map(lambda n: call(server, secrets["many"], "store", topic=f"t{n}", content="x"), range(32))
        )
    refused = [answer["error"]["data"]["code"] for answer in answers if "error" in answer]
    assert set(refused) == {"quota_exceeded"}
    held = call(server, secrets["many"], "query")["result"]["structuredContent"]["items"]
    assert len(held) == len(answers) - len(refused)
    assert 1 <= len(held) <= 5
    while "result" in call(server, secrets["many"], "store", topic=f"more {len(held)}", content="x"):
        held.append({})
    assert len(call(server, secrets["many"], "query")["result"]["structuredContent"]["items"]) == 5


def test_tasks_that_calls_under_way_will_leave_count_and_each_counts_once(tmp_path: Path) -> None:
    app = build(settings.load({"data": str(tmp_path / "data"), "transport": "http"}, {}))
    try:
        holder = AccessToken(name="idle", role="write", jobs=2)
        first, other = (AddingCall(name, leaves_job=True, began=app.kernel.now()) for name in ("idle", "bob"))
        refuse_excess(app.kernel, holder, leaves_job=True, beside=[first, other])
        enqueue(app.kernel, "ingest", IngestJob(path="/tea").to_arguments(), actor="idle")
        refuse_excess(app.kernel, holder, leaves_job=True, beside=[first, other])
        second = AddingCall("idle", leaves_job=True, began=app.kernel.now())
        with pytest.raises(QuotaExceeded):
            refuse_excess(app.kernel, holder, leaves_job=True, beside=[first, second])
        few = AccessToken(name="few", role="write", entries=2)
        with pytest.raises(QuotaExceeded) as refused:
            refuse_excess(app.kernel, few, leaves_job=False, beside=[AddingCall("ada", False, 0)])
        assert refused.value.error.data["retryable"]
    finally:
        app.close()


def test_so_many_tasks_of_a_token_wait_or_run_and_no_more(tmp_path: Path) -> None:
    app = build(settings.load({"data": str(tmp_path / "data"), "transport": "http"}, {}))
    try:
        holder = AccessToken(name="idle", role="write", jobs=1)
        refuse_excess(app.kernel, holder, leaves_job=True)
        enqueue(app.kernel, "ingest", IngestJob(path="/tea").to_arguments(), actor="bob")
        refuse_excess(app.kernel, holder, leaves_job=True)
        enqueue(app.kernel, "ingest", IngestJob(path="/tea").to_arguments(), actor="idle")
        refuse_excess(app.kernel, holder, leaves_job=False)
        with pytest.raises(QuotaExceeded) as refused:
            refuse_excess(app.kernel, holder, leaves_job=True)
        told = refused.value.error.data
        assert (told["code"], told["retryable"]) == ("too_many_tasks", True)
    finally:
        app.close()


def test_the_list_tells_what_a_token_is_good_for(data: Path, secrets: dict[str, str]) -> None:
    assert secrets
    told = {each["name"]: each for each in token(data, "list")}
    assert told["seldom"]["calls_per_minute"] == 3
    assert told["few"]["entries"] == 2
    assert told["free"]["jobs"] == 0
