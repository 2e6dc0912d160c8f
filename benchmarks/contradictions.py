"""How well contradictions are told from what only looks like one: precision and recall on pairs written for it.

Every second pair is for development, the others are held out; `--list` shows the pairs that are misjudged."""

import argparse
from collections import Counter
from pathlib import Path

from pinakes.mind.contradiction import contradict_texts

PAIRS = Path(__file__).parent / "data" / "contradictions.tsv"


def read_pairs() -> list[tuple[str, str, str, str]]:
    """(half, label, one text, the other), halves in turn within each label."""
    seen: Counter[str] = Counter()
    pairs: list[tuple[str, str, str, str]] = []
    for line in PAIRS.read_text("utf-8").splitlines():
        label, one, other = line.split("\t")
        seen[label] += 1
        pairs.append(("development" if seen[label] % 2 else "held-out", label, one, other))
    return pairs


def measure(half: str, *, listing: bool) -> dict[str, float]:
    hits, counted = Counter[str](), Counter[str]()
    for its_half, label, one, other in read_pairs():
        if its_half != half:
            continue
        found = contradict_texts(one, other)
        counted[label] += 1
        hits[label] += found is not None
        hits["typed"] += found is not None and found.type == label
        if listing and (found is None) != (label == "none"):
            print(f"  {half} {label}: {one} | {other} -> {found and (found.type, found.explanation)}")
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
    for half in ("development", "held-out"):
        found = measure(half, listing=asked.list)
        print(half, " ".join(f"{name}={value:.3f}" for name, value in found.items()))


if __name__ == "__main__":
    main()
