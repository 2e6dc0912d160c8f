"""Bars in numbers: how much each decided, how often it was right, what it decided lately, and what of that would have
been otherwise nearby (memory-model: Thresholds)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.state import activity_of
from memotheca.memory.thresholds.bar_levels import learnable, setting_in
from memotheca.memory.thresholds.decision_labels import DecisionSample, labelled_decisions
from memotheca.memory.thresholds.placement import BarPoint, past_of
from memotheca.memory.thresholds.reliability import Scored, fit_temperature
from memotheca.memory.thresholds.replay import share_right
from memotheca.memory.tuning.gates import Setting, read_settings
from memotheca.memory.tuning.thresholds import GENERAL, NAMES, REGISTRY, Domain, Name
from memotheca.storage.instruments.gate_decisions import GateDecision, ScoreTally
from memotheca.storage.snapshot import Snapshot

FEW = 10  # chosen: fewer scores have no usual place
LATELY = 50  # chosen: decisions that are shown, the nearest to the bar first
RETRIEVALS = 100  # chosen: as many as labels are taken from
NEWEST = 60  # chosen: of each bar, for a look at all of them within milliseconds
# Which of the thirteen spaces a signal of the search is, of those by which retrievals are told to be right.
SIGNALS: Mapping[str, str] = {"cosine": "E1", "lexical": "E13"}


@dataclass(frozen=True, slots=True)
class BarStanding:
    """A bar in a domain: where it lies, how much it decided, how much of that is labelled, and what share was right."""

    name: Name
    setting: Setting
    observations: int
    labels: int
    right: float | None


@dataclass(frozen=True, slots=True)
class SpaceTemperature:
    """How far a space's scores would have to be drawn to the middle to be as sure as they were of use."""

    space: str
    temperature: float | None
    labels: int


@dataclass(frozen=True, slots=True)
class Flip:
    """A decision that was made near the bar, and whether it would be another with a higher or a lower one."""

    decision: GateDecision
    if_higher: bool
    if_lower: bool


@dataclass(frozen=True, slots=True)
class BarExplanation:
    """How a bar came to lie where it does, what it decided lately, and what of that flips beside it."""

    setting: Setting
    past: tuple[BarPoint, ...]
    decided: int
    reached: int
    labels: int
    right: float | None
    flips: tuple[Flip, ...]
    flip_if_higher: int
    flip_if_lower: int


def newest_labelled(kernel: Kernel, snapshot: Snapshot, domain: Domain) -> dict[Name, list[GateDecision]]:
    """Of every bar that something labels, what it decided in a domain lately."""
    names: list[Name] = [name for name in NAMES if REGISTRY[name].labels]
    return labelled_decisions(kernel, snapshot, names, DecisionSample(domain=domain, newest=NEWEST))


def stand_of_bars(
    snapshot: Snapshot, domain: Domain, rows: Mapping[Name, Sequence[GateDecision]], tallies: Sequence[ScoreTally]
) -> list[BarStanding]:
    """Every bar that holds in a domain, with how much it decided there; in general, anywhere."""
    names: list[Name] = [name for name in NAMES if domain in REGISTRY[name].domains]
    settings = read_settings(snapshot)
    found: list[BarStanding] = []
    for name in names:
        setting, known = setting_in(settings, name, domain), learnable(rows.get(name, ()))
        seen = sum(each.count for each in tallies if each.threshold == name and domain in (GENERAL, each.domain))
        found.append(BarStanding(name, setting, seen, len(known), share_right(name, known, setting.bar)))
    return found


def drift_of(tallies: Sequence[ScoreTally], domain: Domain = GENERAL) -> dict[str, float]:
    """How far the scores that a bar was held against lately lie from those before, in their spreads; of those bars that
    decided enough both times."""
    sums: dict[tuple[str, bool], list[float]] = {}
    for each in tallies:
        if domain in (GENERAL, each.domain):
            held = sums.setdefault((each.threshold, each.is_fresh), [0.0, 0.0, 0.0])
            for place, more in enumerate((each.count, each.total, each.squares)):
                held[place] += more
    found: dict[str, float] = {}
    for name in NAMES:
        before, lately = sums.get((name, False)), sums.get((name, True))
        if before is None or lately is None or min(before[0], lately[0]) < FEW:
            continue
        mean = before[1] / before[0]
        spread = math.sqrt(max(0.0, before[2] / before[0] - mean**2))
        if spread > 0:
            found[name] = round(abs(lately[1] / lately[0] - mean) / spread, 4)
    return found


def temperatures_of_spaces(kernel: Kernel, snapshot: Snapshot) -> dict[str, SpaceTemperature]:
    """Of the spaces whose scores retrievals show, by what was of use; None where too little is known."""
    rows = activity_of(kernel).retrievals.judged(snapshot.session, snapshot.collection, among=RETRIEVALS)
    found: dict[str, SpaceTemperature] = {}
    for signal, space in SIGNALS.items():
        scored = [
            Scored(min(1.0, max(0.0, each.signals[signal])), each.used >= 0.5)
            for row in rows
            for each in row.shown
            if signal in each.signals and (each.used >= 0.5 or (row.outcome is not None and row.outcome < 0.5))
        ]
        used = sum(each.is_so for each in scored)
        is_enough = len(scored) >= FEW and 0 < used < len(scored)
        temperature = round(fit_temperature(scored), 4) if is_enough else None
        found[space] = SpaceTemperature(space, temperature, len(scored))
    return found


def explain_bar(kernel: Kernel, snapshot: Snapshot, name: Name, domain: Domain) -> BarExplanation:
    """A bar, its past, and what it decided lately: the nearest to it first, since those flip first."""
    threshold, setting = REGISTRY[name], setting_in(read_settings(snapshot), name, domain)
    rows = labelled_decisions(kernel, snapshot, [name], DecisionSample(domain=domain))[name]
    flips = [_flip(name, row, setting.bar) for row in rows]
    nearest = sorted(flips, key=lambda each: (abs(each.decision.score - setting.bar), -each.decision.time))
    known = learnable(rows)
    return BarExplanation(
        setting=setting,
        past=tuple(past_of(snapshot, name, [domain, GENERAL] if domain != GENERAL else [GENERAL])),
        decided=len(rows),
        reached=sum(threshold.is_reached(row.score, setting.bar) for row in rows),
        labels=len(known),
        right=share_right(name, known, setting.bar),
        flips=tuple(nearest[:LATELY]),
        flip_if_higher=sum(each.if_higher for each in flips),
        flip_if_lower=sum(each.if_lower for each in flips),
    )


def _flip(name: Name, row: GateDecision, bar: float) -> Flip:
    threshold = REGISTRY[name]
    now = threshold.is_reached(row.score, bar)
    higher, lower = (threshold.is_reached(row.score, bar + by) for by in (threshold.nudge, -threshold.nudge))
    return Flip(row, higher != now, lower != now)
