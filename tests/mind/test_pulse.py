"""The pulse, the quadrants and the learning score: total, monotone, and moved by what they measure."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memotheca.memory.session.learning import (
    PHASES,
    emphasis,
    lambdas,
    learning_score,
    phase_at,
)
from memotheca.memory.session.modulators import (
    cut_off,
    learning_share,
    levels_at,
    reward,
    share_compared,
    sharpen,
    shift,
    startle,
    variety,
    widened,
)
from memotheca.memory.session.pulse import Situation, suggest, take_pulse
from memotheca.memory.session.quadrants import QUADRANTS, Grounds, Quadrant, confidence, insights, quadrant
from memotheca.memory.spaces.space_table import COUNT, IDS
from memotheca.memory.spaces.space_weights import active_spaces, aggregate, space_weights
from memotheca.memory.verbs import Verb
from memotheca.model.clock import SECOND

BARE = Grounds(has_cause=False, is_linked=False, has_code=False)
WITHOUT_REASON = "Open(E1) but nothing for E5: knows WHAT but not WHY, no cause is stated or linked"
SHARE = st.floats(0, 1)
LISTED = {None, Verb.ASK, Verb.CRITICISE, Verb.TEND, Verb.SURROUND, Verb.REFLECT}


def test_every_point_of_the_square_has_one_suggestion() -> None:
    seen = {suggest(entropy / 100, coherence / 100) for entropy in range(101) for coherence in range(101)}
    assert seen == LISTED - {Verb.REFLECT}


@pytest.mark.parametrize(
    ("entropy", "coherence", "action"),
    [
        (0.8, 0.6, Verb.ASK),
        (0.8, 0.3, Verb.CRITICISE),
        (0.8, 0.45, Verb.CRITICISE),
        (0.3, 0.3, Verb.SURROUND),
        (0.5, 0.3, Verb.TEND),
        (0.3, 0.8, None),
    ],
)
def test_the_corners_suggest_what_they_are_for(entropy: float, coherence: float, action: Verb | None) -> None:
    assert suggest(entropy, coherence) == action


def test_what_is_going_on_comes_before_the_numbers() -> None:
    assert suggest(0.3, 0.9, Situation(workspace_empty=True, has_conflict=True)) == Verb.ASK
    assert suggest(0.3, 0.9, Situation(has_conflict=True)) == Verb.CRITICISE
    assert suggest(0.3, 0.9, Situation(has_urgent_task=True)) == Verb.TEND
    assert suggest(0.3, 0.9, Situation(is_looping=True)) == Verb.REFLECT


@given(SHARE, SHARE)
def test_a_pulse_says_what_its_numbers_say(entropy: float, coherence: float) -> None:
    pulse = take_pulse(entropy, coherence, 0.2)
    assert pulse.suggested in LISTED
    assert pulse.quadrant == quadrant(entropy, coherence)


@given(SHARE, SHARE)
def test_more_weight_on_novelty_raises_the_score_of_what_is_newer_than_fitting(delta_s: float, delta_c: float) -> None:
    little = learning_score(delta_s, delta_c, weights=(0.3, 0.7))
    much = learning_score(delta_s, delta_c, weights=(0.7, 0.3))
    assert (much - little) * (delta_s - delta_c) >= -1e-12
    assert 0 <= little <= 1


def test_the_weights_go_over_from_one_age_to_the_next() -> None:
    assert lambdas(0) == pytest.approx((0.7, 0.3))
    assert lambdas(50) == pytest.approx((0.6, 0.4))
    assert lambdas(200) == pytest.approx((0.5, 0.5))
    assert lambdas(600) == pytest.approx((0.3, 0.7))
    assert [phase_at(count).name for count in (0, 49, 50, 499, 500)] == [
        "Infancy",
        "Infancy",
        "Growth",
        "Growth",
        "Maturity",
    ]
    assert [phase.begins for phase in PHASES] == sorted(phase.begins for phase in PHASES)


def test_emphasis_rises_with_stress_and_falls_with_doubt() -> None:
    assert emphasis("Never do this!") > emphasis("Do this.") > emphasis("Perhaps do this, maybe.")
    assert emphasis("!" * 50) == 1.5


@pytest.mark.parametrize("kind", ["semantic", "causal", "code", "temporal", "fact"])
def test_weights_of_the_spaces_sum_to_one(kind: str) -> None:
    assert math.isclose(sum(space_weights(kind)), 1.0)
    assert aggregate([1.0] * COUNT, space_weights(kind), [True] * COUNT) == pytest.approx(1.0)


def test_a_space_that_abstains_takes_nothing_from_the_others() -> None:
    counted = [id in ("E1", "E6") for id in IDS]
    values = [{"E1": 0.8, "E6": 0.2}.get(id, 0.0) for id in IDS]
    weights = dict(zip(IDS, space_weights("semantic"), strict=True))
    share = weights["E1"] / (weights["E1"] + weights["E6"])
    assert aggregate(values, space_weights("semantic"), counted) == pytest.approx(share * 0.8 + (1 - share) * 0.2)


def test_quadrants_follow_novelty_and_fit() -> None:
    assert [quadrant(s, c) for s, c in ((0.2, 0.9), (0.9, 0.2), (0.2, 0.2), (0.9, 0.9))] == list(QUADRANTS)
    assert confidence(0.5, 0.5) == 0
    assert confidence(0.0, 1.0) == 1


def test_quadrants_of_several_spaces_say_something_together() -> None:
    mixed: list[Quadrant] = ["Open" if id == "E1" else "Blind" for id in IDS]
    found = insights(dict(zip(IDS, mixed, strict=True)), BARE)
    assert WITHOUT_REASON in found
    assert insights(dict.fromkeys(IDS, QUADRANTS[3]), BARE) == [
        "Unknown wherever it can be told: the frontier of what is known"
    ]
    known = replace(BARE, has_cause=True, is_linked=True)
    assert insights(dict.fromkeys(IDS, QUADRANTS[0]), known) == [
        "Open in 13 of the 13 spaces that tell something of it: well integrated"
    ]
    assert insights({"E1": "Open", "E6": "Open"}, known) == []


def test_nearness_alone_does_not_say_that_a_cause_or_a_link_is_missing() -> None:
    seen: dict[str, Quadrant] = dict.fromkeys(IDS, "Blind")
    seen["E1"] = seen["E11"] = "Open"
    seen["E8"] = "Hidden"
    missing = {WITHOUT_REASON, "Open(E11) but nothing for E8: known names, and no memory is linked to it"}
    assert missing <= set(insights(seen, BARE))
    known = replace(BARE, has_cause=True, is_linked=True)
    assert missing.isdisjoint(insights(seen, known))
    code: dict[str, Quadrant] = dict.fromkeys(IDS, "Blind")
    code["E7"] = "Open"
    told = "Blind(E1) but Open(E7): known code without its context"
    assert told not in insights(code, BARE)
    assert told in insights(code, replace(BARE, has_code=True))


def test_at_rest_every_result_passes_and_elation_lets_the_tail_go():
    rest = levels_at(0, None)
    assert cut_off(rest) == 0
    assert cut_off(rest, 0.3) == 0.3
    elated, low = shift(rest, "dopamine", 2), shift(rest, "dopamine", -2)
    assert cut_off(elated) == pytest.approx(0.3)
    assert cut_off(elated, 0.3) == pytest.approx(0.6)
    assert cut_off(low, 0.3) == pytest.approx(0)
    assert cut_off(startle(elated, 1)) == cut_off(elated)


def test_rewards_alone_cut_nothing_off_and_reorder_nothing():
    praised = blamed = levels_at(0, None)
    for _ in range(100):
        praised, blamed = reward(praised, 1), reward(blamed, -1)
    assert (praised.values["dopamine"], blamed.values["dopamine"]) == pytest.approx((4, 2))
    for levels in (praised, blamed):
        assert cut_off(levels) == variety(levels) == pytest.approx(0)
    turned = shift(levels_at(0, None), "dopamine", 2)
    assert reward(turned, 1).values == turned.values


def test_variety_is_wanted_well_above_rest_and_the_opposite_well_below():
    rest = levels_at(0, None)
    costs = [variety(shift(rest, "serotonin", by)) for by in (-0.5, -0.3, -0.1, 0, 0.05, 0.1, 0.3, 0.5)]
    assert costs == pytest.approx([-0.3, -0.15, 0, 0, 0, 0, 0.15, 0.3])


def test_the_more_serotonin_the_more_spaces_compare():
    rest = levels_at(0, None)
    counts = [len(active_spaces(share_compared(shift(rest, "serotonin", by)))) for by in (-0.5, 0, 0.2, 0.5)]
    assert counts == [1, 1, 3, 8]


def test_a_start_widens_the_view_and_sharpening_speeds_learning():
    rest = levels_at(0, None)
    assert widened(100, rest) == 100
    assert widened(100, startle(rest, 0.5)) == 150
    assert learning_share(rest, 100, 100) == pytest.approx(0.1)
    assert learning_share(sharpen(rest), 100, 100) == pytest.approx(0.15)
    assert learning_share(sharpen(sharpen(rest)), 100, 100) == pytest.approx(0.2)


def test_the_first_memories_of_a_session_count_as_in_a_plain_mean_with_its_beginning():
    rest = levels_at(0, None)
    assert [learning_share(rest, stored, 100) for stored in range(3)] == pytest.approx([1 / 2, 1 / 3, 1 / 4])
    assert learning_share(rest, 0, 5) == pytest.approx(0.1)
    assert learning_share(sharpen(sharpen(rest)), 0, 100) == 1


def test_a_level_outlasts_the_pause_between_two_calls():
    raised = startle(levels_at(0, None), 0.5)
    assert levels_at(60 * SECOND, raised.to_json()).values["noradrenaline"] > 1.4
    assert levels_at(3600 * SECOND, raised.to_json()).values["noradrenaline"] == pytest.approx(1, abs=0.01)


def test_a_level_fades_with_questions_too():
    raised = shift(levels_at(0, None), "serotonin", 0.4)
    assert levels_at(0, raised.to_json(), questions=20).values["serotonin"] == pytest.approx(0.7)
    assert levels_at(0, raised.to_json(), questions=200).values["serotonin"] == pytest.approx(0.5, abs=0.001)
    sharp = sharpen(levels_at(0, None))
    assert levels_at(0, sharp.to_json(), questions=200).values == sharp.values


def test_it_is_known_when_a_level_was_moved_last():
    moved = shift(levels_at(7, None), "dopamine", 0.5)
    assert moved.changed == {"dopamine": 7, "noradrenaline": 7}
    assert levels_at(9, moved.to_json()).changed == moved.changed
