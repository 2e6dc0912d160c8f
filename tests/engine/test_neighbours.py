"""Neighbours lend evidence where a caller asks for it: within an entry, and between the turns of a conversation."""

from dataclasses import replace

import numpy as np
import pytest

from memotheca.entries.entries import blank_entry
from memotheca.search import filters
from memotheca.search.neighbours import CONVERSATION, DENSE_SHARE, LEXICAL_SHARE, lend
from memotheca.search.passages import LIMIT
from memotheca.search.prepared import LATER
from memotheca.storage.store import Transaction
from memotheca.vectors.fusion import Balance
from tests.engine.desk import Desk

FAKE = "openai:fake@http://nowhere"


@pytest.fixture(params=["none", FAKE])
def desk(request, tmp_path, monkeypatch):
    monkeypatch.setattr(filters, "FILTERED_ATTRIBUTES", (*filters.FILTERED_ATTRIBUTES, CONVERSATION))
    desk = Desk(tmp_path, request.param)
    yield desk
    desk.close()


def say(desk: Desk, text: str, session: str | None) -> str:
    def act(transaction: Transaction) -> str:
        entry = blank_entry(transaction, "", text)
        transaction.put(replace(entry, attributes={} if session is None else {CONVERSATION: session}), LATER)
        return entry.id

    id = desk.kernel.write(act, actor="test")
    desk.embed()
    return id


def talk(desk: Desk, session: str | None) -> tuple[str, str]:
    """Two turns that say the same, the second of which stands beside turns about the reactor; another conversation
    runs at the same time."""
    alone = say(desk, "yes at noon", "other" if session else None)
    say(desk, "do we meet", "other" if session else None)
    say(desk, "do we meet", session)
    say(desk, "did the reactor fail", session)
    say(desk, "lunch maybe", "other" if session else None)
    answer = say(desk, "yes at noon", session)
    say(desk, "what now", "other" if session else None)
    say(desk, "then the reactor is to be repaired", session)
    return alone, answer


def test_a_turn_beside_turns_that_match_ranks_above_its_equal_only_where_neighbours_are_asked_for(desk):
    alone, answer = talk(desk, "mine")
    plain = desk.ids("reactor noon")
    assert plain.index(alone) < plain.index(answer)
    told = desk.ids("reactor noon", signals=("neighbours",))
    assert told.index(answer) < told.index(alone)
    assert told == desk.ids("reactor noon", signals=("neighbours",))


def test_entries_that_belong_to_no_conversation_are_nobodys_neighbours(desk):
    alone, answer = talk(desk, None)
    told = desk.ids("reactor noon", signals=("neighbours",))
    assert told.index(alone) < told.index(answer)


def test_a_turn_that_was_deleted_lends_nothing(desk):
    alone, answer = talk(desk, "mine")
    before = desk.tx
    for turn in [each for each in desk.entries() if "reactor" in each.body]:
        desk.kernel.write(lambda transaction, turn=turn: transaction.remove(turn), actor="test")
    desk.put("the reactor elsewhere")
    now = desk.ids("reactor noon", signals=("neighbours",))
    assert now.index(alone) < now.index(answer)
    earlier = desk.ids("reactor noon", signals=("neighbours",), as_of_tx_id=before)
    assert earlier.index(answer) < earlier.index(alone)


def test_chunks_of_one_entry_lend_to_each_other_but_not_to_the_next_entry(desk):
    filler = "x" * (LIMIT - 100)
    one = desk.put(f"noon {filler}\n\nreactor {filler}")
    two = desk.put(f"noon {filler}\n\nnothing {filler}")
    desk.embed()
    desk.seal()
    plain = {hit.version.id: hit for hit in desk.ask("noon").hits}
    assert plain[one].excerpts[0].text[:4] == plain[two].excerpts[0].text[:4] == "noon"
    told = desk.ids("noon reactor", signals=("neighbours",))
    assert told[0] == one


def test_a_chunk_without_neighbours_takes_its_own_evidence():
    lexical = np.array([2.0, 4.0, 0.0])
    lent = lend({0: [1, 2], 1: []}, lexical, {}, best_lexical=4.0, weighed=Balance(1.0, 1.2))
    assert lent == {0: pytest.approx(LEXICAL_SHARE * 0.5), 1: pytest.approx(LEXICAL_SHARE)}


def test_neighbours_that_have_nothing_to_do_with_the_question_lend_nothing_however_high_cosines_are():
    lexical = np.zeros(3)
    weighed = Balance(1.0, 4.8, centre=0.73)
    lent = lend({0: [1], 1: [2]}, lexical, {1: 0.73, 2: 0.83}, best_lexical=0.0, weighed=weighed)
    assert lent == {0: pytest.approx(0.0), 1: pytest.approx(DENSE_SHARE * 4.8 * 0.1)}
