"""Critique the recent context."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.citations import citation_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.critique import CHECKS, Check, Finding, critique
from memotheca.memory.care.recency import recent_entries
from memotheca.memory.session.state import activity_of
from memotheca.toolkit.contract import count_fitting, room_for
from memotheca.toolkit.fields import UNSET, Unset, flag, free, integer, many, number, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

USUAL = 10  # specification: the default of `context_window`
ACTIONS: Mapping[Check, str] = {
    "conflicts": "revise_reasoning",
    "duplicates": "merge_conflicting_nodes",
    "outdated": "revise_reasoning",
    "low_confidence": "ignore_low_confidence",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    context_window: int = integer("Number of recent memories to critique", USUAL, minimum=1, maximum=50)
    check_types: tuple[str, ...] = texts("", ("conflicts", "duplicates"), values=CHECKS, minItems=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingShape:
    type: str = text()
    node_ids: tuple[str, ...] = texts()
    citations: tuple[str, ...] = texts()
    score: float = number()
    contradiction_type: str | Unset = text(default=UNSET)
    snippet: str = text()
    explanation: str = text()
    suggested_action: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    checked: int = integer()
    findings: tuple[FindingShape, ...] = many(FindingShape)
    count: int = integer()
    summary: dict[str, Any] = free()
    suggested_action: str | None = text(default=None, nullable=True)
    truncated: bool | Unset = flag(default=UNSET)


EXAMPLE = Example(
    arguments={"check_types": ["conflicts", "outdated"]},
    after=(
        ("store_memory", {"content": "The release is on 2026-03-01.", "rationale": "Said in the planning meeting."}),
        ("store_memory", {"content": "The release is on 2026-04-15.", "rationale": "Said in the weekly meeting."}),
    ),
)


@tool(contract="memories", component="curation", effect="read", models=(Input, Output), example=EXAMPLE)
def critique_context(call: Call[Kernel], input: Input) -> Answer:
    """Check what was remembered or read last for contradictions, repetitions, outdated and doubtful statements. Where
    two disagree, ask which holds; do not choose silently."""
    kernel = call.kernel
    with kernel.read() as snapshot:
        entries = recent_entries(kernel, snapshot, input.context_window)
        findings = critique(kernel, snapshot, entries, input.check_types)
        mood = activity_of(kernel).mood(snapshot.session, kernel.collection, call.session)
    if "conflicts" in input.check_types:
        mood.has_conflict = any(finding.check == "conflicts" for finding in findings)
        activity_of(kernel).keep((kernel.collection, call.session))
    counts = {check: sum(finding.check == check for finding in findings) for check in dict.fromkeys(input.check_types)}
    shapes = tuple(_shape(finding) for finding in findings)
    fitting = count_fitting(shapes, room_for(input.context_window, USUAL))
    output = Output(
        checked=len(entries),
        findings=shapes[:fitting],
        count=len(findings),
        summary=counts,
        suggested_action=_advice(findings[0]) if findings else None,
        truncated=True if fitting < len(shapes) else UNSET,
    )
    told = ", ".join(f"{count} {check.replace('_', ' ')}" for check, count in counts.items())
    told += f"; the first {fitting} are shown" if fitting < len(shapes) else ""
    return Answer(f"Looked at the {len(entries)} most recent: {told}.", NODES, output)


def _shape(finding: Finding) -> FindingShape:
    return FindingShape(
        type=finding.check,
        node_ids=tuple(entry.id for entry in finding.entries),
        citations=tuple(citation_of(entry) for entry in finding.entries),
        score=finding.score,
        contradiction_type=finding.clash.type if finding.clash is not None else UNSET,
        snippet=finding.snippet,
        explanation=finding.explanation,
        suggested_action=_advice(finding),
    )


def _advice(finding: Finding) -> str:
    """What to do about it: which of two statements holds only a person knows, unless one took the other's place."""
    is_open = finding.check == "conflicts" and finding.clash is not None and finding.clash.type != "temporal"
    return "ask_user" if is_open else ACTIONS[finding.check]
