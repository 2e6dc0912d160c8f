"""What is measured here is what the work itself costs."""

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def without_what_others_left() -> Iterator[None]:
    """The collector goes through all that is held; what others left in this process is no cost of the work."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
