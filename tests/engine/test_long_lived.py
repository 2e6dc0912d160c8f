"""A process that has lived through everything answers as one that was started a moment ago."""

import json
import logging
import os
import re
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest

from memotheca.admin.vault_health import inspect_vaults
from memotheca.notes.sync import sync_everything
from memotheca.parsing.isolation.sandbox import Sandbox
from tests.engine.world import Mishaps, Process, World, questions

# More, and longer, where somebody looks for faults: LONG_LIVED=0-200 STEPS=300.
FIRST, LAST = (int(part) for part in os.environ.get("LONG_LIVED", "0-8").split("-"))
STEPS = int(os.environ.get("STEPS", "75"))
EVERY = 15

# What is measured while it is answered, the id that an answer is given, what a process holds in memory at the moment
# (how many judgements, and so whether that layer is warm), and what `judge_lately` keeps beside a result: by the
# entry, its last change and the sample, although whom the entry is joined to counts too. Where one of those who is no
# member of the sample has changed, a process that judged before answers as it did then. With `judge_all` in its place
# nothing differs (LONG_LIVED=2-3 STEPS=120 without this mask).
MEASURED = re.compile(
    r'"(?:\w*ms|\w*time_seconds|\w+_mb|judgements_held)": [0-9.e-]+|"(?:johari|dominant_embedder)": "\w+"'
    r'|"status": "(?:warm|cold)"|"prediction_id": "pred_[0-9a-f]+"'
)


@pytest.fixture(scope="module")
def sandbox() -> Any:
    found = Sandbox()
    yield found
    found.close()


def answer(process: Process, tool: str, said: dict[str, Any]) -> str:
    reply = process.reply(tool, **said)
    told = {key: value for key, value in (reply.structured or {}).items() if key != "_warnings"}
    return MEASURED.sub("0", json.dumps([reply.failed, told], ensure_ascii=False, indent=1, sort_keys=True))


def compare(world: World, happened: list[str]) -> None:
    world.settle()
    for process in world.processes:
        world.clock.stands = True
        fresh = world.open(process.name)
        for tool, said in questions(world, fresh):
            old, new = answer(process, tool, said), answer(fresh, tool, said)
            differing = list(unified_diff(old.split("\n"), new.split("\n"), "old", "new", n=2))
            assert not differing, "\n".join([f"{tool} {said} of {process.name} after {happened}", *differing])
        fresh.close()
        world.settle()
        world.clock.stands = False


@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_a_long_life_changes_no_answer(tmp_path: Path, monkeypatch: Any, sandbox: Sandbox, seed: int) -> None:
    logging.disable(logging.CRITICAL)
    mishaps = Mishaps()
    mishaps.install(monkeypatch)
    world = World(tmp_path, seed, sandbox, mishaps)
    happened: list[str] = []
    try:
        for number in range(1, STEPS + 1):
            happened.append(world.step())
            if number % EVERY == 0:
                compare(world, happened)
        sync_everything(world.processes[0].kernel)
        unwell = [finding for finding in inspect_vaults(world.processes[0].kernel) if not finding.well]
        assert not unwell, (unwell, happened)
    finally:
        world.close()
        logging.disable(logging.NOTSET)
