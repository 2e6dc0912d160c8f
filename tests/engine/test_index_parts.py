"""Parts of the index: what is kept summed up, guessed or skipped is what counting everything gives."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memotheca.entries.entries import delete_entry
from memotheca.model.errors import Refusal
from memotheca.model.retry import MissingSegmentError
from memotheca.search.index import compaction, score, seal
from memotheca.search.index.index_parts import DensePart, dense_arrays, find_sorted, order_of, sign_bits, to_dense_part
from memotheca.search.index.score import best, distance_cut, distances, sign_columns
from memotheca.storage.chunks import has_unsealed
from memotheca.storage.segments import SegmentBuilder, open_segment
from tests.engine.desk import Desk

FAKE = "openai:fake@http://nowhere"
numbers = st.integers(0, (1 << 64) - 1)


@given(st.lists(numbers, unique=True), numbers)
def test_a_hash_is_found_where_it_is_however_unevenly_they_are_spread(hashes, other):
    held = np.array(sorted(hashes), np.uint64)
    assert [find_sorted(held, each) for each in held.tolist()] == list(range(len(held)))
    if other not in hashes:
        assert find_sorted(held, other) == -1


def test_a_hash_among_many_is_found_too():
    held = np.unique(np.random.default_rng(1).integers(0, 1 << 63, 100_000, dtype=np.uint64) * np.uint64(2))
    assert all(find_sorted(held, int(held[place])) == place for place in range(0, len(held), 997))
    assert all(find_sorted(held, int(held[place]) + 1) == -1 for place in range(0, len(held), 997))


@settings(deadline=None)
@given(st.integers(0, 3), st.integers(1, 40), st.integers(0, 5))
def test_the_best_scores_are_those_of_a_whole_sort_ties_in_their_order(seed, count, zeros):
    chance = np.random.default_rng(seed)
    scores = chance.integers(0, 50, 30_000).astype(np.float32)
    scores[chance.random(len(scores)) < zeros / 5] = 0
    everything = np.argsort(-scores, kind="stable")
    expected = everything[scores[everything] > 0][:count]
    assert best(scores, count).tolist() == expected.tolist()


@pytest.mark.parametrize("width", [64, 100, 384, 1000])
def test_distances_of_signs_are_those_counted_one_by_one(width):
    chance = np.random.default_rng(width)
    vectors, query = chance.standard_normal((20_000, width)), chance.standard_normal(width)
    counted = ((vectors > 0) != (query > 0)).sum(axis=1)
    bits, columns = sign_bits(vectors), sign_columns(query)
    found = np.empty(len(vectors), np.uint16)
    distances(bits, columns, None, found)
    assert found.tolist() == counted.tolist()
    mask = chance.random(len(vectors)) < 0.5
    distances(bits, columns, mask, found)
    assert found[mask].tolist() == counted[mask].tolist()
    assert (found[~mask] > 64 * len(columns)).all()
    cut = distance_cut(found, 300, 64 * len(columns))
    assert np.count_nonzero(found <= cut) >= 300 > np.count_nonzero(found < cut)


def vectors_of(chunks: list[int]) -> DensePart:
    value = np.zeros(8, np.float16).tobytes()
    return to_dense_part(dense_arrays([(place, chunk, value) for place, chunk in enumerate(chunks)]))


@given(st.lists(st.integers(0, 20)), st.lists(st.integers(0, 20), unique=True))
def test_the_vectors_of_chunks_are_found_in_whatever_order_they_came(chunks, wanted):
    if not chunks:
        return
    found = vectors_of(chunks).of_chunks(np.array(wanted, np.int64))
    assert sorted(found.tolist()) == [place for place, chunk in enumerate(chunks) if chunk in wanted]
    assert len(order_of(np.array(sorted(chunks)))) == 0


def test_a_draft_with_more_room_than_is_filled_holds_what_was_filled(tmp_path):
    with SegmentBuilder(tmp_path, "a", {"rows": ("<i8", (1000, 2)), "more": ("|u1", (70,))}) as draft:
        draft.append("rows", np.arange(4).reshape(2, 2))
        draft.append("more", np.array([7], np.uint8))
        draft.append("rows", np.arange(4, 6).reshape(1, 2))
    arrays = open_segment(tmp_path, "a")
    assert arrays["rows"].tolist() == [[0, 1], [2, 3], [4, 5]]
    assert arrays["more"].tolist() == [7]


def test_a_draft_that_fails_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), SegmentBuilder(tmp_path, "a", {"rows": ("<i8", (1,))}):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def desk(tmp_path):
    desk = Desk(tmp_path, FAKE)
    yield desk
    desk.close()


def test_a_merge_in_many_pieces_is_the_merge_in_one(desk, monkeypatch):
    monkeypatch.setattr(compaction, "POSTINGS", 3)
    monkeypatch.setattr(compaction, "VECTORS", 2)
    found: list[Any] = []
    for number in range(12):
        desk.put(f"tea number{number} river{number % 3}")
        if number % 3 == 2:
            desk.seal()
        found = desk.found("tea river1")
    assert len(found) == 12
    assert len(list(desk.finder.folder.glob("text-*.seg"))) > 4, "they were merged"
    desk.reopen()
    assert desk.found("tea river1") == found


def test_segments_without_vectors_answer_alike_and_are_written_anew(desk, monkeypatch):
    for number in range(6):
        desk.put(f"tea number{number}")
    desk.seal()
    kept = desk.found("tea number3")
    index = desk.finder.index_of("default", next(iter(desk.load.made)))
    (part,) = index.sealed()
    monkeypatch.setattr(part, "values", None)
    monkeypatch.setattr(score, "RESCORED", 1)
    assert desk.found("tea number3") == kept
    assert desk.seal()
    assert index.sealed()[0].values is not None
    assert desk.found("tea number3") == kept


def is_due(desk: Desk) -> bool:
    with desk.store.database.read() as session:
        return has_unsealed(session, "default", 1)


def test_what_died_is_written_down_and_a_process_that_starts_later_knows_it(desk):
    ids = [desk.put(f"tea number{number}") for number in range(9)]
    desk.seal()
    for id in ids[:5]:
        delete_entry(desk.kernel, id, actor="test")
        assert is_due(desk)
        desk.seal()
        assert not is_due(desk)
    assert list(desk.finder.folder.glob("deaths-*.seg"))
    assert sorted(desk.ids("tea")) == ids[5:]
    desk.reopen()
    assert sorted(desk.ids("tea")) == ids[5:]
    assert sorted(desk.ids("tea", as_of_tx_id=9)) == ids


def test_searches_are_answered_and_deaths_noted_while_a_segment_is_written(desk, monkeypatch):
    kept, gone = desk.put("tea for two"), desk.put("tea for none")
    original, found = seal.merge_text, list[list[str]]()

    def merge(*said: Any) -> None:
        with ThreadPoolExecutor(1) as pool:
            found.append(sorted(pool.submit(desk.ids, "tea").result(5)))
            pool.submit(delete_entry, desk.kernel, gone, actor="test").result(5)
            found.append(pool.submit(desk.ids, "tea").result(5))
        original(*said)

    monkeypatch.setattr(seal, "merge_text", merge)
    assert desk.seal()
    assert found == [[kept, gone], [kept]]
    assert desk.ids("tea") == [kept]
    desk.reopen()
    assert desk.ids("tea") == [kept]


def test_a_follower_that_failed_half_way_reads_the_rest_the_next_time(desk, monkeypatch):
    ids = [desk.put(f"tea number{number}") for number in range(3)]
    desk.seal()
    delete_entry(desk.kernel, ids[0], actor="test")
    ids.append(desk.put("late tea"))
    reader = Desk(desk.data, FAKE, desk.load)
    assert sorted(reader.ids("tea")) == ids[1:]
    desk.seal()

    def fail(*said: Any) -> None:
        raise MissingSegmentError

    monkeypatch.setattr(reader.finder.index_of("default", next(iter(desk.load.made))).texts, "_read_deaths", fail)
    with pytest.raises(Refusal):
        reader.ids("tea")
    monkeypatch.undo()
    assert sorted(reader.ids("tea")) == ids[1:]
    reader.close()
