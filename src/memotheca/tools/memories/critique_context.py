"""Critique the recent context."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from memotheca.kernel.citations import citation_of
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.care.critique import CHECKS, Check, Finding, critique_text
from memotheca.memory.care.recency import recent_entries
from memotheca.memory.care.review import review_entries
from memotheca.memory.session.state import activity_of
from memotheca.model.knowledge import Entry
from memotheca.toolkit.contract import count_fitting, room_for
from memotheca.toolkit.fields import UNSET, Unset, flag, free, integer, many, number, said, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

FOCAL, TEXT = "focal_nodes", "reasoning_summary"
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
    focal_nodes: tuple[str, ...] = texts("Check these instead of what is recent.", UNSET, minLength=1, maxItems=50)
    reasoning_summary: str = text(
        "A text to check against what is stored, instead of what is recent.", UNSET, minLength=1, maxLength=16_384
    )


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
    task_id: str | Unset = text(default=UNSET)


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
    """Check what was remembered or read last, some nodes, or a text for contradictions, repetitions, outdated and
    doubtful statements; what is found of stored ones joins the curation tasks. Where two disagree, ask which holds; do
    not choose silently."""
    kernel, asked = call.kernel, said(input)
    with kernel.read() as snapshot:
        entries = [cast(Entry, find_node(snapshot, each, field=FOCAL).thing) for each in asked.get(FOCAL, ())]
        if not asked.keys() & {FOCAL, TEXT}:
            entries = recent_entries(kernel, snapshot, input.context_window)
        reviewed = review_entries(kernel, snapshot, entries, input.check_types)
        mood = activity_of(kernel).mood(snapshot.session, kernel.collection, call.session)
    findings = list(reviewed.findings)
    if TEXT in asked:
        findings += critique_text(kernel, asked[TEXT], input.check_types)
    elif "conflicts" in input.check_types:
        mood.has_conflict = any(finding.check == "conflicts" for finding in findings)
        activity_of(kernel).keep((kernel.collection, call.session))
    counts = {check: sum(finding.check == check for finding in findings) for check in dict.fromkeys(input.check_types)}
    shapes = tuple(_shape(finding, reviewed.tasks) for finding in findings)
    fitting = count_fitting(shapes, room_for(len(entries) or USUAL, USUAL))
    output = Output(
        checked=len(entries) + (TEXT in asked),
        findings=shapes[:fitting],
        count=len(findings),
        summary=counts,
        suggested_action=_advice(findings[0]) if findings else None,
        truncated=True if fitting < len(shapes) else UNSET,
    )
    told = ", ".join(f"{count} {check.replace('_', ' ')}" for check, count in counts.items())
    told += f"; the first {fitting} are shown" if fitting < len(shapes) else ""
    return Answer(f"Looked at {_looked_at(entries, asked)}: {told}.", NODES, output)


def _looked_at(entries: Sequence[Entry], asked: Mapping[str, Any]) -> str:
    named = [f"the {len(entries)} named"] if FOCAL in asked else []
    named += ["the text"] if TEXT in asked else []
    return " and ".join(named) or f"the {len(entries)} most recent"


def _shape(finding: Finding, tasks: Mapping[frozenset[str], str]) -> FindingShape:
    return FindingShape(
        type=finding.check,
        node_ids=tuple(entry.id for entry in finding.entries),
        citations=tuple(citation_of(entry) for entry in finding.entries),
        score=finding.score,
        contradiction_type=finding.clash.type if finding.clash is not None else UNSET,
        snippet=finding.snippet,
        explanation=finding.explanation,
        suggested_action=_advice(finding),
        task_id=tasks.get(frozenset(entry.id for entry in finding.entries), UNSET),
    )


def _advice(finding: Finding) -> str:
    """What to do about it: which of two statements holds only a person knows, unless one took the other's place."""
    is_open = finding.check == "conflicts" and finding.clash is not None and finding.clash.type != "temporal"
    return "ask_user" if is_open else ACTIONS[finding.check]
