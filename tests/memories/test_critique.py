"""Critique: what of the recent context contradicts, repeats, is outdated or doubtful, and nothing else."""

from typing import Any

import pytest

from memotheca.memory.care.tasks import bring_up_to_date
from memotheca.model.clock import DAY, SECOND
from memotheca.storage.care_tasks import read_tasks
from tests.conftest import Time
from tests.memories.librarian import WHY, Librarian

EVERYTHING = ["conflicts", "duplicates", "outdated", "low_confidence"]
REASONED = "It was said by whoever decides on it, in a meeting."


def critique(librarian: Librarian, *checks: str, **more: Any) -> dict[str, Any]:
    return librarian.call("critique_context", check_types=list(checks), **more)


@pytest.mark.parametrize(
    ("one", "other", "type"),
    [
        ("The release is on 2026-03-01.", "The release is on 2026-04-15.", "factual"),
        ("The limit is 30 requests.", "The limit is 50 requests.", "factual"),
        ("Ada lives in Berlin.", "Ada lives in Paris.", "factual"),
        ("The deploy is safe.", "The deploy is not safe.", "logical"),
        ("The feature is enabled in the build.", "The feature is disabled in the build.", "logical"),
        ("Stale caches cause wrong prices.", "Wrong prices cause stale caches.", "causal"),
        ("In 2024 the limit was 30 requests.", "In 2026 the limit is 50 requests.", "temporal"),
    ],
)
def test_each_kind_of_conflict_is_found(librarian: Librarian, one: str, other: str, type: str) -> None:
    ids = [librarian.remember(one), librarian.remember(other)]
    (finding,) = critique(librarian, "conflicts")["findings"]
    assert (finding["type"], finding["node_ids"], finding["contradiction_type"]) == ("conflicts", ids, type)
    assert finding["suggested_action"] == ("revise_reasoning" if type == "temporal" else "ask_user")


def test_what_agrees_is_no_conflict(librarian: Librarian) -> None:
    for content in ("Ada lives in Berlin.", "Bob lives in Paris.", "The limit is 30 requests."):
        librarian.remember(content)
    found = critique(librarian, *EVERYTHING)
    assert (found["checked"], found["summary"]["conflicts"], found["summary"]["duplicates"]) == (3, 0, 0)


def test_a_conflict_moves_the_count_and_something_unrelated_does_not(librarian: Librarian) -> None:
    librarian.remember("Ada lives in Berlin.")
    before = critique(librarian, "conflicts", "duplicates")["summary"]
    librarian.remember("The nightly job holds the migration lock.")
    assert critique(librarian, "conflicts", "duplicates")["summary"] == before
    librarian.remember("Ada lives in Paris.")
    assert critique(librarian, "conflicts", "duplicates")["summary"] == {"conflicts": 1, "duplicates": 0}


def test_a_repetition_is_a_duplicate_to_be_merged(librarian: Librarian) -> None:
    ids = {librarian.remember("Ada takes her tea black."), librarian.remember("Ada takes her tea black!")}
    found = critique(librarian, "conflicts", "duplicates")
    assert [(each["type"], set(each["node_ids"])) for each in found["findings"]] == [("duplicates", ids)]
    assert found["suggested_action"] == "merge_conflicting_nodes"


def test_only_what_was_asked_for_is_checked(librarian: Librarian) -> None:
    librarian.remember("The deploy is safe.")
    librarian.remember("The deploy is not safe.")
    assert critique(librarian, "duplicates")["findings"] == []
    assert set(librarian.call("critique_context")["summary"]) == {"conflicts", "duplicates"}


def test_the_newer_statement_makes_the_older_outdated(librarian: Librarian) -> None:
    older, newer = librarian.remember("Ada lives in Berlin."), librarian.remember("Ada lives in Paris.")
    (finding,) = critique(librarian, "outdated")["findings"]
    assert finding["node_ids"] == [older, newer]


def test_what_is_past_its_time_is_outdated(librarian: Librarian, time: Time) -> None:
    librarian.call("store", topic="offer", content="Half the price.", valid_to="2026-03-01")
    assert critique(librarian, "outdated")["findings"] == []
    time.advance(60 * DAY // SECOND)
    (finding,) = critique(librarian, "outdated")["findings"]
    assert "2026-03-01" in finding["explanation"]


def test_doubt_lowers_confidence_and_a_reason_raises_it(librarian: Librarian) -> None:
    sure = librarian.remember("Ada takes her tea black.", rationale=REASONED)
    assert critique(librarian, "low_confidence")["findings"] == []
    librarian.call("annotate_node", node_id=sure, annotations={"confidence": 0.2})
    (finding,) = critique(librarian, "low_confidence")["findings"]
    assert (finding["node_ids"], finding["score"], finding["suggested_action"]) == (
        [sure],
        0.8,
        "ignore_low_confidence",
    )


def test_a_note_is_criticised_like_a_memory(librarian: Librarian) -> None:
    librarian.given(Ada="Ada lives in Berlin.\n")
    memory = librarian.remember("Ada lives in Paris.")
    (finding,) = critique(librarian, "conflicts")["findings"]
    assert memory in finding["node_ids"]


def test_what_lies_beyond_the_window_is_still_compared_with(librarian: Librarian) -> None:
    old = librarian.remember("Ada lives in Berlin.")
    for number in range(5):
        librarian.remember(f"Unrelated matter number {number} concerns the {'abcde'[number] * 6}.")
    new = librarian.remember("Ada lives in Paris.")
    found = critique(librarian, "conflicts", context_window=1)
    assert (found["checked"], [each["node_ids"] for each in found["findings"]]) == (1, [[old, new]])


def test_an_unsettled_conflict_is_suggested_for_critique_until_it_is_settled(librarian: Librarian) -> None:
    librarian.remember("The deploy is safe.")
    wrong = librarian.remember("The deploy is not safe.")
    critique(librarian, "conflicts")
    assert critique(librarian, "conflicts")["pulse"]["suggested"] == "critique_context"
    librarian.call("forget_concept", node_id=wrong, reason="incorrect", rationale=WHY)
    assert critique(librarian, "conflicts")["pulse"]["suggested"] != "critique_context"


def test_a_stated_contradiction_counts(librarian: Librarian) -> None:
    one = librarian.remember("Cats are aloof.")
    other = librarian.remember("My cat follows me.", link_to=[one], metadata={"relation": "contradicts"})
    (finding,) = critique(librarian, "conflicts")["findings"]
    assert finding["node_ids"] == [one, other]


@pytest.mark.parametrize(
    "wrong", [{"context_window": 0}, {"context_window": 51}, {"check_types": ["spelling"]}, {"window": 3}]
)
def test_wrong_arguments_are_refused(librarian: Librarian, wrong: dict[str, Any]) -> None:
    assert librarian.error("critique_context", **wrong)["code"] == -32002


def test_what_contradicts_is_not_said_to_be_a_duplicate_to_merge(librarian: Librarian) -> None:
    for animal in ("penguin", "whale", "otter"):
        librarian.remember(f"The {animal} swims.")
    places = " or ".join(f"{letter * 4}er" for letter in "abcdefghijklmnopqrstuvwx")
    said = f"Whoever calls from {places} may send {{}} requests."
    first, content = librarian.remember(said.format(100)), said.format(500)
    stored = librarian.call("store_memory", content=content, rationale=WHY)
    assert [each["id"] for each in stored["conflicts"]] == [first]
    assert stored["duplicates"] == []
    assert not any("merge" in each for each in stored["steering_reward"]["suggestions"])
    again = librarian.call("store_memory", content=content, rationale=WHY)
    assert [each["id"] for each in again["duplicates"]] == [stored["node_id"]]


def test_the_edges_of_a_new_memory_are_told_as_they_run(librarian: Librarian) -> None:
    librarian.session = "tea"
    before = librarian.remember("The nightly job runs.", name="nightly job")
    stored = librarian.call("store_memory", content="Deploys fail because of the nightly job.", rationale=WHY)
    runs = {(edge["source"], edge["target"], edge["type"]) for edge in stored["edges"]}
    assert (before, stored["node_id"], "Temporal") in runs
    assert (before, stored["node_id"], "Causal") in runs


def test_two_of_a_kind_are_no_duplicates_though_they_read_alike(librarian: Librarian) -> None:
    for animal in ("penguin", "whale", "otter"):
        librarian.remember(f"The {animal} swims.")
    places = " or ".join(f"{letter * 4}er" for letter in "abcdefghijklmnopqrstuvwx")
    first = librarian.remember(f"Pump 1 feeds {places}.")
    said = f"Pump 2 feeds {places}."
    stored = librarian.call("store_memory", content=said, rationale=WHY)
    assert (stored["duplicates"], stored["conflicts"]) == ([], [])
    assert critique(librarian, "duplicates")["findings"] == []
    again = librarian.call("store_memory", content=said, rationale=WHY)
    assert [each["id"] for each in again["duplicates"]] == [stored["node_id"]]
    (found,) = critique(librarian, "duplicates")["findings"]
    assert first not in found["node_ids"]


def test_nodes_that_are_named_are_checked_and_nothing_else(librarian: Librarian) -> None:
    one, other = librarian.remember("Ada lives in Berlin."), librarian.remember("Ada lives in Paris.")
    lamp = librarian.remember("The lamp is lit.")
    found = critique(librarian, "conflicts", focal_nodes=[one])
    assert (found["checked"], [each["node_ids"] for each in found["findings"]]) == (1, [[one, other]])
    assert critique(librarian, "conflicts", focal_nodes=[lamp])["findings"] == []
    assert librarian.error("critique_context", focal_nodes=["nobody"])["code"] == -32012


def test_a_text_is_checked_against_what_is_stored_without_being_stored(librarian: Librarian) -> None:
    stored = librarian.remember("Ada lives in Berlin.")
    before = librarian.call("get_memetic_status")["node_count"]
    found = critique(librarian, "conflicts", "duplicates", reasoning_summary="Ada lives in Paris.")
    (finding,) = found["findings"]
    assert (finding["type"], finding["node_ids"]) == ("conflicts", [stored])
    assert finding["snippet"] == "Ada lives in Berlin. ⟷ Ada lives in Paris."
    assert librarian.call("get_memetic_status")["node_count"] == before
    (again,) = critique(librarian, "duplicates", reasoning_summary="Ada lives in Berlin.")["findings"]
    assert (again["type"], again["node_ids"]) == ("duplicates", [stored])
    (outdated,) = critique(librarian, "outdated", reasoning_summary="Ada lives in Paris now.")["findings"]
    assert (outdated["type"], outdated["node_ids"]) == ("outdated", [stored])
    assert critique(librarian, "conflicts", reasoning_summary="The lamp is lit.")["findings"] == []


def test_a_short_reason_is_no_doubt(librarian: Librarian) -> None:
    """Most of what people store has a short reason and no domain: to doubt all of it tells nobody anything."""
    librarian.remember("Ada takes her tea black.", rationale="She said so.")
    assert critique(librarian, "low_confidence")["findings"] == []


def test_what_is_found_is_on_the_list_at_once_and_written_down_between_the_calls(librarian: Librarian) -> None:
    librarian.call("store", topic="Ada", content="Ada lives in Berlin.")
    librarian.call("store", topic="Ada's home", content="Ada lives in Paris.")
    assert librarian.call("get_memetic_status")["curation_tasks"] == []
    (finding,) = critique(librarian, "conflicts")["findings"]
    (task,) = librarian.call("get_memetic_status")["curation_tasks"]
    assert task["id"] == finding["task_id"]
    bring_up_to_date(librarian.kernel)
    with librarian.kernel.read() as snapshot:
        (row,) = read_tasks(snapshot.session, snapshot.collection, ("open",))
    assert row.id == task["id"]
