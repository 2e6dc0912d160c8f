"""The history of a threshold."""

from dataclasses import dataclass
from typing import cast

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.validity import moment
from memotheca.memory.thresholds.placement import past_of
from memotheca.memory.tuning.gates import CAUSES
from memotheca.memory.tuning.thresholds import DOMAINS, NAMES, REGISTRY, Name
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import counted
from memotheca.toolkit.fields import UNSET, choice, integer, many, number, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

TOLD = 10  # chosen: lines that anybody reads; the structure has them all


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    threshold_type: str = choice(NAMES)
    since: str = text("Only from then on.", UNSET, format="date-time")
    limit: int = integer("", 50, minimum=1, maximum=500)


@dataclass(frozen=True, slots=True, kw_only=True)
class PointShape:
    time: str = text()
    value: float = number()
    cause: str = choice((*CAUSES, "reset"), "By hand, by a level of recalibration, or taken back.")
    domain: str = choice(DOMAINS)
    labels: int = integer("How many labels it was learned from.")
    rationale: str = text()
    tx_id: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    threshold_type: str = choice(NAMES)
    prior: float = number("Where it lies without any of these.")
    points: tuple[PointShape, ...] = many(PointShape, "Newest first.")
    total: int = integer("How many there are in that time.")


EXAMPLE = Example(
    arguments={"threshold_type": "link"},
    after=(
        (
            "set_threshold_prior",
            {"threshold_type": "link", "value": 0.6, "rationale": "Too few memories are linked so far."},
        ),
    ),
)


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def get_threshold_history(call: Call[Kernel], input: Input) -> Answer:
    """How a threshold came to lie where it does: each value with its time, cause, domain and reason, from the
    journal."""
    name, since = cast(Name, input.threshold_type), said(input).get("since")
    with call.kernel.read() as snapshot:
        points = past_of(snapshot, name, REGISTRY[name].domains, since=0 if since is None else moment(since, "since"))
    output = Output(
        threshold_type=name,
        prior=REGISTRY[name].prior,
        points=tuple(
            PointShape(
                time=to_iso(each.time),
                value=round(each.value, 4),
                cause=each.cause,
                domain=each.domain,
                labels=each.labels,
                rationale=each.rationale,
                tx_id=each.tx,
            )
            for each in points[: input.limit]
        ),
        total=len(points),
    )
    if not points:
        return Answer(f"{name} was never set: it is {output.prior:g}.", NODES, output)
    lines = [f"{each.time} {each.value:g} for {each.domain} ({each.cause}): {each.rationale}" for each in output.points]
    told = f"{name} was set {counted(len(points), 'time')}; at first it was {output.prior:g}."
    return Answer("\n".join((told, *lines[:TOLD])), NODES, output)
