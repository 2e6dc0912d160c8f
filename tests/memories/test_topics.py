"""Topics: found from what is stored, known again, renamed and rejected by people."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memotheca.app import look_after
from memotheca.memory.session.state import activity_of
from memotheca.memory.topics import survey
from memotheca.memory.topics.clusters import AT_ONCE, Joining, groups_at, join
from memotheca.memory.topics.survey import up_to_date
from memotheca.model.clock import DAY, SECOND
from tests.conftest import Time
from tests.memories.gardens import BAKERY, CHOIR, REACTOR, tell
from tests.memories.librarian import Librarian


def names(librarian: Librarian, **more: object) -> dict[str, str]:
    found = librarian.call("discover_sub_goals", min_confidence=0, max_goals=20, **more)
    return {each["name"]: each["goal_id"] for each in found["discovered_goals"]}


def test_two_subjects_are_two_topics_named_by_their_words(librarian: Librarian) -> None:
    tell(librarian, REACTOR, BAKERY)
    found = librarian.call("discover_sub_goals", min_confidence=0)["discovered_goals"]
    assert [each["member_count"] for each in found] == [12, 6]
    assert "reactor" in found[0]["keywords"]
    assert "bakery" in found[1]["keywords"]
    assert found[0]["trend"] == "growing"
    assert all(tag.startswith("[node_") for tag in found[0]["members"])


def test_too_little_is_said_to_be_too_little(librarian: Librarian) -> None:
    tell(librarian, BAKERY)
    found = librarian.call("discover_sub_goals")
    assert found["discovered_goals"] == []
    assert found["reason"].startswith("insufficient_data")
    assert librarian.call("auto_bootstrap_north_star")["status"] == "insufficient_data"


def test_things_that_have_nothing_in_common_are_no_topic(librarian: Librarian) -> None:
    for number in range(14):
        librarian.remember(f"Alone{number} stands{number} there{number} without{number} company{number}.")
    assert librarian.call("discover_sub_goals", min_confidence=0)["discovered_goals"] == []


def test_found_again_they_have_the_same_ids(librarian: Librarian) -> None:
    tell(librarian, REACTOR, BAKERY)
    before = set(names(librarian).values())
    tell(librarian, CHOIR)
    after = set(names(librarian).values())
    assert before < after
    assert len(after) == 3


def test_two_processes_find_the_same(librarian: Librarian, time: Time) -> None:
    tell(librarian, REACTOR, BAKERY)
    once = up_to_date(librarian.kernel)
    librarian.kernel.store.operate(lambda session: session.run("DELETE FROM operational WHERE name LIKE 'topics%'"))
    again = up_to_date(librarian.kernel)
    assert [topic.id for topic in once.found] == [topic.id for topic in again.found]
    assert [topic.members for topic in once.found] == [topic.members for topic in again.found]


def test_a_given_name_stays_and_is_taken_back_by_its_hash(librarian: Librarian) -> None:
    tell(librarian, REACTOR, BAKERY)
    (id, *_) = names(librarian).values()
    said = librarian.call("discover_sub_goals", topic_id=id, rename="The plant")["changed"]
    assert said["name"] == "The plant"
    tell(librarian, CHOIR)
    assert names(librarian)["The plant"] == id
    librarian.call("restore_from_hash", reversal_hash=said["reversal_hash"])
    assert "The plant" not in names(librarian)


def test_a_rejected_topic_is_told_no_more_until_that_is_taken_back(librarian: Librarian) -> None:
    tell(librarian, REACTOR, BAKERY)
    (id, *_) = names(librarian).values()
    assert librarian.call("discover_sub_goals", max_goals=1, min_confidence=0)["left_out"] == 1
    librarian.call("discover_sub_goals", topic_id=id, reject=True)
    assert librarian.call("discover_sub_goals", max_goals=1, min_confidence=0)["left_out"] == 0
    tell(librarian, CHOIR)
    assert id not in names(librarian).values()
    librarian.call("discover_sub_goals", topic_id=id, reject=False)
    assert id in names(librarian).values()


def test_what_people_said_survives_the_loss_of_what_was_found(librarian: Librarian) -> None:
    tell(librarian, REACTOR, BAKERY)
    (id, *_) = names(librarian).values()
    librarian.call("discover_sub_goals", topic_id=id, rename="The plant")
    librarian.kernel.store.operate(lambda session: session.run("DELETE FROM operational WHERE name LIKE 'topics%'"))
    assert names(librarian)["The plant"] == id


def test_an_unknown_topic_or_goal_is_not_found(librarian: Librarian) -> None:
    assert librarian.error("discover_sub_goals", topic_id="topic_0", rename="x")["code"] == -32012
    assert librarian.error("discover_sub_goals", parent_goal_id="goal_0")["code"] == -32012
    tell(librarian, REACTOR)
    (id, *_) = names(librarian).values()
    assert librarian.error("discover_sub_goals", topic_id=id)["code"] == -32002


def test_what_is_erased_leaves_no_word_in_the_topics(librarian: Librarian) -> None:
    tell(librarian, REACTOR, BAKERY)
    secret = librarian.remember("The reactor pump was cleaned by Zanzibarius of the control crew.")
    librarian.remember("The reactor valve was cleaned by Zanzibarius of the control crew.", name="second")
    librarian.call("discover_sub_goals")
    for id in (secret, "second"):
        librarian.call(
            "forget_concept", node_id=id, reason="user_requested", soft_delete=False, rationale="Asked to go."
        )
    with librarian.kernel.read() as snapshot:
        rows = snapshot.session.rows("SELECT value FROM operational")
    assert not any("anzibarius" in value for (value,) in rows)


def test_they_are_found_between_the_calls_and_then_daily(librarian: Librarian, time: Time) -> None:
    tell(librarian, REACTOR, BAKERY)
    for _ in range(20):
        look_after(librarian.app, lambda: False)
    jobs = librarian.call("get_autonomous_status", include_history=True)
    assert jobs["services"]["topics"]["last_run"] is not None
    assert jobs["services"]["topics"]["status"] == "waiting"
    assert jobs["enabled"] is True
    assert [run["told"]["topics"] for run in jobs["history"] if run["job"] == "topics"] == [2]
    tell(librarian, CHOIR)
    time.advance(DAY // SECOND)
    assert librarian.call("get_autonomous_status")["services"]["topics"]["status"] == "due"
    for _ in range(20):
        look_after(librarian.app, lambda: False)
    found = librarian.call("get_autonomous_status", include_metrics=True)
    assert found["metrics"]["topics"] == 3


def test_a_young_memory_is_sorted_again_once_as_much_has_come_as_there_was(librarian: Librarian) -> None:
    tell(librarian, REACTOR)
    for _ in range(20):
        look_after(librarian.app, lambda: False)
    assert librarian.call("get_autonomous_status")["services"]["topics"]["status"] == "waiting"
    tell(librarian, BAKERY)
    assert librarian.call("get_autonomous_status")["services"]["topics"]["status"] == "waiting"
    tell(librarian, CHOIR)
    assert librarian.call("get_autonomous_status")["services"]["topics"]["status"] == "due"
    for _ in range(20):
        look_after(librarian.app, lambda: False)
    assert librarian.call("get_autonomous_status", include_metrics=True)["metrics"]["topics"] == 3


def test_in_a_large_memory_counts_are_estimated_until_all_is_sorted(
    librarian: Librarian, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "ON_DEMAND", 9)
    tell(librarian, REACTOR, BAKERY)
    told = librarian.call("discover_sub_goals", min_confidence=0)["discovery_metadata"]
    assert (told["memories"], told["counted"]) == (18, 9)
    assert librarian.call("get_autonomous_status")["services"]["topics"]["status"] == "due"
    for _ in range(20):
        look_after(librarian.app, lambda: False)
    found = librarian.call("discover_sub_goals", min_confidence=0)
    assert found["discovery_metadata"]["counted"] == 18
    assert [each["member_count"] for each in found["discovered_goals"]] == [12, 6]


def test_a_goal_is_found_once_and_taken_back_by_its_hash(librarian: Librarian) -> None:
    tell(librarian, REACTOR, BAKERY)
    found = librarian.call("auto_bootstrap_north_star", confidence_threshold=0.5)
    assert found["status"] == "bootstrapped"
    assert "reactor" in found["bootstrap_result"]["goal_text"]
    assert found["bootstrap_result"]["share"] == round(12 / 18, 4)
    again = librarian.call("auto_bootstrap_north_star", confidence_threshold=0.5)
    assert again["status"] == "already_bootstrapped"
    assert again["bootstrap_result"]["goal_id"] == found["bootstrap_result"]["goal_id"]
    librarian.call("restore_from_hash", reversal_hash=found["reversal_hash"])
    assert librarian.call("get_autonomous_status")["north_star"] is None


def test_a_rejected_topic_is_no_goal_any_more(librarian: Librarian) -> None:
    tell(librarian, REACTOR, BAKERY)
    librarian.call("auto_bootstrap_north_star", confidence_threshold=0.5)
    (id, *_) = names(librarian).values()
    librarian.call("discover_sub_goals", topic_id=id, reject=True)
    assert librarian.call("get_autonomous_status")["north_star"] is None
    found = librarian.call("auto_bootstrap_north_star", confidence_threshold=0.3)
    assert "bakery" in found["bootstrap_result"]["goal_text"]


def test_topics_are_no_memories(librarian: Librarian) -> None:
    tell(librarian, REACTOR, BAKERY)
    before = librarian.call("get_memetic_status")["node_count"]
    librarian.call("auto_bootstrap_north_star", confidence_threshold=0.5)
    assert librarian.call("get_memetic_status")["node_count"] == before
    assert activity_of(librarian.kernel).stirrings


@given(st.integers(1, 12), st.integers(0, 2**32 - 1), st.floats(0.0, 0.9))
def test_groups_hold_each_entry_once_and_are_alike_on_average(size: int, seed: int, cut: float) -> None:
    rows = np.random.default_rng(seed).normal(size=(size, 4))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    near = rows @ rows.T
    groups = groups_at(size, joined_in_steps(near, cut)[0], cut)
    assert sorted(place for group in groups for place in group) == list(range(size))
    for one in groups:
        for other in groups:
            assert one is other or near[np.ix_(one, other)].mean() < cut + 1e-9


def test_the_numbers_of_topics_move_with_what_is_stored(librarian: Librarian, time: Time) -> None:
    tell(librarian, REACTOR, BAKERY)
    before = librarian.call("discover_sub_goals", min_confidence=0, max_goals=20)
    time.advance(35 * DAY // SECOND)
    librarian.remember("Penguins huddle against polar winds.")
    for text in BAKERY:
        librarian.remember(f"{text} Today.", session_id=f"today: {text}")
    after = librarian.call("discover_sub_goals", min_confidence=0, max_goals=20)
    (old, new) = (
        next(each for each in found["discovered_goals"] if "bakery" in each["keywords"]) for found in (before, after)
    )
    assert (old["member_count"], new["member_count"]) == (6, 12)
    assert (old["stored_last_4_weeks"], old["stored_4_weeks_before"]) == (6, 0)
    assert (new["stored_last_4_weeks"], new["stored_4_weeks_before"]) == (6, 6)
    assert new["confidence"] > old["confidence"]
    assert 0.5 < new["coherence"] <= 1
    assert (before["discovery_metadata"]["memories"], after["discovery_metadata"]["memories"]) == (18, 25)
    assert (before["discovery_metadata"]["sampled"], after["discovery_metadata"]["sampled"]) == (18, 25)
    assert (before["discovery_metadata"]["counted"], after["discovery_metadata"]["counted"]) == (18, 25)
    assert (before["discovery_metadata"]["unsorted"], after["discovery_metadata"]["unsorted"]) == (0, 1)
    assert (before["cluster_analysis"]["noise"], after["cluster_analysis"]["noise"]) == (0, 0.04)
    assert all(each["share"] == 1.0 for each in after["hierarchy_relationships"])


def test_topics_that_are_less_apart_are_told_so(librarian: Librarian) -> None:
    tell(librarian, REACTOR, BAKERY)
    clear = librarian.call("discover_sub_goals", min_confidence=0)
    for text in BAKERY:
        librarian.remember(f"{text} The reactor crew of control was there.")
    blurred = librarian.call("discover_sub_goals", min_confidence=0)
    assert blurred["cluster_analysis"]["silhouette"] < clear["cluster_analysis"]["silhouette"]
    tell(librarian, CHOIR)
    assert librarian.call("discover_sub_goals")["cluster_analysis"]["k"] > blurred["cluster_analysis"]["k"] - 1
    assert clear["cluster_analysis"]["k"] == clear["discovery_metadata"]["topics"] == 2


def test_members_that_are_less_alike_make_a_topic_less_coherent(librarian: Librarian) -> None:
    tell(librarian, REACTOR, BAKERY)
    clear = librarian.call("auto_bootstrap_north_star", confidence_threshold=1)["candidates"][0]
    for number, (one, other) in enumerate(zip(REACTOR[:6], BAKERY, strict=True)):
        librarian.remember(f"{one} Visitor{number} from town{number} asked guide{number} about hotel{number}.")
        librarian.remember(f"{other} Visitor{number} from town{number} asked guide{number} about hotel{number}.")
    blurred = librarian.call("auto_bootstrap_north_star", confidence_threshold=1)["candidates"][0]
    assert blurred["coherence_score"] < clear["coherence_score"]
    assert (clear["member_count"], clear["share"]) == (12, round(12 / 18, 4))
    assert blurred["member_count"] > 12
    assert blurred["confidence"] != clear["confidence"]


def test_the_goal_is_told_with_its_numbers(librarian: Librarian) -> None:
    tell(librarian, REACTOR, BAKERY)
    found = librarian.call("auto_bootstrap_north_star", confidence_threshold=0.5)
    goal, first = found["bootstrap_result"], found["candidates"][0]
    assert {name: goal[name] for name in goal if name != "topics"} == {
        name: first[name] for name in first if name != "topics"
    }
    status = librarian.call("get_autonomous_status")["north_star"]
    assert (status["share"], status["member_count"]) == (goal["share"], goal["member_count"])
    tell(librarian, tuple(f"{text} Again." for text in REACTOR))
    grown = librarian.call("auto_bootstrap_north_star")
    assert grown["bootstrap_result"]["member_count"] == 24
    assert grown["bootstrap_result"]["share"] == goal["share"]
    assert grown["candidates"][0]["share"] == 0.8
    assert librarian.call("get_autonomous_status")["north_star"]["member_count"] == 24


def test_a_job_that_is_late_is_told(librarian: Librarian, time: Time) -> None:
    tell(librarian, REACTOR, BAKERY)
    fresh = librarian.call("get_autonomous_status", include_metrics=True)
    assert (fresh["overall_health"]["score"], fresh["enabled"]) == (1.0, False)
    assert (fresh["metrics"]["topics"], fresh["metrics"]["memories"], fresh["metrics"]["pending"]["topics"]) == (
        0,
        0,
        18,
    )
    librarian.remember("Penguins huddle against polar winds.")
    librarian.call("discover_sub_goals")
    librarian.remember("Tea is black.")
    time.advance(3 * DAY // SECOND)
    late = librarian.call("get_autonomous_status", include_metrics=True)
    assert [name for name, job in late["services"].items() if job["status"] == "due"] == ["review", "topics", "drift"]
    assert late["overall_health"]["score"] == 0.6
    assert any("topics" in each for each in late["recommendations"])
    told = late["metrics"]
    assert (told["topics"], told["memories"], told["unsorted"], told["drift_checks"]) == (2, 19, 1, 0)
    assert told["pending"]["topics"] == 1
    librarian.call("get_alignment_drift", timeframe="30d")
    assert librarian.call("get_autonomous_status", include_metrics=True)["metrics"]["drift_checks"] == 1


def joined_in_steps(near: Any, least: float) -> tuple[list[Joining], int]:
    """What is joined, and how often it gave way meanwhile."""
    joining, steps = join(near, least), 0
    while True:
        try:
            next(joining)
        except StopIteration as end:
            return end.value, steps
        steps += 1


def test_grouping_many_memories_gives_way_every_few_milliseconds() -> None:
    rows = np.random.default_rng(1).random((400, 32))
    joined, steps = joined_in_steps(rows @ rows.T, 0.0)
    assert len(joined) == 399
    assert steps >= len(joined) // AT_ONCE
