"""Verdicts: whether the newer one of two entries updates, contradicts or repeats the older one, on strong evidence.

Boosted trees over the features of `evidence.py` (docs/decisions/learned-weights.md) say how likely something of one is
otherwise in the other, and how likely both say the same; a logistic regression says whether, where it is otherwise,
nothing tells which side holds. What nothing learned may overrule stands before them: questions, readings of other days,
others of a series, aims."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import mul
from pathlib import Path
from typing import Any, Literal, cast

from memotheca.memory.claims.boosted_trees import BoostedTrees, read_trees, write_trees
from memotheca.memory.claims.contradiction import ContradictionKind, contradict_texts
from memotheca.memory.claims.evidence import (
    FEATURES,
    Pair,
    are_opposed,
    are_other_days,
    are_other_subjects,
    are_siblings,
    differs_in_one_slot,
    gather,
    is_nothing_new,
    is_of_before,
    is_repeated,
    says_the_same,
)
from memotheca.memory.claims.supposed import is_only_supposed
from memotheca.memory.tuning.thresholds import PRIORS, Decided, Gates
from memotheca.model.errors import Failure, Refusal
from memotheca.text.words import as_written

VerdictKind = Literal["update", "contradiction", "duplicate"]

WEIGHTS = Path(__file__).with_name("judgement.json")
FORMAT = 2  # chosen: counts up when the file's layout changes (docs/decisions/learned-weights.md)
ONE_SLOT = 0.9  # chosen: as sure as the same sentence with another value makes it
SHOWN = 3  # chosen: what an answer can show


@dataclass(frozen=True, slots=True)
class Regression:
    """The weights of a question in the order of the features, and from where on the answer is yes."""

    weights: tuple[float, ...]
    bias: float
    threshold: float

    def ask(self, features: Sequence[float]) -> float:
        score = self.bias + sum(map(mul, self.weights, features))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


@dataclass(frozen=True, slots=True)
class Weights:
    """What was learned: that something is otherwise; that it is the same; of what is otherwise, that it is
    disputed."""

    names: tuple[str, ...]
    change: BoostedTrees
    duplicate: BoostedTrees
    dispute: Regression


@dataclass(frozen=True, slots=True)
class Slot:
    """In what two sentences differ: of which kind it is, and how either says it."""

    kind: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """What a newer entry is to an older one, how sure that is, in which two sentences and which slot."""

    kind: VerdictKind
    type: ContradictionKind
    score: float
    newer: str
    older: str
    slot: Slot | None
    explanation: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is asserted of a pair, if anything, and which bars decided it."""

    verdict: PairVerdict | None
    decided: tuple[Decided, ...] = ()


def decide_all(pairs: Sequence[tuple[Pair, Gates]], weights: Weights | None = None) -> list[Ruling]:
    """What is asserted of some pairs, if anything, each by its own bars; the trees are asked once about all that no
    rule decides."""
    learned = weights or read_weights(WEIGHTS)
    rulings = [_rule(pair, gates) for pair, gates in pairs]
    found = {at: gather(pairs[at][0]) for at, (_, is_open) in enumerate(rulings) if is_open}
    rows = [[each[name] for name in learned.names] for each in found.values()]
    asked = zip(found, learned.change.ask_all(rows), learned.duplicate.ask_all(rows), strict=True)
    for at, change, same in asked:
        pair, gates = pairs[at]
        weighed = _weigh(pair, found[at], (change, same), learned, gates=gates)
        rulings[at] = replace(weighed, decided=(*rulings[at][0].decided, *weighed.decided)), False
    return [ruling for ruling, _ in rulings]


def _rule(pair: Pair, gates: Gates) -> tuple[Ruling, bool]:
    """What stands before all that is learned, and whether that leaves it open."""
    if is_repeated(pair):
        return Ruling(_verdict(pair, "duplicate", 1.0)), False
    if is_no_statement(pair):
        return Ruling(None), False
    ruled, clashing = _ruled(pair, gates["clash"])
    return Ruling(ruled, clashing), ruled is None


def weigh_pair(pair: Pair, found: Mapping[str, float], learned: Weights, gates: Gates = PRIORS) -> Ruling:
    """What is asserted by what was learned of such features."""
    features = [found[name] for name in learned.names]
    return _weigh(pair, found, (learned.change.ask(features), learned.duplicate.ask(features)), learned, gates=gates)


def _weigh(
    pair: Pair, found: Mapping[str, float], likely: tuple[float, float], learned: Weights, *, gates: Gates
) -> Ruling:
    """By how likely something is otherwise, and how likely it is the same. A bar decided where the answer would have
    been another one beyond it."""
    change, same = likely
    is_same = same >= max(change, gates["duplicate"])
    decided: list[Decided] = []
    if says_the_same(pair):
        same, is_same = max(same, ONE_SLOT), True
    elif same >= change and not _differs(pair):
        decided.append(Decided("duplicate", same, is_same))
    if is_same and not _differs(pair):
        return Ruling(_verdict(pair, "duplicate", same), tuple(decided))
    if differs_in_one_slot(pair):
        change, is_same = max(change, ONE_SLOT), False
    if is_same or _is_beside_the_point(pair):
        return Ruling(None, tuple(decided))
    decided.append(Decided("change", change, change >= gates["change"]))
    if change < gates["change"]:
        return Ruling(None, tuple(decided))
    # Who says that it is otherwise now does not dispute what was.
    if found["change_newer"]:
        return Ruling(_verdict(pair, "update", change), tuple(decided))
    disputed = learned.dispute.ask([found[name] for name in learned.names])
    decided.append(Decided("dispute", disputed, disputed >= gates["dispute"]))
    kind = "contradiction" if disputed >= gates["dispute"] else "update"
    return Ruling(_verdict(pair, kind, change), tuple(decided))


def may_be_otherwise(pair: Pair, weights: Weights | None = None, gates: Gates = PRIORS) -> bool:
    """Whether something of a pair may be otherwise, though not surely enough to be asserted for itself."""
    if is_no_statement(pair) or _is_beside_the_point(pair):
        return False
    learned, found = weights or read_weights(WEIGHTS), gather(pair)
    return learned.change.ask([found[name] for name in learned.names]) >= gates["likely"]


def follow(pair: Pair, over: PairVerdict, between: PairVerdict, *, is_older: bool) -> PairVerdict | None:
    """What follows for a pair from what the newer one is to a third entry, and that one to the older: the twin of what
    is replaced or disputed is so, too, and so is what was replaced by something that is repeated or replaced now."""
    score = min(over.score, between.score)
    if between.kind == "duplicate" and over.kind != "duplicate":
        return _verdict(pair, over.kind, score)
    if between.kind == "update" and is_older and over.kind != "contradiction":
        return _verdict(pair, "update", score)
    return None


def _ruled(pair: Pair, least: float) -> tuple[PairVerdict | None, tuple[Decided, ...]]:
    """What the rules for opposites, reversals and other times say of two sentences; who says that it is otherwise now
    does not dispute what was."""
    found = contradict_texts(pair.aligned.older.text, pair.aligned.newer.text, 0.0)
    if found is None or found.type == "factual":
        return None, ()
    is_changed = "change" in pair.aligned.newer.cues
    # What is so on deck 2 is not denied by what is not so on deck 3.
    if found.type == "logical" and pair.aligned.differing and not is_changed:
        return None, ()
    decided = (Decided("clash", found.score, found.score >= least),)
    if found.score < least:
        return None, decided
    if found.type == "temporal" or is_changed:
        return _verdict(pair, "update", found.score), decided
    verdict = _verdict(pair, "contradiction", found.score)
    return replace(verdict, type=found.type, explanation=found.explanation), decided


def is_no_statement(pair: Pair) -> bool:
    """Questions, aims, what is only supposed and what was so before say nothing of now, a pronoun without anything
    before it speaks of nobody knows what, a reading of one day is not otherwise on another, one of a series is not the
    other, nor one thing another of its kind."""
    mine, theirs = pair.aligned.newer, pair.aligned.older
    cues = mine.cues | theirs.cues
    if "question" in cues or "aim" in cues or not (mine.has_subject and theirs.has_subject):
        return True
    if is_only_supposed(pair) or is_of_before(pair):
        return True
    return are_other_days(pair) or are_siblings(pair) or are_other_subjects(pair)


def _is_beside_the_point(pair: Pair) -> bool:
    """A limit is not otherwise because something measured is, and what brings nothing new changes nothing."""
    mine, theirs = pair.aligned.newer, pair.aligned.older
    return ("goal" in mine.cues) != ("goal" in theirs.cues) or is_nothing_new(pair)


def _differs(pair: Pair) -> bool:
    """In a figure, a time, a denial, or a small word and its opposite: then it is not the same, however alike it
    reads."""
    mine, theirs = pair.aligned.newer, pair.aligned.older
    if are_opposed(pair):
        return True
    return bool(pair.aligned.differing) or ("denial" in mine.cues) != ("denial" in theirs.cues)


def _verdict(pair: Pair, kind: VerdictKind, score: float) -> PairVerdict:
    aligned = pair.aligned
    slot = next(iter(slots_of(pair)), None) if kind != "duplicate" else None
    type_ = "temporal" if kind == "update" else "factual"
    return PairVerdict(kind, type_, round(score, 4), aligned.newer.text, aligned.older.text, slot, explain(kind, slot))


def explain(kind: VerdictKind, slot: Slot | None) -> str:
    """Why, in words."""
    if kind == "duplicate":
        return "they say the same"
    if slot is not None and slot.kind == "denial":
        return "it is no longer so, or so now" if kind == "update" else "one denies what the other says"
    if slot is None:
        return "it is otherwise now" if kind == "update" else "both cannot hold"
    if kind == "update":
        return f"newer value: {slot.after} in place of {slot.before}"
    return f"one says {slot.before}, the other {slot.after}"


def slots_of(pair: Pair) -> list[Slot]:
    """In what the two sentences differ, as it is written in them: values, else names, else a denial."""
    aligned = pair.aligned
    found = [Slot(old.kind, old.text, new.text) for old, new in aligned.differing]
    if not found:
        fresh = _as_written(aligned.newer.text, aligned.newer.names - aligned.older.terms.keys())
        missing = _as_written(aligned.older.text, aligned.older.names - aligned.newer.terms.keys())
        found = [Slot("name", missing, fresh)] if fresh and missing else []
    if not found and ("denial" in aligned.newer.cues) != ("denial" in aligned.older.cues):
        told = ["denied" if "denial" in side.cues else "said" for side in (aligned.older, aligned.newer)]
        found = [Slot("denial", told[0], told[1])]
    return found[:SHOWN]


def _as_written(text: str, terms: frozenset[str]) -> str:
    return as_written(text, terms) if terms else ""


@lru_cache(maxsize=4)
def read_weights(path: Path) -> Weights:
    """The weights of a file that was learned for the very features this program gathers."""
    try:
        held: Mapping[str, Any] = json.loads(path.read_text("utf-8"))
        if held["format"] != FORMAT:
            raise _refusal(path, f"is of format {held['format']}, not {FORMAT}")
        names = tuple(cast(list[str], held["names"]))
        if unknown := sorted(set(names) - FEATURES):
            raise _refusal(path, f"was learned for other features: it has besides {', '.join(unknown[:3])}")
        change, duplicate = (read_trees(held[question], len(names)) for question in ("change", "duplicate"))
        made = Weights(names, change, duplicate, _regression(held["dispute"], names))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _refusal(path, "is missing or damaged") from error
    return made


def _regression(held: Mapping[str, Any], names: Sequence[str]) -> Regression:
    weights = tuple(float(weight) for weight in held["weights"])
    if len(weights) != len(names):
        raise ValueError(f"{len(weights)} weights for {len(names)} features")
    return Regression(weights, float(held["bias"]), float(held["threshold"]))


def write_weights(path: Path, weights: Weights) -> None:
    """Keep weights with the names of their features."""
    held: dict[str, Any] = {
        "format": FORMAT,
        "names": list(weights.names),
        "change": write_trees(weights.change),
        "duplicate": write_trees(weights.duplicate),
        "dispute": {
            "weights": [round(weight, 5) for weight in weights.dispute.weights],
            "bias": round(weights.dispute.bias, 5),
            "threshold": round(weights.dispute.threshold, 4),
        },
    }
    path.write_text(json.dumps(held, separators=(",", ":")) + "\n", "utf-8")


def _refusal(path: Path, reason: str) -> Refusal:
    return Refusal(
        Failure.INCOMPATIBLE,
        f"The learned weights {path.name} cannot be used: the file {reason}. Install the program anew; whoever changes "
        "its features learns them again with benchmarks/judgement.py --learn.",
    )
