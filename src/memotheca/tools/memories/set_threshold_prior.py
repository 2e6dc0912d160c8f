"""Set a threshold."""

from dataclasses import dataclass
from typing import cast

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.reversal import hash_of
from memotheca.memory.thresholds.placement import place_bar
from memotheca.memory.tuning.thresholds import DOMAINS, GENERAL, NAMES, REGISTRY, Domain, Name
from memotheca.toolkit.fields import choice, flag, integer, number, numbers, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    threshold_type: str = choice(NAMES)
    value: float = number("Within its range, which a refusal names.")
    domain: str = choice(
        DOMAINS, "For memories of this domain; General: of all that have no value of their own.", GENERAL
    )
    rationale: str = text("Why, for history.", minLength=10, maxLength=1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    threshold_type: str = choice(NAMES)
    domain: str = choice(DOMAINS)
    old: float = number()
    new: float = number()
    changed: bool = flag()
    range: tuple[float, ...] = numbers("Lowest and highest.")
    gates: str = text("What it decides.")
    constraints: tuple[str, ...] = texts("Orders that were checked, and hold.")
    tx_id: int | None = integer(default=None, nullable=True)
    reversal_hash: str | None = text("For restore_from_hash.", default=None, nullable=True)


EXAMPLE = Example(
    arguments={
        "threshold_type": "change",
        "value": 0.8,
        "domain": "Legal",
        "rationale": "Clauses that read alike are often meant side by side.",
    },
)


@tool(contract="memories", component="curation", effect="change", models=(Input, Output), example=EXAMPLE)
def set_threshold_prior(call: Call[Kernel], input: Input) -> Answer:
    """Move one of the bars by which the memory decides, in one domain or in general: the next call decides by it. In
    history, and undone by restore_from_hash. explain_threshold shows first what would be decided otherwise."""
    name, domain = cast(Name, input.threshold_type), cast(Domain, input.domain)
    placed = place_bar(call.kernel, name, input.value, domain=domain, why=(call.actor, input.rationale))
    commit = placed.commit
    output = Output(
        threshold_type=name,
        domain=domain,
        old=round(placed.before, 4),
        new=round(placed.after, 4),
        changed=commit is not None,
        range=REGISTRY[name].range,
        gates=REGISTRY[name].gates,
        constraints=placed.constraints,
        tx_id=None if commit is None else commit.tx,
        reversal_hash=None if commit is None else hash_of(commit),
    )
    told = f"{name} is {output.new:g} for {domain} (it was {output.old:g}): {output.gates}."
    undone = "" if commit is None else f" restore_from_hash takes back {output.reversal_hash}."
    return Answer(f"{told}{undone}", NODES, output)
