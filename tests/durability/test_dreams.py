"""A dream that is killed leaves the store before or after a slice; programs on one directory dream once."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from memotheca.memory.curation.links import new_link
from memotheca.model.clock import DAY, system_clock
from memotheca.model.kinds import SEMANTIC
from tests.conftest import open_vault
from tests.durability.accounts import find_damage
from tests.durability.processes import Child, hear
from tests.memories.librarian import Librarian
from tests.memories.test_keeping import state_of
from tests.patience import until

pytestmark = [pytest.mark.xdist_group("durability"), pytest.mark.slow]

MEMORIES = 40


def furnish(folder: Path) -> Librarian:
    """Memories that once were taken to be alike and were not asked for since: a dream weakens every link."""
    writer = open_vault(folder, system_clock)
    librarian = Librarian(writer.app, writer.vault)
    ids = [librarian.remember(f"Cup {n} is kept on shelf {n}.", session_id=str(n)) for n in range(MEMORIES)]

    def put(transaction: Any) -> None:
        transaction.describe("CREATE")
        for one, other in pairwise(ids):
            edge = new_link(transaction, (one, other), SEMANTIC, weight=0.6, predicate="resembles")
            transaction.put(replace(edge, confidence=0.6, created_at=edge.created_at - 200 * DAY))

    librarian.kernel.write(put, actor="tester")
    return librarian


@pytest.mark.parametrize("slices", [1, 3, 9])
def test_a_killed_dream_leaves_the_store_before_or_after_a_slice(tmp_path: Path, slices: int) -> None:
    librarian = furnish(tmp_path)
    before = state_of(librarian)
    with Child("dreamer.py", tmp_path / "data", "once") as child:
        run = hear(child).split()[1]
        while len(child.lines) <= slices:
            hear(child)
        child.kill()
    assert find_damage(librarian.kernel.store) == []
    # A file is let go of at once, a row when there was no sign of life for long enough.
    until(lambda: not librarian.call("get_dream_status")["is_dreaming"])
    told = librarian.reply("get_dream_status")
    assert (told.structured or {})["cut_off"] == run
    assert run in told.blocks[0]["text"]
    changed = dict(state_of(librarian))
    moved = [id for id, thing in before if changed[id] != thing]
    assert len(moved) >= slices
    assert all(changed[id].attributes["nt"]["inhibitory"] > 0 for id in moved)
    again = librarian.call("trigger_dream", blocking=True, force=True, phase="nrem")
    assert again["report"]["completed"]
    assert "cut_off" not in librarian.call("get_dream_status")
    for name in (again["dream_id"], run):
        librarian.call("restore_from_hash", reversal_hash=name)
    assert state_of(librarian) == before
    librarian.app.close()


def test_two_programs_dream_once_and_one_wakes_the_other(tmp_path: Path) -> None:
    librarian = furnish(tmp_path)
    with Child("dreamer.py", tmp_path / "data", "forever") as child:
        run = hear(child).split()[1]
        with Child("dreamer.py", tmp_path / "data", "once") as other:
            assert hear(other) == "awake"
            other.finish()
        assert not librarian.call("trigger_dream", force=True)["triggered"]
        status = librarian.call("get_dream_status")
        assert status["is_dreaming"]
        assert status["progress"]["dream_id"] == run
        aborted = librarian.call("abort_dream", reason="enough")
        assert aborted["aborted"], json.dumps(aborted)
        child.finish()
        assert child.lines[-1].startswith("ended manual_abort None ")
    assert librarian.call("get_dream_status")["last_report"]["wake_reason"] == "manual_abort"
    librarian.app.close()


def test_a_question_to_one_program_wakes_the_dream_of_another_within_a_tenth_of_a_second(tmp_path: Path) -> None:
    librarian = furnish(tmp_path)
    with Child("dreamer.py", tmp_path / "data", "lightly") as child:
        hear(child)
        while not librarian.call("get_dream_status")["is_dreaming"]:
            hear(child)
        assert librarian.found("Where is cup 7?")
        child.finish()
        reason, _, latency = child.lines[-1].split()[1:]
    assert reason == "external_query"
    assert 0 < float(latency) < 100
    librarian.app.close()
