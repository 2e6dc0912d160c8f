"""A turn gains from the turns beside it, among turns; nothing that is no turn rises or falls by it."""

import numpy as np
import pytest

from memotheca.conversations.keep import KeepConversation, keep_conversation
from memotheca.conversations.turns import Utterance
from memotheca.search import finder
from memotheca.search.neighbours import as_asked, lend, level
from memotheca.vectors.fusion import Balance
from tests.engine.desk import Desk

FAKE = "openai:fake@http://nowhere"


@pytest.fixture(params=["none", FAKE])
def desk(request, tmp_path):
    desk = Desk(tmp_path, request.param)
    yield desk
    desk.close()


def talk(desk, session, *texts, client="test"):
    turns = tuple(
        Utterance(speaker="user" if place % 2 == 0 else "assistant", text=text) for place, text in enumerate(texts)
    )
    kept = keep_conversation(
        desk.kernel, KeepConversation(client=client, session=session, title="talk", turns=turns), actor="test"
    )
    desk.embed()
    assert kept.version is not None
    return kept.version.id


def passages(desk, question, *kinds):
    page = desk.ask(question, kinds=kinds)
    return [(hit.version.id, [excerpt.place.get("turn") for excerpt in hit.excerpts]) for hit in page.hits]


def scores(desk):
    return {(id, span): score for id, span, score, _ in desk.found("reactor noon")}


def test_of_two_turns_that_say_the_same_the_one_beside_turns_that_match_is_first(desk):
    alone = talk(desk, "a", "do we meet", "yes at noon", "fine then")
    answer = talk(desk, "b", "did the reactor fail", "yes at noon", "the reactor is to be repaired")
    noon = "assistant: yes at noon"
    bodies = {entry.id: entry.body for entry in desk.entries()}
    said = {id: score for (id, span), score in scores(desk).items() if bodies[id][slice(*span)] == noon}
    assert said[answer] > said[alone]
    assert passages(desk, "reactor noon", "conversation")[0][0] == answer


def test_another_conversation_or_entry_lends_nothing(desk):
    talk(desk, "a", "the reactor failed")
    alone = talk(desk, "b", "yes at noon")
    desk.put("the reactor failed again")
    ranked = passages(desk, "noon", "conversation", "entry")
    assert ranked[0][0] == alone


def test_entries_keep_their_scores_beside_conversations_and_the_best_turn_its_own(desk, monkeypatch):
    for number in range(6):
        desk.put(f"The reactor failed at noon {'again ' * number}", f"reactor {number}")
    said = talk(desk, "a", "did the reactor fail", "yes at noon", "the reactor is to be repaired")
    lent = scores(desk)
    monkeypatch.setattr(finder, "with_turns_beside", lambda index, places, mask, as_of: [])
    plain = scores(desk)
    assert {place for place in lent if lent[place] != plain[place]} <= {place for place in lent if place[0] == said}
    turns = [place for place in lent if place[0] == said]
    assert max(lent[place] for place in turns) == pytest.approx(max(plain[place] for place in turns))
    assert len(turns) == 3


def test_an_answer_without_a_word_of_the_question_is_shown_after_what_it_answers(desk):
    talk(desk, "a", "the weather is fine", "so it is", "when is the reactor repaired", "on Thursday", "thank you")
    talk(desk, "b", "on Thursday", "I see")
    page = desk.ask("reactor", kinds=("conversation",))
    shown = [excerpt.text for excerpt in page.hits[0].excerpts]
    assert shown[:2] == ["user: when is the reactor repaired", "assistant: on Thursday"]


def test_what_a_turn_answers_tells_more_of_it_than_what_follows():
    near = as_asked({1: [0, 2], 3: [2, 4]})
    scores = np.array([1.0, 0.0, 0.0, 0.0, 1.0])
    lent = lend(near, scores, {}, best_lexical=1.0, weighed=Balance(1.0, 1.2))
    assert lent[1] == pytest.approx(2 * lent[3])


def test_the_best_turn_scores_as_the_best_did_before():
    before, after = [0.4, 0.9, 0.2], [0.8, 1.1, 0.3]
    factor = level(before, after)
    assert max(score * factor for score in after) == pytest.approx(0.9)
    assert level([-0.1], [0.2]) == 1.0
