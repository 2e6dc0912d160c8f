"""A connection to PostgreSQL that is lost at any word of any transaction: it was done once or not at all, who was told
that it was done finds it, and who was refused may try again."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memotheca import settings
from memotheca.admin.access_tokens import AccessToken, add_token, read_tokens
from memotheca.admin.token_shelves import SharedShelf
from memotheca.app import build
from memotheca.jobs.file_access import Upload
from memotheca.jobs.queue import bench_of
from memotheca.model.errors import Failure, Refusal
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.search.finder import finder_of
from memotheca.search.index.seal import maintain
from memotheca.storage.database import Session
from memotheca.storage.store import Store
from memotheca.storage.table_copy import has_collection, rename_rows
from tests.conftest import Agent
from tests.durability.accounts import find_damage
from tests.storage.partition import Way
from tests.storage.postgres_server import USER, needs_postgres, open_on_postgres, shared_server
from tests.storage.test_postgres_partition import schema_of

pytestmark = needs_postgres

MOST = 300  # words of one call, more than any has
UNDONE = 60  # more than are undone
STEPS = {"undo": 7, "remember": 7}  # of long calls not each word is lost


@pytest.fixture
def way(tmp_path: Path) -> Iterator[Way]:
    way = Way(shared_server().folder / "socket" / ".s.PGSQL.5432")
    yield way
    way.close()
    shared_server().clear(tmp_path)


@pytest.fixture
def agent(way: Way, tmp_path: Path) -> Iterator[Agent]:
    """One whose words to the database go that way."""
    address = way.address(schema_of(shared_server(), tmp_path), USER)
    chosen = settings.load({"data": str(tmp_path / "here"), "database": address, "toolsets": "all"}, {})
    agent = Agent(build(chosen))
    choose_embedder(agent.kernel.store, "default", "none")
    yield agent
    agent.app.close()


@pytest.fixture
def witness(way: Way, tmp_path: Path) -> Iterator[Store]:
    """One who looks from elsewhere."""
    del way
    store = open_on_postgres(shared_server().for_data(tmp_path))
    yield store
    store.close()


Act = Callable[[Agent, int], Any]


def call(name: str, **arguments: Any) -> Act:
    def act(agent: Agent, number: int) -> None:
        given = {key: value.format(number) if isinstance(value, str) else value for key, value in arguments.items()}
        reply = agent.reply(name, **given)
        if reply.failed:
            assert reply.structured is not None
            told = reply.structured["error"]
            assert told.get("retryable", True), told
            raise Refusal(Failure.UNAVAILABLE, str(told))

    return act


def refusal_of(act: Act, agent: Agent, number: int) -> str:
    """What was said where it may be tried again; nothing where it was done."""
    try:
        act(agent, number)
    except Refusal as refused:
        if not refused.failure.retryable:
            raise
        return refused.message
    return ""


def send(agent: Agent, number: int) -> None:
    upload = Upload(bench_of(agent.kernel), f"{number}.html", 100)
    upload.write(b"<p>tea</p>")
    upload.finish()


def seal(agent: Agent, number: int) -> None:
    del number
    maintain(agent.kernel.store, finder_of(agent.kernel).index_of("default", ""), seal_at=1)


def take_role(agent: Agent, number: int) -> None:
    with agent.kernel.store.database.lease(agent.app.data, f"role {number}") as held:
        assert held is not None


def make_token(agent: Agent, number: int) -> None:
    token = AccessToken(name=f"ada {number}", role="read")
    add_token(SharedShelf(agent.kernel.store), token, clock=agent.kernel.store.clock)


def count(table: str) -> Callable[[Store], int]:
    def counted(store: Store) -> int:
        with store.database.read() as session:
            return int(session.rows(f"SELECT count(*) FROM {table}")[0][0])

    return counted


def count_tokens(store: Store) -> int:
    return len(read_tokens(SharedShelf(store)))


def count_transactions(store: Store) -> int:
    with store.read("default") as snapshot:
        return snapshot.tx


# What is done, and what is one more when it was.
ACTS: dict[str, tuple[Act, Callable[[Store], int]]] = {
    "store": (call("store", topic="tea {}", content="It is so."), count_transactions),
    "relate": (call("relate", subject="Ada", predicate="drinks", object="tea {}", multi=True), count_transactions),
    "undo": (call("undo"), count_transactions),
    "remember": (call("store_memory", content="Bo takes tea {}.", rationale="Said at lunch."), count_transactions),
    "send": (send, count("sent_file WHERE whole = 1")),
    "token": (make_token, count_tokens),
}
# What leaves nothing that can be counted.
PASSING: dict[str, Act] = {
    "query": call("query", content="tea {}"),
    "history": call("history", limit=5),
    "seal": seal,
    "role": take_role,
}


def words(way: Way, step: int = 1) -> Iterator[tuple[int, bool]]:
    """Each word of what is done meanwhile, lost itself or in its answer, to the last."""
    for answer in (False, True):
        for word in range(0, MOST, step):
            way.lose(word, answer=answer)
            yield word, answer
            if not way.has_lost:
                break
        else:
            pytest.fail("there is no end to it")


@pytest.mark.parametrize("name", ACTS)
def test_whatever_is_written_is_written_once_or_refused(agent: Agent, witness: Store, way: Way, name: str) -> None:
    act, count = ACTS[name]
    for number in range(UNDONE if name == "undo" else 1):
        agent.store(f"before {number}")
    held, told = count(witness), [0, 0]
    for number, place in enumerate(words(way, STEPS.get(name, 1))):
        refused = refusal_of(act, agent, number)
        told[not refused] += 1
        now = count(witness)
        assert now - held in ((0, 1) if refused else (1,)), (place, refused)
        # Who cannot know whether it was done, or knows that it was, says so.
        assert now == held or not refused or "Look before you try again" in refused, (place, refused)
        held = now
    assert find_damage(witness) == []
    assert told[True] > told[False], "most are run again"


@pytest.mark.parametrize("name", PASSING)
def test_whatever_is_read_or_passes_is_done_or_may_be_tried_again(
    agent: Agent, witness: Store, way: Way, name: str
) -> None:
    for number in range(3):
        agent.store(f"before {number}", "tea")
    for number, _ in enumerate(words(way)):
        refusal_of(PASSING[name], agent, number)
    assert find_damage(witness) == []
    assert agent.call("query", content="tea")["items"]


def test_a_collection_is_renamed_whole_or_not_at_all(agent: Agent, witness: Store, way: Way) -> None:
    def rename(session: Session) -> None:
        name = "one" if has_collection(session, "one") else "other"
        rename_rows(session, name, "other" if name == "one" else "one")

    agent.store("tea")
    agent.kernel.store.operate(lambda session: rename_rows(session, "default", "one"))
    for _ in words(way, 3):
        refusal_of(lambda agent, _: agent.kernel.store.operate(rename), agent, 0)
        (name,) = (name for name in witness.collections() if name in ("one", "other"))
        assert find_damage(witness, name) == []
        with witness.database.read() as session:
            assert {each for (each,) in session.rows("SELECT collection FROM version")} == {name}
