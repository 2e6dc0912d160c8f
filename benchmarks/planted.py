"""How many texts of a memory corpus are kept or held as they should be, by who speaks.

Each folder has `texts.jsonl`: `text`, `source`, `expect` (keep or hold). Every text is judged as `store_memory` judges
it with that `source`. With `--learn`, the weights of `memotheca.memory.safety.addressee` are fitted to the texts of the
folders that come from outside, with the honest texts of `--honest FILE` (`text` a line) beside them; before that each
folder is judged by weights that were learned from the others alone. The command that made the shipped weights:
docs/decisions/learned-weights.md."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from memotheca.memory.safety.addressee import FEATURES, FURTHEST, LOWERING, NAMES, THREAT, WEIGHTS, signs
from memotheca.memory.safety.adversarial import weight_of
from memotheca.memory.safety.learned_weights import write_weights
from memotheca.memory.safety.speakers import hear, is_addressed

OUTSIDE = ("web", "document", "tool", "agent")
STEPS, ROUNDS, RATE, PENALTY = 500, 6, 0.05, 2e-3
HARDEST = 3  # sentences of an honest text that are learned from
HONEST = 0.3  # the weight of a text that is none of the folders'


@dataclass(frozen=True, slots=True)
class Bag:
    """The sentences of one text, and what is known of it."""

    rows: np.ndarray
    threat: float
    source: str
    is_planted: bool
    weight: float = 1.0


def read(folder: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (folder / "texts.jsonl").read_text("utf-8").split("\n") if line]


def bags_of(folder: Path) -> list[Bag]:
    return [
        Bag(signs(each["text"]), weight_of(each["text"]), each["source"], each["expect"] == "hold")
        for each in read(folder)
    ]


def honest_of(path: Path | None) -> list[Bag]:
    lines = [] if path is None else [line for line in path.read_text("utf-8").split("\n") if line][::3]
    return [Bag(signs(json.loads(line)["text"]), 0.0, "document", False, HONEST) for line in lines]


def fit(rows: np.ndarray, labels: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Logistic regression with a penalty on size and kept signs, by Adam, the same every time."""
    learned, mean, square = np.zeros(rows.shape[1]), np.zeros(rows.shape[1]), np.zeros(rows.shape[1])
    shares = shares / shares.sum()
    free = np.ones(rows.shape[1])
    free[-1] = 0
    for step in range(1, STEPS + 1):
        wrong = (1 / (1 + np.exp(-rows @ learned)) - labels) * shares
        slope = rows.T @ wrong + PENALTY * free * learned
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        learned -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        held = np.where(LOWERING, np.minimum(learned, 0), np.maximum(learned, 0))
        held[-1] = learned[-1]
        learned = held
    return learned


def learn(bags: Sequence[Bag]) -> np.ndarray:
    """A planted text has one sentence that makes it so: the worst by what was learned in the round before."""
    named = NAMES.index("machine named")
    planted = [bag for bag in bags if bag.is_planted and bag.source in OUTSIDE and bag.rows[:, named].max() > 0]
    honest = [bag for bag in bags if not bag.is_planted and bag.source in OUTSIDE]
    learned = np.where(LOWERING, 0.0, 1.0)
    for _ in range(ROUNDS):
        worst = [bag.rows[np.argmax(bag.rows @ learned)] for bag in planted]
        hardest = [bag.rows[np.argsort(-(bag.rows @ learned))[:HARDEST]] for bag in honest]
        rows = np.array([*worst, *np.concatenate(hardest)])
        labels = np.r_[np.ones(len(worst)), np.zeros(len(rows) - len(worst))]
        shares = np.concatenate(
            [np.full(len(each), bag.weight / len(each)) for each, bag in zip(hardest, honest, strict=True)]
        )
        learned = fit(rows, labels, np.r_[np.full(len(worst), shares.sum() / len(worst)), shares])
    return learned


def tell(name: str, verdicts: Sequence[tuple[Bag, bool]]) -> None:
    for source in ("all", *sorted({bag.source for bag, _ in verdicts})):
        chosen = [(bag, held) for bag, held in verdicts if source in ("all", bag.source)]
        kept = [not held for bag, held in chosen if not bag.is_planted]
        found = [held for bag, held in chosen if bag.is_planted]
        shares = [f"{what} {sum(ones)} of {len(ones)}" for what, ones in (("kept", kept), ("held", found)) if ones]
        print(f"{name:<28} {source:<10} {', '.join(shares)}")


def judged(bags: Sequence[Bag], learned: np.ndarray) -> list[tuple[Bag, bool]]:
    found: list[tuple[Bag, bool]] = []
    for bag in bags:
        address = float(np.max(bag.rows @ learned)) + THREAT * min(FURTHEST, max(-FURTHEST, bag.threat))
        found.append((bag, is_addressed(address, bag.source)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--learn", action="store_true")
    parser.add_argument("--honest", type=Path)
    asked = parser.parse_args()
    bags = {folder.name: bags_of(folder) for folder in asked.folders}
    if asked.learn:
        honest = honest_of(asked.honest)
        for name, own in bags.items():
            others = [bag for other, each in bags.items() if other != name for bag in each]
            if others:
                tell(f"{name} by the others", judged(own, learn([*others, *honest])))
        learned = learn([*(bag for each in bags.values() for bag in each), *honest])
        write_weights(WEIGHTS, FEATURES, learned, np.zeros(0))
    for folder in asked.folders:
        verdicts = [hear(each["text"], each["source"]).is_held for each in read(folder)]
        tell(f"{folder.name} as shipped", list(zip(bags[folder.name], verdicts, strict=True)))


if __name__ == "__main__":
    main()
