"""Thresholds: every bar lies within its range, agrees with what was learned, and holds in its domain."""

import pytest

from memotheca.memory.claims.verdict import WEIGHTS, read_weights
from memotheca.memory.tuning.gates import Setting, bar_of, setting_of, tuning_name
from memotheca.memory.tuning.thresholds import CONSTRAINTS, GENERAL, NAMES, PRIORS, REGISTRY, Gates, Name


@pytest.mark.parametrize("name", NAMES)
def test_a_first_value_lies_within_its_range_and_says_what_it_gates(name: Name) -> None:
    held = REGISTRY[name]
    low, high = held.range
    assert low < held.prior < high
    assert held.gates
    assert any(word in held.source for word in ("specification", "measured", "chosen"))
    assert PRIORS[name] == held.prior


def test_first_values_keep_their_order() -> None:
    assert all(PRIORS[above] >= PRIORS[below] for above, below in CONSTRAINTS)


def test_what_was_learned_was_learned_with_the_first_values() -> None:
    weights = read_weights(WEIGHTS)
    learned = (weights.change.threshold, weights.duplicate.threshold, weights.dispute.threshold)
    assert learned == (PRIORS["change"], PRIORS["duplicate"], PRIORS["dispute"])


def test_a_domain_has_its_own_bar_else_the_general_one_else_the_first() -> None:
    gates = Gates({("link", GENERAL): 0.6, ("link", "Code"): 0.8})
    assert gates["link"] == gates.of("Legal")["link"] == 0.6
    assert gates.of("Code")["link"] == 0.8
    assert gates.of("Code").of(None)["link"] == 0.6
    assert gates["priors"] == PRIORS["priors"]


def test_a_setting_is_read_as_it_was_written() -> None:
    setting = Setting("change", "Code", 0.6, 1.5, "temp", 40)
    assert setting_of(tuning_name("change", "Code"), setting.to_json()) == setting


@pytest.mark.parametrize("name", ["threshold:unheard:General", "threshold:change:Cooking", "threshold:gating:Code"])
def test_what_another_program_tuned_is_passed_over(name: str) -> None:
    assert setting_of(name, {"value": 0.5}) is None


def test_a_score_that_is_drawn_to_the_middle_has_to_be_higher() -> None:
    assert bar_of("change", 0.7, 1.0) == 0.7
    assert 0.7 < bar_of("change", 0.7, 2.0) < 1.0
    assert bar_of("change", 0.7, 0.5) < 0.7
    assert bar_of("relevance", 0.3, 2.0) == 0.3
