"""Every number of 16 bits has its 32."""

import numpy as np

from memotheca.vectors.float16 import widen

EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def same(halves: np.ndarray) -> bool:
    wide, plain = widen(halves), halves.astype(np.float32)
    return wide.dtype == np.float32 and wide.shape == plain.shape and wide.tobytes() == plain.tobytes()


def test_every_finite_number_becomes_the_same() -> None:
    assert same(EVERY[np.isfinite(EVERY)])
    assert same(EVERY[np.isfinite(EVERY)][:1000].reshape(20, 50))
    assert same(EVERY[np.isfinite(EVERY)][::7])
    assert same(np.empty((0, 384), np.float16))


def test_what_is_no_number_or_has_no_end_stays_so() -> None:
    for number in (np.inf, -np.inf, np.nan):
        assert same(np.array([0.5, number, -0.5], np.float16))
    assert same(EVERY)
