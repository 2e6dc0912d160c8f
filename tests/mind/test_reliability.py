"""Reliability: being as often right as sure is measured, and mended where labels carry it."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memotheca.memory.thresholds.reliability import (
    Scored,
    fit_temperature,
    helps_unseen,
    measure_reliability,
    soften,
    soften_all,
)
from memotheca.memory.thresholds.replay import (
    Labelled,
    follow_mistakes,
    share_right,
    surely_better,
    try_everywhere,
    try_neighbours,
)


def overconfident(count: int, temperature: float) -> list[Scored]:
    """A scorer whose odds are too long by a factor, over what is so as often as it truly says."""
    chance = random.Random(7)
    true = [chance.uniform(0.05, 0.95) for _ in range(count)]
    return [Scored(soften(each, 1 / temperature), chance.random() < each) for each in true]


@pytest.mark.parametrize("temperature", [1.5, 2.0, 2.8])
def test_an_overconfident_scorer_is_less_wrong_about_itself_after_level_2(temperature: float) -> None:
    scored = overconfident(400, temperature)
    found = fit_temperature(scored)
    before, after = measure_reliability(scored), measure_reliability(soften_all(scored, found))
    assert before is not None
    assert after is not None
    assert found > 1
    assert after.ece < before.ece
    assert after.brier < before.brier
    assert helps_unseen(scored)


def test_a_scorer_that_is_as_sure_as_right_is_left_alone() -> None:
    assert fit_temperature(overconfident(400, 1.0)) == pytest.approx(1.0, abs=0.2)


def test_fewer_than_ten_say_nothing() -> None:
    assert measure_reliability([Scored(0.5, True)] * 9) is None
    found = measure_reliability([Scored(0.88, True)] * 10)
    assert found is not None
    assert (found.count, found.ece, found.status) == (10, pytest.approx(0.12), "acceptable")


@given(st.lists(st.builds(Scored, st.floats(0, 1), st.booleans()), min_size=10, max_size=60))
def test_errors_lie_between_nothing_and_everything(scored: list[Scored]) -> None:
    found = measure_reliability(scored)
    assert found is not None
    assert 0 <= found.ece <= found.mce <= 1
    assert 0 <= found.brier <= 1
    assert sum(each.count for each in found.bins) == len(scored)


def test_a_flip_is_surely_better_only_on_enough_of_them() -> None:
    assert surely_better(0, 0) == 0.5
    assert surely_better(2, 0) < 0.9 < surely_better(3, 0)
    assert surely_better(3, 3) == 0.5


def labelled(low: float, high: float, border: float, count: int) -> list[Labelled]:
    """Scores of which those above a border should have been reached."""
    step = (high - low) / (count - 1)
    return [Labelled(low + place * step, low + place * step >= border) for place in range(count)]


def test_mistakes_draw_a_bar_towards_where_it_would_have_been_right() -> None:
    known = labelled(0.5, 0.9, 0.6, 40)
    moved = follow_mistakes("priors", known, 0.7)
    assert 0.6 <= moved.value < 0.7
    assert follow_mistakes("priors", labelled(0.5, 0.9, 0.7, 40), 0.7).value == 0.7


def test_a_bar_below_which_something_is_gated_moves_the_other_way() -> None:
    known = [Labelled(each.score, not each.should) for each in labelled(0.1, 0.6, 0.3, 40)]
    assert follow_mistakes("doubt", known, 0.5).value < 0.5


def test_a_place_nearby_is_taken_where_it_surely_decides_better() -> None:
    known = labelled(0.5, 0.9, 0.65, 60)
    found = try_neighbours("priors", known, 0.7)
    assert found is not None
    assert found.value == 0.65
    before, after = share_right("priors", known, 0.7), share_right("priors", known, found.value)
    assert before is not None
    assert after is not None
    assert after > before
    assert try_neighbours("priors", labelled(0.5, 0.9, 0.7, 60), 0.7) is None


def test_the_whole_range_is_tried_and_what_was_held_out_has_to_agree() -> None:
    found = try_everywhere("priors", labelled(0.4, 0.95, 0.55, 150), 0.8)
    assert found is not None
    assert found.value == pytest.approx(0.55, abs=0.02)
    noise = random.Random(3)
    anyhow = [Labelled(noise.uniform(0.5, 0.9), noise.random() < 0.5) for _ in range(30)]
    assert try_everywhere("priors", anyhow, 0.7) is None or share_right("priors", anyhow, 0.7) is not None
