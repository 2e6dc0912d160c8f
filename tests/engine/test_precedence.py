"""Who waits for an answer goes before what is embedded for later, and neither keeps the other waiting for long."""

import os
import sys
import threading

import pytest

from memotheca.entries.entries import EntryChange, update_entry
from memotheca.kernel import precedence
from memotheca.kernel.precedence import NICENESS, Precedence
from memotheca.model.errors import Failure, Refusal
from memotheca.search import embed
from memotheca.search.embed import AT_ONCE, BATCH, PARALLEL
from memotheca.search.passages import LIMIT
from memotheca.vectors.embedders import understand
from tests.engine.desk import Desk, FakeEmbedder
from tests.patience import PATIENCE

NAME = "openai:a@http://nowhere"
LONG = "tea. " * (LIMIT * (AT_ONCE + 1) // 5)


class Watched(FakeEmbedder):
    """Notes in which thread it embeds, and says when it began."""

    def __init__(self, identity: str) -> None:
        super().__init__(identity)
        self.began = threading.Event()
        self.priorities: set[int] = set()

    def embed_passage(self, title, text):
        self.began.set()
        self.priorities.add(os.getpriority(os.PRIO_PROCESS, 0))
        return super().embed_passage(title, text)


@pytest.fixture
def embedder():
    return Watched(understand(NAME).identity)


@pytest.fixture
def desk(tmp_path, embedder):
    desk = Desk(tmp_path, NAME, load=lambda choice: embedder)
    desk.put(LONG)
    yield desk
    desk.close()


def test_nothing_is_embedded_for_later_while_a_call_is_answered(desk, embedder, monkeypatch):
    monkeypatch.setattr(precedence, "PATIENCE", PATIENCE)
    waiting = threading.Event()
    give_way = desk.kernel.keep(Precedence).give_way
    monkeypatch.setattr(desk.kernel.keep(Precedence), "give_way", lambda: (waiting.set(), give_way()))
    worker = threading.Thread(target=desk.embed)
    with desk.kernel.keep(Precedence).answering():
        worker.start()
        assert waiting.wait(PATIENCE)
        assert not embedder.began.is_set()
    assert embedder.began.wait(PATIENCE)
    worker.join(PATIENCE)
    assert len(embedder.passages) > AT_ONCE


def test_calls_without_end_do_not_keep_vectors_from_being_made(desk, embedder, monkeypatch):
    monkeypatch.setattr(precedence, "PATIENCE", 0.001)
    with desk.kernel.keep(Precedence).answering():
        assert desk.embed() > AT_ONCE


def test_of_two_calls_the_later_end_counts():
    both = Precedence()
    went = threading.Event()
    with both.answering():
        with both.answering():
            pass
        worker = threading.Thread(target=lambda: (both.give_way(), went.set()))
        worker.start()
    assert went.wait(PATIENCE)
    worker.join(PATIENCE)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has priorities of threads")
def test_whoever_embeds_for_later_keeps_a_fair_share_of_a_processor(desk, embedder):
    """With too little of one, a thread that is put aside while it holds the interpreter would hold up every call."""
    desk.embed()
    mine = os.getpriority(os.PRIO_PROCESS, 0)
    assert embedder.priorities == {min(mine + NICENESS, 19)}
    assert NICENESS <= 5


def test_a_long_text_is_cut_once_however_many_batches_its_vectors_take(desk, monkeypatch):
    desk.put("coffee. " * (LIMIT * 3 * BATCH // 8))
    times: list[str] = []
    passages_of = embed.passages_of
    monkeypatch.setattr(embed, "passages_of", lambda entry, size: times.append(entry.id) or passages_of(entry, size))
    assert desk.embed() > 3 * BATCH
    assert len(times) == len(set(times)) == 2


def test_a_text_that_changes_between_two_batches_is_cut_anew(desk, embedder):
    id = desk.put("coffee. " * (LIMIT * 3 * BATCH // 8))

    def change(done: float, total: float | None, message: str) -> None:
        if done == BATCH:
            update_entry(desk.kernel, id, EntryChange(body="cocoa. " * (LIMIT * 2 * BATCH // 7)), actor="test")

    embed.embed_waiting(desk.kernel, stop=lambda: False, report=change)
    assert sum("cocoa" in text for text in embedder.passages) > BATCH


def test_whoever_embeds_for_later_stops_in_the_middle_of_a_batch(desk, embedder):
    """A server that is told to end waits for the passages under way, not for all that were begun together."""
    desk.put("coffee. " * (LIMIT * 2 * BATCH // 8))
    began = embed.embed_waiting(desk.kernel, stop=embedder.began.is_set, report=lambda done, total, message: None)
    assert (began, len(embedder.passages)) in {(0, many) for many in range(1, PARALLEL + 1)}
    assert desk.embed() > 2 * BATCH


def test_a_document_stops_being_embedded_in_the_middle_of_a_batch(desk, embedder):
    texts = [f"coffee {number}" for number in range(BATCH)]
    with (
        embed.embedding_ahead(desk.kernel, embedder, "drinks", embedder.began.is_set) as begin,
        pytest.raises(Refusal) as refused,
    ):
        list(begin(texts))
    assert refused.value.failure is Failure.CANCELLED
    assert len(embedder.passages) <= PARALLEL
