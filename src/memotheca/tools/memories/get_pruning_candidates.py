"""Get candidates for pruning."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.grounds import GROUNDS, SLIGHT, UNREAD, PruneCandidate, find_candidates
from memotheca.model.clock import DAY
from memotheca.model.knowledge import counted
from memotheca.toolkit.contract import ROOM, count_fitting
from memotheca.toolkit.fields import choice, flag, free, integer, many, number, one, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

TOLD = 10  # chosen: lines that anybody reads; the structure has them all


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    limit: int = integer("How many candidates at most.", 20, minimum=1, maximum=1000)
    min_staleness_days: int = integer("For how many days nobody has looked at it.", 30, minimum=0, maximum=36500)
    min_alignment: float = number(
        "What is merely unread is left out from this alignment on, once topics are known.", 0.4, minimum=0, maximum=1
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateShape:
    memory_id: str = text()
    name: str = text()
    citation: str = text()
    reason: str = choice(GROUNDS)
    replaced_by: str | None = text("What supersedes it or says the same.", default=None, nullable=True)
    age_days: float = number()
    staleness_days: float = number()
    importance: float = number()
    alignment: float | None = number(
        "Nearness to the goal's topics; null before topics are found.", default=None, nullable=True
    )
    connections: int = integer()
    byte_size: int = integer()
    priority_score: float = number("The higher, the sooner it may go.")


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryShape:
    total_candidates: int = integer()
    by_reason: dict[str, Any] = free()
    thresholds_used: dict[str, Any] = free()
    fingerprints_analyzed: int = integer()
    complete: bool = flag("Whether every memory was looked at; else those unread longest, and the oldest.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    candidates: tuple[CandidateShape, ...] = many(CandidateShape)
    summary: SummaryShape = one(SummaryShape)


EXAMPLE = Example(
    arguments={"min_staleness_days": 0},
    after=(
        ("store_memory", {"content": "The gateway listens on port 8080.", "rationale": "Set up.", "name": "port"}),
        (
            "store_memory",
            {
                "content": "The gateway listens on port 9090.",
                "rationale": "Moved behind the proxy.",
                "supersedes": ["port"],
            },
        ),
    ),
)


@tool(contract="memories", component="curation", effect="read", models=(Input, Output), example=EXAMPLE)
def get_pruning_candidates(call: Call[Kernel], input: Input) -> Answer:
    """Memories that may be let go, and why: superseded, said twice, expired, or unread for 90 days, slight and about no
    person or safety. Nothing is changed."""
    with call.kernel.read() as snapshot:
        found = find_candidates(call.kernel, snapshot, idle_days=input.min_staleness_days, least=input.min_alignment)
    shown = tuple(_shape(each) for each in found.candidates[: input.limit])
    shown = shown[: count_fitting(shown, ROOM)]
    output = Output(
        candidates=shown,
        summary=SummaryShape(
            total_candidates=len(found.candidates),
            by_reason=dict(Counter(each.ground for each in found.candidates)),
            thresholds_used={
                "min_staleness_days": input.min_staleness_days,
                "min_alignment": input.min_alignment,
                "unread_days": UNREAD // DAY,
                "importance_below": SLIGHT,
            },
            fingerprints_analyzed=found.looked_at,
            complete=not found.is_partial,
        ),
    )
    many = len(found.candidates)
    told = f"{many} of {counted(found.looked_at, 'memory')} may be let go" if many else "Nothing needs to be let go"
    advice = "; execute_prune lets go of those you name." if many and call.shows("execute_prune") else "."
    lines = [f"{each.reason}: {each.name} {each.memory_id}" for each in shown[:TOLD]]
    return Answer("\n".join((told + advice, *lines)), NODES, output)


def _shape(found: PruneCandidate) -> CandidateShape:
    entry = found.entry
    return CandidateShape(
        memory_id=entry.id,
        name=name_of(entry),
        citation=citation_of(entry),
        reason=found.ground,
        replaced_by=found.instead,
        age_days=round(found.age, 2),
        staleness_days=round(found.idle, 2),
        importance=found.importance,
        alignment=found.alignment,
        connections=found.connections,
        byte_size=len(entry.body.encode()),
        priority_score=round(found.priority, 4),
    )
