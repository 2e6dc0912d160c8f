"""What is not sure enough to be asserted of two memories: one task a store, settled like any other."""

import json
from typing import Any

import pytest

from memotheca.memory.care.tasks import standing_tasks
from memotheca.memory.curation import compared_tasks
from memotheca.memory.curation.undecided import DOUBTFUL
from memotheca.memory.session.consent import ModelConsent
from memotheca.storage import care_tasks
from memotheca.storage.care_tasks import TaskRow
from memotheca.toolkit.ask import Dialogue, ModelQuestion, Unanswered
from memotheca.toolkit.tool import Call
from tests.memories.librarian import Librarian

FERRY = ("The ferry leaves the pier at 7:40.", "New timetable for the ferry: the first one goes at 8:05.")
BEES = ("Greta looks after the bees behind the mill.", "Since the swarm Otto has the bees behind the mill.")


@pytest.fixture(autouse=True)
def unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was learned lately, all that is not asserted is in doubt here."""
    monkeypatch.setattr(compared_tasks, "DOUBTED", 0.0)


def doubts(librarian: Librarian, *states: Any) -> list[TaskRow]:
    with librarian.kernel.read() as snapshot:
        found = standing_tasks(librarian.kernel, snapshot, states or ("open",))
    return [row for row in found if row.kind == DOUBTFUL]


def put(librarian: Librarian, pair: tuple[str, str] = FERRY, **more: Any) -> tuple[str, str]:
    older = librarian.remember(pair[0])
    return older, librarian.remember(pair[1], **more)


def test_what_is_not_sure_enough_to_be_asserted_is_a_task_with_both_sentences(librarian: Librarian) -> None:
    older, newer = put(librarian)
    (row,) = doubts(librarian)
    assert (row.one, row.other, row.one_said, row.other_said) == (older, newer, *FERRY)
    (task,) = librarian.call("get_memetic_status")["curation_tasks"]
    assert (task["kind"], task["priority"], task["suggested_tool"]) == ("doubtful", "low", "epistemic_action")


def test_below_the_bar_nothing_is_in_doubt(librarian: Librarian, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compared_tasks, "DOUBTED", 1.01)
    put(librarian)
    assert doubts(librarian) == []


def test_a_store_leaves_one_doubt_at_most(librarian: Librarian) -> None:
    for number in range(4):
        librarian.remember(f"The ferry from pier {number} leaves at 7:4{number} in summer.")
    before = len(doubts(librarian))
    librarian.remember(FERRY[1])
    assert len(doubts(librarian)) - before <= 1


def test_where_something_is_asserted_nothing_else_is_doubted(librarian: Librarian) -> None:
    librarian.remember("Ada lives in Paris, next to the ferry.")
    librarian.remember("Ada lives in Paris.")
    librarian.remember("Ada lives in Oslo.")
    with librarian.kernel.read() as snapshot:
        rows = standing_tasks(librarian.kernel, snapshot)
    newest = max(row.other for row in rows)
    assert {row.kind for row in rows if row.other == newest} == {"dispute"}


def test_what_the_caller_links_or_decides_is_not_doubted(librarian: Librarian) -> None:
    older = librarian.remember(FERRY[0])
    librarian.remember(FERRY[1], link_to=[older])
    assert doubts(librarian) == []
    bees = librarian.remember(BEES[0])
    librarian.remember(BEES[1], supersedes=[bees])
    assert not [row for row in doubts(librarian) if bees in (row.one, row.other) and row.other != bees]


def test_no_more_than_so_many_stay_in_doubt(librarian: Librarian, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(care_tasks, "MOST_DOUBTFUL", 2)
    for number in range(6):
        put(librarian, (f"The ferry number {number} leaves at 7:40.", f"Ferry number {number} goes from the quay now."))
    assert len(doubts(librarian)) <= 2


@pytest.mark.parametrize("choice", ["first", "second", "both", "same"])
def test_each_answer_names_the_call_that_settles_it_and_undoing_that_opens_it_again(
    librarian: Librarian, choice: str
) -> None:
    for content in ("Penguins huddle.", "Logs are kept for a week.", *map("Shelf {} holds jam.".format, "ABCDEFGH")):
        librarian.remember(content, valid_to="2026-01-01")
    older, newer = put(librarian)
    asked = next(
        found
        for found in iter(lambda: librarian.call("epistemic_action", force=True), None)
        if found["focal_nodes"] == [older, newer]
    )
    assert asked["question"].startswith("I cannot tell whether these two go together. (1) “The ferry")
    (chosen,) = [each for each in asked["choices"] if each["answer"] == choice]
    assert json.dumps(chosen["arguments"]) in asked["suggested_follow_up"]
    open_before = len(doubts(librarian))
    librarian.call(chosen["tool"], **chosen["arguments"])
    assert len(doubts(librarian)) == open_before - 1
    librarian.call("undo")
    assert len(doubts(librarian)) == open_before


def test_the_clients_model_is_asked_about_it_where_the_user_allows_that(librarian: Librarian) -> None:
    put(librarian)
    librarian.kernel = librarian.kernel.having(ModelConsent(is_given=True))
    call = Call(kernel=librarian.kernel, actor="t", conversation=Dialogue(frozenset({"model"})))
    with pytest.raises(Unanswered) as left:
        librarian.app.dispatcher.run("epistemic_action", {"force": True}, call)
    question = left.value.question
    assert isinstance(question, ModelQuestion)
    assert FERRY[1] in question.text
    with librarian.answering(question, "1: NEWER"):
        (settled,) = librarian.call("epistemic_action", force=True)["settled_by_model"]
    assert settled["answer"] == "second"
    assert doubts(librarian) == []
    librarian.call("undo", tx_id=settled["tx_id"])
    assert len(doubts(librarian)) == 1


def test_a_doubt_is_no_finding_and_nothing_that_is_said_about_a_store(librarian: Librarian) -> None:
    librarian.remember(FERRY[0])
    told = librarian.call("store_memory", content=FERRY[1], rationale="Read at the pier.")
    assert [told[name] for name in ("updates", "conflicts", "duplicates")] == [[], [], []]
    assert librarian.call("critique_context", check_types=["conflicts", "duplicates"])["findings"] == []
