"""The index: whatever happened and however it is sealed, merged or made anew, a search finds what brute force finds."""

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memotheca.admin.erasure import erase
from memotheca.admin.history import undo
from memotheca.admin.upkeep import rebuild
from memotheca.entries.entries import EntryChange, delete_entry, update_entry
from memotheca.model.errors import Refusal
from memotheca.search.index.live import MANY_SMALL
from memotheca.search.index.seal import MERGE_AT
from memotheca.search.passages import LIMIT
from tests.engine.desk import Desk, brute_force, spelled

WORDS = ("tea", "river", "error", "rate", "parse_config", "the", "数据库", "Straße", "deployed", "a/b.py")
# The first is asked again at the end, so that it comes twice in a row wherever something happens in between.
QUESTIONS = ("tea", "error rate", "parse_config of the river", "数据库 Straße", "the", "deploy a/b.py tea tea", "tea")

# Every step is a durable commit: shrinking would take minutes.
UNHURRIED = settings(
    deadline=None,
    suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)

texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
long_texts = st.builds(lambda text, times: (text + ". ") * times, texts, st.sampled_from([1, 1, 1, LIMIT // 20]))
places = st.integers(0, 30)
operations = st.one_of(
    st.tuples(st.just("store"), texts, long_texts, st.lists(st.sampled_from(("red", "tea")), max_size=2)),
    st.tuples(st.just("store"), texts, long_texts, st.just([])),
    st.tuples(st.just("update"), places, long_texts),
    st.tuples(st.sampled_from(("delete", "erase")), places),
    st.tuples(st.just("undo")),
    st.tuples(st.just("seal"), st.integers(1, 3)),
    st.tuples(st.just("seal"), st.just(1)),
    st.tuples(st.just("rebuild")),
    st.tuples(st.just("reopen")),
)


def quiet(done: float, total: float | None, message: str) -> None:
    pass


class Player:
    """Does one operation after the other, and remembers what was found after each transaction."""

    def __init__(self, data: Path, setting: str) -> None:
        self.desk = Desk(data, setting)
        self.ids: list[str] = []
        self.seen: dict[int, Any] = {}

    def play(self, name: str, *said: Any) -> None:
        with suppress(Refusal):
            getattr(self, name)(*said)
        self.seen[self.desk.tx] = [self.desk.found(question) for question in QUESTIONS]

    def store(self, topic: str, content: str, tags: list[str]) -> None:
        self.ids.append(self.desk.put(content, topic, tags=tags))

    def update(self, place: int, content: str) -> None:
        if self.ids:
            update_entry(self.desk.kernel, self.pick(place), EntryChange(body=content), actor="test")

    def delete(self, place: int) -> None:
        if self.ids:
            delete_entry(self.desk.kernel, self.pick(place), actor="test")

    def erase(self, place: int) -> None:
        if self.ids:
            erase(self.desk.kernel, self.pick(place), actor="test")
            self.seen.clear()

    def undo(self) -> None:
        undo(self.desk.kernel, actor="test")

    def seal(self, seal_at: int) -> None:
        self.desk.seal(seal_at)

    def reopen(self) -> None:
        self.desk.reopen()

    def rebuild(self) -> None:
        rebuild(self.desk.kernel, quiet)

    def pick(self, place: int) -> str:
        return self.ids[place % len(self.ids)]


def assert_matches_brute_force(desk: Desk, as_of: int) -> None:
    entries = desk.entries(as_of)
    for question in QUESTIONS:
        found = desk.found(question, as_of=as_of)
        assert spelled(found) == pytest.approx(brute_force(question, entries), rel=1e-5)
        assert len({each[:2] for each in found}) == len(found), "a chunk was found twice"
        scores = [score for _, _, score, _ in found]
        assert scores == sorted(scores, reverse=True)


def made_anew(desk: Desk, folder: Path) -> Desk:
    """The same journal in a directory without segments, indexed anew."""
    folder.mkdir(mode=0o700)
    desk.store.database.copy_to(folder / "memotheca.db")
    fresh = Desk(folder, desk.setting)
    rebuild(fresh.kernel, quiet)
    fresh.reopen()
    return fresh


@settings(UNHURRIED, max_examples=30)
@given(st.lists(operations, min_size=4, max_size=24))
def test_after_any_operations_a_search_finds_what_brute_force_finds_now_and_at_every_earlier_transaction(steps):
    with tempfile.TemporaryDirectory() as folder:
        player = Player(Path(folder) / "data", "none")
        desk = player.desk
        for step in steps:
            player.play(*step)
            assert_matches_brute_force(desk, desk.tx)
        for tx in range(desk.tx + 1):
            assert_matches_brute_force(desk, tx)
            if tx in player.seen:
                assert [desk.found(question, as_of=tx) for question in QUESTIONS] == player.seen[tx]
        desk.close()


@pytest.mark.only_sqlite(reason="it copies the file")
@settings(UNHURRIED, max_examples=20)
@given(st.lists(operations, min_size=4, max_size=24), st.sampled_from(("none", "openai:fake@http://nowhere")))
def test_ids_order_and_scores_are_those_of_an_index_freshly_made_from_the_journal(steps, setting):
    with tempfile.TemporaryDirectory() as folder:
        player = Player(Path(folder) / "data", setting)
        desk = player.desk
        for step in steps:
            player.play(*step)
        desk.embed()
        kept = [desk.found(question) for question in QUESTIONS]
        cosines = [[each.cosine for each in desk.find(question).passages] for question in QUESTIONS]
        desk.reopen()
        assert [desk.found(question) for question in QUESTIONS] == kept
        fresh = made_anew(desk, Path(folder) / "fresh")
        fresh.embed()
        assert [fresh.found(question) for question in QUESTIONS] == kept
        assert [[each.cosine for each in fresh.find(question).passages] for question in QUESTIONS] == cosines
        fresh.close()
        desk.close()


@pytest.fixture
def desk(tmp_path):
    desk = Desk(tmp_path)
    yield desk
    desk.close()


def test_each_write_alone_is_found_at_once_through_sealing_and_merging(desk):
    """More unsealed parts than are kept apart, more segments than one merge takes."""
    for number in range(3 * MANY_SMALL):
        desk.put(f"number{number} tea")
        assert len(desk.ids("tea")) == number + 1
        assert len(desk.ids(f"number{number}")) == 1
    for number in range(MERGE_AT**2):
        desk.put(f"late{number} tea")
        desk.seal()
        assert len(desk.ids("tea")) == 3 * MANY_SMALL + number + 1
    assert_matches_brute_force(desk, desk.tx)


def test_an_index_made_anew_before_anything_was_sealed_holds_every_chunk_once(desk):
    desk.put("tea")
    assert len(desk.find("tea").passages) == 1
    rebuild(desk.kernel, quiet)
    assert len(desk.find("tea").passages) == 1


def test_another_process_follows_an_index_that_is_made_anew(tmp_path, desk):
    other = Desk(tmp_path)
    desk.put("tea")
    before = other.found("tea")
    rebuild(desk.kernel, quiet)
    assert other.found("tea") == before
    other.close()


def test_a_process_that_was_sealing_while_the_index_was_made_anew_throws_its_segment_away(tmp_path, desk, monkeypatch):
    other = Desk(tmp_path)
    desk.put("tea")
    original = desk.store.operate
    monkeypatch.setattr(desk.store, "operate", lambda act: (rebuild(other.kernel, quiet), original(act))[1])
    desk.seal()
    monkeypatch.undo()
    assert len(desk.find("tea").passages) == 1
    assert len(other.find("tea").passages) == 1
    other.close()


def test_everything_can_go_and_new_things_come(desk):
    ids = [desk.put("tea") for _ in range(3)]
    desk.seal()
    for id in ids:
        erase(desk.kernel, id, actor="test")
    assert desk.ids("tea") == []
    desk.seal()
    kept = desk.put("tea")
    desk.seal()
    desk.reopen()
    assert desk.ids("tea") == [kept]


def test_a_topic_is_ranked_as_of_a_transaction_as_it_was_then(desk):
    desk.put("x", "tea")
    longer = desk.put("tea tea tea", "tea ceremony tea")
    then = [(hit.version.id, hit.score) for hit in desk.ask("", topic="tea").hits]
    tx = desk.tx
    delete_entry(desk.kernel, longer, actor="test")
    assert [(hit.version.id, hit.score) for hit in desk.ask("", topic="tea", as_of_tx_id=tx).hits] == then


def test_recency_and_importance_are_weighed_as_of_a_transaction_as_they_were_then(desk):
    ids = [desk.put(f"tea {word}") for word in ("one", "two")]
    asked: Any = {"signals": ("recency", "memory_type")}
    then = desk.ids("tea", **asked)
    tx = desk.tx
    update_entry(desk.kernel, ids[0], EntryChange(memory_type="core"), actor="test")
    delete_entry(desk.kernel, ids[1], actor="test")
    assert desk.ids("tea", as_of_tx_id=tx, **asked) == then


def test_an_entry_with_several_matching_passages_and_no_vectors_has_no_semantic_score(desk):
    desk.put("tea. " * LIMIT)
    (hit,) = desk.ask("tea").hits
    assert len(hit.excerpts) > 1
    assert hit.cosine is None


def test_a_quoted_phrase_is_found_in_whatever_case_and_form_it_is_written(desk):
    wanted = desk.put("Die Lange   Straße")
    other = desk.put("x", "straße lange")
    assert desk.ids("lange straße") == [other, wanted]
    assert desk.ids('"lange straße"') == desk.ids('"LANGE STRASSE"') == [wanted, other]
