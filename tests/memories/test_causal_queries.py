"""Causal questions: doing, seeing and undoing, over the causal edges alone."""

from typing import Any

import pytest

from tests.memories.librarian import Librarian

STEP = 0.8 * 0.8
STATED = 0.9


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
    assert after["baseline"] == round(STATED * STEP, 4)
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
    assert (done["effect"]["lift"], done["effect"]["direction"], done["paths"]) == (None, "unknown", [])
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
        {"outcome": ""},
    ],
)
def test_what_the_schema_forbids_is_refused(librarian: Librarian, arguments: dict[str, Any]) -> None:
    assert librarian.error("query_causal", **arguments)["code"] == -32002


def test_an_outcome_alone_asks_for_its_causes(librarian: Librarian, nodes: dict[str, str]) -> None:
    found = librarian.call("query_causal", outcome="people slip")
    assert [(each["node_id"], each["hops"]) for each in found["causes"]] == [(nodes["wet"], 1), (nodes["rain"], 2)]
    assert [each["probability"] for each in found["causes"]] == [round(STEP, 4), round(STEP**2, 4)]
    assert (found["effect"], found["effects"]) == (None, [])
    assert "wet" in found["explanation"]
    assert {each["target"] for each in found["evidence"]} == {nodes["slip"], nodes["wet"]}
    assert librarian.call("query_causal", outcome=nodes["frost"])["explanation"] == "No cause of it is known."


def test_what_a_remedy_settles_is_why_there_is_one(librarian: Librarian, nodes: dict[str, str]) -> None:
    sand = librarian.remember("We strew sand.", link_to=[nodes["slip"]], metadata={"relation": "fixes"})
    found = librarian.call("query_causal", outcome=sand)["causes"]
    assert [each["node_id"] for each in found] == [nodes["slip"], nodes["wet"], nodes["rain"]]


def test_what_nobody_linked_is_unknown_however_important(librarian: Librarian, nodes: dict[str, str]) -> None:
    lunch = librarian.remember("We eat lunch at noon.", importance=0.8)
    for kind in ("do", "observe", "counterfactual"):
        effect = ask(librarian, lunch, nodes["rain"], intervention_type=kind)["effect"]
        assert [effect[name] for name in ("probability", "baseline", "lift", "necessity")] == [None] * 4
        assert (effect["direction"], bool(effect["reason"])) == ("unknown", True)
    path = librarian.call("find_causal_path", source_id=lunch, target_id=nodes["rain"])
    assert (path["path_found"], path["path_confidence"], bool(path["reason"])) == (False, None, True)


def test_importance_moves_no_probability(librarian: Librarian, nodes: dict[str, str]) -> None:
    librarian.link(nodes["frost"], nodes["slip"])
    before = ask(librarian, nodes["rain"], nodes["slip"])["effect"]
    librarian.call("boost_importance", node_id=nodes["frost"], delta=0.3, rationale="It matters more in winter.")
    assert ask(librarian, nodes["rain"], nodes["slip"])["effect"] == before
    librarian.call("annotate_node", node_id=nodes["frost"], annotations={"confidence": 0.2})
    assert ask(librarian, nodes["rain"], nodes["slip"])["effect"]["baseline"] == round(0.2 * STEP, 4)


def test_what_is_stated_twice_is_surer(librarian: Librarian, nodes: dict[str, str]) -> None:
    librarian.link(nodes["rain"], nodes["wet"])
    assert ask(librarian, nodes["rain"], nodes["wet"])["effect"]["probability"] == round(1 - (1 - STEP) ** 2, 4)


def test_what_is_prevented_is_no_effect(librarian: Librarian, nodes: dict[str, str]) -> None:
    roof = librarian.remember("There is a roof.", link_to=[nodes["slip"]], metadata={"relation": "prevents"})
    assert ask(librarian, roof)["effects"] == []
    assert roof not in [each["node_id"] for each in librarian.call("query_causal", outcome=nodes["slip"])["causes"]]


def test_a_why_is_sent_to_the_causes_and_a_consequence_to_the_effects(librarian: Librarian) -> None:
    def step(goal: str) -> dict[str, Any]:
        plan = librarian.call("reflect_on_memory", goal=goal)["suggested_sequence"]
        return next(each["params"] for each in plan if each["tool"] == "query_causal")

    assert step("Find out why the harvest failed") == {"outcome": "harvest failed"}
    assert step("Understand the consequences of the frost") == {"action": "the consequences of the frost"}
