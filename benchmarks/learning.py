"""Whether a memory gets better with use: python benchmarks/learning.py DIR … [--seeds N,…] [--write-docs].

Each DIR is what one assistant was told over months (memories.jsonl, questions.jsonl, causes.jsonl). It is played three
times. In the one play nobody asks before the end. In the others a scripted agent asks half of the questions at the end
of every month, as far as their answers are known by then: it opens what answers, says with `observe_outcome` which
share of what it needed was there, lets the memory learn from that, and dream; in the third it also lets it move its
thresholds. At the end all are asked the other half of the questions, which nobody asked before. What is told of
reordering is worked out beside: results of `search_graph` by their score and by how likely the learned calibrator holds
each to help."""

import argparse
import json
import math
import random
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from answers import Asked, Hand, Played, Told, read_corpus, store
from answers import inject as ask_in_context
from machine import describe
from memotheca.app import App, build, write_down
from memotheca.memory.outcomes.calibrator import brier_score, calibration_error, features_of
from memotheca.memory.outcomes.learner import Learner, read_learner
from memotheca.memory.session.focus import fit_of
from memotheca.memory.session.state import activity_of
from memotheca.memory.tuning.gates import gates_at, voice_at
from memotheca.model.clock import DAY, from_iso
from memotheca.settings import load as load_settings
from memotheca.storage.instruments.retrievals import RetrievalRow
from report import Line, Table, to_text
from section import write_section

BUDGET = 512
DEPTH = 10
MONTH = 30 * DAY
BLENDS = (0.2, 1.0)  # how much of a rank is what the calibrator says
PLAYS = (("before", False, False), ("after", True, False), ("after, thresholds moved too", True, True))
Question = Mapping[str, Any]


@dataclass(slots=True)
class Measured:
    """What the questions nobody asked before brought, and how what was predicted of them held."""

    moves_thresholds: bool = False
    ndcg: list[float] = field(default_factory=list[float])
    reordered: dict[float, list[float]] = field(default_factory=dict[float, list[float]])
    evidence: list[float] = field(default_factory=list[float])
    answered: int = 0
    tokens: int = 0
    known: int = 0
    pairs: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    unlearned: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    paths: list[int] = field(default_factory=list[int])
    labels: float = 0.0
    lambda_s: float = 0.0
    dreams: int = 0
    thresholds: int = 0


def halves(corpus: Told, seed: int) -> tuple[list[Question], list[Question]]:
    """Questions to learn from, and others; one that goes on from another is on its side."""
    known = {each["id"]: each for each in corpus.questions}
    chance = random.Random(seed)
    side: dict[str, bool] = {}
    for question in corpus.questions:
        first = question
        while first.get("previous"):
            first = known[first["previous"]]
        side.setdefault(first["id"], chance.random() < 0.5)
        side[question["id"]] = side[first["id"]]
    parts = {learned: [each for each in corpus.questions if side[each["id"]] is learned] for learned in (True, False)}
    return parts[True], parts[False]


def gold_of(question: Question) -> set[str]:
    return {id for each in question["gold"] for id in (each, *question.get("also", {}).get(each, ()))}


def helped(asked: Asked) -> float:
    """Which share of what was needed was there; of what is not known nothing helps."""
    return sum(asked.present) / len(asked.present) if asked.question["gold"] else 0.0


def use(played: Played, questions: Sequence[Question], month: int, measured: Measured) -> None:
    """Ask what can be answered by now, open what answers, say whether it helped; then learn, and dream."""
    for question in questions:
        if not set(question["gold"]) <= played.ids.keys():
            continue
        asked = ask_in_context(_Monthly(played, month), question, BUDGET)
        session = _session(question, month)
        observe(played, session, helped(asked))
        for id in sorted(gold_of(question) & asked.shown.keys()):
            played.run("hydrate_citation", {"citation_tag": played.citations[id]}, session)
    write_down(played.app)
    found = played.run("trigger_lambda_recalibration", {}, "learning").structured or {}
    measured.labels = found["labels"]["counted"]
    if measured.moves_thresholds:
        moved = played.run("trigger_recalibration", {"level": 3}, "learning").structured or {}
        measured.thresholds += len(moved["recalibration"]["thresholds_changed"])
    reply = played.run("trigger_dream", {"phase": "full", "blocking": True, "force": True}, "dream")
    measured.dreams += not reply.failed


class _Monthly(Played):
    """The same memory, asked in sessions of one month."""

    __slots__ = ("month",)

    def __init__(self, played: Played, month: int) -> None:
        super().__init__(played.app, played.clock, played.corpus, played.citations, played.ids)
        self.month = month

    def run(self, name: str, arguments: Mapping[str, Any], session: str) -> Any:
        return Played.run(self, name, arguments, f"{session}-{self.month}")


def _session(question: Question, month: int) -> str:
    return f"question-{question['id']}-{BUDGET}-{month}"


def latest(played: Played, session: str) -> RetrievalRow:
    kernel = played.app.kernel
    with kernel.store.database.read() as held:
        return activity_of(kernel).last_retrievals(held, (kernel.collection, session), 1)[0]


def observe(played: Played, session: str, value: float) -> float | None:
    given = {"prediction_id": latest(played, session).id, "actual_outcome": value}
    reply = played.run("observe_outcome", given, session)
    assert not reply.failed, reply.structured
    return (reply.structured or {})["predicted_value"]


def ndcg(order: Sequence[str], gold: set[str]) -> float:
    gained = sum(1 / math.log2(place + 2) for place, id in enumerate(order[:DEPTH]) if id in gold)
    return gained / sum(1 / math.log2(place + 2) for place in range(min(len(gold), DEPTH)))


def examine(played: Played, questions: Sequence[Question], measured: Measured) -> None:
    """Ask what nobody asked before."""
    names = {id: name for name, id in played.ids.items()}
    with played.app.kernel.read() as snapshot:
        learner = read_learner(snapshot, "General")
        voice = voice_at(snapshot, gates_at(snapshot))
    for question in questions:
        asked = ask_in_context(_Monthly(played, -1), question, BUDGET)
        predicted = observe(played, _session(question, -1), helped(asked))
        if predicted is not None:
            measured.pairs.append((predicted, helped(asked)))
            shown = latest(played, _session(question, -1)).shown
            best = max((each.signals.get("cosine", 0.0) for each in shown), default=0.0)
            measured.unlearned.append((fit_of(best, voice), helped(asked)))
        if not question["gold"]:
            continue
        measured.known += 1
        measured.evidence.append(helped(asked))
        measured.answered += asked.is_answered
        measured.tokens += asked.tokens
        session = f"search-{question['id']}"
        played.run("search_graph", {"query": question["text"], "top_k": 2 * DEPTH}, session)
        row = latest(played, session)
        measured.ndcg.append(ndcg([names.get(each.entry_id, "") for each in row.shown], gold_of(question)))
        for blend in BLENDS if learner is not None else ():
            order = [names.get(id, "") for id in reorder(row, learner, blend)]
            measured.reordered.setdefault(blend, []).append(ndcg(order, gold_of(question)))
    measured.lambda_s = (played.run("get_learner_state", {}, "end").structured or {})["lambda_weights"]["s"]


def reorder(row: RetrievalRow, learner: Learner | None, blend: float) -> list[str]:
    assert learner is not None
    scores = {
        each.entry_id: (1 - blend) * each.score + blend * learner.calibrator.predict(features_of([each]))
        for each in row.shown
    }
    return sorted(scores, key=lambda each: -scores[each])


def path_lengths(played: Played, causes: Sequence[Mapping[str, Any]]) -> list[int]:
    """How many links a chain has from each cause to its effect, where one is found."""
    found: list[int] = []
    for cause in causes:
        ends = [played.ids.get(cause[end]) for end in ("cause", "effect")]
        given = {"source_id": ends[0], "target_id": ends[1], "max_hops": 5}
        reply = (played.run("find_causal_path", given, "paths").structured or {}) if all(ends) else {}
        if reply.get("path_found"):
            found.append(reply["hop_count"])
    return found


def play(
    corpus: Told, causes: Sequence[Mapping[str, Any]], seed: int, *, is_used: bool, moves_thresholds: bool = False
) -> Measured:
    learned, others = halves(corpus, seed)
    clock = Hand(from_iso(corpus.memories[0]["at"]))
    measured = Measured(moves_thresholds)
    with tempfile.TemporaryDirectory() as folder:
        app: App = build(load_settings({"data": Path(folder), "toolsets": "all"}, {}), clock=clock)
        played = Played(app, clock, corpus)
        listing = app.catalog.find("store_memory")
        assert listing is not None
        month, due = 0, clock.now + MONTH
        for memory in corpus.memories:
            if is_used and from_iso(memory["at"]) >= due:
                use(played, learned, month, measured)
                month, due = month + 1, due + MONTH
            store(played, memory, listing.wire["inputSchema"]["properties"])
        clock.now = max(clock.now, from_iso(corpus.questions[-1]["at"]))
        if is_used:
            use(played, learned, month, measured)
        examine(played, others, measured)
        measured.paths = path_lengths(played, causes)
        app.kernel.store.close()
    return measured


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def rows_of(runs: Sequence[Measured]) -> dict[str, float]:
    """The numbers of several halvings together."""
    pairs = [pair for run in runs for pair in run.pairs]
    unlearned = [pair for run in runs for pair in run.unlearned]
    found = {
        "nDCG@10": 100 * mean([each for run in runs for each in run.ndcg]),
        f"evidence in {BUDGET} tokens": 100 * mean([each for run in runs for each in run.evidence]),
        "tokens an answer": sum(run.tokens for run in runs) / max(1, sum(run.answered for run in runs)),
        "ECE": 100 * (calibration_error(pairs) or 0.0),
        "ECE of the same, unlearned": 100 * (calibration_error(unlearned) or 0.0),
        "Brier": 100 * (brier_score(pairs) or 0.0),
        "links of a causal path": mean([each for run in runs for each in run.paths]),
        "paths found": mean([len(run.paths) for run in runs]),
        "λS": mean([run.lambda_s for run in runs]),
        "labels": mean([run.labels for run in runs]),
        "dreams": mean([run.dreams for run in runs]),
        "thresholds moved": mean([run.thresholds for run in runs]),
    }
    for blend in BLENDS:
        values = [each for run in runs for each in run.reordered.get(blend, ())]
        if values:
            found[f"nDCG@10 reordered by {blend:g}"] = 100 * mean(values)
    return found


def table_of(folders: Sequence[Path], seeds: Sequence[int]) -> Table:
    lines: list[Line] = []
    for folder in folders:
        corpus = read_corpus(folder)
        causes = [json.loads(line) for line in (folder / "causes.jsonl").open(encoding="utf-8")]
        causes = [each for each in causes if each["how"] != "none"]
        for label, is_used, moves in PLAYS:
            runs = [play(corpus, causes, seed, is_used=is_used, moves_thresholds=moves) for seed in seeds]
            lines.append(Line(label=f"{corpus.name}, {label}", numbers=rows_of(runs)))
            print(f"{lines[-1].label}: {dict(lines[-1].numbers)}", flush=True)
    return Table(name="learning", title="Learning", lines=lines, notes=(f"Questions halved by the seeds {seeds}.",))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seeds", default="1,2", help="by which seeds the questions are halved")
    parser.add_argument("--write-docs", action="store_true")
    wanted = parser.parse_args()
    machine = describe(Path(tempfile.gettempdir()))
    table = table_of(wanted.folders, [int(each) for each in wanted.seeds.split(",")])
    print(to_text(table))
    if wanted.write_docs:
        write_section("learning", machine, [table])
    return 0


if __name__ == "__main__":
    sys.exit(main())
