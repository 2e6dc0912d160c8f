"""Cones open outwards: a child further out in the same direction lies inside, what is nearer the middle never does."""

import numpy as np
import pytest

from memotheca.memory.spaces.hyperbolic import WIDTH, angle, aperture, membership, pull


def at(radius, cosine=1.0):
    """A point at a distance from the middle, in a direction that has this cosine with the first axis."""
    point = np.zeros(WIDTH)
    point[0], point[1] = radius * cosine, radius * np.sqrt(1 - cosine**2)
    return point


def test_a_child_in_the_same_direction_is_inside_and_its_parent_is_not_inside_it():
    parent, child = at(0.3), at(0.8)
    assert angle(parent, child) == pytest.approx(0, abs=1e-6)
    assert membership(parent, child, 0) == 1
    assert membership(child, parent, 0) == 0
    assert membership(parent, at(0.8, -1.0), 0) < 0.05


@pytest.mark.parametrize(("cosine", "wanted"), [(1.0, 0.0), (0.95, 0.59), (0.9, 0.83), (0.8, 1.13), (0.7, 1.35)])
def test_the_angle_grows_as_directions_part(cosine, wanted):
    assert angle(at(0.3), at(0.8, cosine)) == pytest.approx(wanted, abs=0.01)


def test_a_cone_is_narrower_further_down():
    assert [aperture(depth) for depth in range(3)] == pytest.approx([1.0, 0.85, 0.7225])
    assert membership(at(0.3), at(0.8, 0.8), 0) > membership(at(0.3), at(0.8, 0.8), 2)


def test_a_stated_child_is_pulled_beyond_its_parent_and_towards_it():
    parent, child = at(0.6), at(0.3, 0.2)
    pulled = pull(child, parent)
    assert np.linalg.norm(pulled) == pytest.approx(0.68)
    assert membership(parent, pulled, 0) > membership(parent, at(0.68, 0.2), 0)
