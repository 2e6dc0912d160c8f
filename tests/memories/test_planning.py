"""Planning: goals become tools to call and questions to ask, made of what is stored."""

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memotheca.memory.recall.plan import APART, plan_search
from memotheca.text.words import query_words
from tests.memories.librarian import WHY, Librarian

GOAL = "Find out why deploys fail while the migration lock is held"


def plan(librarian: Librarian, goal: str = GOAL, **more: Any) -> dict[str, Any]:
    return librarian.call("generate_search_plan", goal=goal, **more)


def sequence(librarian: Librarian, goal: str) -> list[str]:
    return [step["tool"] for step in librarian.call("reflect_on_memory", goal=goal)["suggested_sequence"]]


class TestSearchPlan:
    def test_there_are_three_queries_for_three_spaces(self, librarian: Librarian) -> None:
        found = plan(librarian)
        assert [query["type"] for query in found["queries"]] == ["semantic", "causal", "code"]
        assert [query["space"] for query in found["queries"]] == ["E1", "E5", "E7"]

    def test_preferred_spaces_come_first_and_the_rest_is_filled_up(self, librarian: Librarian) -> None:
        found = plan(librarian, focus_spaces=["entity"])
        assert [query["type"] for query in found["queries"]] == ["entity", "semantic", "causal"]
        assert found["execution_strategy"] == "cascade"
        five = plan(librarian, focus_spaces=["temporal", "code", "entity", "semantic", "causal"])
        assert [query["type"] for query in five["queries"]] == ["temporal", "code", "entity"]

    @settings(
        max_examples=60,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
        deadline=None,
    )
    @given(
        goal=st.text(min_size=10, max_size=80),
        focus=st.lists(st.sampled_from(["semantic", "causal", "code", "temporal", "entity"]), max_size=3),
    )
    @example(goal="0000000000", focus=["semantic", "temporal"])
    @example(goal="0000000000", focus=["entity", "causal"])
    def test_the_queries_differ_whatever_the_goal(self, librarian: Librarian, goal: str, focus: list[str]) -> None:
        said = [set(query_words(query.text)) for query in plan_search(librarian.kernel, goal, focus).queries]
        assert len(said) == 3
        for place, one in enumerate(said):
            for other in said[place + 1 :]:
                assert not one | other or len(one & other) < APART * len(one | other)

    def test_rare_words_the_index_knows_make_the_phrase(self, librarian: Librarian) -> None:
        for number in range(5):
            librarian.remember(f"Deploys are run on day {number}.")
        librarian.remember("The migration lock is held.")
        causal = plan(librarian, "why do deploys with frobnication wait for the migration lock")["queries"][1]["query"]
        assert "migration lock" in causal
        assert "frobnication" not in causal

    def test_names_in_the_goal_are_asked_for_as_they_are_written(self, librarian: Librarian) -> None:
        found = plan(librarian, "what does take_lock do for Ada Lovelace", focus_spaces=["code", "entity"])
        assert [query["query"] for query in found["queries"][:2]] == ["take_lock", "Ada Lovelace take_lock"]

    def test_times_said_from_here_become_dates(self, librarian: Librarian) -> None:
        found = plan(librarian, "what did we decide yesterday and last month", focus_spaces=["temporal"])
        assert "2026-02-09" in found["queries"][0]["query"]
        assert "2026-01" in found["queries"][0]["query"]

    @pytest.mark.parametrize(
        ("goal", "type", "query"),
        [
            (GOAL, "causal", "what makes deploys fail"),
            ("when were the payouts split in October", "temporal", "payouts october"),
            ("Write up what happened with INC-107", "semantic", "what happened with INC-107"),
            ("who moved the payouts on a Monday in October", "entity", "who deals with payouts"),
            ("why did the payouts fail", "code", "payouts fail"),
        ],
    )
    def test_they_are_what_a_person_would_type(self, librarian: Librarian, goal: str, type: str, query: str) -> None:
        librarian.remember("Payouts fail while deploys wait for the migration lock.")
        found = plan(librarian, goal, focus_spaces=[type])["queries"][0]
        assert (found["type"], found["query"]) == (type, query)

    def test_each_space_can_be_passed_on_to_the_search(self, librarian: Librarian) -> None:
        librarian.remember("Deploys fail because the migration lock is held.")
        librarian.remember("Deploys were looked at by take_lock() in the migration.")
        found = plan(librarian, focus_spaces=["causal", "code", "entity"])["queries"]
        for query in found:
            assert librarian.found(query["query"], space=query["space"])
        assert librarian.error("search_graph", query="tea", space="E99")["code"] == -32002

    def test_a_space_moves_what_is_found_and_finds_nothing_else(self, librarian: Librarian) -> None:
        query = "deploys fail because of the lock"
        for content in ("Lock, lock, deploys, deploys fail.", "Somebody wrote that deploys fail because of the lock."):
            librarian.remember(content)
        results = [librarian.call("search_graph", query=query, **more)["results"] for more in ({}, {"space": "E5"})]
        scores = [{each["id"]: each["score"] for each in found} for found in results]
        assert scores[0].keys() == scores[1].keys()
        assert scores[0] != scores[1]
        assert max(scores[1].values()) == 1

    def test_what_was_not_measured_is_not_expected(self, librarian: Librarian) -> None:
        id = librarian.remember("Deploys fail while the migration lock is held.")
        before = plan(librarian)
        assert [query["expected_recall"] for query in before["queries"]] == [None, None, None]
        assert all(query["expected_recall_reason"] for query in before["queries"])
        librarian.call("test_recall_accuracy", query="why do deploys fail", expected_node_ids=[id])
        after = plan(librarian)["queries"]
        assert [query["expected_recall"] for query in after] == [None, 1.0, None]
        assert "expected_recall_reason" not in after[1]

    def test_what_answers_cost_grows_with_what_is_stored(self, librarian: Librarian) -> None:
        nothing = plan(librarian)
        librarian.remember("Deploys fail while the migration lock is held.")
        assert plan(librarian)["token_estimate"] > nothing["token_estimate"]

    @pytest.mark.parametrize("wrong", [{"goal": "short"}, {"goal": "x" * 1001}, {"goal": GOAL, "focus_spaces": ["E1"]}])
    def test_wrong_arguments_are_refused(self, librarian: Librarian, wrong: dict[str, Any]) -> None:
        assert librarian.error("generate_search_plan", **wrong)["code"] == -32002


class TestReflection:
    @pytest.mark.parametrize(
        ("goal", "expected"),
        [
            ("Understand why deploys fail", ["query_causal", "find_causal_path"]),
            ("Compare what we said about deploys", ["critique_context"]),
            ("Clean up the memory about deploys", ["get_memetic_status"]),
            ("Something about deploys seems to be missing", ["search_tombstones", "get_system_logs"]),
            ("Is the memory in good health at all", ["homeostatic_status"]),
            ("Explore everything related to deploys", ["get_neighborhood"]),
            ("Should we trust the text on deploys", ["check_adversarial"]),
            ("Please forget the deploys for me", ["search_graph", "forget_concept"]),
        ],
    )
    def test_the_goal_chooses_the_tools(self, librarian: Librarian, goal: str, expected: list[str]) -> None:
        librarian.remember("Deploys fail while the lock is held.")
        librarian.remember("Deploys wait for the nightly job.")
        found = sequence(librarian, goal)
        assert found[: len(expected)] == expected
        assert len(found) <= 5

    def test_steps_differ_by_goal_and_who_wants_something_done_is_sent_to_no_search(self, librarian: Librarian) -> None:
        librarian.remember("Deploys fail while the lock is held.")
        goals = (
            "What do we know about deploys?",
            "Understand why deploys fail",
            "Clean up the memory about deploys",
            "Remember that Lena accepted the offer",
            "Please forget the deploys for me",
            "Is the memory in good health at all",
            "Bring back what I deleted by mistake",
        )
        found = [tuple(sequence(librarian, goal)) for goal in goals]
        assert len(set(found)) == len(goals)
        assert [tools[-1] == "inject_context" for tools in found] == [True, True, False, False, False, False, False]

    def test_what_is_to_be_remembered_is_looked_for_first_and_stored_in_its_own_words(
        self, librarian: Librarian
    ) -> None:
        steps = librarian.call("reflect_on_memory", goal="Remember that Lena accepted the offer")["suggested_sequence"]
        assert [(step["tool"], step["params"].get("query") or step["params"]["content"]) for step in steps] == [
            ("search_graph", "Lena accepted the offer"),
            ("store_memory", "Lena accepted the offer"),
        ]

    def test_bringing_it_back_takes_back_the_last_change_where_nothing_was_forgotten(
        self, librarian: Librarian
    ) -> None:
        librarian.remember("Ada takes her tea black.")
        steps = librarian.call("reflect_on_memory", goal="please bring it back")["suggested_sequence"]
        assert ("undo", {"count": 1}) in [(step["tool"], step["params"]) for step in steps]

    def test_arguments_are_real_and_can_be_called(self, librarian: Librarian) -> None:
        ids = {librarian.remember("Deploys fail while the lock is held."), librarian.remember("Deploys need the lock.")}
        steps = librarian.call("reflect_on_memory", goal="why do deploys need the lock, and what is around it")
        for step in steps["suggested_sequence"]:
            listing = librarian.app.catalog.find(step["tool"])
            if listing is not None:
                jsonschema_rs.validator_for(listing.wire["inputSchema"]).validate(step["params"])
            used = {value for name, value in step["params"].items() if name.endswith("_id")}
            assert used <= ids

    def test_duplicates_are_offered_for_merging_once_there_are_some(self, librarian: Librarian) -> None:
        goal = "Tidy up what we remember of tea"
        librarian.remember("Ada takes her tea black.")
        librarian.remember("The nightly job holds the lock.")
        assert "merge_concepts" not in sequence(librarian, goal)
        librarian.remember("Ada takes her tea black!")
        assert "merge_concepts" in sequence(librarian, goal)

    def test_a_deletion_is_offered_for_restoring_once_there_is_one(self, librarian: Librarian) -> None:
        goal = "Bring back what we knew of tea"
        id = librarian.remember("Ada takes her tea black.")
        assert "restore_from_hash" not in sequence(librarian, goal)
        reversal_hash = librarian.call("forget_concept", node_id=id, reason="obsolete", rationale=WHY)["reversal_hash"]
        steps = librarian.call("reflect_on_memory", goal=goal)["suggested_sequence"]
        assert [step["params"] for step in steps if step["tool"] == "restore_from_hash"] == [
            {"reversal_hash": reversal_hash}
        ]

    def test_the_state_of_the_session_is_told_and_adds_steps(self, librarian: Librarian) -> None:
        goal = "something entirely without a verb"
        before = librarian.call("reflect_on_memory", goal=goal)
        assert before["utl_context"]["triggered_by"] == []
        for number in range(8):
            letters = "qwertzui"[number]
            librarian.remember(f"{letters * 5} {letters * 7} {letters * 9}")
        after = librarian.call("reflect_on_memory", goal=goal)
        assert after["utl_context"]["entropy"] == after["pulse"]["entropy"] > 0.6
        assert "epistemic_action" in [step["tool"] for step in after["suggested_sequence"]]

    def test_a_goal_of_no_words_still_leads_somewhere(self, librarian: Librarian) -> None:
        assert sequence(librarian, "!?!?!?!?!?") == ["generate_search_plan", "inject_context"]

    def test_wrong_arguments_are_refused(self, librarian: Librarian) -> None:
        assert librarian.error("reflect_on_memory", goal="short")["code"] == -32002
        assert librarian.error("reflect_on_memory")["code"] == -32002


class TestInstructions:
    def test_they_are_short_and_name_only_tools_of_the_family(self, librarian: Librarian) -> None:
        found = librarian.call("get_system_instructions")
        assert 200 <= found["token_count"] <= 400
        assert "trigger_dream" not in str(found)
        named = {row["tool"] for row in found["critical_behaviors"]}
        assert {"critique_context", "hydrate_citation", "epistemic_action"} <= named
