"""Recalibration: moving bars to where they would have decided better, as far as labels carry it (memory-model:
Thresholds)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memotheca.kernel.kernel import Kernel
from memotheca.memory.thresholds.decision_labels import DecisionSample, labelled_decisions
from memotheca.memory.thresholds.reliability import (
    TRIED,
    Reliability,
    Scored,
    fit_temperature,
    helps_unseen,
    measure_reliability,
    soften_all,
)
from memotheca.memory.thresholds.replay import (
    Labelled,
    ReplayedBar,
    follow_mistakes,
    share_right,
    try_everywhere,
    try_neighbours,
)
from memotheca.memory.tuning.gates import Cause, Setting, read_settings, tuning_name
from memotheca.memory.tuning.thresholds import CONSTRAINTS, GENERAL, NAMES, REGISTRY, Domain, Gates, Name
from memotheca.memory.tuning.tunings import change_tunings
from memotheca.memory.verbs import Verb
from memotheca.model.commits import Commit
from memotheca.storage.instruments.gate_decisions import GateDecision
from memotheca.storage.snapshot import Snapshot

Level = Literal[1, 2, 3, 4]


@dataclass(frozen=True, slots=True)
class Method:
    """A way to learn: its name, how it is called in history, and how many labels it takes, of either kind at least."""

    name: str
    cause: Cause
    needed: int
    of_either: int


# Specification: the names, and ten samples for temperatures; chosen: the others, by what a replay needs to be sure.
METHODS: Mapping[int, Method] = {
    1: Method("EWMA", "ewma", 5, 0),
    2: Method("Temperature", "temp", 10, 2),
    3: Method("Bandit", "bandit", 20, 3),
    4: Method("Bayesian", "bayes", 100, 10),
}


@dataclass(frozen=True, slots=True)
class Attempt:
    """What was found out about one threshold: on how many labels, of which so many say that it should have been
    reached; how right it was before and would be after; and what it is set to, where that is better."""

    name: Name
    labels: int
    positive: int
    before: Setting
    after: Setting | None
    tried: int
    right_before: float | None
    right_after: float | None
    reason: str

    @property
    def is_short(self) -> bool:
        return self.reason == INSUFFICIENT


INSUFFICIENT = "insufficient_labels"


@dataclass(frozen=True, slots=True)
class Recalibrated:
    """All attempts of one level, reliability before and after, and the transaction that set the bars, if any did."""

    level: int
    domain: Domain
    attempts: tuple[Attempt, ...]
    before: Reliability | None
    after: Reliability | None
    commit: Commit | None


def recalibrate(kernel: Kernel, level: int, domain: Domain, *, actor: str, is_dry: bool) -> Recalibrated:
    """Try one level on every threshold of a domain that anything labels, and set what is better in one transaction."""
    names: list[Name] = [name for name in NAMES if REGISTRY[name].labels and domain in REGISTRY[name].domains]
    with kernel.read() as snapshot:
        settings = read_settings(snapshot)
        rows = labelled_decisions(kernel, snapshot, names, DecisionSample(domain=domain))
        attempts = [_attempt(name, level, setting_in(settings, name, domain), rows[name]) for name in names]
        attempts = _in_order(attempts, settings, domain)
        scored = _scored(rows, attempts)
    changes = {tuning_name(each.name, domain): each.after.to_json() for each in attempts if each.after is not None}
    commit = None
    if changes and not is_dry:
        why = f"level {level} ({METHODS[level].name}) on {sum(each.labels for each in attempts)} labels"
        commit = change_tunings(kernel, changes, verb=Verb.TUNE, actor=actor, rationale=why)
    before, after = map(measure_reliability, scored)
    return Recalibrated(level, domain, tuple(attempts), before, after, commit)


def setting_in(settings: Mapping[tuple[str, str], Setting], name: Name, domain: Domain) -> Setting:
    """What holds in a domain: its own, else the general one, else the first."""
    found = settings.get((name, domain)) or settings.get((name, GENERAL))
    return Setting(name, domain, REGISTRY[name].prior) if found is None else replace(found, domain=domain)


def learnable(rows: Sequence[GateDecision]) -> list[Labelled]:
    return [Labelled(row.score, row.label >= 0.5) for row in rows if row.label is not None]


def _attempt(name: Name, level: int, held: Setting, rows: Sequence[GateDecision]) -> Attempt:
    method, labelled = METHODS[level], learnable(rows)
    positive = sum(each.should for each in labelled)
    right = share_right(name, labelled, held.bar)
    attempt = Attempt(name, len(labelled), positive, held, None, 0, right, right, "")
    if len(labelled) < method.needed or min(positive, len(labelled) - positive) < method.of_either:
        return replace(attempt, reason=INSUFFICIENT)
    after, tried, reason = (_soften if level == 2 else _move)(held, labelled, level)
    if after is None:
        return replace(attempt, tried=tried, reason=reason)
    made = replace(after, cause=method.cause, labels=len(labelled))
    return replace(attempt, after=made, tried=tried, right_after=share_right(name, labelled, made.bar), reason=reason)


def _soften(held: Setting, labelled: Sequence[Labelled], level: int) -> tuple[Setting | None, int, str]:
    """Level 2: draw scores to the middle, or away from it, until they are as sure as they are right."""
    if REGISTRY[held.name].scale != "probability":
        return None, 0, "its scores are no probabilities"
    scored = [Scored(each.score, each.should) for each in labelled]
    temperature = round(fit_temperature(scored), 4)
    if temperature == held.temperature:
        return None, TRIED, "it is as sure as it is right"
    if not helps_unseen(scored):
        return None, TRIED, "what one half of the labels teaches does not help with the other"
    return replace(held, temperature=temperature), TRIED, f"scores are divided by {temperature:g} in log odds"


def _move(held: Setting, labelled: Sequence[Labelled], level: int) -> tuple[Setting | None, int, str]:
    """Levels 1, 3 and 4: another value, at the temperature that holds."""
    learn: Callable[[Name, Sequence[Labelled], float], ReplayedBar | None] = {
        1: follow_mistakes,
        3: try_neighbours,
        4: try_everywhere,
    }[level]
    found = learn(held.name, labelled, held.bar)
    if found is None:
        return None, 0, "nowhere it would surely decide better"
    if found.value == round(held.bar, 4):
        return None, found.tried, "it was right each time"
    told = f"{found.right} right and {found.wrong} wrong " + ("so far" if level == 1 else "of what flips")
    return replace(held, value=found.value, temperature=1.0), found.tried, told


def _in_order(
    attempts: Sequence[Attempt], settings: Mapping[tuple[str, str], Setting], domain: Domain
) -> list[Attempt]:
    """Without those that would pass another bar that they have to stay beyond."""
    kept: dict[Name, Attempt] = {each.name: each for each in attempts}
    names: list[Name] = [each.name for each in attempts]
    for name in names:
        after = kept[name].after
        if after is None:
            continue
        bars = {key: each.bar for key, each in settings.items()}
        bars |= {(each.name, domain): each.after.bar for each in kept.values() if each.after is not None}
        if broken := broken_by(name, Gates(bars, domain)):
            kept[name] = replace(kept[name], after=None, right_after=kept[name].right_before, reason=broken)
    return list(kept.values())


def broken_by(name: Name, gates: Gates) -> str:
    """Which order of bars one breaks, in words; nothing where it keeps them all."""
    for above, below in CONSTRAINTS:
        if name in (above, below) and gates[above] < gates[below]:
            return f"{above} ({gates[above]:g}) may not lie below {below} ({gates[below]:g})"
    return ""


def _scored(
    rows: Mapping[Name, Sequence[GateDecision]], attempts: Sequence[Attempt]
) -> tuple[list[Scored], list[Scored]]:
    """Every labelled probability as it is said by now, and as it would be."""
    before: list[Scored] = []
    after: list[Scored] = []
    for each in attempts:
        if REGISTRY[each.name].scale == "probability":
            raw = [Scored(one.score, one.should) for one in learnable(rows[each.name])]
            before += soften_all(raw, each.before.temperature)
            after += soften_all(raw, (each.after or each.before).temperature)
    return before, after


PROBABILITIES: tuple[Name, ...] = tuple(
    name for name in NAMES if REGISTRY[name].labels and REGISTRY[name].scale == "probability"
)


def as_said(
    snapshot: Snapshot, rows: Mapping[Name, Sequence[GateDecision]], domain: Domain = GENERAL
) -> dict[Name, list[Scored]]:
    """Of each threshold over probabilities, every labelled one as sure as it is said by now."""
    settings = read_settings(snapshot)
    return {
        name: soften_all(
            [Scored(each.score, each.should) for each in learnable(rows[name])],
            setting_in(settings, name, domain).temperature,
        )
        for name in PROBABILITIES
    }
