"""Whether a search by purpose finds what serves a goal better than the search does: python benchmarks/purpose.py DIR ….

Each DIR is a corpus as in answers.py. All of it is stored and the goal found. Goal questions are those that ask for all
that belongs to something (kind `list`) or have three or more gold memories; each is asked of `search_graph` and of
`search_teleological` in each of its ways (nDCG@10, and how much of the gold is among the first 20). The other questions
with gold stand beside them."""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from answers import Hand, Played, Told, read_corpus, store
from focus_pull import gain, gold_of
from memotheca.app import build
from memotheca.memory.topics.purpose_likeness import STRATEGY_NAMES
from memotheca.model.clock import from_iso
from memotheca.settings import load as load_settings

FIRST = 20
MANY = 3  # gold memories from which on a question asks for what belongs to something
GOAL, OTHER = "goal questions", "other questions"
SEARCH = "search_graph"
Key = tuple[str, str]
Scores = dict[Key, list[tuple[float, float]]]


def kind_of(question: Mapping[str, Any]) -> str:
    return GOAL if question["kind"] == "list" or len(gold_of(question)) >= MANY else OTHER


def ask(played: Played, question: Mapping[str, Any], way: str) -> tuple[float, float]:
    """The gain of a way of searching, and the share of the gold among the first."""
    named = {id: name for name, id in played.ids.items()}
    if way == SEARCH:
        told = played.run(SEARCH, {"query": question["text"], "top_k": FIRST}, question["id"])
        shown = [each["id"] for each in (told.structured or {})["results"]]
    else:
        asked = {"query_content": question["text"], "strategy": way, "min_similarity": 0, "max_results": FIRST}
        told = played.run("search_teleological", asked, question["id"])
        shown = [each["memory_id"] for each in (told.structured or {})["results"]]
    names, gold = [named[id] for id in shown if id in named], gold_of(question)
    return gain(names, gold), sum(bool(group & set(names)) for group in gold) / len(gold)


def play(corpus: Told, found: Scores) -> None:
    clock = Hand(from_iso(corpus.memories[0]["at"]))
    with tempfile.TemporaryDirectory() as folder:
        app = build(load_settings({"data": Path(folder), "toolsets": "all"}, {}), clock=clock)
        played = Played(app, clock, corpus)
        listing = app.catalog.find("store_memory")
        assert listing is not None
        for memory in corpus.memories:
            store(played, memory, listing.wire["inputSchema"]["properties"])
        clock.now = max(clock.now, *(from_iso(each["at"]) for each in corpus.questions))
        goal = played.run("auto_bootstrap_north_star", {"confidence_threshold": 0.1}, "goal").structured or {}
        assert goal["status"] == "bootstrapped", goal
        for question in corpus.questions:
            for way in (SEARCH, *STRATEGY_NAMES) if question["gold"] else ():
                found[kind_of(question), way].append(ask(played, question, way))
        app.kernel.store.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path)
    given = parser.parse_args()
    found: Scores = defaultdict(list)
    for folder in given.corpora:
        play(read_corpus(folder), found)
    print(f"| questions | way | n | nDCG@10 | gold among the first {FIRST} |\n|---|---|---|---|---|")
    for (kind, way), scores in sorted(found.items(), key=lambda each: (each[0][0], -_mean(each[1], 0))):
        print(f"| {kind} | {way} | {len(scores)} | {_mean(scores, 0):.3f} | {_mean(scores, 1):.3f} |")
    return 0


def _mean(scores: Sequence[tuple[float, float]], at: int) -> float:
    return sum(each[at] for each in scores) / len(scores)


if __name__ == "__main__":
    raise SystemExit(main())
