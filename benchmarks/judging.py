"""Sets of questions with known answers, in BEIR's form, and how well a ranking answers them."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Ranking = Sequence[str]
Gold = Mapping[str, int]

NDCG = "nDCG@10"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its relevant texts with their grades."""

    text: str
    gold: Gold


@dataclass(frozen=True, slots=True)
class Collection:
    """A folder with corpus.jsonl, queries.jsonl and qrels.tsv."""

    folder: Path
    asked: Sequence[Asked]

    @property
    def name(self) -> str:
        return self.folder.name

    def texts(self) -> dict[str, tuple[str, str]]:
        """Title and text by id."""
        lines = (json.loads(line) for line in (self.folder / "corpus.jsonl").open(encoding="utf-8"))
        return {line["_id"]: (line.get("title") or "", line["text"]) for line in lines}


def read_collection(folder: Path, limit: int | None = None) -> Collection:
    gold: dict[str, dict[str, int]] = {}
    lines = (folder / "qrels.tsv").read_text("utf-8").splitlines()
    for line in lines:
        fields = line.split("\t")
        if fields[-1].lstrip("-").isdigit() and int(fields[-1]) > 0:
            gold.setdefault(fields[0], {})[fields[-2]] = int(fields[-1])
    asked = [json.loads(line) for line in (folder / "queries.jsonl").open(encoding="utf-8")]
    found = [Asked(each["text"], gold[each["_id"]]) for each in asked if each["_id"] in gold]
    return Collection(folder, found[:limit])


def misspell(text: str) -> str:
    """Two inner letters of the longest word change places; the first of equally long words, the first that differ."""
    words = text.split(" ")
    place = max(range(len(words)), key=lambda at: (len(words[at]), -at))
    word = words[place]
    for at in range(1, len(word) - 2):
        if word[at] != word[at + 1] and word[at].isalpha() and word[at + 1].isalpha():
            words[place] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
            break
    return " ".join(words)


def judge(rankings: Sequence[Ranking], asked: Sequence[Asked]) -> dict[str, float]:
    """Means over the questions in hundredths: linear gain, recall as the share of what is relevant, any, all of it."""
    judged = [_judge_one(ranking, question.gold) for ranking, question in zip(rankings, asked, strict=True)]
    return {name: 100 * sum(each[name] for each in judged) / max(len(judged), 1) for name in judged[0]}


def _judge_one(ranking: Ranking, gold: Gold) -> dict[str, float]:
    def share(depth: int) -> float:
        return len(set(ranking[:depth]) & set(gold)) / len(gold)

    gained = sum(gold.get(id, 0) / math.log2(place + 2) for place, id in enumerate(ranking[:10]))
    ideal = sum(grade / math.log2(place + 2) for place, grade in enumerate(sorted(gold.values(), reverse=True)[:10]))
    first = next((place for place, id in enumerate(ranking[:10], start=1) if id in gold), 0)
    return {
        NDCG: gained / ideal,
        "R@10": share(10),
        "R@100": share(100),
        "MRR@10": 1 / first if first else 0.0,
        "any@5": float(share(5) > 0),
        "all@5": float(share(5) == 1),
    }


def fuse_ranks(rankings: Sequence[Ranking], k: int = 60) -> list[str]:
    """Reciprocal rank fusion; ties in the order in which they were first seen."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, id in enumerate(ranking, start=1):
            scores[id] = scores.get(id, 0.0) + 1 / (k + place)
    return sorted(scores, key=lambda each: -scores[each])[:100]
