"""Asking the person: about what is there, by what would settle most, and never the same twice."""

from typing import Any

import pytest

from memotheca.memory.session.state import activity_of
from memotheca.toolkit.ask import Dialogue, Form, Response, Unanswered, key_of
from memotheca.toolkit.tool import Call
from tests.memories.librarian import Librarian

FACTS = (
    "Ada lives in Berlin.",
    "The nightly job holds the migration lock.",
    "Deploys wait for the lock.",
    "The parser reads one line at a time.",
    "Invoices are sent on Fridays.",
    "The router restarts on its own.",
    "Bob reviews every change.",
    "Tests run in parallel.",
    "The cache is flushed at two.",
    "Logs are kept for a week.",
)


@pytest.fixture
def learned(librarian: Librarian) -> Librarian:
    for content in FACTS:
        librarian.remember(content)
    return librarian


def ask(librarian: Librarian, **more: Any) -> dict[str, Any]:
    return librarian.call("epistemic_action", force=True, **more)


def unsettle(librarian: Librarian, **mood: Any) -> None:
    with librarian.kernel.read() as snapshot:
        held = activity_of(librarian.kernel).mood(snapshot.session, librarian.kernel.collection, librarian.session)
    for name, value in mood.items():
        setattr(held, name, value)


def test_a_settled_memory_asks_nothing(learned: Librarian) -> None:
    unsettle(learned, entropy=0.5, coherence=0.6)
    found = learned.call("epistemic_action")
    assert (found["action_type"], found["question"], found["expected_entropy_reduction"]) == ("none", "", 0)
    assert found["focal_nodes"] == []
    # How the session feels says nothing of whether all that is stored agrees.
    due = "due when coherence was below 0.4 in the last 3 exchanges, or entropy is above 0.7 and coherence above 0.5"
    assert found["reason"] == f"No question is due: one is {due}. Use force to ask all the same."


def test_low_coherence_in_three_exchanges_asks(learned: Librarian) -> None:
    unsettle(learned, recent=[0.6, 0.3, 0.3], coherence=0.3)
    assert learned.call("epistemic_action")["action_type"] == "none"
    unsettle(learned, recent=[0.3, 0.3, 0.3], coherence=0.3)
    found = learned.call("epistemic_action")
    assert (found["action_type"], found["coherence_before"]) == ("ask_user", 0.3)
    assert found["focal_nodes"]


def test_high_entropy_with_fair_coherence_asks(learned: Librarian) -> None:
    unsettle(learned, entropy=0.8, coherence=0.6)
    assert learned.call("epistemic_action")["action_type"] == "ask_user"


def test_with_few_memories_the_question_is_general(librarian: Librarian) -> None:
    librarian.remember("Ada lives in Berlin.")
    found = ask(librarian)
    assert (found["action_type"], found["focal_nodes"]) == ("ask_user", [])
    assert found["question"].endswith("?")


def test_less_is_known_more_is_to_be_gained(librarian: Librarian) -> None:
    first = ask(librarian)["expected_entropy_reduction"]
    unsettle(librarian, entropy=0.5)
    for content in FACTS[:5]:
        librarian.remember(content)
    unsettle(librarian, entropy=0.5)
    assert ask(librarian)["expected_entropy_reduction"] < first


def test_a_contradiction_is_what_a_person_is_asked_about_first(learned: Librarian) -> None:
    first = learned.remember("The release is on 2026-03-01.")
    second = learned.remember("The release is on 2026-04-15.")
    found = ask(learned)
    assert found["focal_nodes"] == [first, second]
    assert "2026-03-01" in found["question"]
    assert "Which of them holds" in found["question"]
    assert 0 < found["expected_entropy_reduction"] <= 1
    assert "store_memory" in found["suggested_follow_up"]


def test_what_is_named_often_and_never_explained_is_asked_for(learned: Librarian) -> None:
    for content in ("We met Zed at noon.", "It was Zed who called.", "We wrote to Zed about it."):
        learned.remember(content)
    questions = [ask(learned)["question"] for _ in range(3)]
    assert any("Zed is mentioned in 3" in question for question in questions)


def test_once_explained_it_is_not_asked_for(learned: Librarian) -> None:
    for content in ("We met Zed at noon.", "It was Zed who called.", "Zed is the new accountant."):
        learned.remember(content)
    questions = [ask(learned)["question"] for _ in range(20)]
    assert not any("never explained" in question for question in questions)


def test_no_question_comes_twice_in_a_session(learned: Librarian) -> None:
    learned.remember("Ada lives in Paris.")
    seen: list[str] = []
    while (found := ask(learned))["action_type"] == "ask_user":
        seen.append(found["question"])
    assert len(seen) == len(set(seen)) > 5
    assert "has been asked" in found["reason"]


def test_another_session_may_be_asked_the_same(learned: Librarian) -> None:
    question = ask(learned)["question"]
    assert ask(learned)["question"] != question
    assert ask(learned, session_id="another")["question"] == question


def test_what_was_asked_is_remembered_without_its_words(learned: Librarian) -> None:
    learned.remember("The zebra lives in Berlin.")
    learned.remember("The zebra lives in Paris.")
    ask(learned)
    with learned.kernel.read() as snapshot:
        mood = activity_of(learned.kernel).mood(snapshot.session, learned.kernel.collection, "")
    assert mood.asked
    assert "zebra" not in str(mood.asked)


def form_of(librarian: Librarian, responses: dict[str, Response]) -> Form:
    call = Call(kernel=librarian.kernel, actor="t", conversation=Dialogue(frozenset({"person"}), responses))
    with pytest.raises(Unanswered) as left:
        librarian.app.dispatcher.run("epistemic_action", {"force": True}, call)
    assert isinstance(left.value.question, Form)
    return left.value.question


def test_a_person_who_can_be_asked_is_asked_and_the_answer_comes_back(learned: Librarian) -> None:
    learned.remember("Ada lives in Paris.")
    form = form_of(learned, {})
    assert "Ada lives in Paris" in form.message
    answer = Response("accepted", {"holds": "second", "answer": "She moved in May."})
    learned.conversation = Dialogue(frozenset({"person"}), {key_of(form): answer})
    found = ask(learned)
    assert (found["question"], found["asked_directly"]) == (form.message, True)
    assert found["answer"] == {"holds": "second", "answer": "She moved in May."}
    assert form_of(learned, {}).message != form.message


def test_who_declines_is_not_asked_again(learned: Librarian) -> None:
    form = form_of(learned, {})
    learned.conversation = Dialogue(frozenset({"person"}), {key_of(form): Response("declined")})
    found = ask(learned)
    assert "answer" not in found
    assert found["suggested_follow_up"] is None
    assert form_of(learned, {}).message != form.message
