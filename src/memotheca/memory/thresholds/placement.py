"""Placement: where a bar lies in a domain, said by hand, and how it came to lie there (memory-model: Thresholds)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from memotheca.kernel.kernel import Kernel
from memotheca.memory.thresholds.bar_levels import broken_by, setting_in
from memotheca.memory.tuning.gates import Cause, Setting, gates_at, read_settings, setting_of, tuning_name
from memotheca.memory.tuning.thresholds import CONSTRAINTS, GENERAL, REGISTRY, Domain, Gates, Name
from memotheca.memory.tuning.tunings import change_tunings, tuning_versions
from memotheca.memory.verbs import Verb
from memotheca.model.commits import Commit, Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.storage.snapshot import Snapshot
from memotheca.text.secrets import scrub


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a bar lay and lies, what was checked, and the transaction; none where it lay there already."""

    before: float
    after: float
    constraints: tuple[str, ...]
    commit: Commit | None


@dataclass(frozen=True, slots=True)
class BarPoint:
    """Where a bar came to lie, when, by what, on how many labels, and why."""

    time: int
    tx: int
    value: float
    cause: Cause | Literal["reset"]
    domain: Domain
    labels: int
    rationale: str


def place_bar(kernel: Kernel, name: Name, value: float, *, domain: Domain, why: tuple[str, str]) -> Placed:
    """Set a bar by hand, within its range and beyond those that it has to stay beyond; `why` is who says so, and the
    reason."""
    actor, rationale = why
    _refuse_beyond(name, value, domain)
    with kernel.read() as snapshot:
        gates = gates_at(snapshot, domain)
        settings = read_settings(snapshot)
    if broken := broken_by(name, Gates({**gates.bars, (name, domain): value}, domain)):
        raise Refusal(Failure.INVALID, f"{broken}.", field="value")
    before = setting_in(settings, name, domain)
    made = Setting(name, domain, value)
    said = scrub(rationale)[0]
    changes = {tuning_name(name, domain): made.to_json()}
    commit = change_tunings(kernel, changes, verb=Verb.TUNE, actor=actor, rationale=said)
    return Placed(before.bar, made.bar, tuple(constraints_of(name)), commit)


def _refuse_beyond(name: Name, value: float, domain: Domain) -> None:
    held = REGISTRY[name]
    low, high = held.range
    if domain not in held.domains:
        message = f"{name} decides about sessions, which have no domain: it can be set for {GENERAL} only."
        raise Refusal(Failure.INVALID, message, field="domain", constraint={"allowed": list(held.domains)})
    if not low <= value <= high:
        message = f"{name} has to lie between {low:g} and {high:g}."
        bounds = {"minimum": low, "maximum": high}
        raise Refusal(Failure.INVALID, message, field="value", constraint={"bounds": bounds})


def constraints_of(name: Name) -> list[str]:
    """Between which others a bar has to stay, in words."""
    return [f"{above} >= {below}" for above, below in CONSTRAINTS if name in (above, below)]


def past_of(snapshot: Snapshot, name: Name, domains: Sequence[Domain], *, since: int = 0) -> list[BarPoint]:
    """How a bar came to lie where it does in some domains, newest first, by the versions that the journal has."""
    found = [
        point
        for domain in domains
        for version in tuning_versions(snapshot, tuning_name(name, domain))
        if version.time >= since and (point := _point(snapshot, name, domain, version)) is not None
    ]
    return sorted(found, key=lambda each: -each.tx)


def _point(snapshot: Snapshot, name: Name, domain: Domain, version: Version) -> BarPoint | None:
    commit = snapshot.commit(version.tx)
    is_taken_back = commit is not None and commit.undoes is not None
    why = "" if commit is None else str(commit.note.get("rationale", ""))
    point = BarPoint(version.time, version.tx, REGISTRY[name].prior, "reset", domain, 0, why)
    if version.thing is None:
        return point
    setting = setting_of(tuning_name(name, domain), cast(Entry, version.thing).attributes)
    if setting is None:
        return None
    cause = "reset" if is_taken_back else setting.cause
    return replace(point, value=setting.bar, cause=cause, labels=setting.labels)
