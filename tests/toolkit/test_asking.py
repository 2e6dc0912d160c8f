"""Questions, and the answers that count for them."""

import pytest

from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.ask import Dialogue, Form, ModelQuestion, Response, Unanswered, choice_of, confirmation, key_of
from memotheca.toolkit.tool import Call

SURE = confirmation("Delete 5 notes?")


def call(conversation: Dialogue) -> Call[None]:
    return Call(kernel=None, actor="tester", conversation=conversation)


def test_nobody_is_there_to_be_asked_unless_it_is_said() -> None:
    assert Call(kernel=None, actor="tester").ask(SURE) == Response("unsupported")
    with pytest.raises(Unanswered) as left:
        call(Dialogue(frozenset({"person"}))).ask(SURE)
    assert left.value.question is SURE


def test_a_person_and_a_model_are_asked_separately() -> None:
    only_model = call(Dialogue(frozenset({"model"})))
    assert only_model.ask(SURE).outcome == "unsupported"
    with pytest.raises(Unanswered):
        only_model.ask(ModelQuestion(text="Summarise."))


def test_an_answer_counts_for_the_very_question_it_was_given_to() -> None:
    answered = call(Dialogue(frozenset({"person"}), {key_of(SURE): Response("accepted", {"confirm": True})}))
    assert answered.ask(confirmation("Delete 5 notes?")).confirmed
    with pytest.raises(Unanswered):
        answered.ask(confirmation("Delete 6 notes?"))


def test_only_a_yes_confirms() -> None:
    assert not Response("accepted", {"confirm": False}).confirmed
    assert not Response("declined", {"confirm": True}).confirmed


def test_different_questions_have_different_keys() -> None:
    questions = (
        SURE,
        Form(message="Which?", fields={"id": choice_of(("a", "b"))}),
        Form(message="Which?", fields={"id": choice_of(("a", "c"))}),
        Form(message="Which?", fields={"id": choice_of(("a", "c"))}, required=("id",)),
        ModelQuestion(text="Which?"),
        ModelQuestion(text="Which?", system="Be brief."),
    )
    assert len({key_of(question) for question in questions}) == len(questions)


def test_an_answer_is_checked_against_its_form() -> None:
    form = Form(message="Which?", fields={"id": choice_of(("a", "b"))}, required=("id",))
    for content in ({}, {"id": "c"}, {"id": 1}):
        answered = call(Dialogue(frozenset(), {key_of(form): Response("accepted", content)}))
        with pytest.raises(Refusal) as refused:
            answered.ask(form)
        assert refused.value.failure is Failure.INVALID
