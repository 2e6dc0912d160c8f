"""What remembering costs: CPU of each part of storing beyond the embedding, and of the tools, with many memories.

Give it a number of memories (default 500) and, for texts, a corpus in BEIR form; each tool has its line in `ROWS`."""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from pinakes import settings
from pinakes.app import App, build
from pinakes.engine.embedding import choose_embedder
from pinakes.engine.entries import store_entry
from pinakes.engine.memories import Draft, store_memory
from pinakes.toolkit.tool import Call
from timing import median, percentile

WORDS = ("lock", "deploy", "cache", "Ada", "nightly", "tea", "billing", "index", "Oslo", "review", "because", "never")


def made_up(count: int) -> Iterator[str]:
    """Texts of some forty words, no two the same."""
    for number in range(count):
        spoken = [WORDS[(number * 7 + place * place) % len(WORDS)] for place in range(36)]
        yield f"Note {number}: " + " ".join(spoken) + f". It happened on day {number % 97}."


def corpus(path: Path, count: int) -> list[str]:
    lines = path.read_text("utf-8").splitlines()[:count]
    return [json.loads(line)["text"][:2000] or "empty" for line in lines]


def cpu(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1000


def fill(app: App, texts: list[str]) -> list[float]:
    """CPU milliseconds of each store, embedder switched off, so that what is left is ours."""
    spent: list[float] = []
    for text in texts:
        draft = Draft(content=text, rationale="Measured for the benchmark.", metadata={}, session="bench")
        spent.append(cpu(lambda draft=draft: store_memory(app.kernel, draft, actor="bench")))
    return spent


# (name, tool, arguments of the round)
ROWS: list[tuple[str, str, Callable[[int], dict[str, Any]]]] = [
    ("search_graph", "search_graph", lambda turn: {"query": f"{WORDS[turn % len(WORDS)]} on day {turn}"}),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=500)
    parser.add_argument("--corpus", type=Path)
    wanted = parser.parse_args()
    texts = corpus(wanted.corpus, wanted.count) if wanted.corpus else list(made_up(wanted.count))
    with tempfile.TemporaryDirectory() as folder:
        app = build(settings.load({"data": folder, "toolsets": "all"}, {}))
        choose_embedder(app.kernel.store, app.kernel.collection, "none")
        said = [{"topic": "", "content": text} for text in texts[:50]]
        stores = [partial(store_entry, app.kernel, each, actor="bench") for each in said]
        plain = [cpu(each) for each in stores]
        print(f"an entry with the same text: median {median(plain):.2f} ms CPU (what storing costs anyway)")
        spent = fill(app, texts)
        for begin in range(0, len(spent), max(1, len(spent) // 5)):
            part = spent[begin : begin + max(1, len(spent) // 5)]
            mean = sum(part) / len(part)
            print(f"store {begin}-{begin + len(part)}: median {median(part):.2f} ms, mean {mean:.2f} ms CPU")
        call: Call[Any] = Call(kernel=app.kernel, actor="bench")
        for name, tool, arguments in ROWS:
            asked = [partial(app.dispatcher.run, tool, arguments(turn), call) for turn in range(60)]
            rounds = [cpu(each) for each in asked]
            print(f"{name}: median {median(rounds):.2f} ms, p95 {percentile(rounds, 0.95):.2f} ms CPU")
        app.kernel.store.close()


if __name__ == "__main__":
    main()
