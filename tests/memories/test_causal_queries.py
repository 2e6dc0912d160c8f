"""Causal questions: doing, seeing and undoing, over the causal edges alone."""

from typing import Any

import pytest

from tests.memories.librarian import Librarian

STEP = 0.8 * 0.8


@pytest.fixture
def nodes(librarian: Librarian) -> dict[str, str]:
    """Rain makes the street wet, and that makes it slippery."""
    texts = {"rain": "It rains.", "wet": "The street is wet.", "slip": "People slip.", "frost": "There is frost."}
    found = {name: librarian.remember(text, name=name) for name, text in texts.items()}
    librarian.link(found["rain"], found["wet"])
    librarian.link(found["wet"], found["slip"])
    return found


def ask(librarian: Librarian, action: str, outcome: str | None = None, **more: Any) -> dict[str, Any]:
    said = {"action": action, **({} if outcome is None else {"outcome": outcome}), **more}
    return librarian.call("query_causal", **said)


def test_doing_carries_along_the_chain(librarian: Librarian, nodes: dict[str, str]) -> None:
    found = ask(librarian, nodes["rain"], nodes["slip"])
    assert found["effect"]["probability"] == round(STEP**2, 4)
    assert (found["effect"]["baseline"], found["effect"]["direction"]) == (0, "increases")
    assert found["effect"]["lift"] == found["effect"]["probability"]
    assert [path["nodes"] for path in found["paths"]] == [[nodes["rain"], nodes["wet"], nodes["slip"]]]
    assert [edge["edge_id"] for edge in found["evidence"]] == found["paths"][0]["edges"]


def test_words_are_enough(librarian: Librarian, nodes: dict[str, str]) -> None:
    found = ask(librarian, "it rains", "people slip")
    assert (found["effect"]["action_node"], found["effect"]["outcome_node"]) == (nodes["rain"], nodes["slip"])
    assert 1 <= len(found["resolved"]["action_nodes"]) <= 3


def test_another_cause_moves_the_baseline_and_an_unrelated_one_does_not(
    librarian: Librarian, nodes: dict[str, str]
) -> None:
    before = ask(librarian, nodes["rain"], nodes["slip"])["effect"]
    librarian.link(nodes["frost"], librarian.remember("Pipes burst."))
    assert ask(librarian, nodes["rain"], nodes["slip"])["effect"] == before
    librarian.link(nodes["frost"], nodes["slip"])
    after = ask(librarian, nodes["rain"], nodes["slip"])["effect"]
    assert after["baseline"] == round(0.5 * STEP, 4)
    assert after["probability"] > before["probability"]
    assert after["lift"] < before["lift"]


def test_without_its_only_cause_the_outcome_fails(librarian: Librarian, nodes: dict[str, str]) -> None:
    said = {"intervention_type": "counterfactual"}
    effect = ask(librarian, nodes["rain"], nodes["slip"], **said)["effect"]
    assert (effect["probability"], effect["necessity"], effect["direction"]) == (0, 1, "decreases")
    librarian.link(nodes["frost"], nodes["slip"])
    effect = ask(librarian, nodes["rain"], nodes["slip"], **said)["effect"]
    assert 0 < effect["necessity"] < 1
    assert effect["lift"] < 0


def test_seeing_hints_at_common_causes_and_doing_does_not(librarian: Librarian, nodes: dict[str, str]) -> None:
    umbrella = librarian.remember("People carry umbrellas.", name="umbrella")
    librarian.link(nodes["rain"], umbrella)
    done = ask(librarian, umbrella, nodes["slip"])
    assert (done["effect"]["lift"], done["effect"]["direction"], done["paths"]) == (0, "none", [])
    seen = ask(librarian, umbrella, nodes["slip"], intervention_type="observe")
    assert seen["effect"]["lift"] > 0
    assert [each["node_id"] for each in seen["confounders"]] == [nodes["rain"]]


def test_effects_are_ranked_where_no_outcome_is_asked_for(librarian: Librarian, nodes: dict[str, str]) -> None:
    found = ask(librarian, nodes["rain"])
    assert [(each["node_id"], each["hops"]) for each in found["effects"]] == [(nodes["wet"], 1), (nodes["slip"], 2)]
    assert found["effect"] is None
    assert [each["node_id"] for each in ask(librarian, nodes["rain"], max_hops=1)["effects"]] == [nodes["wet"]]
    assert ask(librarian, nodes["slip"])["effects"] == []


def test_a_circle_does_not_hold_it_up(librarian: Librarian, nodes: dict[str, str]) -> None:
    librarian.link(nodes["slip"], nodes["rain"])
    assert ask(librarian, nodes["rain"], nodes["slip"])["effect"]["probability"] == round(STEP**2, 4)
    assert ask(librarian, nodes["rain"], nodes["rain"])["effect"] is None


def test_nothing_stored_is_said_to_be_so(librarian: Librarian) -> None:
    found = ask(librarian, "rain", "floods")
    assert (found["resolved"]["action_nodes"], found["effect"]) == ([], None)
    assert "Nothing" in found["explanation"]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"action": ""},
        {"action": "x" * 4097},
        {"action": "x", "intervention_type": "wish"},
        {"action": "x", "max_hops": 0},
        {"action": "x", "max_hops": 11},
        {"action": "x", "outcome": "x" * 4097},
    ],
)
def test_what_the_schema_forbids_is_refused(librarian: Librarian, arguments: dict[str, Any]) -> None:
    assert librarian.error("query_causal", **arguments)["code"] == -32002
