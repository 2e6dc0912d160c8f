"""What was asked and shown is kept for a while, with what became of it, and goes with what is erased."""

from pathlib import Path
from typing import Any

import pytest

from memotheca.app import write_down
from memotheca.memory.session import retrieval_log
from memotheca.memory.session.state import activity_of
from memotheca.model.clock import DAY
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.activity import read_mood
from memotheca.storage.instruments import retrievals
from memotheca.storage.instruments.retrievals import RetrievalRow
from tests.conftest import Time
from tests.memories.librarian import WHY, Librarian, open_librarian

QUESTION = "Where does the heron nest?"
ASKING = ("inject_context", "search_graph")


def last(librarian: Librarian, session: str = "", limit: int = 10) -> list[RetrievalRow]:
    kernel = librarian.kernel
    with kernel.read() as snapshot:
        return activity_of(kernel).last_retrievals(snapshot.session, (kernel.collection, session), limit)


def written(librarian: Librarian) -> list[RetrievalRow]:
    with librarian.kernel.store.database.read() as session:
        return retrievals.recent_retrievals(session, librarian.kernel.collection, limit=100)


def pairs(librarian: Librarian) -> dict[tuple[str, str], int]:
    with librarian.kernel.store.database.read() as session:
        found = retrievals.co_retrieved(session, librarian.kernel.collection, least=1, limit=100)
    return {(one, other): times for one, other, times, _ in found}


def used(librarian: Librarian) -> list[dict[str, float]]:
    return [{each.entry_id: each.used for each in row.shown if each.used} for row in last(librarian)]


@pytest.mark.parametrize("tool", ASKING)
def test_what_was_asked_and_shown_is_known_at_once_and_to_others_when_it_is_written(
    librarian: Librarian, tool: str
) -> None:
    nest = librarian.remember("The heron nests on the island.", importance=0.8, domain="Research")
    found = librarian.call(tool, query=QUESTION)
    (row,) = last(librarian)
    assert (row.id, row.query, row.domain) == (found["prediction_id"], QUESTION, "Research")
    assert [each.entry_id for each in row.shown] == [nest]
    assert row.shown[0].signals["importance"] == 0.8
    assert row.shown[0].signals["recency"] == 1
    assert written(librarian) == []
    write_down(librarian.app)
    assert written(librarian) == [row] == last(librarian)
    write_down(librarian.app)
    assert written(librarian) == [row]


def test_signals_are_those_of_the_moment(librarian: Librarian, time: Time) -> None:
    librarian.remember("The heron nests on the island.")
    librarian.call("search_graph", query=QUESTION)
    time.advance(90 * DAY // 10**6)
    librarian.call("search_graph", query=QUESTION)
    later, earlier = (row.shown[0].signals for row in last(librarian))
    assert later["use"] > earlier["use"]
    assert later["recency"] == pytest.approx(0.5, abs=1e-3)
    assert later["lexical"] == 1
    assert "cosine" not in later


def test_what_is_linked_to_what_was_found_is_farther(librarian: Librarian) -> None:
    nest = librarian.remember("The heron nests on the island.")
    flood = librarian.remember("Water rose in March.", link_to=[nest], metadata={"relation": "causes"})
    librarian.call("inject_context", query="Why does the heron nest on the island?")
    distances = {each.entry_id: each.signals["distance"] for each in last(librarian)[0].shown}
    assert distances == {nest: 0, flood: 1}


def test_sessions_and_collections_are_kept_apart(librarian: Librarian, tmp_path: Path, time: Time) -> None:
    librarian.remember("The heron nests on the island.")
    librarian.call("inject_context", query=QUESTION, session_id="one")
    assert [len(last(librarian, session)) for session in ("one", "other")] == [1, 0]
    write_down(librarian.app)
    assert [len(last(librarian, session)) for session in ("one", "other")] == [1, 0]
    other = open_librarian(tmp_path, time, collection="other")
    assert last(other, "one") == []
    other.kernel.store.close()


def test_what_is_used_counts_for_the_latest_retrieval_of_its_session_that_showed_it(librarian: Librarian) -> None:
    nest = librarian.remember("The heron nests on the island.")
    otter = librarian.remember("The otter lives under the bridge.")
    librarian.call("search_graph", query="heron nests")
    librarian.call("search_graph", query="heron island")
    librarian.call("search_graph", query="otter bridge")
    write_down(librarian.app)
    librarian.call("hydrate_citation", citation_tag=librarian.tag(nest))
    expected = [{}, {nest: retrieval_log.OPENED}, {}]
    assert used(librarian) == expected
    write_down(librarian.app)
    assert used(librarian) == expected
    librarian.call("boost_importance", node_id=nest, delta=-0.1, rationale=WHY)
    assert used(librarian) == expected
    librarian.call("boost_importance", node_id=nest, delta=0.1, rationale=WHY)
    assert used(librarian)[1] == {nest: retrieval_log.BOOSTED}
    librarian.session = "another"
    librarian.call("hydrate_citation", citation_tag=librarian.tag(otter))
    librarian.session = ""
    assert used(librarian)[0] == {}


@pytest.mark.parametrize("by", ["link", "citation", "decision"])
def test_what_a_new_memory_is_linked_to_or_cites_was_of_use(librarian: Librarian, by: str) -> None:
    nest = librarian.remember("The heron nests on the island.")
    tag = librarian.tag(nest)
    librarian.call("search_graph", query=QUESTION)
    more: dict[str, Any] = {"link": {"link_to": [nest]}, "citation": {}, "decision": {"supersedes": [nest]}}[by]
    librarian.remember(f"It has moved{f', see {tag}' if by == 'citation' else ''}.", **more)
    assert used(librarian) == [{nest: retrieval_log.CITED}]


def test_what_is_used_a_day_later_says_nothing_of_the_retrieval(librarian: Librarian, time: Time) -> None:
    nest = librarian.remember("The heron nests on the island.")
    librarian.call("search_graph", query=QUESTION)
    time.advance(DAY // 10**6 + 1)
    librarian.call("hydrate_citation", citation_tag=librarian.tag(nest))
    assert used(librarian) == [{}]


def test_what_was_shown_together_is_counted_for_as_long_as_it_is_kept(
    librarian: Librarian, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrievals, "KEPT", 2)
    one, other = sorted((librarian.remember("The heron nests."), librarian.remember("The heron sleeps.")))
    for _ in range(2):
        librarian.call("search_graph", query="heron")
        write_down(librarian.app)
    assert pairs(librarian) == {(one, other): 2}
    librarian.call("search_graph", query="heron", top_k=1)
    write_down(librarian.app)
    assert (len(written(librarian)), pairs(librarian)) == (2, {(one, other): 1})
    librarian.call("search_graph", query="heron", top_k=1)
    write_down(librarian.app)
    assert (len(written(librarian)), pairs(librarian)) == (2, {})


def erase(librarian: Librarian, id: str) -> None:
    arguments = {"node_id": id, "reason": "user_requested", "soft_delete": False, "rationale": WHY}
    librarian.call("forget_concept", **arguments)


@pytest.mark.parametrize("is_written", [True, False])
def test_a_question_does_not_outlive_what_it_showed(librarian: Librarian, is_written: bool) -> None:
    kept = librarian.remember("The otter lives under the bridge.")
    gone = librarian.remember("The heron nests on the island.")
    librarian.call("search_graph", query="otter bridge", top_k=1)
    librarian.call("search_graph", query="heron otter island bridge")
    librarian.call("hydrate_citation", citation_tag=librarian.tag(gone))
    if is_written:
        write_down(librarian.app)
        assert len(written(librarian)) == 2
    erase(librarian, gone)
    write_down(librarian.app)
    assert [row.query for row in written(librarian)] == ["otter bridge"]
    assert [row.shown[0].entry_id for row in last(librarian)] == [kept]
    assert pairs(librarian) == {}


@pytest.mark.only_sqlite(reason="it looks into the files")
@pytest.mark.parametrize("is_written", [True, False])
def test_a_session_forgets_what_it_asked_last_with_what_that_showed(librarian: Librarian, is_written: bool) -> None:
    librarian.session = "mine"
    gone = librarian.remember("The heron nests on the island.")
    librarian.call("inject_context", query="Where does the heron nest?")
    if is_written:
        write_down(librarian.app)
        assert librarian.held("Where does the heron nest")
    erase(librarian, gone)
    librarian.call("get_memetic_status")
    write_down(librarian.app)
    with librarian.kernel.read() as snapshot:
        kept = read_mood(snapshot.session, snapshot.collection, "mine")
    assert (kept["question"], kept["showed"]) == ("", [])
    assert "heron" not in str(librarian.call("inject_context", query="And then?"))


def test_a_secret_in_a_question_is_not_written_down(librarian: Librarian) -> None:
    librarian.remember("The heron nests on the island.")
    librarian.call("search_graph", query="heron password: hunter2hunter2")
    assert "hunter2hunter2" not in last(librarian)[0].query


def test_nothing_waits_for_the_writing_and_what_cannot_be_written_is_kept(
    librarian: Librarian, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrieval_log, "HELD", 2)
    librarian.remember("The heron nests on the island.")

    def busy(act: Any) -> None:
        raise Refusal(Failure.BUSY, "Somebody else writes.")

    with monkeypatch.context() as patched:
        patched.setattr(librarian.kernel.store, "operate", busy)
        for number in range(3):
            librarian.call("search_graph", query=f"heron {number}")
            write_down(librarian.app)
        assert [row.query for row in last(librarian)] == ["heron 2", "heron 1"]
    write_down(librarian.app)
    assert [row.query for row in written(librarian)] == ["heron 2", "heron 1"]
