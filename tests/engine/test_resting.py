"""Python's collector rests in a process that stays, and what it leaves is collected between the calls."""

import gc
import weakref

import pytest

from memotheca.kernel import gc as collector


class Ring:
    """Holds itself, so that only the collector finds out that nobody else does."""

    def __init__(self):
        self.itself = self


@pytest.fixture
def calm():
    collector.calm_collector()
    yield
    gc.unfreeze()
    gc.enable()


@pytest.mark.parametrize("seldom", [0, 1_000_000])
def test_what_nobody_holds_is_collected_between_the_calls(calm, monkeypatch, seldom):
    monkeypatch.setattr(collector, "SELDOM", seldom)
    gone = weakref.ref(Ring())
    assert gone() is not None
    collector.tidy_up()
    assert gone() is None


def test_where_the_collector_works_nothing_is_tidied(monkeypatch):
    assert gc.isenabled()
    monkeypatch.setattr(gc, "collect", lambda generation: pytest.fail("nobody asked for it"))
    collector.tidy_up()
