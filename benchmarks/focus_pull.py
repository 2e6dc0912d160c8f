"""Whether the focus of a session should pull what it finds next: python benchmarks/focus_pull.py DIR … [--couplings
K,…].

Each DIR is a corpus as in answers.py. A question that follows another is asked after it in a session, at each coupling:
by `search_graph`, where its gold memories should be first (nDCG@10), and by `inject_context` in 300 tokens, which
should hold them. Beside that, every question that follows nothing is asked after the one that came before it in time,
which is about something else as a rule: there a pull should do no harm."""

import argparse
import math
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from answers import Hand, Played, Told, read_corpus, store
from memotheca.app import build
from memotheca.model.clock import from_iso
from memotheca.settings import load as load_settings

COUPLINGS = (0.0, 1.0, 2.0, 5.0, 10.0)
TOKENS, DEPTH = 300, 10
FOLLOWS, APART = "follows the one before", "about something else"
Question = Mapping[str, Any]


def pairs(corpus: Told) -> Iterator[tuple[str, Question, Question]]:
    """Questions with what is asked before them: what they follow, or what came before in time."""
    known = {each["id"]: each for each in corpus.questions}
    last: Question | None = None
    for each in corpus.questions:
        if each.get("previous"):
            yield FOLLOWS, known[each["previous"]], each
        elif last is not None and each["gold"]:
            yield APART, last, each
        last = each


def gold_of(question: Question) -> list[set[str]]:
    """Groups of which one each is enough."""
    groups = [set(group) for group in question.get("one_of", ())]
    single = [{gold} for gold in question["gold"] if not any(gold in group for group in groups)]
    also = question.get("also") or {}
    return [group | {other for gold in group for other in also.get(gold, ())} for group in (*single, *groups)]


def gain(shown: Sequence[str], gold: Sequence[set[str]]) -> float:
    """nDCG@10: each group counts once, where it is first met."""
    left, found = list(gold), 0.0
    for place, id in enumerate(shown[:DEPTH]):
        group = next((each for each in left if id in each), None)
        if group is not None:
            left.remove(group)
            found += 1 / math.log2(place + 2)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(DEPTH, len(gold))))
    return found / ideal if ideal else 0.0


def ask(played: Played, before: Question, question: Question, coupling: float) -> tuple[float, float]:
    """The gain of a search and the share of the gold that a context holds."""
    named = {id: name for name, id in played.ids.items()}
    scores: list[float] = []
    for tool, more, key in (
        ("search_graph", {"top_k": DEPTH}, "results"),
        ("inject_context", {"max_tokens": TOKENS}, "nodes_retrieved"),
    ):
        session = f"{tool}-{before['id']}-{question['id']}-{coupling}"
        played.run("adjust_coupling", {"new_K": coupling}, session)
        played.run(tool, {"query": before["text"], **more}, session)
        told = played.run(tool, {"query": question["text"], **more}, session).structured or {}
        shown = [named[each["id"]] for each in told[key] if each["id"] in named]
        gold = gold_of(question)
        held = sum(bool(group & set(shown)) for group in gold) / len(gold) if gold else 0.0
        scores.append(gain(shown, gold) if tool == "search_graph" else held)
    return scores[0], scores[1]


def play(corpus: Told, couplings: Sequence[float]) -> dict[tuple[str, float], list[tuple[float, float]]]:
    clock = Hand(from_iso(corpus.memories[0]["at"]))
    found: dict[tuple[str, float], list[tuple[float, float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        app = build(load_settings({"data": Path(folder), "toolsets": "all"}, {}), clock=clock)
        played = Played(app, clock, corpus)
        listing = app.catalog.find("store_memory")
        assert listing is not None
        left = list(corpus.memories)
        for kind, before, question in pairs(corpus):
            while left and from_iso(left[0]["at"]) <= from_iso(question["at"]):
                store(played, left.pop(0), listing.wire["inputSchema"]["properties"])
            clock.now = max(clock.now, from_iso(question["at"]))
            for coupling in couplings if question["gold"] else ():
                found[kind, coupling].append(ask(played, before, question, coupling))
        app.kernel.store.close()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--couplings", default=",".join(map(str, COUPLINGS)))
    given = parser.parse_args()
    couplings = [float(each) for each in given.couplings.split(",")]
    total: dict[tuple[str, float], list[tuple[float, float]]] = defaultdict(list)
    for folder in given.corpora:
        for key, scores in play(read_corpus(folder), couplings).items():
            total[key] += scores
            print(f"{folder.name:10} {key[0]:24} K={key[1]:<5g} {_line(scores)}", file=sys.stderr)
    print(
        f"| question | K | n | nDCG@10 of search_graph | gold in a context of {TOKENS} tokens |\n|---|---|---|---|---|"
    )
    for (kind, coupling), scores in sorted(total.items(), key=lambda each: (each[0][0] != FOLLOWS, each[0][1])):
        print(f"| {kind} | {coupling:g} | {len(scores)} | {_line(scores)} |")
    return 0


def _line(scores: Sequence[tuple[float, float]]) -> str:
    return " | ".join(f"{sum(column) / len(column):.3f}" for column in zip(*scores, strict=True))


if __name__ == "__main__":
    raise SystemExit(main())
