"""Every number that the tools report: a planted change moves it in its direction, an unrelated one does not."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from memotheca.jobs.queue import bench_of
from tests.conftest import Time
from tests.memories import (
    numbers_core,
    numbers_diagnosis,
    numbers_dreams,
    numbers_focus,
    numbers_goals,
    numbers_tending,
    numbers_thresholds,
)
from tests.memories.librarian import Librarian, open_librarian
from tests.memories.moving import Act, Scene, look_up

TELLING = (numbers_core, numbers_tending, numbers_diagnosis, numbers_focus, numbers_dreams)
SCENES: list[Scene] = [scene for each in TELLING for scene in each.SCENES]

# What sums up no state: the number of a transaction or of a place in a list, a bound, what the caller said.
ECHOES: dict[str, str] = {
    **{
        f"manage_teleological_profile.{shape}.{part}": "what the caller said"
        for shape in ("profile", "profiles[]")
        for part in ("group_priorities", "filters")
    },
    "get_autonomous_status.services": "times and states",
    **numbers_dreams.SAID_AS_IT_IS,
    **numbers_focus.ECHOES,
    "annotate_node.annotations": "what the caller said",
    "boost_importance.cancer_check.importance_limit": "a bound",
    "boost_importance.cancer_check.entropy_limit": "a bound",
    "debug_compare_retrieval.fused[].rank": "its place",
    "debug_compare_retrieval.fused_all_spaces[].rank": "its place",
    "debug_compare_retrieval.unique": "ids",
    "set_threshold_prior.range[]": "a bound",
    "get_threshold_history.prior": "where it lies at first",
    "explain_threshold.prior": "where it lies at first",
    "explain_threshold.range[]": "a bound",
    "explain_threshold.nudge": "a bound",
    "trigger_recalibration.recalibration.level": "what the caller said",
    "trigger_recalibration.attempts[].needed": "a bound",
    "trigger_recalibration.attempts[].needed_of_each": "a bound",
    "get_calibration_metrics.alerts[].limit": "a bound",
    "get_calibration_metrics.alerts[].level": "which level is for it",
    "epistemic_action.answer": "what the person said",
    "epistemic_action.choices[].arguments": "arguments",
    "epistemic_action.settled.tx_id": "the number of a transaction",
    "epistemic_action.settled_by_model[].tx_id": "the number of a transaction",
    "generate_search_plan.count": "three, by contract",
    "get_graph_manifest.troubleshooting": "words",
    "get_system_instructions.token_count": "the length of a fixed text",
    "get_system_logs.entries[].details": "numbers of transactions",
    "homeostatic_status.set_point": "a bound",
    "hydrate_citation.annotations": "what the caller said",
    "hydrate_citation.times": "what the caller said, or the text",
    "inject_context.bundled_metadata": "edges, cones and neighbours as their own tools tell them",
    "omni_infer.config.max_path": "what the caller said",
    "omni_infer.config.min_confidence": "what the caller said",
    "omni_infer.config.clamped": "what the caller said",
    "get_learner_state.labels.needed": "a bound",
    "get_learner_state.last_adjustment.tx_id": "the number of a transaction",
    "get_meta_learning_log.events[].id": "its place",
    "get_meta_learning_status.labels.needed": "a bound",
    "trigger_lambda_recalibration.labels.needed": "a bound",
    "reflect_on_memory.suggested_sequence[].step": "its place",
    "reflect_on_memory.suggested_sequence[].params": "arguments",
    "store_memory.times": "what the caller said, or the text",
    "store_memory.quarantine": "times; homeostatic_status counts",
}
# Null, with the reason beside it: nothing scales importance by itself.
NULL = ("homeostatic_status.scaling.writes_until_next",)
TIMES = ("latency_ms", "query_time_ms", "recovery_time_ms", "retrieval_ms", "stages[].ms", "ms")
# Learning takes many outcomes.
OUTCOMES: dict[str, tuple[str, ...]] = {
    "test_an_outcome_is_held_against_what_was_predicted": tuple(
        f"observe_outcome.{name}"
        for name in ("predicted_value", "prediction_error", "new_accuracy", "overall_accuracy")
    ),
    "test_outcomes_are_told_by_domain_and_by_kind_of_question": tuple(
        f"get_learner_state.{name}"
        for name in ("accuracy", "prediction_count", "domain_stats", "query_types", "calibration_error", "brier")
    ),
    "test_it_learns_what_helps_and_predicts_by_it_until_that_is_taken_back": (
        "get_learner_state.signal_weights",
        "get_learner_state.last_adjustment.labels",
        "get_learner_state.last_adjustment.held_out",
        "get_learner_state.last_adjustment.ece_before",
        "get_learner_state.last_adjustment.ece_after",
        "get_meta_learning_status.adjustment_count",
        "trigger_lambda_recalibration.bo_iterations",
        "trigger_lambda_recalibration.expected_improvement",
        *(
            f"trigger_lambda_recalibration.held_out.{name}"
            for name in ("count", "ece_before", "ece_after", "brier_before", "brier_after")
        ),
    ),
    "test_use_counts_as_a_weak_label": tuple(
        f"{tool}.labels.{name}"
        for tool in ("get_learner_state", "get_meta_learning_status", "trigger_lambda_recalibration")
        for name in ("stated", "weak", "counted")
    ),
    "test_lambda_follows_what_speaks_for_help": (
        *(
            f"trigger_lambda_recalibration.{part}.{name}"
            for part in ("previous_lambdas", "new_lambdas")
            for name in "sc"
        ),
        *(f"get_meta_learning_status.{part}.{name}" for part in ("current_lambdas", "base_lambdas") for name in "sc"),
        *(f"get_learner_state.lambda_weights.{name}" for name in "sc"),
        "get_meta_learning_status.lambda_deviation",
        "trigger_lambda_recalibration.adjustment.delta_s",
        "trigger_lambda_recalibration.adjustment.delta_c",
        "trigger_lambda_recalibration.adjustment.trigger_error",
    ),
    "test_an_alert_session_learns_in_larger_steps": ("trigger_lambda_recalibration.adjustment.alpha",),
    "test_accuracy_that_falls_and_rises_is_logged_and_told": (
        "get_meta_learning_status.current_accuracy",
        "get_meta_learning_status.consecutive_low_count",
        "get_meta_learning_status.accuracy_history[]",
        "get_meta_learning_status.recent_events_count",
        "get_meta_learning_log.total_count",
    ),
    "test_each_space_that_is_a_signal_tells_how_often_it_is_nearer_to_what_helped": (
        "get_meta_learning_status.embedder_accuracy[].accuracy",
    ),
    "test_a_surprise_moves_lambda_towards_what_helped": tuple(
        f"get_meta_learning_log.events[].{name}" for name in ("before", "after", "error")
    ),
}
# What takes vectors, or a story of its own, is moved by a test of its own.
ELSEWHERE: dict[str, str] = {
    **numbers_goals.ELSEWHERE,
    **numbers_dreams.MOVED_ELSEWHERE,
    "store_memory.updates[].score": "memories/test_judgement.py"
    "::test_another_value_of_the_same_is_told_as_it_is_written",
    "annotate_node.linked[].weight": "memories/test_ties.py"
    "::test_two_memories_are_linked_by_a_word_and_it_can_be_undone",
    "annotate_node.unlinked[].weight": "memories/test_ties.py::test_a_wrong_link_is_taken_away_and_comes_back_by_undo",
    "search_graph.best_fit": "memories/test_focus.py::test_how_good_the_best_is_does_not_depend_on_the_others",
    **{
        f"{path}.{name}": f"memories/test_modulators.py::{test}"
        for path in ("get_neuromodulation.effects.last_search", "get_neuromodulation_state.last_query")
        for name, test in (
            ("candidates", "test_noradrenaline_widens_a_search_and_a_context"),
            ("usual_candidates", "test_what_is_usual_is_what_would_be_without_them"),
            ("results", "test_dopamine_cuts_off_the_tail_of_a_search_and_of_a_context"),
            ("usual_results", "test_what_is_usual_is_what_would_be_without_them"),
            ("moved", "test_serotonin_moves_what_repeats_behind_what_does_not"),
        )
    },
    **{
        f"search_graph.results[].{name}": "memories/test_purpose_search.py"
        "::test_a_search_tells_how_near_results_are_to_the_goal"
        for name in ("purpose_alignment", "theta_to_north_star")
    },
    "get_memetic_status.not_yet_compared": "memories/test_status.py"
    "::test_what_is_still_to_be_looked_through_is_counted",
    **{
        path: f"memories/test_workspace.py::{test}" for test, paths in numbers_focus.ELSEWHERE.items() for path in paths
    },
    **{
        f"gwt/compute_delta_sc.{path}": f"memories/test_delta.py::{test}"
        for test, paths in numbers_focus.DELTA.items()
        for path in paths
    },
    **{
        f"get_health_status.{path}": f"memories/test_health.py::{test}"
        for path, test in (
            ("overall_score", "test_passages_without_vectors_are_counted_and_embedded"),
            *(
                (path, "test_the_focus_and_the_dreams_are_told_beside_their_checks")
                for path in (
                    "subsystems.gwt.kuramoto_r",
                    "subsystems.gwt.identity_continuity",
                    "subsystems.dream.cycles_completed",
                )
            ),
            ("subsystems.utl.accuracy", "test_poor_recall_is_told_and_can_be_measured_anew"),
            *(
                (f"subsystems.{part}.{name}", test)
                for part, test in (
                    ("utl", "test_poor_recall_is_told_and_can_be_measured_anew"),
                    ("gwt", "test_what_a_process_holds_of_its_sessions_is_written_down"),
                    ("dream", "test_jobs_that_failed_are_counted_and_queued_again"),
                    ("storage", "test_passages_without_vectors_are_counted_and_embedded"),
                )
                for name in ("score", "checks[].value", "checks[].score")
            ),
        )
    },
    **{
        f"get_steering_feedback.{path}": f"memories/test_steering_feedback.py::{test}"
        for test, paths in (
            (
                "test_it_foretells_what_storing_then_does",
                tuple(
                    f"preflight.{part}"
                    for part in ("duplicates[].similarity", "conflicts[].score", "updates[].score", "links[].weight")
                ),
            ),
            (
                "test_the_parts_of_a_verdict_move_with_their_causes",
                tuple(f"breakdown.{part}" for part in ("novelty", "coherence", "duplication", "low_priors")),
            ),
            (
                "test_scores_of_the_past_move_with_what_became_of_stores",
                tuple(f"reward.{part}" for part in ("value", "gardener_score", "curator_score", "assessor_score")),
            ),
            ("test_what_became_of_stores_is_told_the_newest_first", ("stores[].looks", "count")),
        )
        for path in paths
    },
    **{
        path: f"memories/test_moving_bars.py::{test}"
        for test, paths in numbers_thresholds.BARS.items()
        for path in paths
    },
    "omni_infer.results[].statements": "memories/test_directions.py"
    "::test_what_was_stated_twice_is_surer_and_said_to_be",
    **{path: f"memories/test_outcomes.py::{test}" for test, paths in OUTCOMES.items() for path in paths},
    "omni_infer.below_min_confidence": "memories/test_directions.py::test_what_is_too_weak_is_counted_and_not_told",
    "check_adversarial.checks[].evidence": "memories/test_diagnosis.py::test_meaning_tells_what_is_out_of_place",
}


def numeric(schema: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The paths of all numbers in a schema, and of all objects that may hold any."""
    types = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", [])
    if "number" in types or "integer" in types or ("object" in types and "properties" not in schema):
        yield path
    for name, inner in schema.get("properties", {}).items():
        yield from numeric(inner, f"{path}.{name}" if path else name)
    if "array" in types:
        yield from numeric(schema["items"], f"{path}[]")
    for either in schema.get("anyOf", []):
        yield from numeric(either, path)


def reported(librarian: Librarian) -> set[str]:
    listed = [listing for listing in librarian.app.catalog.listed() if listing.toolset == "memories"]
    assert len(listed) == 75
    found = {f"{each.name}.{path}" for each in listed for path in numeric(each.wire["outputSchema"])}
    return {path for path in found if path.split(".")[1] not in ("pulse", "error", "tx_id")}


def is_covered(path: str, moved: set[str]) -> bool:
    """Moved itself; or, of an object without fixed keys, something in it."""
    return path in moved or any(each.startswith((f"{path}.", f"{path}[")) for each in moved)


def test_every_number_is_moved_by_something(librarian: Librarian) -> None:
    moved = {re.sub(r"\[\d+\]", "[]", f"{scene.tool}.{path}") for scene in SCENES for path in scene.moves}
    known = {*ECHOES, *NULL, *ELSEWHERE}
    wanted = reported(librarian)
    unmoved = {
        path for path in wanted if not is_covered(path, moved | known) and not path.endswith((*TIMES, "[].tx_id"))
    }
    assert sorted(unmoved) == []
    assert sorted(known - wanted) == []
    assert (
        sorted(path for path in moved if path not in wanted and not any(path.startswith(each) for each in wanted)) == []
    )


def test_what_is_moved_elsewhere_is_moved_there() -> None:
    for place in ELSEWHERE.values():
        file, _, name = place.partition("::")
        assert f"def {name}(" in (Path(__file__).parent.parent / file).read_text(), place


def told(folder: Path, scene: Scene, act: Act, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What the tool answers in a world of its own after this was done."""
    librarian = open_librarian(folder, Time())
    try:
        scene.prepare(librarian)
        act(librarian)
        said = {name: value(librarian) if callable(value) else value for name, value in arguments.items()}
        reply = librarian.reply(scene.tool, **said)
        return {} if reply.failed else dict(reply.structured or {})
    finally:
        assert bench_of(librarian.kernel) is not None
        bench_of(librarian.kernel).sandbox.close()
        librarian.kernel.store.close()


@pytest.mark.parametrize("scene", SCENES, ids=str)
def test_it_moves_with_what_it_tells_of_and_with_nothing_else(tmp_path: Path, scene: Scene) -> None:
    before = told(tmp_path / "before", scene, scene.before, scene.ask)
    unrelated = told(tmp_path / "unrelated", scene, scene.unrelated, scene.ask)
    after = told(tmp_path / "after", scene, scene.plant, scene.planted or scene.ask)
    wrong: list[str] = []
    for path, direction in scene.moves.items():
        was, then, now = look_up(before, path), look_up(unrelated, path), look_up(after, path)
        if abs(then - was) > scene.tolerance:
            wrong.append(f"{path} is moved from {was} to {then} by something unrelated")
        moved = {"up": now > was, "down": now < was, "changes": now != was}[direction]
        if not moved:
            wrong.append(f"{path} should go {direction}, and went from {was} to {now}")
    assert not wrong, "; ".join(wrong)
