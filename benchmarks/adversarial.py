"""How many planted instructions are found, and how many honest texts are taken for them.

`--learn` fits the weights that `pinakes.mind.adversarial` reads, after five-fold cross-validation (each fifth is judged
by weights that never saw it) and after judging each source by weights learned from the other sources alone. Without
it, the shipped weights are measured on the given folder (attacks.jsonl,
benign.jsonl and, apart, attacks-plain.jsonl)."""

import argparse
import json
import re
import time
from collections import Counter
from pathlib import Path

import numpy as np

from contradictions import read_pairs
from pinakes.mind.adversarial import BUCKETS, DENSE, FLAGGED, LOWERING, SCALE, WEIGHTS, features, inspect

QUOTING = ("quoted-attack", "security-article", "prompt-library", "agent-instructions", "trigger-words")
FOLDS = 5
STEPS = 150
DENSE_PENALTY, WORD_PENALTY = 1.0, 1.0


def read(folder: Path, name: str) -> list[dict[str, str]]:
    path = folder / name
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


class Texts:
    """The features of all texts, ready to be fitted."""

    def __init__(self, texts: list[str]) -> None:
        found = [features(text) for text in texts]
        self.dense = np.array([dense for dense, _ in found], np.float64)
        sizes = [len(numbers) for _, numbers in found]
        self.rows = np.repeat(np.arange(len(found)), sizes)
        self.columns = np.concatenate([numbers for _, numbers in found])
        self.values = np.repeat([SCALE / max(1.0, size) ** 0.5 for size in sizes], sizes)

    def totals(self, learned: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        signs, words = learned
        spoken = np.bincount(self.rows, self.values * words[self.columns], len(self.dense))
        return self.dense @ signs + spoken


def fit(texts: Texts, labels: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Logistic regression with a penalty on size and kept signs, by Adam, the same every time."""
    learned = [np.zeros(DENSE), np.zeros(BUCKETS)]
    means, squares = [np.zeros_like(each) for each in learned], [np.zeros_like(each) for each in learned]
    count = int(chosen.sum())
    free = np.ones(DENSE)
    free[-1] = 0
    for step in range(1, STEPS + 1):
        totals = texts.totals((learned[0], learned[1]))
        wrong = np.where(chosen, 1 / (1 + np.exp(-totals)) - labels, 0) / count
        slopes = (
            texts.dense.T @ wrong + DENSE_PENALTY / count * free * learned[0],
            np.bincount(texts.columns, texts.values * wrong[texts.rows], BUCKETS) + WORD_PENALTY / count * learned[1],
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


def leave_out(texts: Texts, labels: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """What each text weighs by weights that never saw its group."""
    held_out = np.zeros(len(labels))
    for group in np.unique(groups):
        mine = groups == group
        held_out[mine] = texts.totals(fit(texts, labels, ~mine))[mine]
    return held_out


def short_pieces(benign: list[dict[str, str]]) -> list[tuple[int, str]]:
    """Single honest sentences, as (which text they are from, sentence): most memories are that short. Texts that quote
    or give instructions are left out, since a sentence of them may be an attack once it stands alone."""
    found: list[tuple[int, str]] = []
    for place, each in enumerate(benign):
        if each["kind"] not in QUOTING:
            sentences = [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", each["text"]) if 25 < len(part) < 250]
            found += [(place, sentence) for sentence in sentences[1:6:2]]
    return found


def learn(attacks: list[dict[str, str]], benign: list[dict[str, str]]) -> None:
    short = short_pieces(benign)
    own = sorted({text for _, one, other in read_pairs("development") for text in (one, other)})
    honest = [*(each["text"] for each in benign), *(text for _, text in short), *own]
    texts = Texts([*(each["text"] for each in attacks), *honest])
    labels = np.array([1.0] * len(attacks) + [0.0] * len(honest))
    drawn = np.random.default_rng(0).integers(0, FOLDS, len(labels))
    given = len(attacks) + len(benign)
    # A sentence is held out together with the text it is from.
    drawn[given : given + len(short)] = [drawn[len(attacks) + place] for place, _ in short]
    folds = drawn
    held_out = leave_out(texts, labels, folds)
    # Where one honest text in sixty-five would be reported stands the border.
    border = float(np.quantile(held_out[len(attacks) : given], 1 - 1 / 65))
    found = (held_out[: len(attacks)] >= border).mean()
    alarms, brief = (held_out[len(attacks) : given] >= border).mean(), (held_out[given:] >= border).mean()
    print(f"five-fold: found {found:.3f}, false alarms {alarms:.4f}, on single sentences {brief:.4f}")
    named = [each["source"] for each in (*attacks, *benign)] + [benign[place]["source"] for place, _ in short]
    foreign = leave_out(texts, labels, np.array([*named, *["own"] * len(own)]))
    found, alarms = (foreign[: len(attacks)] >= border).mean(), (foreign[len(attacks) : given] >= border).mean()
    print(f"each source by the others: found {found:.3f}, false alarms {alarms:.4f}", flush=True)
    signs, words = fit(texts, labels, np.ones(len(labels), bool))
    signs[-1] -= border
    scale = float(np.abs(words).max()) / 127
    packed = signs.astype(np.float32).tobytes() + np.float32(scale).tobytes()
    WEIGHTS.write_bytes(packed + np.round(words / scale).astype(np.int8).tobytes())


def measure(folder: Path) -> None:
    for name in ("attacks.jsonl", "benign.jsonl", "attacks-plain.jsonl"):
        texts = read(folder, name)
        if not texts:
            continue
        began = time.process_time()
        scores = [inspect(each["text"]).score for each in texts]
        spent = (time.process_time() - began) / len(texts) * 1000
        flagged = Counter(each["kind"] for each, score in zip(texts, scores, strict=True) if score >= FLAGGED)
        counted = Counter(each["kind"] for each in texts)
        share = sum(flagged.values()) / len(texts)
        print(f"{name}: {sum(flagged.values())} of {len(texts)} reported ({share:.3f}), {spent:.2f} ms each")
        print("   " + ", ".join(f"{kind} {flagged[kind]}/{count}" for kind, count in counted.most_common(14)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--learn", action="store_true")
    asked = parser.parse_args()
    if asked.learn:
        learn(read(asked.folder, "attacks.jsonl"), read(asked.folder, "benign.jsonl"))
    measure(asked.folder)


if __name__ == "__main__":
    main()
