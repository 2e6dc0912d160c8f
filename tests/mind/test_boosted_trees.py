"""Boosted trees: read as they were written, and refused where they do not fit together."""

import math
from typing import Any

import numpy as np
import pytest

from memotheca.memory.claims.boosted_trees import BoostedTrees, read_trees, write_trees
from memotheca.memory.claims.evidence import FEATURES
from memotheca.memory.claims.verdict import WEIGHTS, read_weights

# Two trees of two levels: the first asks about both features, the second only about the second one.
TREES = BoostedTrees(
    start=-1.0,
    features=np.array([[0, 1, 1], [1, 1, 1]]),
    bounds=np.array([[0.5, 2.0, 3.0], [1.0, 1.0, 1.0]]),
    leaves=np.array([[0.0, 1.0, 2.0, 3.0], [-0.5, -0.5, 0.5, 0.5]]),
    threshold=0.6,
)


@pytest.mark.parametrize(
    ("row", "score"),
    [((0.0, 0.0), -1.5), ((0.0, 2.0), 0.5), ((0.5, 2.9), 1.5), ((1.0, 3.0), 2.5)],
)
def test_a_row_goes_right_from_the_bound_on_and_its_leaves_add_up(row: tuple[float, float], score: float) -> None:
    assert TREES.ask(row) == pytest.approx(1 / (1 + math.exp(-score)))


def test_what_was_written_is_read_again() -> None:
    again = read_trees(write_trees(TREES), 2)
    assert again.ask((0.0, 2.0)) == TREES.ask((0.0, 2.0))
    assert again.threshold == TREES.threshold


@pytest.mark.parametrize(
    "wrong",
    [
        {"features": [[0, 1, 2], [1, 1, 1]]},
        {"bounds": [[0.5, 2.0, 3.0]]},
        {"leaves": [[0.0, 1.0], [0.0, 1.0]]},
        {"features": [[0, 1], [1, 1]], "bounds": [[0.5, 2.0], [1.0, 1.0]], "leaves": [[0, 1, 2], [0, 1, 2]]},
    ],
)
def test_trees_that_do_not_fit_together_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        read_trees({**write_trees(TREES), **wrong}, 2)


def test_the_shipped_trees_are_for_the_features_of_this_program() -> None:
    learned = read_weights(WEIGHTS)
    assert set(learned.names) <= FEATURES
    assert 0 < learned.change.threshold < 1
    assert 0 < learned.duplicate.threshold < 1
