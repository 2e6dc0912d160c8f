"""What the turns beside a turn tell of it: python benchmarks/conversations.py [--json FILE] [--write-docs]

Made-up conversations (benchmarks/talks.py) go in through `memotheca import`, as an export of a chat program, and what
was said in them is looked up through the `query` tool. Whoever answers does not name what was asked about, so that the
answer's own words find nothing."""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from filling import run_tool
from judging import fuse_ranks
from machine import describe, load
from memotheca.app import App, build
from memotheca.search import finder
from memotheca.settings import load as load_settings
from memotheca.vectors.embedders import DEFAULT, MODELS, folder_of
from memotheca.vectors.onnx_embedder import BuiltModel
from opponents import Exact, FullText
from report import Line, Table, to_json, to_text
from section import write_section
from talks import DEVELOPMENT, KEPT_BACK, LookUp, Matter, Talk, make_talks

SPOKEN_AT = "2026-01-02T03:04:05.000000Z"
SHOWN = 3
PEOPLE = {"human": "user", "assistant": "assistant"}


def to_export(talks: Sequence[Talk]) -> list[dict[str, Any]]:
    return [
        {
            "uuid": talk.name,
            "name": talk.name,
            "chat_messages": [
                {"uuid": f"{talk.name}-{number}", "sender": sender, "text": text, "created_at": SPOKEN_AT}
                for number, (sender, text) in enumerate(talk.turns, start=1)
            ],
        }
        for talk in talks
    ]


def bring_in(talks: Sequence[Talk], folder: Path) -> App:
    export = folder / "conversations.json"
    export.write_text(json.dumps(to_export(talks)), "utf-8")
    program = [sys.executable, "-m", "memotheca.cli.main", "import", str(export), "--data", str(folder / "data")]
    subprocess.run([*program, "--json"], check=True, stdout=subprocess.DEVNULL)
    return build(load_settings({"data": folder / "data"}, {}))


Ranked = list[tuple[str, list[int]]]


def ask(app: App, question: str) -> Ranked:
    """The conversations that are found, and which turns of each are shown, the best first."""
    answer: Any = run_tool(app, "query", {"content": question, "kinds": ["conversation"], "limit": 10}).structured
    return [(hit["topic"], [each["turn"] for each in hit["passages"]]) for hit in answer["items"]]


def by_conversation(turns: Sequence[str]) -> Ranked:
    """What ranks single turns, named `conversation#turn`, as if it showed the best turns of each conversation."""
    found: dict[str, list[int]] = {}
    for turn in turns:
        name, _, number = turn.partition("#")
        found.setdefault(name, []).append(int(number))
    return [(name, numbers[:SHOWN]) for name, numbers in found.items()][:10]


def judge(rankings: Sequence[Ranked], asked: Sequence[LookUp]) -> dict[str, float]:
    first, shown, among = 0, 0, 0
    for ranking, each in zip(rankings, asked, strict=True):
        names = [name for name, _ in ranking]
        first += names[:1] == [each.conversation]
        among += each.conversation in names
        shown += each.conversation in names and each.turn in dict(ranking)[each.conversation][:SHOWN]
    share = 100 / len(asked)
    return {"conversation first": first * share, "among ten": among * share, "its answer shown": shown * share}


@contextmanager
def alone() -> Generator[None]:
    """Turns without what is beside them."""

    def none(*_: object, **__: object) -> list[int]:
        return []

    with patch.object(finder, "with_turns_beside", none):
        yield


def rank_others(talks: Sequence[Talk], asked: Sequence[LookUp]) -> Mapping[str, list[Ranked]]:
    """FTS5 and exact cosines over turns, each with its conversation's title and its speaker, as it is kept."""
    turns = {
        f"{talk.name}#{number}": (talk.name, f"{PEOPLE[sender]}: {text}")
        for talk in talks
        for number, (sender, text) in enumerate(talk.turns, start=1)
    }
    model = BuiltModel(folder_of(DEFAULT), MODELS[DEFAULT].identity)
    vectors = np.stack([model.embed_passage(title, text)[0] for title, text in turns.values()])
    words, exact = FullText(turns), Exact(vectors, list(turns))
    by_words = [words.rank(each.text) for each in asked]
    by_vectors = [exact.rank(model.embed_question(each.text)) for each in asked]
    fused = [fuse_ranks(pair) for pair in zip(by_words, by_vectors, strict=True)]
    ranked = {"FTS5": by_words, "vectors": by_vectors, "RRF": fused}
    return {name: [by_conversation(turns) for turns in found] for name, found in ranked.items()}


def measure(name: str, matters: Sequence[Matter], scratch: Path) -> list[Line]:
    talks, asked = make_talks(matters)
    folder = scratch / name.replace(" ", "-")
    folder.mkdir()
    app = bring_in(talks, folder)
    found = {"memotheca": [ask(app, each.text) for each in asked]}
    with alone():
        found["memotheca, turns alone"] = [ask(app, each.text) for each in asked]
    app.kernel.store.close()
    found |= rank_others(talks, asked)
    return [Line(label=f"{name}, {who}", numbers=judge(rankings, asked)) for who, rankings in found.items()]


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks/conversations.py", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to a file, too")
    parser.add_argument("--kept-back", action="store_true", help="also the half that nothing was chosen on")
    parser.add_argument("--write-docs", action="store_true", help="put the results into docs/benchmarks.md")
    parsed = parser.parse_args()
    halves = {"development": DEVELOPMENT} | ({"kept back": KEPT_BACK} if parsed.kept_back else {})
    with tempfile.TemporaryDirectory(prefix="memotheca-bench-") as scratch:
        machine = describe(Path(scratch))
        lines = [line for name, matters in halves.items() for line in measure(name, matters, Path(scratch))]
    table = Table(
        name="conversations",
        title="answers looked up in conversations, by what was asked, in hundredths",
        lines=lines,
        notes=[
            "240 look-ups a half, in 48 made-up conversations of some 15 turns; those kept back have other questions, "
            "answers and look-ups, and nothing was chosen on them.",
            f"Its answer shown: the turn that answers is among the {SHOWN} that are shown of its conversation, which "
            "is among the ten found. Who answers names nothing that is looked up.",
            "FTS5, vectors, RRF: over single turns.",
        ],
    )
    print(to_text(table))
    machine["load at the end"] = load()
    if parsed.json is not None:
        content = {"machine": machine, "tables": [to_json(table)]}
        parsed.json.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
    if parsed.write_docs:
        write_section("conversations", machine, [table])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
