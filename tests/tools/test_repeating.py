"""A call under a key is carried out once: who lost the answer asks again and has it, and nothing is done twice."""

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memotheca import settings
from memotheca.admin.erasure import erase
from memotheca.app import build
from memotheca.kernel import idempotency
from memotheca.model.clock import DAY, SECOND
from memotheca.storage.store import Store, Transaction
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.tool import Call
from tests.conftest import Agent, Time
from tests.patience import PATIENCE
from tests.server.raw import MEMOTHECA, RawServer


def asked(agent: Agent, key: str, name: str, /, **arguments: Any) -> Reply:
    return agent.app.dispatcher.run(name, arguments, Call(kernel=agent.kernel, actor="tester", key=key))


def newest(agent: Agent) -> int:
    with agent.kernel.read() as snapshot:
        return snapshot.tx


@pytest.fixture
def second(agent: Agent, tmp_path: Path, time: Time) -> Iterator[Agent]:
    """Another program on the same directory."""
    app = build(settings.load({"data": str(tmp_path / "data"), "toolsets": "all"}, {}), clock=time)
    yield Agent(app)
    app.kernel.store.close()


def test_the_same_key_has_the_same_answer_and_changes_nothing_more(agent: Agent) -> None:
    first = asked(agent, "k-1", "store", topic="tea", content="black")
    again = asked(agent, "k-1", "store", topic="tea", content="black")
    assert again == first
    assert newest(agent) == 1
    assert asked(agent, "k-2", "store", topic="tea", content="black") != first
    assert newest(agent) == 2


def test_an_undo_whose_answer_was_lost_is_not_done_again(agent: Agent, second: Agent) -> None:
    for topic in ("one", "two", "three"):
        agent.store(topic)
    first = asked(agent, "undo-1", "undo")
    assert asked(second, "undo-1", "undo") == first
    assert agent.topics() == ["one", "two"]


def test_a_key_belongs_to_one_call(agent: Agent) -> None:
    asked(agent, "k", "store", topic="tea", content="black")
    other = asked(agent, "k", "store", topic="tea", content="white")
    assert other.failed
    assert other.structured is not None
    error = other.structured["error"]
    assert (error["code"], error["field"], error["details"]["reason"]) == (
        "validation",
        "idempotency_key",
        "key_reused",
    )
    assert asked(agent, "k", "delete", id="e-1").failed
    assert newest(agent) == 1


def test_a_refused_key_of_a_memory_carries_the_pulse_like_every_answer_of_its_family(agent: Agent) -> None:
    agent.app.catalog.also("memories")
    asked(agent, "k", "store_memory", content="Ada takes her tea black.", rationale="She said so.")
    other = asked(agent, "k", "store_memory", content="Ada takes her tea white.", rationale="She said so.")
    assert other.failed
    assert other.structured is not None
    assert other.structured["error"]["data"]["reason"] == "key_reused"
    assert other.structured["pulse"]["quadrant"]


def test_what_was_refused_can_be_asked_again_under_its_key(agent: Agent) -> None:
    assert asked(agent, "k", "delete", id="e-1").failed
    agent.store("tea")
    assert not asked(agent, "k", "delete", id="e-1").failed


def test_a_call_that_found_nothing_to_change_is_remembered_too(agent: Agent) -> None:
    agent.store("tea", "black")
    first = asked(agent, "k", "update", id="e-1", content="black")
    agent.call("update", id="e-1", content="white")
    assert asked(agent, "k", "update", id="e-1", content="black") == first
    assert agent.call("query")["items"][0]["content"] == "white"


def test_a_key_is_remembered_for_a_day(agent: Agent, time: Time) -> None:
    asked(agent, "k", "store", topic="tea", content="black")
    time.advance(DAY // SECOND - 60)
    asked(agent, "k", "store", topic="tea", content="black")
    assert newest(agent) == 1
    time.advance(120)
    asked(agent, "k", "store", topic="tea", content="black")
    assert newest(agent) == 2


@pytest.mark.parametrize("key", [" ", "k" * 201])
def test_a_key_is_a_short_text(agent: Agent, key: str) -> None:
    assert asked(agent, key, "store", topic="tea", content="black").failed
    assert newest(agent) == 0


def test_the_same_key_in_another_collection_is_another_call(agent: Agent, tmp_path: Path, time: Time) -> None:
    asked(agent, "k", "store", topic="tea", content="black")
    app = build(settings.load({"data": str(tmp_path / "data"), "collection": "other"}, {}), clock=time)
    asked(Agent(app), "k", "store", topic="tea", content="black")
    assert newest(Agent(app)) == 1
    app.kernel.store.close()


def test_two_that_ask_at_once_under_one_key_are_answered_alike(agent: Agent, second: Agent) -> None:
    meeting = threading.Barrier(2, timeout=PATIENCE)
    replies: list[Reply] = []

    def hold(store: Store) -> None:
        ordinary = store.write

        def write(*given: Any, **named: Any) -> Any:
            meeting.wait()
            return ordinary(*given, **named)

        store.write = write

    def ask(who: Agent) -> None:
        replies.append(asked(who, "k", "store", topic="tea", content="black"))

    for who in (agent, second):
        hold(who.kernel.store)
    threads = [threading.Thread(target=ask, args=(who,)) for who in (agent, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(replies) == 2
    assert replies[0] == replies[1]
    assert not replies[0].failed
    assert newest(agent) == 1


def test_a_program_that_dies_between_change_and_answer_does_not_let_it_be_done_twice(
    agent: Agent, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idempotency, "_keep", lambda *given: None)
    asked(agent, "k", "store", topic="tea", content="black")
    monkeypatch.undo()
    time.advance(61)
    again = asked(agent, "k", "store", topic="tea", content="black")
    assert again.failed
    assert again.structured is not None
    assert again.structured["error"]["details"] == {"reason": "already_done", "transactions": [1]}
    assert newest(agent) == 1


def test_the_key_is_in_the_transaction_itself(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever stops the transaction stops the key with it."""

    def fail(transaction: Transaction) -> None:
        raise RuntimeError("the power went")

    monkeypatch.setattr(Transaction, "refuse_loose_ends", fail)
    assert asked(agent, "k", "store", topic="tea", content="black").failed
    monkeypatch.undo()
    assert not asked(agent, "k", "store", topic="tea", content="black").failed
    assert newest(agent) == 1


def test_an_answer_does_not_outlive_what_is_erased(agent: Agent, tmp_path: Path) -> None:
    asked(agent, "k", "store", topic="tea", content="a-secret-nobody-else-has")
    erase(agent.kernel, "e-1", actor="tester")
    with agent.kernel.store.database.read() as session:
        assert session.rows("SELECT reply FROM repeat") == [(None,)]


def test_every_writing_tool_of_every_family_takes_a_key(second: Agent) -> None:
    said = {"content": "The nightly job takes the lock.", "rationale": "Seen in the log."}
    first = asked(second, "m-1", "store_memory", **said)
    assert asked(second, "m-1", "store_memory", **said) == first
    assert newest(second) == 1
    claim = {"subject": "Ada", "predicate": "lives in", "object": "Paris"}
    assert asked(second, "r-1", "relate", **claim) == asked(second, "r-1", "relate", **claim)
    assert newest(second) == 2
    cleared = asked(second, "c-1", "knowledge-clear", confirm=True)
    assert asked(second, "c-1", "knowledge-clear", confirm=True) == cleared


def test_notes_and_documents_take_a_key(tmp_path: Path, time: Time, writer: Any) -> None:
    writer.save("by hand.md", "Something a person wrote.")
    first = asked(writer, "n-1", "create_node", title="Tea", content="Black.")
    assert not first.failed
    files = writer.files()
    assert asked(writer, "n-1", "create_node", title="Tea", content="Black.") == first
    assert writer.files() == files
    place = tmp_path / "letter.txt"
    place.write_text("Dear Ada, the tea is black.")
    added = asked(writer, "d-1", "knowledge-add", file_path=str(place), **{"async": True})
    assert not added.failed, added.structured
    assert asked(writer, "d-1", "knowledge-add", file_path=str(place), **{"async": True}) == added
    with writer.kernel.store.database.read() as session:
        assert session.rows("SELECT count(*) FROM job") == [(1,)]


def test_the_command_line_takes_a_key(tmp_path: Path) -> None:
    command = [*MEMOTHECA, "call", "store", '{"topic": "tea", "content": "black"}', "--json"]
    answers = [
        subprocess.run(
            [*command, "--key", "k", "--data", str(tmp_path / "data")],
            capture_output=True,
            timeout=PATIENCE,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    assert answers[0] == answers[1]


def test_a_client_gives_its_key_beside_the_arguments(tmp_path: Path) -> None:
    server = RawServer(tmp_path / "data").begin()
    said = {"name": "store", "arguments": {"topic": "tea", "content": "black"}}
    keyed = {**said, "_meta": {"knowledge/idempotency-key": "018f-tea"}}
    first = server.request("tools/call", keyed)["result"]
    server.close()
    server = RawServer(tmp_path / "data").begin()
    assert server.request("tools/call", keyed)["result"] == first
    assert server.request("tools/call", {**said, "_meta": {"knowledge/idempotency-key": 7}})["error"]["code"] == -32602
    assert server.call("history")["items"][0]["tx_id"] == 1
    server.close()
