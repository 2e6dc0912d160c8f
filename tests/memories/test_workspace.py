"""The focus of a session: what it is on, what competes, what is pinned, and how strongly it pulls."""

from dataclasses import replace
from typing import Any

import pytest

from memotheca.memory.session.state import activity_of
from memotheca.memory.tuning.tunings import change_tunings
from memotheca.memory.verbs import Verb
from memotheca.text.tokens import count_tokens
from tests.conftest import Time
from tests.memories.librarian import WHY, Librarian

JOBS = [f"The nightly job {number} holds the migration lock while backup {number} runs." for number in range(4)]
TEAS = [f"Ada takes tea number {number} black with lemon in the kitchen." for number in range(4)]
BIRDS = [f"Penguin {number} huddles against the polar wind on the ice." for number in range(4)]
WHO = "Which nightly job holds the migration lock?"


def fill(librarian: Librarian) -> dict[str, str]:
    """Three subjects, stored elsewhere; the session itself has stored nothing."""
    named = {"job": JOBS, "tea": TEAS, "bird": BIRDS}
    return {
        f"{name} {number}": librarian.remember(content, name=f"{name} {number}", session_id="elsewhere")
        for name, contents in named.items()
        for number, content in enumerate(contents)
    }


def workspace(librarian: Librarian, **more: Any) -> dict[str, Any]:
    return librarian.call("get_workspace_status", **more)


def pin(librarian: Librarian, id: str, **more: Any) -> dict[str, Any]:
    return librarian.call("trigger_workspace_broadcast", memory_id=id, **more)


def lay_bar(librarian: Librarian, value: float) -> None:
    """From now on a memory competes from this agreement on."""
    changes = {"threshold:workspace:General": {"value": value}}
    change_tunings(librarian.kernel, changes, verb=Verb.TEND, actor="tester", rationale=WHY)


def test_a_session_that_has_done_nothing_has_no_focus(librarian: Librarian) -> None:
    fill(librarian)
    told = workspace(librarian)
    assert (told["active_memory"], told["in_focus"], told["competing"], told["history_len"]) == (None, 0, [], 0)
    assert "nothing is in focus" in told["meaning"]
    sync = librarian.call("get_kuramoto_sync")
    assert (sync["r"], sync["psi"], sync["synchronization"], sync["state"]) == (None, None, None, "DORMANT")
    assert sync["elapsed_seconds"] is None
    assert sync["phases"] == [None] * 13


def test_what_the_last_questions_brought_is_in_focus_and_competes(librarian: Librarian) -> None:
    ids = fill(librarian)
    librarian.found(WHO)
    told = workspace(librarian)
    assert told["active_memory"]["id"] in {ids[f"job {number}"] for number in range(4)}
    assert told["in_focus"] == 3
    assert {each["id"] for each in told["competing"]} <= {ids[f"job {number}"] for number in range(4)}
    assert told["competing"]
    assert all(each["r"] >= told["coherence_threshold"] for each in told["competing"])
    librarian.call("boost_importance", node_id=told["competing"][-1]["id"], delta=0.4, rationale=WHY)
    assert workspace(librarian)["competing"][0]["id"] == told["competing"][-1]["id"]


def test_the_spaces_agree_about_one_subject_and_not_about_three(librarian: Librarian) -> None:
    fill(librarian)
    librarian.found(WHO)
    one = librarian.call("get_kuramoto_sync")
    librarian.session = "scattered"
    for query in (WHO, "How does Ada take her tea with lemon?", "Which penguin huddles on the ice?"):
        librarian.found(query, top_k=1)
    three = librarian.call("get_kuramoto_sync")
    assert one["r"] > 0.8 > three["r"]
    assert (one["state"], one["synchronization"]) == ("CONSCIOUS", 1)
    assert three["state"] in ("DORMANT", "FRAGMENTED", "EMERGING")
    assert three["synchronization"] < 1
    assert one["psi"] < three["psi"]
    assert [phase is None for phase in one["phases"]][6]  # no code was compared
    assert one["phases"][0] < three["phases"][0]


def test_who_is_silent_for_ten_minutes_is_dormant(librarian: Librarian, time: Time) -> None:
    fill(librarian)
    librarian.found(WHO)
    before = librarian.call("get_kuramoto_sync")["elapsed_seconds"]
    time.advance(601)
    told = librarian.call("get_kuramoto_sync")
    assert told["state"] == "DORMANT"
    assert told["elapsed_seconds"] > before + 600
    assert librarian.call("get_consciousness_state")["time_in_state_ms"] < 60_000


@pytest.mark.parametrize("tokens", [100, 300])
def test_contexts_contain_what_is_pinned_within_the_budget_until_it_is_replaced_or_taken_off(
    librarian: Librarian, tokens: int
) -> None:
    ids = fill(librarian)
    tag = librarian.tag(ids["bird 0"])

    def context(query: str = WHO) -> str:
        told = librarian.call("inject_context", query=query, max_tokens=tokens)["context"]
        assert count_tokens(told) <= tokens
        return told

    assert tag not in context()
    told = pin(librarian, ids["bird 0"], force=True)
    assert (told["was_selected"], told["is_broadcasting"]) == (True, True)
    assert told["dopamine_triggered"] == pytest.approx(0.2, abs=0.001)
    assert tag in context()
    assert librarian.tag(ids["job 0"]) in context() or librarian.tag(ids["job 1"]) in context()
    assert tag in context("What colour is the zeppelin of the mayor?")
    assert context("Which penguin huddles on the ice?").count(tag) == 1
    assert workspace(librarian)["active_memory"]["id"] == ids["bird 0"]
    assert workspace(librarian)["is_broadcasting"]
    assert workspace(librarian)["broadcast_duration_ms"] > 0
    pin(librarian, ids["tea 0"], force=True)
    assert tag not in context()
    assert librarian.tag(ids["tea 0"]) in context()
    assert workspace(librarian)["history_len"] == 2
    assert not pin(librarian, ids["bird 0"], unpin=True)["success"]
    assert pin(librarian, ids["tea 0"], unpin=True)["success"]
    assert librarian.tag(ids["tea 0"]) not in context()
    assert workspace(librarian)["broadcast_duration_ms"] == 0


def test_a_pin_is_of_its_session_and_goes_with_the_memory(librarian: Librarian) -> None:
    ids = fill(librarian)
    pin(librarian, ids["bird 0"], force=True)
    tag = librarian.tag(ids["bird 0"])
    assert tag not in librarian.call("inject_context", query=WHO, session_id="another")["context"]
    librarian.call("forget_concept", node_id=ids["bird 0"], reason="obsolete", rationale=WHY)
    assert tag not in librarian.call("inject_context", query=WHO)["context"]
    told = workspace(librarian)
    assert not told["is_broadcasting"]
    missing = librarian.reply("trigger_workspace_broadcast", memory_id=ids["bird 0"])
    assert (missing.structured or {})["error"]["code"] in (-32012, -32014)


def test_what_does_not_agree_with_the_focus_is_pinned_by_force_alone(librarian: Librarian) -> None:
    ids = fill(librarian)
    assert pin(librarian, ids["job 0"])["reason"] == "nothing else is in focus"
    librarian.session = "working"
    lay_bar(librarian, 0.65)
    librarian.found(WHO)
    told = pin(librarian, ids["bird 0"])
    assert (told["success"], told["is_broadcasting"], told["dopamine_triggered"]) == (False, False, 0)
    assert told["new_r"] < 0.65
    assert "less than 0.65" in told["reason"]
    near = pin(librarian, ids["job 3"])
    assert near["success"]
    assert near["new_r"] > told["new_r"]


def test_the_better_score_keeps_the_place(librarian: Librarian) -> None:
    ids = fill(librarian)
    lay_bar(librarian, 0.65)
    librarian.found(WHO)
    first = pin(librarian, ids["job 0"], importance=1, alignment=1)
    assert first["score"] == first["new_r"]
    for less in ({"importance": 0.5}, {"alignment": 0.5}):
        weaker = pin(librarian, ids["job 1"], **less)
        assert not weaker["was_selected"]
        assert weaker["score"] < first["score"]
        assert "what is pinned has the score" in weaker["reason"]
    assert pin(librarian, ids["job 1"], importance=0.5, force=True)["was_selected"]


def test_a_dispute_in_focus_is_told(librarian: Librarian) -> None:
    ids = fill(librarian)
    librarian.found(WHO)
    assert not workspace(librarian)["has_conflict"]
    other = librarian.remember("The nightly job 0 never holds the migration lock.", contradicts=[ids["job 0"]])
    librarian.found("Does the nightly job 0 hold the migration lock?")
    told = workspace(librarian)
    assert told["has_conflict"]
    assert set(told["conflict_memories"]) >= {ids["job 0"], other}
    assert "disputed" in told["meaning"]
    state = librarian.call("get_consciousness_state")
    assert state["gwt_state"] == "conflict"
    assert state["workspace"]["has_conflict"]


def test_empty_means_that_nothing_near_was_found(librarian: Librarian, time: Time) -> None:
    fill(librarian)
    librarian.found("zeppelins")
    time.advance(6)
    told = workspace(librarian)
    assert told["is_empty"]
    assert "Nothing near" in told["meaning"]
    assert librarian.call("get_consciousness_state")["gwt_state"] == "empty"


def test_the_coupling_pulls_what_agrees_with_the_focus_upwards(librarian: Librarian) -> None:
    said = "The lock of the red bicycle."
    bicycle = librarian.remember(said, name="bicycle", session_id="elsewhere", importance=1.0)
    ids = fill(librarian)
    query = "the lock"
    calm = librarian.found(query)
    assert calm[0] == bicycle
    librarian.session = "working"
    librarian.found("nightly job migration backup")
    librarian.call("adjust_coupling", new_K=10)
    pulled = librarian.found(query)
    assert sorted(pulled) == sorted(calm)
    assert pulled[0] in {ids[f"job {number}"] for number in range(4)}
    scores = [each["score"] for each in librarian.call("search_graph", query=query)["results"]]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 1
    other = librarian.call("get_kuramoto_sync", session_id="another")
    assert other["coupling"] == 0


def test_adjusting_the_coupling_tells_what_it_would_have_moved(librarian: Librarian) -> None:
    fill(librarian)
    nothing = librarian.call("adjust_coupling", new_K=3)
    assert (nothing["old_K"], nothing["new_K"], nothing["effect"], nothing["current_r"]) == (0, 3, None, None)
    librarian.call("adjust_coupling", new_K=0)
    librarian.found(WHO)
    librarian.found("lock lemon ice", top_k=20)
    told = librarian.call("adjust_coupling", new_K=10)
    assert told["effect"]["results"] > 3
    assert told["effect"]["focus"] > 0
    moved = {each["id"]: each["new_place"] for each in told["effect"]["moved"]}
    assert moved
    librarian.session = "fresh"
    librarian.call("adjust_coupling", new_K=10)
    librarian.found(WHO)
    found = librarian.found("lock lemon ice", top_k=20)
    assert {id: found.index(id) + 1 for id in moved} == moved
    back = librarian.call("adjust_coupling", new_K=10)
    assert back["effect"]["moved"] == []
    assert 0 < back["current_r"] <= 1


def test_the_coupling_is_clamped_and_its_model_told(librarian: Librarian) -> None:
    told = librarian.call("adjust_coupling", new_K=25)
    assert (told["new_K"], told["K_clamped"]) == (10, True)
    assert told["predicted_r"] > librarian.call("adjust_coupling", new_K=1)["predicted_r"]
    sync = librarian.call("get_kuramoto_sync")
    assert sync["coupling"] == 1
    assert sync["predicted_r"] == librarian.call("adjust_coupling", new_K=1)["predicted_r"]


def test_a_page_for_whoever_watches(librarian: Librarian) -> None:
    fill(librarian)
    empty = librarian.call("get_consciousness_state")
    assert (empty["C"], empty["r"], empty["state"], empty["gwt_state"]) == (None, None, "DORMANT", "open")
    assert "integration" in empty["insufficient_data"]
    assert empty["component_analysis"]["limiting_factor"] is None
    told = librarian.call("search_graph", query=WHO)
    state = librarian.call("get_consciousness_state")
    assert state["integration"] == state["r"] == librarian.call("get_kuramoto_sync")["r"]
    assert (state["meta_score"], state["reflection"], state["C"]) == (None, None, None)
    assert state["workspace"]["competing_count"] == len(workspace(librarian)["competing"])
    assert "experience" not in state["meaning"]
    assert told["prediction_id"]


def observed(librarian: Librarian, error: float) -> None:
    """Five questions whose outcome is known."""
    kernel = librarian.kernel
    with kernel.read() as snapshot:
        log = activity_of(kernel).retrievals
        for row in log.last(snapshot.session, kernel.collection, limit=5):
            log.keep(kernel.collection, replace(row, predicted=0.8, outcome=0.8 - error))


def test_reflection_is_how_right_it_was_about_what_would_help(librarian: Librarian) -> None:
    fill(librarian)
    for _ in range(5):
        librarian.found(WHO)
    observed(librarian, 0.1)
    right = librarian.call("get_consciousness_state")
    assert right["meta_score"] == pytest.approx(0.9)
    assert right["reflection"] == pytest.approx(0.832, abs=0.001)
    product = right["integration"] * right["reflection"] * right["differentiation"]
    assert right["C"] == pytest.approx(product, abs=0.001)
    observed(librarian, 0.6)
    wrong = librarian.call("get_consciousness_state")
    assert wrong["reflection"] < right["reflection"]
    assert wrong["C"] < right["C"]
    assert wrong["component_analysis"]["limiting_factor"] == "reflection"
    assert wrong["component_analysis"]["reflection_sufficient"] is False


def test_an_agent_that_turns_to_something_else_is_seen_to(librarian: Librarian) -> None:
    fill(librarian)
    none = librarian.call("get_ego_state")
    assert (none["identity_status"], none["identity_continuity"]["ic"]) == ("Unknown", None)
    for query in (WHO, "migration lock", "backup of the nightly job", "lock of job 2", "nightly backup", WHO):
        librarian.found(query)
    same = librarian.call("get_ego_state")
    for query in ("penguin on the ice", "polar wind", "which penguin huddles"):
        librarian.found(query)
    other = librarian.call("get_ego_state")
    assert same["identity_continuity"]["ic"] > 0.7 > other["identity_continuity"]["ic"]
    assert same["purpose_vector"][0] > other["purpose_vector"][0]
    assert same["identity_coherence"] > other["identity_coherence"]
    assert other["trajectory_length"] == same["trajectory_length"] + 3
    assert other["identity_continuity"]["history_len"] > same["identity_continuity"]["history_len"]
    assert "something else" in other["meaning"] or "moved" in other["meaning"]
    detected = other["identity_continuity"]["last_detection"]
    assert detected["current_status"] == other["identity_status"]
    assert {each["name"][:4] for each in other["works_on"]} == {"bird"}
    assert {each["name"][:3] for each in other["worked_on"]} == {"job"}
    page = librarian.call("get_consciousness_state")["identity"]
    assert page["continuity"] == other["identity_continuity"]["ic"]
    assert page["purpose_vector"] == other["purpose_vector"]
    assert (page["coherence"], page["trajectory_length"]) == (other["identity_coherence"], other["trajectory_length"])
    for query in ("penguin on the ice", "polar wind", "which penguin huddles", "ice", "penguin"):
        librarian.found(query)
    settled = librarian.call("get_consciousness_state")
    assert settled["identity"]["status"] in ("Healthy", "Warning")
    assert settled["identity"]["drift_warning"]
    assert "At one of its last ten steps it was on something else." in settled["meaning"]
    assert "At one of its last ten steps" not in same["meaning"]


def test_another_session_begins_where_the_others_were(librarian: Librarian) -> None:
    fill(librarian)
    for query in (WHO, "migration lock", "backup of the nightly job", "lock of job 2"):
        librarian.found(query)
    librarian.session = "next"
    librarian.found("penguin on the ice")
    told = librarian.call("get_ego_state")
    assert told["trajectory_length"] == 5
    assert told["works_on"][0]["name"].startswith("bird")


def test_what_is_stored_agrees_with_what_is_asked_or_not(librarian: Librarian) -> None:
    fill(librarian)
    librarian.found(WHO)
    assert librarian.call("get_ego_state")["coherence_with_actions"] is None
    librarian.remember("The nightly job 9 holds the migration lock while backup 9 runs.")
    fitting = librarian.call("get_ego_state")["coherence_with_actions"]
    librarian.session = "other"
    librarian.found(WHO)
    librarian.remember("Penguin 9 huddles against the polar wind on the ice.")
    assert fitting > librarian.call("get_ego_state")["coherence_with_actions"]


def test_nothing_found_is_not_what_is_worked_on(librarian: Librarian) -> None:
    fill(librarian)
    librarian.found("zeppelins")
    told = librarian.call("get_ego_state")
    assert (told["works_on"], told["trajectory_length"]) == ([], 0)
    assert "cannot be told" in told["meaning"]


def test_the_threshold_of_the_workspace_is_the_one_that_holds(librarian: Librarian) -> None:
    ids = fill(librarian)
    librarian.found(WHO)
    assert workspace(librarian)["coherence_threshold"] == 0.8
    lay_bar(librarian, 0.95)
    assert workspace(librarian)["coherence_threshold"] == 0.95
    assert not pin(librarian, ids["tea 0"])["success"]


def test_it_is_told_which_topics_an_agent_works_on(librarian: Librarian) -> None:
    fill(librarian)
    more = [f"The nightly job {number} holds the migration lock while backup {number} runs." for number in range(4, 10)]
    more += [f"Penguin {number} huddles against the polar wind on the ice." for number in range(4, 10)]
    for content in more:
        librarian.remember(content, session_id="elsewhere")
    for query in (
        "migration lock",
        "nightly backup",
        "lock of job 2",
        "nightly job",
        "penguin on the ice",
        "polar wind",
    ):
        librarian.found(query)
    none = librarian.call("get_ego_state")
    assert (none["topics"], none["topics_overlap"]) == ([], None)
    assert none["topics_reason"] == "No topics were found in this memory yet."
    assert librarian.call("discover_sub_goals", min_confidence=0)["discovered_goals"]
    told = librarian.call("get_ego_state")
    assert "topics_reason" not in told
    assert told["topics"][0]["share_now"] > told["topics"][0]["share_before"]
    assert told["topics"][-1]["share_before"] > told["topics"][-1]["share_now"]
    assert 0 < told["topics_overlap"] < 1
    assert told["topics"][0]["name"] in told["meaning"]
    for _ in range(3):
        librarian.found("polar wind")
    then = librarian.call("get_ego_state")
    assert then["topics"][0]["share_now"] == 1
    assert "no longer works on" in then["meaning"]
