"""What calls cost in this tree and in others, on the processor: the same calls through dispatch, taking turns.

    git worktree add --detach ../before 770df92
    python benchmarks/before_after.py ../before

Each tree has a process of its own, with a data directory of its own and no embedder; in each round every tree makes
the same calls, one tree after the other, so that what slows a machine down slows them all. `--statements` counts the
SQL of a call instead, `--profile CALL` shows where this tree spends it. The starter's patterns have an embedder of
their own: where one tree has the model's files, the others need them too (a link will do).
"""

import argparse
import cProfile
import importlib
import itertools
import json
import os
import pstats
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from timing import median, paired_ratio

HERE = Path(__file__).resolve().parent.parent
FILLED = 300  # entries that are there before the first call is timed
WORDS = """
    deploy rollback release canary metric alert queue worker cache shard index vector token budget secret policy backup
    restore snapshot ledger commit branch merge review ticket sprint gateway proxy cluster replica quorum timeout retry
    latency throughput memory kernel thread socket packet header schema column migration partition tenant invoice refund
    harbor window engine garden letter market river stone bridge winter summer paper silver copper
""".split()
# How often a call is made in a round.
CALLS = {
    "store": 10,
    "query": 10,
    "query topic": 10,
    "update": 10,
    "relate": 10,
    "query_graph": 10,
    "history": 10,
    "search_patterns": 4,
    "store_memory": 4,
    "search_graph": 6,
}


class Script:
    """The same calls in the same order, whoever makes them."""

    def __init__(self) -> None:
        self._random = random.Random(7)
        self._counted = itertools.count(1)

    def _say(self, words: int) -> str:
        return " ".join(self._random.choices(WORDS, k=words))

    def sentence(self) -> str:
        return f"{self._say(9).capitalize()}. {self._say(12).capitalize()} {next(self._counted)}."

    def arguments(self, call: str) -> tuple[str, dict[str, Any]]:
        n = next(self._counted)
        made: dict[str, Callable[[], dict[str, Any]]] = {
            "store": lambda: {"topic": self._say(3), "content": self.sentence(), "tags": [self._say(1)]},
            "query": lambda: {"content": self._say(4)},
            "query topic": lambda: {"topic": self._say(1)},
            "update": lambda: {"id": f"e-{n % FILLED + 1}", "content": self.sentence()},
            "relate": lambda: {
                "subject": f"{self._say(1)} {n}",
                "predicate": "uses",
                "object": f"{self._say(1)} {n % 40}",
            },
            "query_graph": lambda: {"subject": self._say(1)},
            "history": dict,
            "search_patterns": lambda: {"q": self._random.choice(("retry with backoff", "cache", "memory decay"))},
            "store_memory": lambda: {"content": self.sentence(), "rationale": "worth keeping"},
            "search_graph": lambda: {"query": self._say(4)},
        }
        return call.split(maxsplit=1)[0], made[call]()


class Tree:
    """One tree, in the process that serves it."""

    def __init__(self, source: Path, data: Path) -> None:
        # It had another name once.
        package = next(path.parent.name for path in source.glob("*/app.py"))

        def find(name: str) -> Any:
            place = next(
                path for path in sorted((source / package).rglob("*.py")) if f"\ndef {name}(" in path.read_text()
            )
            return getattr(importlib.import_module(".".join(place.relative_to(source).with_suffix("").parts)), name)

        app, settings = (importlib.import_module(f"{package}.{name}") for name in ("app", "settings"))
        self._call = importlib.import_module(f"{package}.toolkit.tool").Call
        self.app = app.build(settings.load({"data": str(data), "toolsets": "all"}, {}))
        find("choose_embedder")(self.app.kernel.store, self.app.kernel.collection, "none")
        self.script = Script()

    def run(self, call: str) -> float:
        name, arguments = self.script.arguments(call)
        made = self._call(kernel=self.app.kernel, actor="bench")
        began = time.process_time()
        reply = self.app.dispatcher.run(name, arguments, made)
        took = time.process_time() - began
        if reply.failed:
            raise RuntimeError(f"{name}: {reply.structured}")
        return took * 1000

    def fill(self) -> None:
        for _ in range(FILLED):
            self.run("store")
        for call in CALLS:
            for _ in range(40):
                self.run(call)

    def count(self, call: str) -> dict[str, int]:
        """The statements of a call, by how they begin."""
        session = importlib.import_module(f"{type(self.app).__module__.split('.')[0]}.storage.sqlite").SQLiteSession
        told: dict[str, int] = {}
        kept = {name: getattr(session, name) for name in ("rows", "run", "run_many") if hasattr(session, name)}
        for name, method in kept.items():

            def heard(self: Any, sql: str, *given: Any, _method: Any = method) -> Any:
                told[" ".join(sql.split())[:150]] = told.get(" ".join(sql.split())[:150], 0) + 1
                return _method(self, sql, *given)

            setattr(session, name, heard)
        self.run(call)
        for name, method in kept.items():
            setattr(session, name, method)
        return told

    def profile(self, call: str, times: int) -> None:
        profile = cProfile.Profile()
        profile.enable()
        for _ in range(times):
            self.run(call)
        profile.disable()
        for order in ("cumulative", "tottime"):
            pstats.Stats(profile, stream=sys.stderr).sort_stats(order).print_stats(70)


def serve(source: Path) -> None:
    """In a process of its own: a line in, a line out."""
    with TemporaryDirectory() as folder:
        tree = Tree(source, Path(folder))
        tree.fill()
        print("ready", flush=True)
        for line in sys.stdin:
            act, call, times = json.loads(line)
            if act == "count":
                answer: Any = tree.count(call)
            elif act == "profile":
                answer = tree.profile(call, times)
            else:
                answer = [tree.run(call) for _ in range(times)]
            print(json.dumps(answer), flush=True)


class Process:
    """The process of a tree, from outside."""

    def __init__(self, tree: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONHASHSEED": "0"}
        command = [sys.executable, __file__, "--serve", str(tree / "src")]
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._read()

    def _read(self) -> str:
        assert self._process.stdout is not None
        if not (line := self._process.stdout.readline()):
            raise RuntimeError("a tree's process has ended; its complaint stands above")
        return line

    def ask(self, act: str, call: str, times: int = 1) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([act, call, times]) + "\n")
        self._process.stdin.flush()
        return json.loads(self._read())

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)


def rows(trees: dict[str, Process], rounds: int, calls: dict[str, int]) -> Iterator[tuple[str, ...]]:
    samples: dict[tuple[str, str], list[float]] = {(call, name): [] for call in calls for name in trees}
    for turn in range(rounds):
        for call, times in calls.items():
            # Whoever begins is another one each time.
            order = [*trees][turn % len(trees) :] + [*trees][: turn % len(trees)]
            for name in order:
                samples[call, name] += trees[name].ask("run", call, times)
    yield ("call", *(f"{name} ms" for name in trees), *(f"{name} ratio" for name in [*trees][1:]))
    for call, times in calls.items():
        ours = {name: samples[call, name] for name in trees}
        least = {
            name: min(median(each[at : at + times]) for at in range(0, len(each), times)) for name, each in ours.items()
        }
        first, *others = trees
        ratios = [
            f"{least[name] / least[first]:.2f} ({paired_ratio(ours[name], ours[first], each=times):.2f})"
            for name in others
        ]
        yield (call, *(f"{least[name]:.2f}" for name in trees), *ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", nargs="*", type=Path, help="other trees, the first of which is compared with")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", nargs="+", choices=CALLS, default=list(CALLS), metavar="CALL")
    parser.add_argument("--statements", action="store_true")
    parser.add_argument("--profile", metavar="CALL")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve)
        return
    places = [*(place.resolve() for place in given.before), HERE]
    trees = {place.name: Process(place) for place in places}
    try:
        if given.profile:
            trees[HERE.name].ask("profile", given.profile, 60)
        elif given.statements:
            for call, (name, tree) in itertools.product(given.only, trees.items()):
                told = tree.ask("count", call)
                print(
                    f"{call}, {name}: {sum(told.values())}", *(f"{n}x {sql}" for sql, n in told.items()), sep="\n    "
                )
        else:
            for row in rows(trees, given.rounds, {call: CALLS[call] for call in given.only}):
                print("| " + " | ".join(row) + " |")
    finally:
        for tree in trees.values():
            tree.close()


if __name__ == "__main__":
    main()
