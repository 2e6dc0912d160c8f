"""Somebody says whether what was shown helped; the memory compares that with what it predicted, and learns from it."""

from collections.abc import Mapping
from typing import Any

import pytest

from memotheca.admin.history import newest_tx, undo
from memotheca.app import write_down
from memotheca.memory.outcomes.calibrator import (
    SIGNALS,
    LabelledExample,
    brier_score,
    calibration_error,
    features_of,
    fit_calibrator,
    step_calibrator,
)
from memotheca.memory.outcomes.labels import FOLDS, NEEDED, TESTED, fold_of
from memotheca.memory.session.arousal import keep_levels, modulator_levels
from memotheca.memory.session.modulators import sharpen
from memotheca.memory.session.state import activity_of
from memotheca.model.clock import DAY
from memotheca.storage.instruments.retrievals import RetrievalRow, ShownEntry
from tests.conftest import Time
from tests.memories.librarian import WHY, Librarian
from tests.memories.planted_outcomes import Planted, has_helped, planted_rows

QUESTION = "Where does the heron nest?"


def ask(librarian: Librarian, query: str = QUESTION, tool: str = "inject_context", **more: Any) -> str:
    return librarian.call(tool, query=query, **more)["prediction_id"]


def observe(librarian: Librarian, id: str, value: float, **context: Any) -> dict[str, Any]:
    more = {"context": context} if context else {}
    return librarian.call("observe_outcome", prediction_id=id, actual_outcome=value, **more)


def plant(librarian: Librarian, count: int, **planted: Any) -> None:
    """Ask and say for months what helped, which one signal tells."""
    kernel = librarian.kernel
    wanted = Planted(**planted)
    shown = librarian.remember(f"Something about {wanted.telling} of {wanted.domain}.")
    for number, row in enumerate(planted_rows(shown, count, wanted, time=kernel.now())):
        activity_of(kernel).retrievals.keep(kernel.collection, row)
        observe(librarian, row.id, float(has_helped(number)))


def learn(librarian: Librarian, **more: Any) -> dict[str, Any]:
    return librarian.call("trigger_lambda_recalibration", **more)


def state(librarian: Librarian, **more: Any) -> dict[str, Any]:
    return librarian.call("get_learner_state", **more)


def status(librarian: Librarian, **more: Any) -> dict[str, Any]:
    return librarian.call("get_meta_learning_status", **more)


def events(librarian: Librarian, **more: Any) -> list[dict[str, Any]]:
    return librarian.call("get_meta_learning_log", **more)["events"]


@pytest.mark.parametrize("tool", ["inject_context", "search_graph"])
@pytest.mark.parametrize("is_written", [True, False])
def test_an_outcome_is_held_against_what_was_predicted(librarian: Librarian, tool: str, is_written: bool) -> None:
    id = ask(librarian, "What is nowhere stored?", tool)
    if is_written:
        write_down(librarian.app)
    found = observe(librarian, id, 0.25)
    assert (found["accepted"], found["predicted_value"], found["prediction_error"]) == (True, 0, 0.25)
    assert found["overall_accuracy"] == found["new_accuracy"] == 0.75
    assert observe(librarian, id, 0.0)["overall_accuracy"] == 1
    assert state(librarian)["labels"]["stated"] == 1


def test_without_vectors_nothing_is_predicted_of_what_is_found(librarian: Librarian) -> None:
    librarian.remember("The heron nests on the island.")
    found = observe(librarian, ask(librarian), 1.0)
    assert (found["accepted"], found["predicted_value"], found["prediction_error"]) == (True, None, None)
    assert found["overall_accuracy"] is None
    assert state(librarian)["labels"]["stated"] == 1


@pytest.mark.parametrize("days", [0, 1])
def test_what_is_unknown_or_older_than_a_day_is_not_found(librarian: Librarian, time: Time, days: int) -> None:
    id = ask(librarian) if days else "pred_0000000000"
    time.advance(days * DAY // 10**6 + 60)
    error = librarian.reply("observe_outcome", prediction_id=id, actual_outcome=1).structured or {}
    assert error["error"]["code"] == -32012
    assert ("24 hours" in error["error"]["message"]) is bool(days)


def test_an_outcome_of_what_was_erased_is_not_taken(librarian: Librarian) -> None:
    nest = librarian.remember("The heron nests on the island.")
    id = ask(librarian)
    arguments = {"node_id": nest, "reason": "user_requested", "soft_delete": False, "rationale": WHY}
    librarian.call("forget_concept", **arguments)
    error = librarian.reply("observe_outcome", prediction_id=id, actual_outcome=1).structured or {}
    assert error["error"]["code"] == -32012


@pytest.mark.parametrize("becomes", ["forgotten", "merged", "undone"])
@pytest.mark.parametrize("is_written", [True, False])
def test_what_was_shown_may_be_put_in_order_before_the_outcome_is_told(
    librarian: Librarian, becomes: str, is_written: bool
) -> None:
    nest = librarian.remember("The heron nests on the island.")
    again = librarian.remember("The heron nests on the island again.")
    id = ask(librarian)
    if is_written:
        write_down(librarian.app)
    if becomes == "forgotten":
        librarian.call("forget_concept", node_id=nest, reason="user_requested", rationale=WHY)
    elif becomes == "merged":
        librarian.call("merge_concepts", source_node_ids=[nest, again], target_name="The nest", rationale=WHY)
    else:
        undo(librarian.kernel, actor="tester")
    write_down(librarian.app)
    assert observe(librarian, id, 1.0)["accepted"] is True
    assert state(librarian)["labels"]["stated"] == 1


def test_outcomes_are_told_by_domain_and_by_kind_of_question(librarian: Librarian) -> None:
    observe(librarian, ask(librarian), 0.0, domain="Code", query_type="fact")
    observe(librarian, ask(librarian), 1.0, domain="Legal", query_type="why")
    found = state(librarian)
    assert found["domain_stats"] == {"Code": {"accuracy": 1, "count": 1}, "Legal": {"accuracy": 0, "count": 1}}
    assert found["query_types"] == {"fact": {"accuracy": 1, "count": 1}, "why": {"accuracy": 0, "count": 1}}
    assert (found["accuracy"], found["calibration_error"], found["brier"]) == (0.5, 0.5, 0.5)
    assert state(librarian, domain="Legal")["accuracy"] == 0
    assert state(librarian, domain="Legal")["prediction_count"] == 1
    ask(librarian)
    assert state(librarian)["prediction_count"] == 3


def test_below_the_labels_it_needs_nothing_is_learned(librarian: Librarian) -> None:
    plant(librarian, 9)
    before = newest_tx(librarian.kernel)
    found = learn(librarian)
    assert (found["success"], found["status"], found["method"]) == (False, "insufficient_labels", "none")
    assert f"9 of {NEEDED:g} labels" in found["reason"]
    assert (found["labels"]["counted"], found["labels"]["needed"], found["labels"]["enough"]) == (9, NEEDED, False)
    assert newest_tx(librarian.kernel) == before
    assert status(librarian)["escalation_status"] == "insufficient_labels"


def test_it_learns_what_helps_and_predicts_by_it_until_that_is_taken_back(librarian: Librarian) -> None:
    plant(librarian, 60, wrong=0.7, right=0.3)
    dry = learn(librarian, dry_run=True)
    assert (dry["success"], dry["status"], dry["reversal_hash"]) == (True, "would_recalibrate", None)
    assert state(librarian)["signal_weights"] == {}
    done = learn(librarian)
    assert (done["status"], done["method"]) == ("recalibrated", "bayesian")
    assert done["bo_iterations"] > 1
    assert done["expected_improvement"] == dry["expected_improvement"] > 0
    assert done["held_out"]["count"] == 60 >= TESTED
    assert done["held_out"]["ece_after"] < done["held_out"]["ece_before"]
    assert done["held_out"]["brier_after"] < done["held_out"]["brier_before"]
    learned = state(librarian)
    weights = learned["signal_weights"]
    assert max(weights, key=lambda name: weights[name]) == "cosine"
    assert learned["last_adjustment"]["labels"] == 60
    assert learned["last_adjustment"]["tx_id"] == done["tx_id"]
    assert status(librarian)["enabled"]
    librarian.remember("The heron nests on the island.")
    assert observe(librarian, ask(librarian), 0.0)["predicted_value"] is not None
    librarian.call("restore_from_hash", reversal_hash=done["reversal_hash"])
    assert state(librarian)["signal_weights"] == {}
    assert not status(librarian)["enabled"]
    assert observe(librarian, ask(librarian), 0.0)["predicted_value"] is None


def test_what_was_learned_is_undone_like_any_change(librarian: Librarian) -> None:
    plant(librarian, 60, wrong=0.8)
    before = state(librarian)
    learn(librarian)
    undo(librarian.kernel, actor="tester")
    after = state(librarian)
    # The age of the memory has its part in λ, and goes on.
    assert after == {**before, "lambda_weights": after["lambda_weights"], "pulse": after["pulse"]}
    assert after["lambda_weights"]["s"] == pytest.approx(before["lambda_weights"]["s"], abs=0.02)


def test_what_does_no_better_on_held_out_questions_is_not_taken_over(librarian: Librarian) -> None:
    plant(librarian, 60, wrong=0.0, right=1.0)
    found = learn(librarian)
    assert (found["success"], found["status"], found["expected_improvement"] <= 0) == (False, "no_improvement", True)
    assert state(librarian)["last_adjustment"] is None
    learn(librarian)
    learn(librarian)
    assert status(librarian)["escalation_status"] == "human_review"


def test_after_the_first_time_small_steps_are_enough_unless_predictions_hold_badly(librarian: Librarian) -> None:
    plant(librarian, 60, wrong=0.8)
    learn(librarian)
    plant(librarian, 60, telling="importance", wrong=0.3)
    assert learn(librarian, dry_run=True)["method"] in ("gradient", "none")
    assert learn(librarian, dry_run=True)["bo_iterations"] == 0
    assert learn(librarian, dry_run=True, force_bayesian=True)["bo_iterations"] > 0


def test_a_domain_learns_for_itself_and_others_by_all(librarian: Librarian) -> None:
    plant(librarian, 60, wrong=0.8, domain="Code")
    done = learn(librarian, domain="Code")
    assert done["status"] == "recalibrated"
    assert state(librarian, domain="Code")["last_adjustment"]["domain"] == "Code"
    assert state(librarian, domain="Legal")["last_adjustment"] is None
    learn(librarian)
    assert state(librarian, domain="Legal")["last_adjustment"]["domain"] == "General"
    assert learn(librarian, domain="Legal")["labels"]["stated"] == 0


@pytest.mark.parametrize("telling", ["recency", "cosine"])
def test_lambda_follows_what_speaks_for_help(librarian: Librarian, telling: str) -> None:
    plant(librarian, 60, telling=telling, wrong=0.8)
    done = learn(librarian)
    moved = done["new_lambdas"]["s"] - status(librarian)["base_lambdas"]["s"]
    assert (moved > 0) is (telling == "recency")
    assert done["adjustment"]["delta_s"] == pytest.approx(
        done["new_lambdas"]["s"] - done["previous_lambdas"]["s"], abs=2e-4
    )
    assert done["adjustment"]["delta_c"] == -done["adjustment"]["delta_s"]
    assert done["new_lambdas"]["c"] == pytest.approx(1 - done["new_lambdas"]["s"])
    assert status(librarian)["current_lambdas"] == done["new_lambdas"]
    assert status(librarian)["lambda_deviation"] == pytest.approx(abs(moved), abs=0.02)


def surprise(librarian: Librarian, *, predicted: float, actual: float, signals: Mapping[str, float]) -> dict[str, Any]:
    kernel = librarian.kernel
    shown = librarian.remember("Something.")
    row = RetrievalRow(
        id=f"pred_{shown}",
        time=kernel.now(),
        session="",
        way="search",
        query="What?",
        predicted=predicted,
        shown=(ShownEntry(entry_id=shown, score=1.0, signals=signals),),
    )
    activity_of(kernel).retrievals.keep(kernel.collection, row)
    return observe(librarian, row.id, actual)


@pytest.mark.parametrize(
    ("predicted", "actual", "is_new", "moves"),
    [(0.5, 1.0, True, 1), (0.5, 0.0, True, -1), (0.5, 1.0, False, -1), (0.5, 0.6, True, 0)],
)
def test_a_surprise_moves_lambda_towards_what_helped(
    librarian: Librarian, predicted: float, actual: float, is_new: bool, moves: int
) -> None:
    before = status(librarian)["current_lambdas"]["s"]
    signals = {"recency": 1.0, "use": 0.0, "cosine": 0.1} if is_new else {"recency": 0.0, "use": 1.0, "cosine": 0.9}
    found = surprise(librarian, predicted=predicted, actual=actual, signals=signals)
    after = status(librarian)["current_lambdas"]["s"]
    assert found["lambda_adjusted"] is bool(moves)
    assert (after > before) - (after < before) == moves
    assert [each["type"] for each in events(librarian)][:1] == (["lambda_adjustment"] if moves else [])
    if moves:
        (event,) = events(librarian, event_type="lambda_adjustment")
        assert event["after"] - event["before"] == pytest.approx(after - before, abs=2e-4)
        assert event["error"] == pytest.approx(abs(actual - predicted))


def test_lambda_stays_within_its_bounds_and_leaves_them_soon(librarian: Librarian) -> None:
    new = {"recency": 1.0, "use": 0.0, "cosine": 0.0}
    old = {"recency": 0.0, "use": 1.0, "cosine": 1.0}
    for _ in range(60):
        surprise(librarian, predicted=1.0, actual=0.0, signals=new)
        surprise(librarian, predicted=0.0, actual=1.0, signals=old)
    lowest = status(librarian)["current_lambdas"]["s"]
    assert lowest == 0.05
    assert "weight_clamped" in {each["type"] for each in events(librarian)}
    for _ in range(10):
        surprise(librarian, predicted=0.0, actual=1.0, signals=new)
    assert status(librarian)["current_lambdas"]["s"] > lowest


def test_an_alert_session_learns_in_larger_steps(librarian: Librarian) -> None:
    calm = learn(librarian)
    kernel = librarian.kernel
    plant(librarian, 60, wrong=0.8)
    usual = learn(librarian, dry_run=True)["adjustment"]["alpha"]
    with kernel.store.database.read() as session:
        levels = modulator_levels(kernel, session, "")
    keep_levels(kernel, "", sharpen(levels))
    assert calm["adjustment"] is None
    assert learn(librarian, dry_run=True)["adjustment"]["alpha"] > usual == 0.05


def test_accuracy_that_falls_and_rises_is_logged_and_told(librarian: Librarian) -> None:
    for _ in range(10):
        observe(librarian, ask(librarian), 1.0)
    found = status(librarian, include_accuracy_history=True)
    assert (found["current_accuracy"], found["consecutive_low_count"], found["accuracy_history"]) == (0, 10, [0])
    for _ in range(30):
        observe(librarian, ask(librarian), 0.0)
    found = status(librarian, include_accuracy_history=True)
    assert (found["consecutive_low_count"], found["accuracy_history"]) == (0, [0, 1, 1, 1])
    assert [each["type"] for each in events(librarian)] == ["accuracy_recovery", "accuracy_alert"]
    assert found["recent_events_count"] == 2
    assert [each["type"] for each in events(librarian, limit=1, offset=1)] == ["accuracy_alert"]
    page = librarian.call("get_meta_learning_log", limit=1)
    assert (page["total_count"], page["has_more"]) == (2, True)
    assert events(librarian, event_type="weight_clamped") == []
    assert events(librarian, domain="Code") == []
    assert len(events(librarian, start_time=events(librarian)[0]["time"])) == 1
    assert len(events(librarian, end_time=events(librarian)[1]["time"])) == 1


def test_badly_held_predictions_make_learning_due(librarian: Librarian) -> None:
    plant(librarian, 60, wrong=1.0)
    for number in range(60):
        observe(librarian, f"pred_Generalcosine{number}", 0.0)
    assert status(librarian)["escalation_status"] == "pending"
    assert state(librarian)["escalation_pending"]


def test_events_go_after_a_week(librarian: Librarian, time: Time) -> None:
    for _ in range(10):
        observe(librarian, ask(librarian), 1.0)
    assert len(events(librarian)) == 1
    time.advance(8 * DAY // 10**6)
    assert events(librarian) == []


def test_each_space_that_is_a_signal_tells_how_often_it_is_nearer_to_what_helped(librarian: Librarian) -> None:
    plant(librarian, 12)
    found = {each["embedder"]: each for each in status(librarian, include_embedder_breakdown=True)["embedder_accuracy"]}
    assert len(found) == 13
    assert found["E1"]["accuracy"] == 1
    assert found["E8"]["accuracy"] == 0.5
    assert found["E7"]["accuracy"] is None
    assert found["E7"]["reason"]


def test_use_counts_as_a_weak_label(librarian: Librarian) -> None:
    nest = librarian.remember("The heron nests on the island.")
    ask(librarian)
    librarian.call("hydrate_citation", citation_tag=librarian.tag(nest))
    write_down(librarian.app)
    labels = state(librarian)["labels"]
    assert (labels["stated"], labels["weak"], labels["counted"]) == (0, 1, 0.3)
    observe(librarian, ask(librarian), 1.0)
    assert state(librarian)["labels"]["counted"] == 1.3


def examples(count: int, telling: int = 1) -> list[LabelledExample]:
    found: list[LabelledExample] = []
    for number in range(count):
        features = [((number * step) % 11) / 11 for step in range(2, 2 + len(SIGNALS))]
        found.append(LabelledExample(tuple(features), float(features[telling] > 0.5)))
    return found


def test_the_calibrator_finds_the_signal_that_tells_and_small_steps_go_the_same_way() -> None:
    labelled = examples(120)
    fitted, steps = fit_calibrator(labelled)
    assert max(range(len(SIGNALS)), key=lambda at: fitted.weights[at]) == 1
    assert 1 < steps < 30
    stepped = step_calibrator(fit_calibrator(examples(120, telling=2))[0], labelled, 0.05)
    assert stepped.weights[1] > fit_calibrator(examples(120, telling=2))[0].weights[1]
    predicted = [(fitted.predict(each.features), each.helped) for each in labelled]
    assert (calibration_error(predicted) or 1) < 0.2
    assert (brier_score(predicted) or 1) < 0.1


def test_what_every_signal_says_alike_is_learned_as_nothing() -> None:
    same = [LabelledExample((0.5,) * len(SIGNALS), float(number % 2)) for number in range(20)]
    fitted, _ = fit_calibrator(same)
    assert all(abs(weight) < 1e-6 for weight in fitted.weights)
    assert fitted.predict(same[0].features) == pytest.approx(0.5)


def test_calibration_error_is_the_distance_between_what_was_said_and_what_was_so() -> None:
    assert calibration_error([(0.8, 1.0)] * 8 + [(0.8, 0.0)] * 2) == pytest.approx(0)
    assert calibration_error([(1.0, 0.0)]) == 1
    assert calibration_error([]) is None


def test_a_question_is_of_one_part_however_it_is_spelled() -> None:
    parts = [fold_of(f"question {number}") for number in range(400)]
    assert all(70 < parts.count(part) < 130 for part in range(FOLDS))
    assert fold_of("Where IS it? ") == fold_of("where is it?")


def test_of_nothing_shown_nothing_speaks() -> None:
    assert features_of([]) == (0.0,) * len(SIGNALS)
