"""Drift: what is stored and asked lately against the goal, its history, and what is done about it."""

from typing import Any

import pytest

from memotheca.app import look_after
from memotheca.memory.topics.drift_checks import KEPT_FOR, superfluous, trend_of
from memotheca.model.clock import DAY, SECOND
from memotheca.model.kinds import MEMORY, TUNING
from tests.conftest import Time
from tests.memories.gardens import BAKERY, CHOIR, REACTOR, tell
from tests.memories.librarian import WHY, Librarian

ONE_DAY = DAY // SECOND


def begin(librarian: Librarian, time: Time) -> str:
    """A memory about reactors, with its goal, a day ago."""
    tell(librarian, REACTOR, BAKERY)
    goal = librarian.call("auto_bootstrap_north_star", confidence_threshold=0.5)["bootstrap_result"]["goal_id"]
    time.advance(2 * ONE_DAY)
    return goal


def drift(librarian: Librarian, **more: Any) -> dict[str, Any]:
    return librarian.call("get_alignment_drift", **more)


def test_an_off_topic_cluster_raises_it_and_its_removal_lowers_it(librarian: Librarian, time: Time) -> None:
    begin(librarian, time)
    tell(librarian, REACTOR[:9])
    before = drift(librarian)["overall_drift"]
    planted = tell(librarian, CHOIR)
    raised = drift(librarian)["overall_drift"]
    for id in planted:
        librarian.call("forget_concept", node_id=id, reason="obsolete", rationale=WHY)
    after = drift(librarian)["overall_drift"]
    assert before["drift_score"] == after["drift_score"] == 0
    assert raised["drift_score"] > 0.2
    assert raised["drift_score"] == round(1 - raised["similarity"], 4)


def test_it_is_said_where_there_is_too_little_to_tell(librarian: Librarian, time: Time) -> None:
    found = drift(librarian)
    assert found["overall_drift"]["level"] is None
    assert found["reason"].startswith("insufficient_data: No topics")
    begin(librarian, time)
    tell(librarian, REACTOR[:3])
    found = drift(librarian)
    assert found["overall_drift"] == {"level": None, "similarity": None, "drift_score": None, "has_drifted": False}
    assert found["reason"].startswith("insufficient_data: 3 memories and 0 questions")


def test_what_has_grown_is_named_first(librarian: Librarian, time: Time) -> None:
    begin(librarian, time)
    tell(librarian, BAKERY, BAKERY[:4])
    found = drift(librarian)
    assert found["topics"][0]["name"].startswith("bakery")
    assert (found["topics"][0]["recent"], found["topics"][0]["usual"]) == (1.0, round(6 / 18, 4))
    assert found["overall_drift"] == {"level": "Critical", "similarity": 0.0, "drift_score": 1.0, "has_drifted": True}
    assert "bakery" in found["recommendations"][0]["issue"]
    assert found["reference_type"] == "north_star"


def test_questions_count_by_what_they_were_shown(librarian: Librarian, time: Time) -> None:
    begin(librarian, time)
    tell(librarian, REACTOR[:8])
    before = drift(librarian)
    for text in BAKERY:
        librarian.call("search_graph", query=text)
    after = drift(librarian)
    assert (before["question_count"], after["question_count"]) == (0, 6)
    assert after["overall_drift"]["similarity"] < before["overall_drift"]["similarity"]


def test_without_a_goal_it_is_compared_with_how_all_spreads(librarian: Librarian, time: Time) -> None:
    tell(librarian, REACTOR, BAKERY)
    librarian.call("discover_sub_goals")
    found = drift(librarian)
    assert found["reference_type"] == "computed_centroid"
    assert found["overall_drift"]["similarity"] == 1.0
    time.advance(2 * ONE_DAY)
    tell(librarian, CHOIR)
    of_all = len(CHOIR) / len((*REACTOR, *BAKERY, *CHOIR))
    assert drift(librarian)["overall_drift"]["similarity"] == pytest.approx(of_all, abs=1e-4)


def test_what_was_stored_since_topics_were_found_is_a_part_of_all(librarian: Librarian) -> None:
    tell(librarian, REACTOR, BAKERY)
    librarian.call("discover_sub_goals")
    tell(librarian, CHOIR)
    found = drift(librarian)
    assert found["analyzed_count"] == len((*REACTOR, *BAKERY, *CHOIR))
    assert (found["overall_drift"]["similarity"], found["overall_drift"]["has_drifted"]) == (1.0, False)
    assert all(each["recent"] == pytest.approx(each["usual"], abs=1e-4) for each in found["topics"])


def test_chance_is_no_drift(librarian: Librarian, time: Time) -> None:
    begin(librarian, time)
    tell(librarian, REACTOR[:4], BAKERY[:4])
    found = drift(librarian)["overall_drift"]
    assert found["similarity"] < 0.85
    assert (found["has_drifted"], found["level"]) == (False, "None")
    kept = librarian.call("get_drift_history", time_range="all")
    assert kept["history"][-1]["level"] == kept["summary"]["latest_level"] == "None"


def test_no_space_says_drift_where_nothing_has_drifted(librarian: Librarian, time: Time) -> None:
    begin(librarian, time)
    tell(librarian, REACTOR)
    tell(librarian, BAKERY[:3])
    found = drift(librarian)
    assert found["overall_drift"]["has_drifted"] is False
    assert found["per_embedder_drift"]
    assert {each["drift_level"] for each in found["per_embedder_drift"]} == {"None"}
    assert found["most_drifted_embedders"] == []


def test_some_memories_can_be_asked_about_and_are_no_check(librarian: Librarian, time: Time) -> None:
    begin(librarian, time)
    ids = tell(librarian, CHOIR)
    found = drift(librarian, memory_ids=ids)
    assert found["overall_drift"]["similarity"] == 0
    assert librarian.call("get_drift_history", time_range="all")["history"] == []
    assert librarian.error("get_alignment_drift", memory_ids=["nobody"])["code"] == -32012


def test_by_nearness_to_the_middle_it_is_found_too(librarian: Librarian, time: Time) -> None:
    begin(librarian, time)
    tell(librarian, REACTOR)
    near = drift(librarian, strategy="cosine")["overall_drift"]["similarity"]
    tell(librarian, CHOIR)
    assert drift(librarian, strategy="cosine")["overall_drift"]["similarity"] < near


def test_spaces_tell_where_they_can(librarian: Librarian, time: Time) -> None:
    begin(librarian, time)
    tell(librarian, CHOIR)
    found = drift(librarian)
    told = {each["embedder"]: each for each in found["per_embedder_drift"]}
    assert told["E6"]["drift_score"] > 0.5
    assert "E2" not in told
    assert set(found["most_drifted_embedders"]) <= set(told)
    assert all(each["drift_score"] == round(1 - each["similarity"], 4) for each in told.values())


def test_every_check_is_kept_and_shows_where_it_leads(librarian: Librarian, time: Time) -> None:
    goal = begin(librarian, time)
    for group in (REACTOR, CHOIR, CHOIR):
        tell(librarian, group)
        drift(librarian, timeframe="30d")
        look_after(librarian.app, lambda: False)
        time.advance(ONE_DAY)
    found = librarian.call("get_drift_history", time_range="7d", include_per_embedder=True)
    values = [each["overall"] for each in found["history"]]
    assert len(values) >= 3
    assert found["trend"]["direction"] == "worsening"
    assert found["trend"]["velocity"] < 0
    assert found["trend"]["samples"] == len(values)
    assert (found["trend"]["projected_critical_in"] is None) == (values[-1] < 0.4)
    assert found["summary"]["mean"] == round(sum(values) / len(values), 4)
    assert found["summary"]["highest"] == max(values) > min(values)
    assert found["history"][-1]["analyzed_count"] > found["history"][0]["analyzed_count"]
    told = drift(librarian, timeframe="30d", include_history=True)
    assert [each["overall"] for each in told["history"]][: len(values)] == values
    assert told["trend"]["samples"] == len(values) + 1
    values.append(told["history"][-1]["overall"])
    found = librarian.call("get_drift_history", time_range="7d", include_per_embedder=True)
    assert found["summary"]["count"] == len(values)
    assert found["summary"]["lowest"] == min(values)
    assert found["history"][-1]["delta"] == round(values[-1] - values[-2], 4)
    assert "E6" in found["history"][-1]["per_embedder"]
    assert librarian.call("get_drift_history", time_range="all", goal_id=goal)["summary"]["count"] == len(values)
    assert librarian.call("get_drift_history", time_range="all", goal_id="other")["summary"]["count"] == 0


def test_it_is_checked_daily_between_the_calls(librarian: Librarian, time: Time) -> None:
    begin(librarian, time)
    tell(librarian, REACTOR)
    for _ in range(20):
        look_after(librarian.app, lambda: False)
    found = librarian.call("get_drift_history", time_range="all")["history"]
    assert len(found) == 1
    time.advance(ONE_DAY)
    assert librarian.call("get_autonomous_status")["services"]["drift"]["status"] == "due"


def test_where_the_week_keeps_to_the_goal_nothing_is_corrected(librarian: Librarian, time: Time) -> None:
    assert librarian.call("trigger_drift_correction")["skipped"] is True
    begin(librarian, time)
    time.advance(10 * ONE_DAY)
    tell(librarian, REACTOR)
    found = librarian.call("trigger_drift_correction")
    assert (found["skipped"], found["correction_result"]) == (True, None)


def test_a_correction_is_proposed_and_then_carried_out_and_taken_back(librarian: Librarian, time: Time) -> None:
    begin(librarian, time)
    time.advance(10 * ONE_DAY)
    tell(librarian, REACTOR[:4], BAKERY, BAKERY[:3])
    before = state(librarian)
    proposed = librarian.call("trigger_drift_correction")
    result = proposed["correction_result"]
    assert (result["applied"], result["strategy_applied"]) == (False, "goal_extension")
    assert result["alignment_after"] > result["alignment_before"]
    assert state(librarian) == before
    done = librarian.call("trigger_drift_correction", force=True)
    assert done["correction_result"]["alignment_after"] == result["alignment_after"]
    assert done["correction_result"]["success"] is True
    assert done["after_state"]["goal_topics"] == 2
    assert librarian.call("get_autonomous_status")["north_star"]["share"] == 1.0
    librarian.call("restore_from_hash", reversal_hash=done["reversal_hash"])
    assert state(librarian) == before


def test_a_target_raises_what_serves_the_goal_and_is_taken_back(librarian: Librarian, time: Time) -> None:
    begin(librarian, time)
    time.advance(10 * ONE_DAY)
    tell(librarian, REACTOR[:6], BAKERY)
    before = state(librarian)
    done = librarian.call("trigger_drift_correction", target_alignment=0.54)
    result = done["correction_result"]
    assert result["strategy_applied"] == "goal_reinforcement"
    assert 0.54 <= result["alignment_after"] < 0.56
    assert result["change_count"] == 6
    assert [each["after"] for each in result["changes"]] == [0.6] * 6
    assert [each["before"] for each in result["changes"]] == [0.5] * 6
    assert result["improvement"] == round(result["alignment_after"] - result["alignment_before"], 4)
    assert done["before_state"]["alignment"] == result["alignment_before"] == 0.5
    assert done["after_state"]["alignment"] == result["alignment_after"]
    assert state(librarian) != before
    librarian.call("restore_from_hash", reversal_hash=done["reversal_hash"])
    assert state(librarian) == before
    beyond = librarian.call("trigger_drift_correction", target_alignment=0.99)["correction_result"]
    assert beyond["success"] is False


def state(librarian: Librarian) -> list[tuple[str, Any]]:
    """Every memory and every tuning as it is."""
    with librarian.kernel.read() as snapshot:
        found = snapshot.entries((MEMORY, TUNING))
        return [(version.id, version.thing) for version in sorted(found, key=lambda version: version.id)]


@pytest.mark.parametrize(("values", "direction"), [((0.9, 0.9, 0.9), "stable"), ((0.2, 0.5, 0.9), "improving")])
def test_where_checks_lead(values: tuple[float, ...], direction: str) -> None:
    checks = [{"time": place * DAY, "similarity": value} for place, value in enumerate(values)]
    found = trend_of(checks)
    assert found is not None
    assert found.direction == direction
    assert trend_of(checks[:2]) is None


def test_of_long_ago_one_check_a_day_is_kept() -> None:
    old = [place * DAY // 4 for place in range(8)]
    fresh = [KEPT_FOR + 3 * DAY + place for place in range(3)]
    gone = superfluous([*old, *fresh], KEPT_FOR + 4 * DAY)
    assert gone == [old[0], old[1], old[2], old[4], old[5], old[6]]
