"""How many planted instructions are found, and how many honest texts are taken for them.

`--learn` fits the weights that `memotheca.memory.safety.adversarial` reads: from the given folder, from texts that a
grammar makes up (`speech.py`), from honest prose where `--honest` names a folder of it, and from what
`gathering.py` found where `--more` names its folder. Before that it is measured how well
texts are judged by weights that never saw them: each fifth by the others, each source by the other sources, and a fixed
fifth that was left alone while the features and the grammar were made; its short attacks also where they stand in
long honest texts. Each is judged as `inspect` does, by the whole and by its passages. Without `--learn`, the shipped
weights are measured on the given folder (attacks.jsonl, benign.jsonl and, apart, attacks-plain.jsonl).

The command and the texts that made the shipped weights: docs/decisions/learned-weights.md."""

import argparse
import hashlib
import json
import re
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from contradictions import read_pairs
from gathering import Known
from memotheca.memory.safety.adversarial import (
    BUCKETS,
    DENSE,
    FEATURES,
    LOWERING,
    NAMES,
    SCALE,
    WEIGHTS,
    features,
    handicap,
    inspect,
    passages,
)
from memotheca.memory.safety.learned_weights import write_weights
from memotheca.memory.tuning.thresholds import PRIORS
from speech import Speech

QUOTING = ("quoted-attack", "security-article", "prompt-library", "agent-instructions", "trigger-words")
FOLDS = 5
STEPS = 150
PENALTY = 2.0
MADE_UP = 0.4
# Gathered texts are many, and not all that a collection calls an attack is one: it has to do two acts at least.
HONEST, ATTACKING = 0.2, 0.1
MARKED = NAMES.index("two acts")
# Collections that copy from each other are one source where a source is judged by the others.
COPYING = ("garak", "giskard", "compass-ctf", "prompt-armor", "pyrit")
# Where one honest text in sixty-five would be reported by the whole of it stands the border.
REPORTED = 1 / 65
PROSE = 160
LONGEST = 4000
# An attack of fewer letters is planted this many times, in as many pieces of prose.
SHORT, CARRYING, CARRIERS = 400, 3, 3


def read(folder: Path, name: str) -> list[dict[str, str]]:
    path = folder / name
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line] if path.exists() else []


def fifth_of(id: str) -> int:
    return int(hashlib.sha1(id.encode()).hexdigest(), 16) % FOLDS


@dataclass(slots=True)
class Sample:
    """A text to learn from, or to be judged by what was learned without it and its kin."""

    text: str
    label: float
    source: str
    id: str = ""
    weight: float = 1.0


class Texts:
    """The features of all texts, ready to be fitted."""

    def __init__(self, samples: list[Sample]) -> None:
        found = [features(each.text) for each in samples]
        self.dense = np.array([dense for dense, _ in found], np.float64)
        sizes = [len(numbers) for _, numbers in found]
        self.rows = np.repeat(np.arange(len(found)), sizes)
        self.columns = np.concatenate([numbers for _, numbers in found])
        self.values = np.repeat([SCALE / max(1.0, size) ** 0.5 for size in sizes], sizes)
        self.labels = np.array([each.label for each in samples])
        self.weights = np.array([each.weight for each in samples])

    def totals(self, learned: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        signs, words = learned
        spoken = np.bincount(self.rows, self.values * words[self.columns], len(self.dense))
        return self.dense @ signs + spoken


class Passages:
    """The passages of texts that are to be judged, each with its text's place and what it has to be worth beyond it."""

    def __init__(self, samples: list[Sample], dense: np.ndarray) -> None:
        found = [(place, text) for place, each in enumerate(samples) for text in passages(each.text)]
        self.owners = np.array([place for place, _ in found], np.int64)
        self.handicaps = np.array([handicap(dense[place]) for place in self.owners])
        self.texts = Texts([Sample(text, samples[place].label, "") for place, text in found])

    def worst(self, totals: np.ndarray, learned: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """What each text weighs by the whole or by its worst passage."""
        found = totals.copy()
        np.maximum.at(found, self.owners, self.texts.totals(learned) - self.handicaps)
        return found


def fit(texts: Texts, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Logistic regression with a penalty on size and kept signs, by Adam, the same every time."""
    learned = [np.zeros(DENSE), np.zeros(BUCKETS)]
    means, squares = [np.zeros_like(each) for each in learned], [np.zeros_like(each) for each in learned]
    shares = np.where(chosen, texts.weights, 0)
    shares = shares / shares.sum()
    penalty = PENALTY / (chosen * texts.weights).sum()
    free = np.ones(DENSE)
    free[-1] = 0
    for step in range(1, STEPS + 1):
        wrong = (1 / (1 + np.exp(-texts.totals((learned[0], learned[1])))) - texts.labels) * shares
        slopes = (
            texts.dense.T @ wrong + penalty * free * learned[0],
            np.bincount(texts.columns, texts.values * wrong[texts.rows], BUCKETS) + penalty * learned[1],
        )
        for place, (slope, rate) in enumerate(zip(slopes, (0.05, 0.03), strict=True)):
            means[place] = 0.9 * means[place] + 0.1 * slope
            squares[place] = 0.999 * squares[place] + 0.001 * slope**2
            grown = np.sqrt(squares[place] / (1 - 0.999**step)) + 1e-8
            learned[place] -= rate * means[place] / (1 - 0.9**step) / grown
        # Acts can only add, the looks of honest texts can only take off.
        held = np.where(LOWERING, np.minimum(learned[0], 0), np.maximum(learned[0], 0))
        held[-1] = learned[0][-1]
        learned[0] = held
    return learned[0], learned[1]


def short_pieces(benign: list[dict[str, str]]) -> list[tuple[int, str]]:
    """Single honest sentences, as (which text they are from, sentence): most memories are that short. Texts that quote
    or give instructions are left out, since a sentence of them may be an attack once it stands alone."""
    found: list[tuple[int, str]] = []
    for place, each in enumerate(benign):
        if each["kind"] not in QUOTING:
            sentences = [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", each["text"]) if 25 < len(part) < 250]
            found += [(place, sentence) for sentence in sentences[1:6:2]]
    return found


def given_samples(folder: Path) -> list[Sample]:
    """What is to be judged: the attacks, then the honest texts."""
    return [
        Sample(each["text"], label, each["source"], each["id"])
        for name, label in (("attacks.jsonl", 1.0), ("benign.jsonl", 0.0))
        for each in read(folder, name)
    ]


def kin_samples(folder: Path) -> list[Sample]:
    """Single sentences of honest texts, each held out together with the text it is from; and sentences of our own."""
    benign = read(folder, "benign.jsonl")
    pieces = [
        Sample(text, 0.0, benign[place]["source"], benign[place]["id"], 0.5) for place, text in short_pieces(benign)
    ]
    own = sorted({text for _, one, other in read_pairs("development") for text in (one, other)})
    return [*pieces, *(Sample(text, 0.0, "own") for text in own)]


def made_up_samples(folder: Path) -> list[Sample]:
    """What the grammar says: planted openly, in another language, at length, in an honest text, in disguise; and honest
    texts that use the same words. A text that stands around an attack keeps its source and its id."""
    speech = Speech(0)
    carriers = [each for each in read(folder, "benign.jsonl") if each["kind"] not in (*QUOTING, "code")]
    counts = (("planted", 1, 900), ("more_planted", 1, 600), ("foreign_planted", 1, 540), ("long", 1, 180))
    counts += (("honest", 0, 1200), ("more_honest", 0, 1020), ("foreign_honest", 0, 600))
    made = [
        Sample(speech.styled(speech.say(name)), float(label), "", "", MADE_UP)
        for name, label, count in counts
        for _ in range(count)
    ]
    for _ in range(240):
        carrier = speech.pick(carriers)
        held = carrier["text"][: speech.pick((300, 800, 2000))]
        text = speech.planted_in(held, speech.styled(attack_by(speech)))[:LONGEST]
        made.append(Sample(text, 1.0, carrier["source"], carrier["id"], MADE_UP))
    for _ in range(240):
        made.append(Sample(speech.planted_in(honest_by(speech), attack_by(speech)), 1.0, "", "", MADE_UP))
        made.append(Sample(honest_by(speech), 0.0, "", "", MADE_UP))
        made.append(Sample(honest_by(speech), 0.0, "", "", MADE_UP))
    plain = [each for each in read(folder, "benign.jsonl") if each["kind"] not in QUOTING]
    for _ in range(2500):
        whole = speech.pick(plain)
        made.append(Sample(fragment_by(speech, whole["text"]), 0.0, whole["source"], whole["id"], MADE_UP))
    hidden = [speech.hidden(speech.say("act"), honest_by(speech)) for _ in range(300)]
    return [*made, *(Sample(text, 1.0, "", "", MADE_UP) for text in hidden)]


def fragment_by(speech: Speech, text: str) -> str:
    """A few words of an honest text, or a line of it: too little to mean anything."""
    words = text.split(" ")
    start = speech.pick(range(len(words)))
    run = " ".join(words[start : start + speech.pick((1, 2, 3, 4, 6, 9))]).strip()
    lines = [line for line in text.splitlines() if line.strip()]
    return run if speech.pick((True, False)) and run else speech.pick(lines)[:LONGEST]


def attack_by(speech: Speech) -> str:
    return speech.say(speech.pick(("planted", "planted", "planted", "more_planted", "foreign_planted")))


def honest_by(speech: Speech) -> str:
    names = ("honest", "honest", "more_honest", "foreign_honest")
    return " ".join(speech.say(speech.pick(names)) for _ in range(speech.pick((1, 2, 4, 8))))


def prose_samples(folder: Path | None) -> tuple[list[Sample], list[Sample]]:
    """Honest prose and questions of a folder, one half to learn from, one half to be judged."""
    halves: tuple[list[Sample], list[Sample]] = ([], [])
    for path in sorted(folder.glob("*/*.jsonl")) if folder else ():
        lines = sorted(path.read_text("utf-8").splitlines(), key=lambda line: hashlib.sha1(line.encode()).digest())
        for place, line in enumerate(lines[:PROSE]):
            text = json.loads(line)["text"][:LONGEST]
            halves[place % 2].append(Sample(text, 0.0, "", "", MADE_UP))
    return halves


def gathered_samples(folder: Path | None, given: list[Sample]) -> list[Sample]:
    """What `gathering.py` found, but for what is nearly a given text. Attacks that do too little are only judged."""
    if folder is None:
        return []
    known = Known()
    for each in given:
        known.meet(each.text)
    found = [
        Sample(each["text"], label, each["source"], each["id"], weight)
        for name, label, weight in (("attacks.jsonl", 1.0, ATTACKING), ("benign.jsonl", 0.0, HONEST))
        for each in read(folder, name)
        if known.meet(each["text"])
    ]
    for each in found:
        each.weight *= not each.label or features(each.text)[0][MARKED] > 0
    return found


@dataclass(slots=True)
class Trial:
    """All texts, of which the first are the ones that are to be judged."""

    samples: list[Sample]
    given: int
    texts: Texts
    passages: Passages
    unlearned: np.ndarray

    def judge(self, learned: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """What each text weighs by the whole, and by the whole and its passages."""
        totals = self.texts.totals(learned)
        return np.stack([totals, self.passages.worst(totals, learned)])

    def leave_out(self, groups: list[str], judged: np.ndarray) -> np.ndarray:
        """What each text weighs by weights that never saw its group."""
        held_out = np.zeros((2, len(self.samples)))
        named = np.array(groups)
        for group in np.unique(named[judged]):
            mine = named == group
            held_out[:, mine & judged] = self.judge(fit(self.texts, ~mine & ~self.unlearned))[:, mine & judged]
        return held_out

    def shares(self, totals: np.ndarray, border: float, judged: np.ndarray) -> str:
        attacks = judged & (self.texts.labels == 1)
        honest = judged & (self.texts.labels == 0)
        found, alarms = (totals[attacks] >= border).mean(), (totals[honest] >= border).mean()
        return f"found {found:.3f} of {attacks.sum()}, false alarms {alarms:.4f} of {honest.sum()}"


def long_samples(folder: Path, prose: list[Sample]) -> dict[str, list[Sample]]:
    """Short attacks of the fixed fifth, each between the sentences of honest texts that nothing was learned from:
    documents of that fifth, and prose; and those texts without them."""
    speech = Speech(1)
    attacks, honest = (
        [each for each in read(folder, name) if fifth_of(each["id"]) == 0] for name in ("attacks.jsonl", "benign.jsonl")
    )
    short = [each for each in attacks if len(each["text"]) < SHORT and not each["kind"].startswith("encoded")]
    documents = [each["text"] for each in honest if each["kind"] not in (*QUOTING, "code")]
    pieces = [each.text for each in prose if len(each.text) > SHORT]
    carriers = {
        "documents": [text for text in documents if len(text) > 2 * SHORT],
        "prose": ["\n\n".join(speech.pick(pieces) for _ in range(CARRIERS)) for _ in range(CARRYING * len(short))],
    }
    return {
        name: [
            *(Sample(speech.planted_in(speech.pick(held), each["text"]), 1.0, "") for each in short * CARRYING),
            *(Sample(text, 0.0, "") for text in held),
        ]
        for name, held in carriers.items()
    }


def report_long(name: str, samples: list[Sample], learned: tuple[np.ndarray, np.ndarray], border: float) -> None:
    texts = Texts(samples)
    totals = texts.totals(learned)
    for way, judged in (("whole", totals), ("passages too", Passages(samples, texts.dense).worst(totals, learned))):
        found, alarms = (judged[texts.labels == label] >= border for label in (1, 0))
        print(
            f"in long {name}, {way}: found {found.mean():.3f} of {len(found)}, "
            f"false alarms {alarms.mean():.4f} of {len(alarms)}",
            flush=True,
        )


def learn(folder: Path, prose: Path | None, more: Path | None) -> None:
    given = given_samples(folder)
    learned_prose, judged_prose = prose_samples(prose)
    gathered = gathered_samples(more, given)
    samples = [*given, *gathered, *kin_samples(folder), *made_up_samples(folder), *learned_prose, *judged_prose]
    last = np.arange(len(samples)) >= len(samples) - len(judged_prose)
    texts = Texts(samples)
    trial = Trial(samples, len(given), texts, Passages(samples, texts.dense), last)
    fixed = np.array([bool(each.id) and fifth_of(each.id) == 0 for each in samples])
    open_ones = (np.arange(len(samples)) < len(given)) & ~fixed
    held = (np.arange(len(samples)) < len(given)) & fixed
    found = (np.arange(len(samples)) >= len(given)) & (np.arange(len(samples)) < len(given) + len(gathered))
    trial.unlearned = last | (fixed & ~found)
    folds = [str(fifth_of(f"f{each.id}")) if each.id else "" for each in samples]
    whole, crossed = trial.leave_out(folds, open_ones)
    border = float(np.quantile(whole[open_ones & (trial.texts.labels == 0)], 1 - REPORTED))
    print("five-fold:", trial.shares(crossed, border, open_ones), flush=True)
    sources = [COPYING[0] if each.source in COPYING else each.source for each in samples]
    _, foreign = trial.leave_out(sources, open_ones)
    print("each source by the others:", trial.shares(foreign, border, open_ones), flush=True)
    if gathered:
        _, crossed = trial.leave_out(folds, found)
        print("gathered texts, five-fold:", trial.shares(crossed, border, found), flush=True)
    learned = fit(trial.texts, ~trial.unlearned)
    _, unseen = trial.judge(learned)
    print("the fixed fifth:", trial.shares(unseen, border, held))
    if judged_prose:
        print(f"honest prose: false alarms {(unseen[last] >= border).mean():.4f} of {last.sum()}", flush=True)
        for name, planted in long_samples(folder, judged_prose).items():
            report_long(name, planted, learned, border)
    signs, words = fit(trial.texts, ~last)
    signs[-1] -= border
    write_weights(WEIGHTS, FEATURES, signs, words)


def measure(folder: Path) -> None:
    for name in ("attacks.jsonl", "benign.jsonl", "attacks-plain.jsonl"):
        texts = read(folder, name)
        if not texts:
            continue
        began = time.process_time()
        scores = [inspect(each["text"]).score for each in texts]
        spent = (time.process_time() - began) / len(texts) * 1000
        flagged = Counter(each["kind"] for each, score in zip(texts, scores, strict=True) if score >= PRIORS["planted"])
        counted = Counter(each["kind"] for each in texts)
        share = sum(flagged.values()) / len(texts)
        print(f"{name}: {sum(flagged.values())} of {len(texts)} reported ({share:.3f}), {spent:.2f} ms each")
        print("   " + ", ".join(f"{kind} {flagged[kind]}/{count}" for kind, count in counted.most_common(14)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--learn", action="store_true")
    parser.add_argument("--more", type=Path, help="a folder that gathering.py filled")
    parser.add_argument("--honest", type=Path, help="a folder of folders of honest prose, as lines of JSON with a text")
    asked = parser.parse_args()
    if asked.learn:
        learn(asked.folder, asked.honest, asked.more)
    measure(asked.folder)


if __name__ == "__main__":
    main()
