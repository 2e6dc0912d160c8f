"""Which of several memories that match alike comes first, and what the search can be narrowed to."""

from collections.abc import Callable
from typing import Any

import pytest

from memotheca.memory.claims.past import read_past
from memotheca.model.clock import DAY, SECOND, from_iso, to_iso
from tests.conftest import Time
from tests.memories.librarian import WHY, Librarian

NOW = from_iso("2026-10-14T09:30:00Z")
DAYS = DAY // SECOND


def scores(librarian: Librarian, query: str) -> dict[str, float]:
    return {each["id"]: each["score"] for each in librarian.call("search_graph", query=query)["results"]}


def of_search(librarian: Librarian, query: str) -> list[str]:
    return librarian.found(query)


def of_context(librarian: Librarian, query: str) -> list[str]:
    """The sources of a context in their order, what it says to be superseded last."""
    found = librarian.call("inject_context", query=query, max_tokens=4096)
    shown = [each["id"] for each in found["nodes_retrieved"]]
    return [*shown, *(each["node_id"] for each in found["superseded"] if each["node_id"] not in shown)]


Ranking = Callable[[Librarian, str], list[str]]
in_both = pytest.mark.parametrize("ranking", [of_search, of_context])


@in_both
def test_importance_moves_a_memory_before_its_equal_and_back(librarian: Librarian, ranking: Ranking) -> None:
    one, other = (librarian.remember(f"The ferry timetable hangs at pier {pier}.") for pier in ("north", "south"))
    first, second = ranking(librarian, "ferry timetable")
    assert {first, second} == {one, other}
    librarian.call("boost_importance", node_id=second, delta=0.3, rationale=WHY)
    assert ranking(librarian, "ferry timetable") == [second, first]
    librarian.call("boost_importance", node_id=second, delta=-0.5, rationale=WHY)
    assert ranking(librarian, "ferry timetable") == [first, second]


@in_both
def test_confidence_moves_a_memory_before_its_equal(librarian: Librarian, ranking: Ranking) -> None:
    one, other = (librarian.remember(f"The ferry timetable hangs at pier {pier}.") for pier in ("north", "south"))
    first = ranking(librarian, "ferry timetable")[0]
    librarian.call("annotate_node", node_id=first, annotations={"confidence": 0.0})
    assert ranking(librarian, "ferry timetable")[0] == ({one, other} - {first}).pop()


@in_both
def test_the_newer_of_equal_matches_comes_first_and_no_better_match_loses_by_age(
    librarian: Librarian, time: Time, ranking: Ranking
) -> None:
    old = librarian.remember("The ferry timetable hangs at pier north.")
    exact = librarian.remember("Ferry timetable of the winter season: hourly, ferry timetable office closed.")
    time.advance(200 * DAYS)
    new = librarian.remember("The ferry timetable hangs at pier south.")
    for day in range(8):
        librarian.remember(f"The crew of ship {day} eats soup.")
    found = ranking(librarian, "where does the ferry timetable hang")
    assert found.index(new) < found.index(old)
    assert ranking(librarian, "ferry timetable of the winter season")[0] == exact


@in_both
def test_what_is_over_comes_behind_what_holds_and_first_where_the_past_is_asked_for(
    librarian: Librarian, ranking: Ranking
) -> None:
    old = librarian.remember("The ferry office opens at eight.", valid_to="2020-03-31", importance=0.9)
    new = librarian.remember("The ferry office opens at nine.", valid_from="2020-04-01", importance=0.3)
    assert ranking(librarian, "when does the ferry office open") == [new, old]
    assert ranking(librarian, "when did the ferry office use to open, when it used to open early?")[0] == old
    assert ranking(librarian, "when did the ferry office open in March 2020?")[0] == old


@in_both
def test_what_happened_then_is_preferred_where_then_is_asked_about(librarian: Librarian, ranking: Ranking) -> None:
    first = librarian.remember("The harbour crane got stuck.", occurred_at="2025-07-09", importance=0.5)
    second = librarian.remember("The harbour crane got stuck.", occurred_at="2025-09-02", importance=0.6)
    assert ranking(librarian, "harbour crane stuck")[0] == second
    assert ranking(librarian, "harbour crane stuck in July 2025")[0] == first


@in_both
def test_what_was_superseded_comes_behind_its_successor(librarian: Librarian, ranking: Ranking) -> None:
    old = librarian.remember("The ferry ticket costs four crowns.", importance=1.0)
    new = librarian.remember("The ferry ticket costs five crowns.", link_to=[old], metadata={"relation": "supersedes"})
    assert ranking(librarian, "ferry ticket costs")[:2] == [new, old]


def test_where_nothing_tells_them_apart_the_order_is_that_of_the_search(librarian: Librarian) -> None:
    for pier in ("north", "south", "east", "west"):
        librarian.remember(f"The ferry timetable hangs at pier {pier}.")
    found = scores(librarian, "ferry timetable")
    ranked = list(found.values())
    assert (max(ranked), ranked) == (1.0, sorted(ranked, reverse=True))
    assert list(scores(librarian, "ferry timetable")) == list(found)


def test_tags_and_times_narrow_the_search(librarian: Librarian, time: Time) -> None:
    tagged = librarian.remember("The ferry has a blue funnel.", tags=["ships", "blue"])
    ended = librarian.remember("The ferry has a red funnel.", tags=["ships"], valid_to="2020-01-31")
    before = to_iso(librarian.kernel.now())
    later = librarian.remember("The ferry has two funnels.")

    def narrowed(**filters: Any) -> set[str]:
        return set(librarian.found("ferry funnel", filters=filters))

    assert narrowed(tags=["ships"]) == {tagged, ended}
    assert narrowed(tags=["ships", "blue"]) == {tagged}
    assert narrowed(valid_at="2020-01-15") == {tagged, ended, later}
    assert narrowed(valid_at="2021-01-15") == {tagged, later}
    assert narrowed(created_before=before) == {tagged, ended}
    assert narrowed(created_after=before) == {later}
    for name in ("created_after", "created_before", "valid_at"):
        error = librarian.error("search_graph", query="ferry", filters={name: "soon"})
        assert error["data"]["field"] == f"filters.{name}"


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What did we pay in July?", "2026-07-01", "2026-07-31"),
        ("Where was the office last spring?", "2026-03-01", "2026-05-31"),
        ("Wer hatte im Sommer Dienst?", "2026-06-01", "2026-08-31"),
        ("Who called yesterday?", "2026-10-13", "2026-10-13"),
        ("Qui était de garde en août ?", "2026-08-01", "2026-08-31"),
        ("Who was on duty in 2024?", "2024-01-01", "2024-12-31"),
    ],
)
def test_a_question_names_the_past_it_is_about(question: str, first: str, last: str) -> None:
    past = read_past(question, NOW)
    assert past is not None
    assert past.span is not None
    assert (to_iso(past.span.first)[:10], to_iso(past.span.last)[:10]) == (first, last)


@pytest.mark.parametrize("question", ["Where did we live before the move?", "Wie hieß die Firma früher?"])
def test_a_question_may_be_about_the_past_without_a_date(question: str) -> None:
    past = read_past(question, NOW)
    assert past is not None
    assert past.span is None


@pytest.mark.parametrize(
    "question",
    ["Who is on call?", "What is due in November?", "Since when is the gate open?", "What has changed since July?", ""],
)
def test_a_question_about_now_or_later_is_not_about_the_past(question: str) -> None:
    assert read_past(question, NOW) is None
