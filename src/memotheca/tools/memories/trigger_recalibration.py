"""Recalibrate the thresholds."""

from dataclasses import dataclass
from typing import cast

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.reversal import hash_of
from memotheca.memory.thresholds.bar_levels import INSUFFICIENT, METHODS, Attempt, Recalibrated, recalibrate
from memotheca.memory.thresholds.reliability import Reliability
from memotheca.memory.tuning.thresholds import DOMAINS, GENERAL, NAMES, Domain
from memotheca.model.knowledge import counted
from memotheca.toolkit.fields import choice, flag, integer, many, number, one, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    level: int = integer(
        "1 follows mistakes, 2 draws scores to the middle, 3 tries places nearby, 4 the whole range.",
        minimum=1,
        maximum=4,
    )
    domain: str = choice(DOMAINS, "Only what was decided in it; General: everywhere.", GENERAL)
    dry_run: bool = flag("Only say what would change.", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeShape:
    name: str = choice(NAMES)
    old: float = number()
    new: float = number()
    reason: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptShape:
    name: str = choice(NAMES)
    status: str = choice(("changed", "unchanged", INSUFFICIENT))
    labels: int = integer()
    needed: int = integer("Labels that this level takes.")
    positive: int = integer("Labels that say it should have been reached.")
    needed_of_each: int = integer("Labels that it takes of either kind.")
    accuracy_before: float | None = number(nullable=True)
    accuracy_after: float | None = number(nullable=True)
    reason: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalibrationShape:
    level: int = integer()
    level_name: str = choice(tuple(method.name for method in METHODS.values()))
    action: str = choice(("applied", "proposed", "unchanged", INSUFFICIENT))
    thresholds_changed: tuple[ChangeShape, ...] = many(ChangeShape)
    iterations: int = integer("Places or temperatures that were tried.")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsShape:
    samples: int = integer()
    accuracy: float | None = number("Share of labelled decisions that are right.", nullable=True)
    ece: float | None = number("How far being sure lies from being right; null below ten labels.", nullable=True)
    brier: float | None = number(nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    recalibration: RecalibrationShape = one(RecalibrationShape)
    attempts: tuple[AttemptShape, ...] = many(AttemptShape, "Every threshold that something labels.")
    metrics_before: MetricsShape = one(MetricsShape)
    metrics_after: MetricsShape = one(MetricsShape)
    domain: str = choice(DOMAINS)
    reversal_hash: str | None = text("For restore_from_hash.", default=None, nullable=True)


EXAMPLE = Example(arguments={"level": 3, "dry_run": True})


@tool(contract="memories", component="curation", effect="change", models=(Input, Output), example=EXAMPLE)
def trigger_recalibration(call: Call[Kernel], input: Input) -> Answer:
    """Move thresholds to where they would have decided better, by merges kept or undone, tasks settled, quarantines
    released and what was of use: those with labels enough, in one transaction that restore_from_hash takes back."""
    domain = cast(Domain, input.domain)
    done = recalibrate(call.kernel, input.level, domain, actor=call.actor, is_dry=input.dry_run)
    action = _action(done, is_dry=input.dry_run)
    changed = tuple(
        ChangeShape(name=each.name, old=round(each.before.bar, 4), new=round(each.after.bar, 4), reason=each.reason)
        for each in done.attempts
        if each.after is not None
    )
    output = Output(
        recalibration=RecalibrationShape(
            level=done.level,
            level_name=METHODS[done.level].name,
            action=action,
            thresholds_changed=changed,
            iterations=sum(each.tried for each in done.attempts),
        ),
        attempts=tuple(_attempt(each, done.level) for each in done.attempts),
        metrics_before=_metrics(done, done.before, is_after=False),
        metrics_after=_metrics(done, done.after, is_after=True),
        domain=domain,
        reversal_hash=None if done.commit is None else hash_of(done.commit),
    )
    return Answer(_tell(output), NODES, output)


def _tell(output: Output) -> str:
    """What moved, and where nothing did, what the nearest of them lacks."""
    told = output.recalibration
    labels = counted(sum(each.labels for each in output.attempts), "label")
    if told.thresholds_changed:
        moved = ", ".join(f"{each.name} from {each.old:g} to {each.new:g}" for each in told.thresholds_changed)
        after = "" if output.reversal_hash is None else f" restore_from_hash takes back {output.reversal_hash}."
        return f"{told.action}: {moved}, on {labels}.{after}"
    nearest = max(output.attempts, key=lambda each: each.labels, default=None)
    if nearest is None or not nearest.labels:
        return f"{told.action}: no threshold moves, since it is known of no decision yet whether it was right."
    why = nearest.reason or "no better place was found"
    return f"{told.action}: no threshold moves, on {labels}. {nearest.name}, which has most: {why}."


def _action(done: Recalibrated, *, is_dry: bool) -> str:
    if any(each.after is not None for each in done.attempts):
        return "proposed" if is_dry else "applied"
    return INSUFFICIENT if all(each.is_short for each in done.attempts) else "unchanged"


def _attempt(each: Attempt, level: int) -> AttemptShape:
    method = METHODS[level]
    status = "changed" if each.after is not None else INSUFFICIENT if each.is_short else "unchanged"
    reason = f"{each.labels} labels of {method.needed}" if each.is_short else each.reason
    return AttemptShape(
        name=each.name,
        status=status,
        labels=each.labels,
        needed=method.needed,
        positive=each.positive,
        needed_of_each=method.of_either,
        accuracy_before=None if each.right_before is None else round(each.right_before, 4),
        accuracy_after=None if each.right_after is None else round(each.right_after, 4),
        reason=reason,
    )


def _metrics(done: Recalibrated, held: Reliability | None, *, is_after: bool) -> MetricsShape:
    shares = [((each.right_after if is_after else each.right_before) or 0.0, each.labels) for each in done.attempts]
    labels = sum(count for _, count in shares)
    return MetricsShape(
        samples=labels,
        accuracy=round(sum(share * count for share, count in shares) / labels, 4) if labels else None,
        ece=None if held is None else round(held.ece, 4),
        brier=None if held is None else round(held.brier, 4),
    )
