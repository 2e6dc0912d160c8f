"""Whatever the memory does to itself is undone by its hash, in any order: dreams, pruning, consolidation, correction,
recalibration."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Time
from tests.memories.gardens import BAKERY, CHOIR, REACTOR, tell
from tests.memories.librarian import Librarian, open_librarian
from tests.memories.planted_outcomes import Planted, put_outcomes
from tests.memories.test_dreams import chained, walk
from tests.memories.test_drift import ONE_DAY, begin
from tests.memories.test_keeping import SLIGHT, candidates, pass_days, state_of
from tests.memories.test_moving_bars import TOO_SURE, plant

Deed = Callable[[Librarian], dict[str, Any]]


def prune(librarian: Librarian) -> dict[str, Any]:
    found = list(candidates(librarian))[:3]
    return librarian.call("execute_prune", node_ids=found, reason="staleness") if found else {"reversal_hashes": []}


def calls(name: str, **more: Any) -> Deed:
    return lambda librarian: librarian.call(name, **more)


DEEDS: Mapping[str, Deed] = {
    "nrem": calls("trigger_dream", blocking=True, force=True, phase="nrem"),
    "full": calls("trigger_dream", blocking=True, force=True),
    "prune": prune,
    "consolidation": calls("trigger_consolidation", min_similarity=0.5),
    "reinforcement": calls("trigger_drift_correction", target_alignment=0.7),
    "extension": calls("trigger_drift_correction", force=True),
    "level 1": calls("trigger_recalibration", level=1),
    "level 2": calls("trigger_recalibration", level=2),
    "level 3": calls("trigger_recalibration", level=3),
    "level 4": calls("trigger_recalibration", level=4),
    "lambda": calls("trigger_lambda_recalibration"),
}


def hashes_of(done: Mapping[str, Any]) -> list[str]:
    """What takes a deed back; none where it changed nothing."""
    if "triggered" in done:
        return [done["dream_id"]] if done["report"]["reversal_hashes"] else []
    if "reversal_hashes" in done:
        return list(done["reversal_hashes"])
    return [done["reversal_hash"]] if done["reversal_hash"] else []


def furnish(librarian: Librarian, time: Time) -> None:
    """A goal and a week beside it, a way that is walked often, what says the same, what may go, and outcomes."""
    begin(librarian, time)
    chained(librarian)
    slight = librarian.remember(SLIGHT, importance=0.1)
    old = librarian.remember("The gateway listens on port 8080.")
    librarian.remember("The gateway listens on port 9090.", supersedes=[old])
    pass_days(librarian, 100)
    time.advance(10 * ONE_DAY)
    tell(librarian, REACTOR[:4], BAKERY, BAKERY[:2], CHOIR[:3])
    walk(librarian, 6)
    put_outcomes(librarian, slight, 80, Planted(wrong=0.9))
    plant(librarian, "change", TOO_SURE)
    plant(librarian, "priors", [(0.5 + place / 300, 0.5 + place / 300 >= 0.6) for place in range(120)])


@pytest.mark.slow
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(deeds=st.lists(st.sampled_from(sorted(DEEDS)), min_size=1, max_size=5))
def test_any_deeds_undone_one_after_the_other_give_each_state_before(
    tmp_path_factory: pytest.TempPathFactory, deeds: list[str]
) -> None:
    time = Time()
    librarian = open_librarian(tmp_path_factory.mktemp("undone"), time)
    furnish(librarian, time)
    done: list[tuple[str, Any, list[str]]] = []
    for name in deeds:
        before = state_of(librarian)
        done.append((name, before, hashes_of(DEEDS[name](librarian))))
    for name, before, hashes in reversed(done):
        for reversal in hashes:
            librarian.call("restore_from_hash", reversal_hash=reversal)
        assert state_of(librarian) == before, name
    librarian.app.close()


@pytest.mark.parametrize("name", sorted(DEEDS))
def test_each_deed_does_something_that_is_undone(librarian: Librarian, time: Time, name: str) -> None:
    furnish(librarian, time)
    before = state_of(librarian)
    hashes = hashes_of(DEEDS[name](librarian))
    assert hashes
    assert state_of(librarian) != before
    for reversal in hashes:
        librarian.call("restore_from_hash", reversal_hash=reversal)
    assert state_of(librarian) == before
