"""Prompts: complete templates that never write by themselves."""

import pytest

from pinakes.model.errors import Failure, Refusal
from pinakes.server.prompts import PROMPTS, complete, get_prompt, list_prompts

GIVEN = {
    "ingest-memory": {"text": "Ada moved to Paris.\nShe likes it.", "source": "letter"},
    "retrieve-context": {"question": "Where is Ada?", "max_items": "5"},
    "correct-stale-facts": {"topic": "Ada's city", "new_fact": "Paris", "as_of": "2026-01-01"},
}


def test_golden_prompts(golden):
    golden("prompts/list", list_prompts())
    for name, given in GIVEN.items():
        golden(f"prompts/{name}", get_prompt(name, given))


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
def test_a_prompt_is_complete_with_its_required_arguments_alone(prompt):
    given = {argument.name: f"<{argument.name}>" for argument in prompt.arguments if argument.required}
    text = get_prompt(prompt.name, given)["messages"][0]["content"]["text"]
    assert all(value in text for value in given.values())
    assert "{" not in text
    assert "None" not in text


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
def test_a_prompt_says_that_it_changes_nothing_by_itself(prompt):
    text = get_prompt(prompt.name, GIVEN[prompt.name])["messages"][0]["content"]["text"]
    assert any(said in text for said in ("Nothing is saved by this prompt", "Nothing is changed by", "only reads"))


def test_a_missing_blank_or_unknown_argument_is_refused():
    for given in ({}, {"question": "  "}, {"question": "x", "colour": "red"}):
        with pytest.raises(Refusal) as refusal:
            get_prompt("retrieve-context", given)
        assert refusal.value.failure is Failure.INVALID
    with pytest.raises(Refusal) as refusal:
        get_prompt("no-such", {})
    assert refusal.value.failure is Failure.NOT_FOUND


def test_arguments_are_completed_from_what_is_stored(agent):
    agent.store("Deployment", "x", source="runbook")
    agent.store("deployment rollback", "x", source="Rumour")
    agent.store("tea", "x")
    assert complete(agent.kernel, "correct-stale-facts", "topic", "dep") == ["Deployment", "deployment rollback"]
    assert complete(agent.kernel, "ingest-memory", "source", "ru") == ["Rumour", "runbook"]
    assert complete(agent.kernel, "retrieve-context", "max_items", "2") == ["20", "200"]
    assert complete(agent.kernel, "ingest-memory", "text", "x") == []
    with pytest.raises(Refusal):
        complete(agent.kernel, "ingest-memory", "nope", "")
