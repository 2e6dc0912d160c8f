"""How much of the known evidence a context holds: python benchmarks/context.py DIR … [--split development|held-out|all]
[--limit N] [--scratch DIR].

Each DIR holds corpus.jsonl, queries.jsonl and qrels.tsv. `inject_context` stands beside the best entries put one after
the other, titles and citations included, until the same budget is full. An entry counts as found where at least one of
its sentences is in the context; where answers are known, so does whether the answer's own words are there."""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from filling import run_tool
from judging import Collection, read_collection
from memotheca.app import App, build
from memotheca.model.knowledge import fold
from memotheca.settings import load as load_settings
from memotheca.text.tokens import count_tokens
from memotheca.vectors.embedders import DEFAULT
from retrieval import bring_in
from timing import percentile

BUDGETS = (512, 1024, 2048)
DEPTH = 50


def answered(app: App, name: str, given: dict[str, Any]) -> dict[str, Any]:
    structured = run_tool(app, name, given).structured
    assert structured is not None
    return structured


def concatenate(app: App, query: str, tokens: int) -> tuple[list[str], str]:
    """Whole entries, the best first, as many as fit; the last one is cut."""
    given = {"query": query[:4096], "top_k": DEPTH, "include_content": True}
    found = answered(app, "search_graph", given)["results"]
    names: list[str] = []
    told: list[str] = []
    for hit in found:
        told.append(f"{hit['name']}: {hit['content']} {hit['citation']}")
        names.append(hit["id"])
        if count_tokens("\n".join(told)) > tokens:
            while count_tokens("\n".join(told)) > tokens and told[-1]:
                told[-1] = told[-1].rpartition(" ")[0]
            return names if told[-1] else names[:-1], "\n".join(told)
    return names, "\n".join(told)


def inject(app: App, query: str, tokens: int) -> tuple[list[str], str]:
    found = answered(app, "inject_context", {"query": query[:4096], "max_tokens": tokens})
    return [each["id"] for each in found["nodes_retrieved"]], found["context"]


def split(collection: Collection, part: str, limit: int | None) -> Collection:
    """Every other question, by a digest of its words: one half to choose settings by, the other to report."""
    parity = {"development": 0, "held-out": 1}
    asked = [each for each in collection.asked if part == "all" or _digest(each.text) % 2 == parity[part]]
    return replace(collection, asked=asked[:limit])


def _digest(text: str) -> int:
    return blake2b(text.encode(), digest_size=1).digest()[0]


def answers(collection: Collection) -> dict[str, str]:
    """The known answer of each question, where the set tells it."""
    lines = (json.loads(line) for line in (collection.folder / "queries.jsonl").open(encoding="utf-8"))
    return {line["text"]: line.get("metadata", {}).get("answer") or "" for line in lines}


def measure(app: App, collection: Collection, tokens: int) -> dict[str, Any]:
    known = answers(collection)
    shares: dict[str, list[float]] = {"inject_context": [], "top-k": []}
    answered: dict[str, list[float]] = {"inject_context": [], "top-k": []}
    spent: list[float] = []
    for asked in collection.asked:
        began = time.process_time()
        made = {"inject_context": inject(app, asked.text, tokens)}
        spent.append((time.process_time() - began) * 1000)
        made["top-k"] = concatenate(app, asked.text, tokens)
        for name, (names, context) in made.items():
            shares[name].append(len(_imported(app, names) & asked.gold.keys()) / len(asked.gold))
            if known.get(asked.text):
                answered[name].append(float(fold(known[asked.text]) in fold(context)))
    return {"shares": shares, "answered": answered, "p95": percentile(spent, 0.95)}


def _imported(app: App, ids: Sequence[str]) -> set[str]:
    """The names that entries had in the set they come from."""
    with app.kernel.read() as snapshot:
        entries = [entry for id in ids if (entry := snapshot.entry(id)) is not None]
    return {alias.name for entry in entries for alias in entry.aliases}


def mean(values: Sequence[float]) -> str:
    return f"{100 * sum(values) / len(values):5.1f}%" if values else "    -"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--split", choices=("development", "held-out", "all"), default="held-out")
    parser.add_argument("--scratch", type=Path)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = wanted.scratch or Path(folder)
        for place in wanted.folders:
            collection = split(read_collection(place, None), wanted.split, wanted.limit)
            bring_in(collection, scratch, DEFAULT)
            app = build(load_settings({"data": scratch, "collection": collection.name, "toolsets": "all"}, {}))
            print(f"{collection.name}: {len(collection.asked)} questions ({wanted.split})", flush=True)
            for tokens in BUDGETS:
                found = measure(app, collection, tokens)
                for name in ("inject_context", "top-k"):
                    held, told = mean(found["shares"][name]), mean(found["answered"][name])
                    print(f"  {tokens:5} {name:15} evidence {held}  answer's words {told}", flush=True)
                print(f"        p95 {found['p95']:.1f} ms CPU a call", flush=True)
            app.kernel.store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
