"""How well updates, contradictions and repetitions are told apart: python benchmarks/judgement.py DIR … [--stated]
[--list] [--learn] [--shipped [--embedder NAME]].

Each DIR holds memories.jsonl, pairs.jsonl and, where labels can be read either way, unsure.jsonl or unscored.jsonl. The
memories are stored in their order by `store_memory`, in an app whose clock is set to each one's time; what its answers
assert, and what `critique_context` then says of the latest, is compared with the labels. By default trees, weights and
thresholds are learned from the other corpora, never from the one that is measured: the thresholds so that, of those
others, what is learned without one of them is right on it often enough. A relation that the caller names (supersedes,
contradicts) is left out unless `--stated`: whoever knows it needs no judge. `--shipped` measures with the weights that
the program has; `--learn` also writes them, learned from all by the same steps, out of the same run."""

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boosting import boost
from contradictions import read_pairs
from filling import choose
from memotheca.app import App, build
from memotheca.memory.claims import verdict as verdicts
from memotheca.memory.claims.boosted_trees import BoostedTrees
from memotheca.memory.claims.evidence import FEATURES, Pair, gather
from memotheca.memory.claims.verdict import WEIGHTS, Regression, Ruling, Weights, weigh_pair, write_weights
from memotheca.memory.graph.relations import CONTRADICTS, SUPERSEDES, read_relation
from memotheca.memory.standing import subject
from memotheca.memory.tuning.thresholds import GENERAL, Gates
from memotheca.model.clock import DAY, from_iso
from memotheca.settings import load
from memotheca.toolkit.tool import Call
from memotheca.vectors.embedders import DEFAULT, MODELS

Array = NDArray[Any]
Key = tuple[str, str]

NAMES = tuple(sorted(FEATURES))
CHANGED = ("update", "contradiction")
OWN = "own"
OWN_WORTH = 0.3  # chosen: neat sentences of one hand
SLIGHT = 5.0  # chosen: how much the weights of the one regression are held back
ROUNDS = 8  # chosen: Newton's steps, as many as it needs
CRITIQUE = 25  # chosen: after so many stores the latest are criticised
SEEDS = (1, 2, 3)  # chosen: ensembles whose mean is taken
RIGHT = 0.9  # specification: of what is asserted, so much is to be right
CHANGES_FROM = tuple(step / 100 for step in range(40, 95, 5))  # chosen: thresholds that are tried
SAME_FROM = tuple(step / 100 for step in range(15, 75, 5))  # chosen: those for repetitions, which are rare
DISPUTED = 0.5  # chosen: from where on what is otherwise is disputed
_NO_TREE = BoostedTrees(-30.0, np.zeros((1, 1), int), np.zeros((1, 1)), np.zeros((1, 2)), 1.1)
UNJUDGED = Weights(NAMES, _NO_TREE, _NO_TREE, Regression((0.0,) * len(NAMES), -30.0, 1.1))


@dataclass(frozen=True, slots=True)
class Corpus:
    """Memories in their order, labelled pairs, and those that are not scored."""

    name: str
    memories: Sequence[Mapping[str, Any]]
    labels: Mapping[Key, str]
    unscored: frozenset[Key]


@dataclass(slots=True)
class Run:
    """What storing a corpus brought: every compared pair with its features, what was near, what was asserted."""

    compared: dict[Key, dict[str, float]] = field(default_factory=dict[Key, dict[str, float]])
    pairs: dict[Key, Pair] = field(default_factory=dict[Key, Pair])
    barred: set[Key] = field(default_factory=set[Key])
    near: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    asserted: dict[Key, str] = field(default_factory=dict[Key, str])
    criticised: dict[Key, str] = field(default_factory=dict[Key, str])
    sentences: dict[Key, tuple[str, str]] = field(default_factory=dict[Key, tuple[str, str]])


class Now:
    """A clock that is set."""

    def __init__(self) -> None:
        self.time = 0

    def __call__(self) -> int:
        self.time += 1
        return self.time


def read_corpus(folder: Path) -> Corpus:
    memories = _lines(folder / "memories.jsonl")
    labels = {(each["a"], each["b"]): each["kind"] for each in _lines(folder / "pairs.jsonl")}
    left = [each for name in ("unsure", "unscored") for each in _lines(folder / f"{name}.jsonl")]
    return Corpus(folder.name, memories, labels, frozenset((each["a"], each["b"]) for each in left))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def own_pairs() -> Corpus:
    """The development pairs of the repository as memories of two days each."""
    memories: list[dict[str, Any]] = []
    labels: dict[Key, str] = {}
    start = from_iso("2026-01-01T08:00:00Z")
    for place, (label, one, other) in enumerate(read_pairs("development")):
        ids = (f"{place}a", f"{place}b")
        for day, (id, content) in enumerate(zip(ids, (one, other), strict=True)):
            at = start + (2 * place + day) * DAY
            memories.append({"id": id, "at": at, "content": content, "rationale": "Noted for later.", "session": id})
        labels[ids] = {"none": "none", "temporal": "update"}.get(label, "contradiction")
    return Corpus(OWN, memories, labels, frozenset())


def run(corpus: Corpus, weights: Weights | None, *, stated: bool = False, embedder: str = DEFAULT) -> Run:
    """Store everything, with some weights, or with the shipped ones."""
    done = Run()
    with tempfile.TemporaryDirectory() as folder, watched(done, weights) as compared:
        now = Now()
        app = build(load({"data": folder, "toolsets": "all"}, {}), clock=now)
        choose(app, embedder)
        known: dict[str, str] = {}
        for place, memory in enumerate(corpus.memories):
            at = memory["at"] if isinstance(memory["at"], int) else from_iso(memory["at"])
            now.time = max(now.time, at)
            compared.clear()
            answer = _call(app, "store_memory", _arguments(memory, known, stated=stated))
            if "node_id" not in answer:
                continue
            known[memory["id"]] = answer["node_id"]
            _note(done, memory["id"], answer, {node: id for id, node in known.items()}, compared)
            if place % CRITIQUE == CRITIQUE - 1:
                _criticise(app, done, known)
        app.kernel.store.close()
    return done


def _call(app: App, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    reply = app.dispatcher.run(name, arguments, Call(kernel=app.kernel, actor="benchmark"))
    return reply.structured or {}


def _arguments(memory: Mapping[str, Any], known: Mapping[str, str], *, stated: bool) -> dict[str, Any]:
    given = {
        name: memory[name]
        for name in ("content", "rationale", "name", "importance", "tags", "domain", "source")
        if name in memory
    }
    given["session_id"] = memory["session"]
    given["metadata"] = {}
    relation = memory.get("relation")
    if relation and relation["to"] in known:
        decides = read_relation(relation["word"]).predicate in (SUPERSEDES, CONTRADICTS)
        if stated or not decides:
            given["link_to"] = [known[relation["to"]]]
            given["metadata"]["relation"] = relation["word"]
    return given


def gates_of(weights: Weights) -> Gates:
    """The bars that weights were learned with."""
    learned = {"change": weights.change, "duplicate": weights.duplicate, "dispute": weights.dispute}
    return Gates({(name, GENERAL): each.threshold for name, each in learned.items()})


@contextmanager
def watched(done: Run, weights: Weights | None) -> Generator[list[tuple[Pair, bool]]]:
    """See every pair that is compared, and let it be judged by these weights."""
    compared: list[tuple[Pair, bool]] = []
    usual = subject.decide_all, subject.may_be_otherwise

    def decide_all(pairs: Sequence[tuple[Pair, Gates]], _: Weights | None = None) -> list[Ruling]:
        compared.extend((pair, verdicts.is_no_statement(pair)) for pair, _ in pairs)
        return usual[0](pairs if weights is None else [(pair, gates_of(weights)) for pair, _ in pairs], weights)

    subject.decide_all = decide_all
    subject.may_be_otherwise = lambda pair, _, gates: usual[1](pair, weights, gates)
    try:
        yield compared
    finally:
        subject.decide_all, subject.may_be_otherwise = usual


def _note(
    done: Run, id: str, answer: dict[str, Any], names: Mapping[str, str], compared: list[tuple[Pair, bool]]
) -> None:
    done.near[id] = [names[each["id"]] for each in answer["near"]]
    for kind, listed in (("update", "updates"), ("contradiction", "conflicts"), ("duplicate", "duplicates")):
        for each in answer[listed]:
            done.asserted[names[each["id"]], id] = kind
            done.sentences[names[each["id"]], id] = (each["other_sentence"], each["sentence"])
    for pair, is_barred in compared:
        other = names.get(pair.older.id)
        if other is not None and pair.newer.id == "":
            done.compared[other, id], done.pairs[other, id] = gather(pair), pair
            if is_barred:
                done.barred.add((other, id))


def _criticise(app: App, done: Run, known: Mapping[str, str]) -> None:
    names = {node: (place, id) for place, (id, node) in enumerate(known.items())}
    found = _call(app, "critique_context", {"context_window": CRITIQUE, "check_types": ["conflicts", "duplicates"]})
    for finding in found.get("findings", ()):
        ends = sorted(names[node] for node in finding["node_ids"] if node in names)
        if len(ends) == 2:
            kind = "duplicate" if finding["type"] == "duplicates" else "contradiction"
            kind = "update" if finding.get("contradiction_type") == "temporal" else kind
            done.criticised[ends[0][1], ends[1][1]] = kind


def rows_of(corpora: Sequence[Corpus], runs: Mapping[str, Run]) -> tuple[Array, list[str]]:
    """The features of every scored pair that may be asserted, and its label."""
    rows: list[list[float]] = []
    kinds: list[str] = []
    for corpus in corpora:
        for key, features in runs[corpus.name].compared.items():
            if key not in corpus.unscored and key not in runs[corpus.name].barred:
                rows.append([features[name] for name in NAMES])
                kinds.append(corpus.labels.get(key, "none"))
    return np.array(rows), kinds


def fit(given: tuple[Array, Array], wanted: Array, strength: float) -> tuple[Array, float]:
    """A logistic regression over features of equal spread, held back, of rows that are worth more or less; by Newton's
    steps."""
    rows, worth = given
    middle, spread = rows.mean(0), rows.std(0) + 1e-9
    standard = np.c_[(rows - middle) / spread, np.ones(len(rows))]
    weights = np.zeros(standard.shape[1])
    held = strength * np.r_[np.ones(len(weights) - 1), 1e-6]
    for _ in range(ROUNDS):
        sure = 1 / (1 + np.exp(-np.clip(standard @ weights, -30, 30)))
        slope = standard.T @ (worth * (wanted - sure)) - held * weights
        bend = (standard * (worth * sure * (1 - sure))[:, None]).T @ standard + np.diag(held)
        weights = weights + np.linalg.solve(bend, slope)
    plain = weights[:-1] / spread
    return plain, float(weights[-1] - plain @ middle)


def learn(corpora: Sequence[Corpus], runs: Mapping[str, Run]) -> Weights:
    """What some corpora teach, with thresholds at which each of them, judged by what the others teach, comes out right
    often enough."""
    said: list[tuple[str, float, str]] = []
    for corpus in corpora:
        taught = _teach([each for each in corpora if each is not corpus], runs)
        said += _assertions(corpus, runs[corpus.name], taught)
    made = _teach(corpora, runs)
    return replace(
        made,
        change=replace(made.change, threshold=_threshold(said, CHANGED, CHANGES_FROM)),
        duplicate=replace(made.duplicate, threshold=_threshold(said, ("duplicate",), SAME_FROM)),
    )


def _teach(corpora: Sequence[Corpus], runs: Mapping[str, Run]) -> Weights:
    """Trees and weights, with the lowest thresholds that are tried."""
    rows, kinds = rows_of(corpora, runs)
    labels = np.array(kinds)
    changed, same = np.isin(labels, CHANGED), labels == "duplicate"
    weights, bias = _dispute((rows[changed], labels[changed]), runs[OWN])
    return Weights(
        NAMES,
        replace(boost(rows, changed, seeds=SEEDS), threshold=CHANGES_FROM[0]),
        replace(boost(rows, same, seeds=SEEDS), threshold=SAME_FROM[0]),
        Regression(tuple(weights.tolist()), bias, DISPUTED),
    )


def _dispute(changed: tuple[Array, Array], own: Run) -> tuple[Array, float]:
    """What of all that is otherwise is disputed, also by the pairs of the repository, which corpora have few of."""
    added, kinds = rows_of([own_pairs()], {OWN: own})
    among = np.isin(kinds, CHANGED)
    rows = np.concatenate([changed[0], added[among]])
    labels = np.concatenate([changed[1], np.array(kinds)[among]])
    worth = np.repeat((1.0, OWN_WORTH), (len(changed[0]), int(among.sum())))
    return fit((rows, worth), (labels == "contradiction").astype(float), SLIGHT)


def _assertions(corpus: Corpus, done: Run, weights: Weights) -> list[tuple[str, float, str]]:
    """What is asserted of the pairs of a corpus, how surely, and its label."""
    found: list[tuple[str, float, str]] = []
    for key, features in done.compared.items():
        if key not in corpus.unscored and key not in done.barred:
            verdict = weigh_pair(done.pairs[key], features, weights, gates_of(weights)).verdict
            if verdict is not None:
                found.append((verdict.kind, verdict.score, corpus.labels.get(key, "in no list")))
    return found


def _threshold(said: Sequence[tuple[str, float, str]], kinds: Sequence[str], tried: Sequence[float]) -> float:
    """The lowest from which on enough is right; else the highest that was tried."""
    for threshold in tried:
        labels = [label for kind, score, label in said if kind in kinds and score >= threshold]
        if labels and sum(label in kinds for label in labels) >= RIGHT * len(labels):
            return threshold
    return tried[-1]


def report(corpus: Corpus, done: Run, *, listing: bool) -> None:
    print(f"{corpus.name}: {len(corpus.memories)} memories, {dict(Counter(corpus.labels.values()))}")
    scored = {key: kind for key, kind in done.asserted.items() if key not in corpus.unscored}
    _rates("  store_memory", corpus, scored)
    told = {key: kind for key, kind in done.criticised.items() if key not in corpus.unscored}
    _rates("  critique_context", corpus, told)
    labelled = [key for key, kind in corpus.labels.items() if kind != "none"]
    shown = sum(older in done.near.get(newer, ()) for older, newer in labelled)
    print(f"  near: {shown / max(1, len(labelled)):.3f} of {len(labelled)}")
    confusion = Counter((corpus.labels.get(key, "in no list"), kind) for key, kind in scored.items())
    print("  labelled, asserted:", ", ".join(f"{a} as {b} {n}" for (a, b), n in sorted(confusion.items())))
    if listing:
        for key, kind in scored.items():
            label = corpus.labels.get(key, "in no list")
            if label not in (CHANGED if kind in CHANGED else ("duplicate",)):
                print(f"    {kind} but {label} {key}: {' | '.join(done.sentences[key])}")


def _rates(name: str, corpus: Corpus, asserted: Mapping[Key, str]) -> None:
    counted: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for group, kinds in (("update or contradiction", CHANGED), ("duplicate", ("duplicate",))):
        said = [key for key, kind in asserted.items() if kind in kinds]
        right = sum(corpus.labels.get(key) in kinds for key in said)
        wanted = sum(label in kinds for label in corpus.labels.values())
        counted[group] = [right, len(said), wanted]
        print(
            f"{name}: {group}: precision {right / max(1, len(said)):.3f} ({right} of {len(said)}), "
            f"recall {right / max(1, wanted):.3f} ({wanted})"
        )
    hard = [key for key, label in corpus.labels.items() if label == "none"]
    wrong = sum(key in asserted for key in hard)
    print(f"{name}: hard negatives asserted {wrong / max(1, len(hard)):.3f} ({wrong} of {len(hard)})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    for name in ("stated", "list", "learn", "shipped"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--embedder", default=DEFAULT, choices=MODELS, help="with --shipped: which model embeds")
    asked = parser.parse_args()
    corpora = [read_corpus(folder) for folder in asked.folders]
    if asked.shipped:
        for corpus in corpora:
            report(corpus, run(corpus, None, stated=asked.stated, embedder=asked.embedder), listing=asked.list)
        return
    seen = {corpus.name: run(corpus, UNJUDGED) for corpus in (*corpora, own_pairs())}
    if asked.learn:
        learned = learn(corpora, seen)
        write_weights(WEIGHTS, learned)
        print(f"written: {WEIGHTS.name}, {_thresholds(learned)}")
    for corpus in corpora:
        learned = learn([each for each in corpora if each is not corpus], seen)
        print(f"learned from the others, {_thresholds(learned)}")
        report(corpus, run(corpus, learned, stated=asked.stated), listing=asked.list)


def _thresholds(weights: Weights) -> str:
    return f"otherwise from {weights.change.threshold:.2f}, the same from {weights.duplicate.threshold:.2f}"


if __name__ == "__main__":
    main()
