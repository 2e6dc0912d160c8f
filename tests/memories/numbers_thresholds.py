"""Which tests move the numbers of the tools for thresholds."""

# What moves the numbers of thresholds, in tests that tell what became of decisions.
BARS: dict[str, tuple[str, ...]] = {
    "test_a_bar_that_is_moved_decides_the_next_call_otherwise_and_back_again": (
        "set_threshold_prior.old",
        "set_threshold_prior.new",
    ),
    "test_history_is_what_the_journal_has": ("get_threshold_history.points[].value", "get_threshold_history.total"),
    "test_an_explanation_lists_what_was_decided_and_what_flips_beside_it": tuple(
        f"explain_threshold.{path}"
        for path in (
            "value",
            "steps[].delta",
            "decided",
            "passed",
            "flips_if_higher",
            "flips_if_lower",
            "decisions[].score",
        )
    ),
    "test_what_becomes_of_decisions_labels_them": ("explain_threshold.labels", "explain_threshold.accuracy"),
    "test_what_was_learned_says_from_how_many_labels": (
        "explain_threshold.steps[].evidence_count",
        "get_threshold_history.points[].labels",
    ),
    "test_mistakes_move_a_bar_and_the_hash_takes_it_back": (
        "trigger_recalibration.recalibration.thresholds_changed[].old",
        "trigger_recalibration.recalibration.thresholds_changed[].new",
        "get_threshold_status.thresholds",
    ),
    "test_each_level_says_on_what_it_decided": tuple(
        f"trigger_recalibration.{path}"
        for path in (
            "recalibration.iterations",
            *(f"attempts[].{name}" for name in ("labels", "positive", "accuracy_before", "accuracy_after")),
            *(f"metrics_{when}.{name}" for when in ("before", "after") for name in ("samples", "accuracy")),
        )
    ),
    "test_level_2_makes_what_is_too_sure_less_so": (
        *(f"trigger_recalibration.metrics_{when}.{name}" for when in ("before", "after") for name in ("ece", "brier")),
        "get_threshold_status.adaptation.level_2_temp",
    ),
    "test_calibration_moves_with_what_became_of_what_was_said": (
        *(f"get_threshold_status.calibration.{name}" for name in ("ece", "brier", "labels")),
        "get_threshold_status.adaptation.level_3_exploration_rate",
        *(
            f"get_calibration_metrics.{path}"
            for path in (
                *("ece", "mce", "brier", "sample_count", "alerts[].value"),
                *(f"reliability[].{name}" for name in ("confidence", "accuracy", "n")),
                *(f"by_source[].{name}" for name in ("sample_count", "ece", "brier")),
            )
        ),
    ),
    "test_scores_that_lie_elsewhere_lately_drift": (
        "get_threshold_status.drift_scores",
        "get_calibration_metrics.drift_scores",
    ),
    "test_a_space_whose_scores_promise_too_much_has_a_temperature": (
        "get_threshold_status.temperatures[].temperature",
        "get_threshold_status.temperatures[].labels",
    ),
}
