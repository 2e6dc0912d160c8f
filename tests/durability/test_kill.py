"""Processes that are killed while they write lose nothing that was acknowledged, and hinder nobody."""

import json
import os
import random
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memotheca.app import open_store
from tests.durability.accounts import find_damage, find_lost
from tests.durability.processes import Child, follow
from tests.patience import PATIENCE

pytestmark = [pytest.mark.xdist_group("durability"), pytest.mark.slow]

WRITERS = 8
READERS = 2
WRITES = 500
ROUNDS = 30


class Crowd:
    """Writers and readers on one data directory; each killed one is started again where its acknowledgements end."""

    def __init__(self, data: Path, seed: int) -> None:
        self.data = data
        self.seed = seed
        self.rng = random.Random(seed)
        self.acks: dict[str, list[dict[str, Any]]] = {f"w{number}": [] for number in range(WRITERS)}
        self.lives: Counter[str] = Counter()
        self.killed: set[str] = set()
        self.seen: dict[str, list[int]] = {f"r{number}": [] for number in range(READERS)}
        self.children = {name: self.start(name) for name in (*self.acks, *self.seen)}

    @property
    def acknowledged(self) -> int:
        return sum(map(len, self.acks.values()))

    def start(self, name: str) -> Child:
        self.lives[name] += 1
        if name in self.seen:
            return Child("reader.py", self.data)
        numbers = f"{len(self.acks[name]) + 1}-{WRITES}"
        return Child("writer.py", self.data, name, self.lives[name], self.seed, numbers)

    def note(self, name: str, lines: list[str]) -> None:
        if name in self.seen:
            self.seen[name] += map(int, lines)
        else:
            self.acks[name] += map(json.loads, lines)

    def run_until(self, acknowledged: int) -> None:
        """Let everybody work until that many writes are acknowledged in all."""
        names = {child: name for name, child in self.children.items()}
        for child, lines in follow(list(names), PATIENCE):
            self.note(names[child], lines)
            assert not child.ended or child.finish() == 0, child.complaint
            if self.acknowledged >= acknowledged:
                return

    def kill(self, victims: list[str]) -> None:
        """Kill them all first, so that everybody can be dead at once, then start them again."""
        busy = [name for name in victims if not self.children[name].ended]
        for name in busy:
            self.children[name].process.kill()
        for name in busy:
            child, known = self.children[name], len(self.children[name].lines)
            assert child.finish() in (0, -signal.SIGKILL), child.complaint
            self.note(name, child.lines[known:])
            self.killed.add(f"{name}.{self.lives[name]}")
        for name in busy:
            if name in self.seen or len(self.acks[name]) < WRITES:
                self.children[name] = self.start(name)

    def __enter__(self) -> "Crowd":
        return self

    def __exit__(self, *_: object) -> None:
        for child in self.children.values():
            child.__exit__()

    def dismiss_readers(self) -> None:
        for name in self.seen:
            child, known = self.children[name], len(self.children[name].lines)
            child.hang_up()
            assert child.finish() == 0, child.complaint
            self.note(name, child.lines[known:])


def work_and_die(crowd: Crowd) -> None:
    everybody = list(crowd.children)
    moments = sorted(crowd.rng.sample(range(1, WRITERS * WRITES - 50), ROUNDS))
    all_at_once = crowd.rng.choice(moments)
    for moment in moments:
        crowd.run_until(moment)
        count = crowd.rng.randint(1, len(everybody))
        crowd.kill(everybody if moment == all_at_once else crowd.rng.sample(everybody, count))
    crowd.run_until(WRITERS * WRITES)
    crowd.dismiss_readers()
    for name in crowd.acks:
        if not crowd.children[name].pipes_closed:
            assert crowd.children[name].finish() == 0, crowd.children[name].complaint


def check_writers(crowd: Crowd) -> dict[str, int]:
    """Nobody was refused, everything acknowledged is there, and nothing else but the last write of a killed life."""
    acks = [ack for each in crowd.acks.values() for ack in each]
    assert [ack for ack in acks if "refused" in ack] == []
    assert [len(each) for each in crowd.acks.values()] == [WRITES] * WRITERS

    store = open_store(crowd.data)
    assert find_damage(store) == []
    assert find_lost(store, acks) == []
    with store.read("default") as snapshot:
        committed = {found.tx: found.actor for found in snapshot.commits()}
    store.close()

    by_tx = {ack["tx"]: ack for ack in acks}
    assert len(by_tx) == len(acks), "two writes were acknowledged with one number"
    assert all(committed[tx] == ack["life"] for tx, ack in by_tx.items())
    in_doubt = Counter(actor for tx, actor in committed.items() if tx not in by_tx)
    assert set(in_doubt) <= crowd.killed, "a writer that was not killed has written without an acknowledgement"
    assert all(count == 1 for count in in_doubt.values()), "a life can leave one write in doubt, its last"
    return {"kills": len(crowd.killed), "acknowledged": len(acks), "in doubt": in_doubt.total(), "lost": 0}


def check_readers(crowd: Crowd) -> None:
    """Each saw the numbers grow, and in the end the newest; an error would have ended it."""
    newest = max(ack["tx"] for each in crowd.acks.values() for ack in each)
    for numbers in crowd.seen.values():
        assert numbers == sorted(numbers)
        assert numbers[-1] >= newest


def test_writers_that_are_killed_again_and_again_lose_no_acknowledged_write_and_disturb_no_reader(tmp_path):
    seed = int(os.environ.get("MEMOTHECA_TEST_SEED", "20260301"))
    print(f"MEMOTHECA_TEST_SEED={seed}")
    with Crowd(tmp_path, seed) as crowd:
        work_and_die(crowd)
    print(check_writers(crowd))
    check_readers(crowd)
