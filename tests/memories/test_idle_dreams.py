"""Dreams that begin by themselves: only where they are wanted, in quiet, once a day, and where anything has changed."""

from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from memotheca.app import look_after
from memotheca.memory.dream.sleeper import sleeper_of
from memotheca.model.clock import DAY, SECOND
from tests.conftest import Time
from tests.memories.librarian import Librarian, open_librarian

METER = "memotheca.memory.session.call_meter.monotonic"
ONE_DAY, QUIET = DAY // SECOND, 11 * 60


@pytest.fixture
def dreamer(tmp_path: Path, time: Time) -> Iterator[Librarian]:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "memotheca.toml").write_text("dream-when-idle = true\n")
    found = open_librarian(tmp_path, time)
    found.remember("The nightly job takes the lock.")
    yield found
    found.app.close()


def go_on(librarian: Librarian) -> int:
    """A round of upkeep, and the dream that it began; how many dreams went through by now."""
    look_after(librarian.app, lambda: False)
    sleep = sleeper_of(librarian.kernel).sleep
    assert sleep is None or sleep.ended.wait(30)
    return status(librarian)["completed_cycles"]


def status(librarian: Librarian) -> dict[str, Any]:
    return librarian.call("get_dream_status")


def scheduled(librarian: Librarian) -> Any:
    return librarian.call("get_autonomous_status")["services"].get("dream")


def test_it_dreams_once_a_day_where_nobody_asks_and_something_has_changed(
    dreamer: Librarian, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert go_on(dreamer) == 0, "somebody has just called"
    later = [QUIET]
    monkeypatch.setattr(METER, lambda: monotonic() + later[0])
    assert (scheduled(dreamer)["status"], scheduled(dreamer)["last_run"]) == ("due", None)
    later[0] += QUIET
    assert go_on(dreamer) == 1
    report = status(dreamer)["last_report"]
    assert (report["completed"], report["wake_reason"]) == (True, "cycle_complete")
    later[0] += QUIET
    assert go_on(dreamer) == 1, "it has dreamt today"
    time.advance(2 * ONE_DAY)
    later[0] += QUIET
    assert go_on(dreamer) == 1, "nothing has changed"
    assert scheduled(dreamer)["next_run"] is None
    dreamer.remember("The lift needs new oil in spring.")
    assert scheduled(dreamer)["status"] == "due"
    assert go_on(dreamer) == 1, "somebody has just called"
    later[0] += QUIET
    assert go_on(dreamer) == 2


def test_a_dream_that_was_woken_goes_on_after_a_quiet_spell(
    dreamer: Librarian, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on(dreamer)
    monkeypatch.setattr("memotheca.memory.dream.sleeper.Sleep.must_wake", wake_at_once)
    monkeypatch.setattr(METER, lambda: monotonic() + QUIET)
    assert go_on(dreamer) == 0
    assert status(dreamer)["last_report"]["wake_reason"] == "external_query"
    monkeypatch.undo()
    monkeypatch.setattr(METER, lambda: monotonic() + 2 * QUIET)
    assert go_on(dreamer) == 0, "it was woken a moment ago"
    time.advance(QUIET)
    monkeypatch.setattr(METER, lambda: monotonic() + 3 * QUIET)
    assert go_on(dreamer) == 1


def wake_at_once(sleep: Any) -> str:
    sleep.wake("external_query")
    return sleep.reason


def test_unless_it_is_wanted_nothing_dreams_by_itself(
    librarian: Librarian, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    librarian.remember("The nightly job takes the lock.")
    go_on(librarian)
    monkeypatch.setattr(METER, lambda: monotonic() + QUIET)
    time.advance(2 * ONE_DAY)
    assert go_on(librarian) == 0
    assert scheduled(librarian) is None


def test_a_dry_run_is_no_dream(dreamer: Librarian, monkeypatch: pytest.MonkeyPatch) -> None:
    dreamer.call("trigger_dream", blocking=True, dry_run=True)
    assert status(dreamer)["completed_cycles"] == 0
    monkeypatch.setattr(METER, lambda: monotonic() + QUIET)
    assert go_on(dreamer) == 1
