"""How well contradictions are told from what only looks like one: precision and recall on pairs written for it.

`contradictions.tsv` is for development; `contradictions-fresh.tsv` is held out: the detector is made without looking at
which of its pairs are misjudged. `--list` shows the misjudged pairs of the development set."""

import argparse
from collections import Counter
from pathlib import Path

from memotheca.memory.claims.contradiction import contradict_texts

DATA = Path(__file__).parent / "data"
SETS = {"development": "contradictions.tsv", "held-out": "contradictions-fresh.tsv"}


def read_pairs(name: str) -> list[tuple[str, str, str]]:
    """Label, one text, the other."""
    lines = (DATA / SETS[name]).read_text("utf-8").splitlines()
    return [(label, one, other) for label, one, other in (line.split("\t") for line in lines)]


def measure(name: str, *, listing: bool) -> dict[str, float]:
    hits, counted = Counter[str](), Counter[str]()
    for label, one, other in read_pairs(name):
        found = contradict_texts(one, other)
        counted[label] += 1
        hits[label] += found is not None
        hits["typed"] += found is not None and found.type == label
        if listing and (found is None) != (label == "none"):
            print(f"  {label}: {one} | {other} -> {found and (found.type, found.explanation)}")
    real = sum(counted.values()) - counted["none"]
    right = sum(hits[label] for label in counted if label != "none")
    return {
        "pairs": sum(counted.values()),
        "precision": right / max(1, right + hits["none"]),
        "recall": right / real,
        "right_type": hits["typed"] / max(1, right),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args()
    for name in SETS:
        found = measure(name, listing=asked.list and name == "development")
        print(name, " ".join(f"{name}={value:.3f}" for name, value in found.items()))


if __name__ == "__main__":
    main()
