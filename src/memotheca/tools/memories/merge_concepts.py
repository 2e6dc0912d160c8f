"""Merge concepts."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from memotheca.kernel.citations import citation_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation import merged_text
from memotheca.memory.curation.merge import ChangedMeanwhile, Merged, MergeRequest, compare_priors, merge, sources_of
from memotheca.memory.curation.merged_entities import is_of_names
from memotheca.memory.curation.reversal import WINDOW
from memotheca.memory.safety.adversarial import inspect
from memotheca.memory.session.state import activity_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import Entry
from memotheca.text.secrets import scrub
from memotheca.toolkit.ask import ModelQuestion
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, integer, number, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

STRATEGIES = ("summarize", "keep_highest", "concatenate")
PREVIEW = 280  # chosen: two or three lines
TRIES = 3  # chosen: whoever finds sources changed three times merges beside somebody who never stops
UNASKED = {
    "unsupported": "the client offers no model",
    "declined": "the client's model was not to be asked",
    "cancelled": "the client's model gave no answer",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    source_node_ids: tuple[str, ...] = texts("Node IDs to merge", minItems=2, format="uuid")
    target_name: str = text("Name for merged node", minLength=1, maxLength=256)
    merge_strategy: str = choice(STRATEGIES, "How to combine content", "summarize")
    rationale: str = text("Why these nodes should be merged", minLength=10, maxLength=1000)
    force_merge: bool = flag("Merge even if priors incompatible", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    merged_node_id: str = text()
    citation: str = text()
    kind: str = text()
    nodes_merged: int = integer()
    edges_redirected: int = integer()
    priors_compatible: bool = flag()
    min_prior_similarity: float = number()
    relational_edge_created: bool = flag()
    relational_note: str | None = text(default=None, nullable=True)
    kept_apart: tuple[str, ...] = texts()
    summary_method: str = choice(("sampling", "extractive", "none"))
    summary_model: str | Unset = text(default=UNSET)
    summary_reason: str | Unset = text(default=UNSET)
    disputed: int | Unset = integer(default=UNSET)
    merged_content_preview: str = text()
    reversal_hash: str = text()
    expires_at: str = text()
    tx_id: int = integer()


@dataclass(frozen=True, slots=True)
class _Worded:
    """The content of the merged node, and how it came about."""

    content: str
    method: str = "none"
    model: str = ""
    reason: str = ""
    disputed: int | None = None


EXAMPLE = Example(
    arguments={
        "source_node_ids": ["nightly job", "the nightly job"],
        "target_name": "The nightly job",
        "rationale": "Both are about the same job.",
    },
    after=(
        (
            "store_memory",
            {"content": "The nightly job takes the lock.", "rationale": "Seen in the log.", "name": "nightly job"},
        ),
        (
            "store_memory",
            {
                "content": "The nightly job takes the lock. It runs at two.",
                "rationale": "Seen in the log.",
                "name": "the nightly job",
            },
        ),
    ),
)


@tool(contract="memories", component="curation", effect="destroy", models=(Input, Output), example=EXAMPLE)
def merge_concepts(call: Call[Kernel], input: Input) -> Answer:
    """Make one of several nodes that are about the same: their edges lead to the new one, they themselves can be
    brought back for 30 days. Entities become one with all their names. Refused where memories rest on different
    assumptions, unless it is forced."""
    for _ in range(TRIES - 1):
        with suppress(ChangedMeanwhile):
            return _merge(call, input)
    return _merge(call, input)


def _merge(call: Call[Kernel], input: Input) -> Answer:
    with call.kernel.read() as snapshot:
        sources = sources_of(snapshot, input.source_node_ids)
        compare_priors(snapshot, sources, force=input.force_merge)
    worded = _word(call, input, sources)
    asked = MergeRequest(
        sources=sources,
        name=input.target_name,
        content=worded.content,
        rationale=input.rationale,
        strategy=input.merge_strategy,
        force=input.force_merge,
    )
    merged = merge(call.kernel, asked, actor=call.actor)
    activity_of(call.kernel).look(call.kernel.collection, [merged.version.id], merged.version.time)
    return Answer(_sentence(merged, worded), f"{NODES}/{merged.version.id}", _output(merged, worded))


def _word(call: Call[Kernel], input: Input, sources: Sequence[Entry]) -> _Worded:
    if is_of_names(sources):
        return _Worded("")
    if input.merge_strategy == "keep_highest":
        return _Worded(merged_text.keep_highest(sources))
    if input.merge_strategy == "concatenate":
        return _Worded(merged_text.concatenate(sources))
    answer = call.ask(ModelQuestion(text=merged_text.question(sources, input.target_name), system=merged_text.SYSTEM))
    spoken = scrub(str(answer.content.get("text", "")).strip())[0] if answer.accepted else ""
    with call.kernel.read() as snapshot:
        gates = gates_at(snapshot)
    if spoken and not inspect(spoken, gates).is_blocked:
        model = str(answer.content.get("model") or "the client's model")
        return _Worded(merged_text.without_citations(spoken, sources), "sampling", model)
    reason = "its model's answer could not be used" if answer.accepted else UNASKED[answer.outcome]
    content, disputed = merged_text.extract(sources, gates)
    return _Worded(content, "extractive", reason=reason, disputed=disputed)


def _output(merged: Merged, worded: _Worded) -> Output:
    entry = merged.version.thing
    assert isinstance(entry, Entry)
    apart = merged.kept_apart
    note = f"{len(apart)} of the nodes rest on other assumptions; they stay and are linked." if apart else None
    return Output(
        merged_node_id=entry.id,
        citation=citation_of(entry),
        kind=entry.kind,
        nodes_merged=len(merged.sources),
        edges_redirected=merged.redirected,
        priors_compatible=merged.likeness.is_reached,
        min_prior_similarity=round(merged.likeness.score, 4),
        relational_edge_created=bool(apart),
        relational_note=note,
        kept_apart=apart,
        summary_method=worded.method,
        summary_model=worded.model or UNSET,
        summary_reason=worded.reason or UNSET,
        disputed=UNSET if worded.disputed is None else worded.disputed,
        merged_content_preview=entry.body if len(entry.body) <= PREVIEW else entry.body[: PREVIEW - 1] + "…",
        reversal_hash=merged.reversal_hash,
        expires_at=to_iso(merged.commit.time + WINDOW),
        tx_id=merged.commit.tx,
    )


def _sentence(merged: Merged, worded: _Worded) -> str:
    ways = {
        "sampling": f", summarised by {worded.model}",
        "extractive": f", in their own sentences ({worded.reason})",
        "none": "",
    }
    return (
        f"Merged {len(merged.sources)} nodes into one{ways[worded.method]}; {merged.redirected} edges lead to it now. "
        f"restore_from_hash takes it back until {to_iso(merged.commit.time + WINDOW)}."
    )
