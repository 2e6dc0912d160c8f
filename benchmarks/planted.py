"""How many texts of a memory corpus are kept or held as they should be, by who speaks.

Each folder has `texts.jsonl`: `text`, `source`, `expect` (keep or hold). Every text is judged as `store_memory` judges
it with that `source`. With `--learn`, the weights of `memotheca.memory.safety.addressee` are fitted to the texts of the
folders that come from outside, to those of our own hand (`data/addressed.tsv`), and to the honest texts of
`--honest FILE` (`text` a line); before that each folder is judged by weights that were learned without it. `--errors`
prints what is judged wrongly. The command that made the shipped weights: docs/decisions/learned-weights.md."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from memotheca.memory.safety.addressee import FEATURES, LOWERING, NAMES, WEIGHTS, signs
from memotheca.memory.safety.learned_weights import write_weights
from memotheca.memory.safety.speakers import hear, weigh_address

OUTSIDE = ("web", "document", "tool", "agent")
OWN_HAND = Path(__file__).parent / "data" / "addressed.tsv"
STEPS, ROUNDS, RATE, PENALTY = 500, 6, 0.05, 8e-4
HARDEST = 3  # sentences of an honest text that are learned from
HONEST = 0.3  # the weight of a text that is none of the folders'
THREAT, LONG = NAMES.index("threat"), NAMES.index("long")
LONGEST = 1.0  # what a long text may take off: the folders' texts are short, the honest ones beside them are not


@dataclass(frozen=True, slots=True)
class Bag:
    """The sentences of one text, and what is known of it."""

    text: str
    rows: np.ndarray
    source: str
    is_planted: bool
    weight: float = 1.0


def bags_of(folder: Path) -> list[Bag]:
    lines = [json.loads(line) for line in (folder / "texts.jsonl").read_text("utf-8").split("\n") if line]
    return [bag_of(each["text"], each["source"], each["expect"]) for each in lines]


def bag_of(text: str, source: str, expect: str) -> Bag:
    return Bag(text, signs(text, source), source, expect == "hold")


def own_bags() -> list[Bag]:
    """Texts of our own hand: expect, who said it, text; a line break is written as such."""
    lines = [line.split("\t") for line in OWN_HAND.read_text("utf-8").splitlines() if not line.startswith("#")]
    return [bag_of(text.replace("\\n", "\n"), source, expect) for expect, source, text in lines]


def honest_of(path: Path | None) -> list[Bag]:
    lines = [] if path is None else [line for line in path.read_text("utf-8").split("\n") if line][::3]
    bags = [Bag(text, signs(text, "document"), "document", False, HONEST) for text in map(text_of, lines)]
    for bag in bags:
        # The other detector learned from these very texts.
        bag.rows[:, THREAT] = 0
    return bags


def text_of(line: str) -> str:
    return str(json.loads(line)["text"])


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
        held[LONG] = max(held[LONG], -LONGEST)
        learned = held
    return learned


def learn(bags: Sequence[Bag]) -> np.ndarray:
    """A planted text has one sentence that makes it so: the worst by what was learned in the round before."""
    planted = [bag for bag in bags if bag.is_planted and bag.source in OUTSIDE]
    honest = [bag for bag in bags if not bag.is_planted and bag.source in OUTSIDE]
    learned = np.where(LOWERING, 0.0, 1.0)
    for _ in range(ROUNDS):
        worst = [bag.rows[np.argmax(bag.rows @ learned)] for bag in planted]
        hardest = [bag.rows[np.argsort(-(bag.rows @ learned), kind="stable")[:HARDEST]] for bag in honest]
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


def tell_errors(name: str, verdicts: Sequence[tuple[Bag, bool]]) -> None:
    for bag, held in verdicts:
        if held != bag.is_planted:
            print(f"{name}: {'held' if held else 'kept'}, {bag.source}: {' '.join(bag.text.split())[:300]}")


def judged(bags: Sequence[Bag], learned: np.ndarray) -> list[tuple[Bag, bool]]:
    def weigh(text: str, source: str) -> float:
        return float(np.max(signs(text, source) @ learned))

    return [(bag, any(each.is_reached for each in weigh_address(bag.text, bag.source, weigh))) for bag in bags]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--learn", action="store_true")
    parser.add_argument("--honest", type=Path)
    parser.add_argument("--errors", action="store_true")
    asked = parser.parse_args()
    bags = {folder.name: bags_of(folder) for folder in asked.folders}
    told = [tell, *([tell_errors] if asked.errors else [])]
    if asked.learn:
        others = [*own_bags(), *honest_of(asked.honest)]
        for name, own in bags.items():
            rest = [bag for other, each in bags.items() if other != name for bag in each]
            verdicts = judged(own, learn([*rest, *others]))
            for each in told:
                each(f"{name} by the others", verdicts)
        learned = learn([*(bag for each in bags.values() for bag in each), *others])
        write_weights(WEIGHTS, FEATURES, learned, np.zeros(0))
    for name, own in bags.items():
        verdicts = [(bag, hear(bag.text, bag.source).is_held) for bag in own]
        for each in told:
            each(f"{name} as shipped", verdicts)


if __name__ == "__main__":
    main()
