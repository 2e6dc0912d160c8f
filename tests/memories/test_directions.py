"""Inference in any direction, along what was stated: effects, causes, explanations, bridges to other subjects."""

from typing import Any

import pytest

from tests.memories.librarian import Librarian

STEP = 0.8 * 0.8
STATED = 0.9


@pytest.fixture
def nodes(librarian: Librarian) -> dict[str, str]:
    """Rain and a burst pipe make the street wet, and that makes people slip."""
    texts = {"rain": "It rains.", "pipe": "A pipe burst.", "wet": "The street is wet.", "slip": "People slip."}
    found = {name: librarian.remember(text, name=name) for name, text in texts.items()}
    for cause, effect in (("rain", "wet"), ("pipe", "wet"), ("wet", "slip")):
        librarian.link(found[cause], found[effect])
    return found


def ask(librarian: Librarian, source: str, direction: str, **more: Any) -> dict[str, Any]:
    return librarian.call("omni_infer", source=source, direction=direction, **{"min_confidence": 0.1, **more})


def names(found: dict[str, Any]) -> list[str]:
    return [each["target_name"] for each in found["results"]]


def test_forward_tells_what_follows_the_nearest_first(librarian: Librarian, nodes: dict[str, str]) -> None:
    found = ask(librarian, nodes["rain"], "forward")
    assert names(found) == ["wet", "slip"]
    assert [each["strength"] for each in found["results"]] == [round(STEP, 4), round(STEP**2, 4)]
    assert [each["is_direct"] for each in found["results"]] == [True, False]
    assert found["inference_path"] == ["rain", "wet"]


def test_backward_tells_what_led_to_it(librarian: Librarian, nodes: dict[str, str]) -> None:
    found = ask(librarian, nodes["slip"], "backward")
    assert set(names(found)) == {"wet", "rain", "pipe"}
    assert names(found)[0] == "wet"
    only = ask(librarian, nodes["slip"], "backward", target=nodes["pipe"])
    assert [each["path"] for each in only["results"]] == [[nodes["slip"], nodes["wet"], nodes["pipe"]]]


def test_what_nobody_stated_is_unknown(librarian: Librarian, nodes: dict[str, str]) -> None:
    found = ask(librarian, nodes["slip"], "forward", target=nodes["rain"])
    assert (found["results"], found["overall_confidence"]) == ([], None)
    assert "unknown" in found["reason"]


def test_what_is_too_weak_is_counted_and_not_told(librarian: Librarian, nodes: dict[str, str]) -> None:
    found = ask(librarian, nodes["rain"], "forward", min_confidence=0.5)
    assert (names(found), found["below_min_confidence"]) == (["wet"], 1)


def test_what_was_stated_twice_is_surer_and_said_to_be(librarian: Librarian, nodes: dict[str, str]) -> None:
    once = ask(librarian, nodes["slip"], "backward", max_path=1)["results"][0]
    librarian.link(nodes["wet"], nodes["slip"], "led to")
    twice = ask(librarian, nodes["slip"], "backward", max_path=1)["results"][0]
    assert (once["statements"], twice["statements"]) == (1, 2)
    assert twice["strength"] > once["strength"]


def test_explanations_share_what_is_to_be_explained(librarian: Librarian, nodes: dict[str, str]) -> None:
    found = ask(librarian, nodes["wet"], "abduction")["results"]
    assert {each["target_name"]: each["confidence"] for each in found} == {"rain": 0.5, "pipe": 0.5}
    librarian.call("annotate_node", node_id=nodes["pipe"], annotations={"confidence": 0.3})
    found = ask(librarian, nodes["wet"], "abduction")["results"]
    assert [each["target_name"] for each in found] == ["rain", "pipe"]
    assert found[0]["confidence"] == round(STATED / (STATED + 0.3), 4)
    assert sum(each["confidence"] for each in found) == pytest.approx(1, abs=0.001)


def test_nothing_leads_through_what_is_held(librarian: Librarian, nodes: dict[str, str]) -> None:
    held = [{"node_id": nodes["wet"], "clamp_type": "hard", "value": 0}]
    found = ask(librarian, nodes["rain"], "forward", target=nodes["slip"], clamped_nodes=held)
    assert (found["results"], found["config"]["clamped"]) == ([], 1)


def test_what_is_held_to_be_so_leads_on_by_itself(librarian: Librarian, nodes: dict[str, str]) -> None:
    held = [{"node_id": nodes["wet"], "clamp_type": "hard", "value": 0.5}]
    found = ask(librarian, nodes["rain"], "forward", target=nodes["slip"], clamped_nodes=held)
    assert [each["source"] for each in found["results"]] == [nodes["wet"]]
    assert found["overall_confidence"] == round(0.5 * STEP, 4)


def test_what_is_held_softly_lets_a_part_through(librarian: Librarian, nodes: dict[str, str]) -> None:
    held = [{"node_id": nodes["wet"], "clamp_type": "soft", "value": 0.5}]
    found = ask(librarian, nodes["rain"], "forward", target=nodes["slip"], clamped_nodes=held)
    assert found["results"][0]["strength"] == round(0.5 * STEP**2, 4)


def test_a_cause_that_is_held_not_to_be_so_explains_nothing(librarian: Librarian, nodes: dict[str, str]) -> None:
    held = [{"node_id": nodes["rain"], "value": 0}]
    assert names(ask(librarian, nodes["wet"], "abduction", clamped_nodes=held)) == ["pipe"]


def test_a_cause_brought_about_as_much_as_it_is_held_to_be_so(librarian: Librarian, nodes: dict[str, str]) -> None:
    def strengths(value: float) -> dict[str, float]:
        held = [{"node_id": nodes["wet"], "clamp_type": "hard", "value": value}]
        found = ask(librarian, nodes["slip"], "backward", clamped_nodes=held, min_confidence=0)["results"]
        return {each["target_name"]: each["strength"] for each in found}

    assert strengths(0) == {}
    assert strengths(0.5) == {"wet": round(0.5 * STEP, 4)}
    assert strengths(1) == {"wet": round(STEP, 4)}


def test_both_ways_are_as_strong_as_the_weaker(librarian: Librarian) -> None:
    fear, sale, fall = (librarian.remember(f"There is {name}.", name=name) for name in ("fear", "sale", "fall"))
    for cause, effect in ((fear, sale), (sale, fall), (fall, fear)):
        librarian.link(cause, effect)
    found = ask(librarian, fear, "bidirectional", target=sale)["results"]
    assert {each["direction"]: each["strength"] for each in found} == {
        "forward": round(STEP, 4),
        "backward": round(STEP**2, 4),
        "bidirectional": round(STEP**2, 4),
    }


def test_a_bridge_leads_to_another_subject(librarian: Librarian) -> None:
    said = {"rain": "Code", "wet": "Code", "claim": "Legal"}
    found = {name: librarian.remember(f"There is a {name}.", name=name, domain=said[name]) for name in said}
    librarian.link(found["rain"], found["wet"])
    librarian.link(found["wet"], found["claim"])
    assert names(ask(librarian, found["rain"], "bridge")) == ["claim"]
    assert names(ask(librarian, found["claim"], "bridge")) == ["wet", "rain"]


def test_a_clamp_says_what_it_holds(librarian: Librarian, nodes: dict[str, str]) -> None:
    codes = [
        librarian.error("omni_infer", source=nodes["rain"], clamped_nodes=[clamp])["code"]
        for clamp in ({"clamp_type": "hard"}, {"node_id": nodes["wet"], "value": 2}, {"node_id": "no such"})
    ]
    assert codes == [-32002, -32002, -32012]
