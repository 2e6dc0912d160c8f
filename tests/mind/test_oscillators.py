"""Coupled oscillators: the stronger the coupling, the more they are in step."""

import pytest

from memotheca.memory.focus.oscillators import FREQUENCIES, order_at, standard_frequencies, state_of

TABLE = {0.5: 0.33, 1: 0.53, 1.5: 0.67, 2: 0.79, 2.5: 0.87, 3: 0.92, 4: 0.96, 10: 0.995}


@pytest.mark.parametrize(("coupling", "order"), TABLE.items())
def test_the_order_at_each_coupling_is_the_one_that_was_measured(coupling: float, order: float) -> None:
    assert order_at(coupling) == pytest.approx(order, abs=0.05)


def test_the_order_rises_with_the_coupling_and_stays_within_bounds() -> None:
    orders = [order_at(each / 2) for each in range(1, 21)]
    assert orders == sorted(orders)
    assert 0 <= order_at(0) < 0.35
    assert order_at(99) == order_at(10) <= 1
    assert order_at(-1) == order_at(0)


def test_frequencies_are_taken_with_mean_0_and_spread_1() -> None:
    values = standard_frequencies()
    assert len(values) == len(FREQUENCIES) == 13
    assert sum(values) == pytest.approx(0)
    assert sum(each * each for each in values) == pytest.approx(13)


def test_every_order_has_one_state() -> None:
    names = [state_of(each) for each in (None, 0, 0.29, 0.3, 0.49, 0.5, 0.79, 0.8, 0.95, 0.96, 1)]
    assert names == [
        *["DORMANT"] * 3,
        *["FRAGMENTED"] * 2,
        *["EMERGING"] * 2,
        *["CONSCIOUS"] * 2,
        *["HYPERSYNC"] * 2,
    ]
