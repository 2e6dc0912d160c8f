"""Curation: forgetting, merging and bringing back, each one transaction that the journal can take back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from memotheca.documents.sections import remove_with_edges, sections_of
from memotheca.kernel.citations import new_alias
from memotheca.kernel.handles import NOTE_NAMES
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.claims.priors import assume, differing, differing_values, similarity
from memotheca.memory.claims.when import OCCURRED, SOURCE, SOURCE_KNOWN, TIMES
from memotheca.memory.curation.links import new_link
from memotheca.memory.curation.merged_entities import (
    call_by_all_names,
    is_of_names,
    merged_entity,
    refuse_anothers_name,
)
from memotheca.memory.curation.reversal import hash_of
from memotheca.memory.graph.balance import refuse_cancer
from memotheca.memory.graph.cycles import refuse_circle, refuse_superseding_itself
from memotheca.memory.graph.relations import SUPERSEDES
from memotheca.memory.session.gate_log import note_decisions
from memotheca.memory.session.state import activity_of
from memotheca.memory.spaces.fingerprint import MODALITY, POSITION, SESSION
from memotheca.memory.traits import chief_of, importance_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.tuning.thresholds import Decided
from memotheca.memory.verbs import Verb
from memotheca.model import kinds
from memotheca.model.commits import VERB, Commit, Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Alias, Edge, Entry
from memotheca.notes.note_bytes import is_filed
from memotheca.notes.outbox import FilePlan
from memotheca.notes.ownership import carry_out, make_note, release, retire
from memotheca.search.embed import prepare_text
from memotheca.search.prepared import LATER, Prepared
from memotheca.storage.activity import ActivityRecord
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction
from memotheca.text.secrets import scrub

LONGEST = 65_536  # specification: the bound of a memory's content
SEPARATOR = "\n\n---\n\n"
UNLIKE_WEIGHT = 0.8  # specification (memory-model: Priors)

# What a merged entry takes over from its most important source; the rest belongs to that source alone.
KEPT = (
    "domain",
    "confidence",
    "agent_id",
    "metadata",
    SOURCE,
    SOURCE_KNOWN,
    OCCURRED,
    TIMES,
    "notes",
    "related_concepts",
    MODALITY,
    SESSION,
    POSITION,
)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, with how many edges, by which transaction."""

    version: Version
    edges: int
    commit: Commit

    @property
    def reversal_hash(self) -> str:
        return hash_of(self.commit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The merged entry and what became of its sources and their edges."""

    version: Version
    sources: tuple[str, ...]
    redirected: int
    likeness: Decided
    kept_apart: tuple[str, ...]
    commit: Commit

    @property
    def reversal_hash(self) -> str:
        return hash_of(self.commit)


def forget(kernel: Kernel, handle: str, *, reason: str, rationale: str, actor: str) -> Forgotten:
    """Leave a tombstone for an entry and for the edges that end at it; a note's file goes to the trash, a document
    goes with its sections."""

    def act(transaction: Transaction, plan: FilePlan) -> Forgotten:
        transaction.describe("DELETE", note={VERB: Verb.FORGET, "reason": reason, "rationale": scrub(rationale)[0]})
        version = find_node(transaction, handle)
        edges = retire(transaction, plan, cast(Entry, version.thing))
        return Forgotten(version, edges, cast(Commit, transaction.commit(transaction.tx)))

    forgotten = carry_out(kernel, act, actor=actor)
    _log(kernel, "forget", (forgotten.version.id,), reason)
    return forgotten


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRequest:
    """Which memories are to become one, as they were seen when its content was made of them, and why."""

    sources: Sequence[Entry]
    name: str
    content: str
    rationale: str
    strategy: str = "summarize"
    force: bool = False


class ChangedMeanwhile(Refusal):
    """What the content was made of is not what the memories say any more."""

    def __init__(self) -> None:
        super().__init__(
            Failure.BUSY,
            "One of the memories was changed meanwhile; nothing was merged. Try again.",
            field="source_node_ids",
        )


def merge(kernel: Kernel, asked: MergeRequest, *, actor: str) -> Merged:
    """Make one entry of several, without secrets in its name and rationale. Raises ChangedMeanwhile where one of the
    sources says something else by now."""
    asked = replace(asked, name=scrub(asked.name)[0], rationale=scrub(asked.rationale)[0])
    prepared = prepare_text(kernel, asked.name, asked.content, whole=True)

    def act(transaction: Transaction, plan: FilePlan) -> Merged:
        return merge_within(transaction, plan, asked, prepared, note=_merge_note(asked))

    merged = carry_out(kernel, act, actor=actor)
    carry_looks(kernel, merged)
    with kernel.read() as snapshot:
        gates = gates_at(snapshot, chief_of(asked.sources).attributes.get("domain"))
    note_decisions(kernel, [merged.likeness], gates, merged.sources, at=merged.version.time)
    _log(kernel, "merge", (merged.version.id, *merged.sources), asked.strategy)
    return merged


def merge_within(
    transaction: Transaction, plan: FilePlan, asked: MergeRequest, prepared: Prepared, *, note: Mapping[str, Any]
) -> Merged:
    """The same within a transaction under way, which may merge others too; its name and rationale hold no secrets."""
    sources = sources_of(transaction, [source.id for source in asked.sources])
    if [_said(source) for source in sources] != [_said(source) for source in asked.sources]:
        raise ChangedMeanwhile
    apart, likeness = compare_priors(transaction, sources, force=asked.force)
    transaction.describe("MERGE", note=note)
    gone = [source for source in sources if source.id not in apart]
    refuse_circle(transaction, [source.id for source in gone])
    if is_of_names(sources):
        refuse_anothers_name(transaction, sources, asked.name)
        merged = merged_entity(transaction, sources, asked.name, asked.rationale)
        transaction.put(merged, LATER)
    else:
        merged = _merged_entry(transaction, sources, asked)
        transaction.put(merged, prepared)
    redirected = _take_the_place_of(transaction, plan, gone, merged)
    if is_of_names(sources):
        transaction.put(call_by_all_names(merged, sources), LATER)
    refuse_superseding_itself(transaction, transaction.edges_from(merged.id, SUPERSEDES), "source_node_ids")
    refuse_cancer(transaction, merged.id, importance_of(merged))
    for id in apart:
        ends = (merged.id, id)
        link = new_link(transaction, ends, kinds.RELATIONAL, weight=UNLIKE_WEIGHT, predicate="differs in priors")
        transaction.put(replace(link, attributes={"note": "kept apart: its assumptions differ"}))
    return Merged(
        version=cast(Version, transaction.version(merged.id, transaction.tx)),
        sources=tuple(source.id for source in sources),
        redirected=redirected,
        likeness=likeness,
        kept_apart=tuple(sorted(apart)),
        commit=cast(Commit, transaction.commit(transaction.tx)),
    )


def _said(entry: Entry) -> tuple[str, str]:
    return entry.title, entry.body


def sources_of(snapshot: Snapshot, handles: Sequence[str]) -> list[Entry]:
    """The entries to be merged, each named once."""
    found = [cast(Entry, find_node(snapshot, handle, field="source_node_ids").thing) for handle in handles]
    if len({entry.id for entry in found}) < len(found):
        raise Refusal(Failure.INVALID, "The same memory is named twice.", field="source_node_ids")
    return found


def compare_priors(snapshot: Snapshot, sources: Sequence[Entry], *, force: bool) -> tuple[set[str], Decided]:
    """Which sources assume something else than the most important one, and the least likeness of any two; refused where
    that is too little, unless it is forced (memory-model: Priors)."""
    chief = chief_of(sources)
    bar = gates_at(snapshot, chief.attributes.get("domain"))["priors"]
    priors = {source.id: assume(source) for source in sources}
    pairs = {
        (one.id, other.id): similarity(priors[one.id], priors[other.id])
        for place, one in enumerate(sources)
        for other in sources[place + 1 :]
    }
    least = min(pairs.values())
    likeness = Decided("priors", least, least >= bar)
    if likeness.is_reached:
        return set(), likeness
    if not force:
        one, other = min(pairs, key=lambda ids: pairs[ids])
        names = differing_values(priors[one], priors[other])
        raise Refusal(
            Failure.CONFLICT,
            f"The memories rest on different assumptions ({names}); compare them before forcing the merge.",
            field="source_node_ids",
            details={
                "similarities": [
                    {
                        "nodes": list(ids),
                        "similarity": round(value, 4),
                        "differ_in": differing(priors[ids[0]], priors[ids[1]]),
                    }
                    for ids, value in pairs.items()
                ]
            },
        )
    return {s.id for s in sources if similarity(priors[chief.id], priors[s.id]) < bar}, likeness


def _merge_note(asked: MergeRequest) -> dict[str, Any]:
    return {
        VERB: Verb.MERGE,
        "reason": "duplicate",
        "rationale": asked.rationale,
        "strategy": asked.strategy,
        "sources": [source.id for source in asked.sources],
    }


def _merged_entry(transaction: Transaction, sources: Sequence[Entry], asked: MergeRequest) -> Entry:
    if len(asked.content) > LONGEST:
        raise Refusal(Failure.INVALID, f"Together they are longer than {LONGEST} characters.", field="merge_strategy")
    chief = chief_of(sources)
    note = next((source for source in (chief, *sources) if is_filed(source)), None)
    id = transaction.new_id()
    attributes = {name: value for name, value in chief.attributes.items() if name in KEPT}
    # Of several who said it nobody said all of it.
    if len({source.attributes.get(SOURCE) for source in sources}) > 1:
        attributes = {name: value for name, value in attributes.items() if name not in (SOURCE, SOURCE_KNOWN)}
    attributes |= {
        "importance": max(importance_of(source) for source in sources),
        "rationale": asked.rationale,
        "merged_from": [source.id for source in sources],
    }
    drawn = Entry(
        id=id,
        kind=kinds.MEMORY,
        title=asked.name,
        body=asked.content,
        tags=tuple(dict.fromkeys(tag for source in sources for tag in source.tags)),
        attributes=attributes,
        aliases=(new_alias(transaction, id),),
        validity=chief.validity,
        created_at=min(source.created_at for source in sources),
        updated_at=transaction.time,
    )
    return drawn if note is None else make_note(transaction, note, drawn)


def _take_the_place_of(transaction: Transaction, plan: FilePlan, gone: Sequence[Entry], merged: Entry) -> int:
    """Let the sources go, their parts and files too, and the merged entry have their edges and, if it can, a name."""
    for source in gone:
        release(transaction, plan, source)
        for section in sections_of(transaction, source) if source.kind == kinds.DOCUMENT else ():
            remove_with_edges(transaction, section)
    redirected = _redirect(transaction, {source.id for source in gone}, merged.id)
    for source in gone:
        transaction.remove(source)
    if is_filed(merged):
        # Its path may have been that of a source until now.
        named = replace(merged, aliases=(Alias(NOTE_NAMES, merged.attributes["path"]),))
        transaction.put(named, LATER)
        plan.add(None, named)
    return redirected


def _redirect(transaction: Transaction, gone: set[str], merged: str) -> int:
    """Every edge of a source becomes one of the merged entry; of parallel ones the heaviest, and none to itself."""
    edges = {edge.id: edge for id in sorted(gone) for edge in transaction.edges_of(id)}
    there = transaction.living(end for edge in edges.values() for end in (edge.source, edge.target))
    best: dict[tuple[str, str, str, str], Edge] = {}
    for edge in edges.values():
        ends = merged if edge.source in gone else edge.source, merged if edge.target in gone else edge.target
        moved = replace(edge, source=ends[0], target=ends[1], updated_at=transaction.time)
        key = (*ends, edge.type, edge.predicate)
        stands = edge.source in there and edge.target in there and ends[0] != ends[1]
        if stands and (key not in best or moved.weight > best[key].weight):
            best[key] = moved
    kept = {edge.id: edge for edge in best.values()}
    for id, edge in edges.items():
        if id in kept:
            transaction.put(kept[id])
        else:
            transaction.remove(edge)
    return len(kept)


def carry_looks(kernel: Kernel, merged: Merged) -> None:
    """What was looked at is now the merged entry."""
    with kernel.read() as snapshot:
        looks = activity_of(kernel).looks(snapshot.session, kernel.collection, list(merged.sources))
    if looks:
        times, last = sum(each[0] for each in looks.values()), max(each[1] for each in looks.values())
        activity_of(kernel).look(kernel.collection, [merged.version.id], last, times=times)


def _log(kernel: Kernel, action: str, ids: tuple[str, ...], reason: str = "") -> None:
    line = ActivityRecord(
        time=kernel.now(), level="info", component="curation", action=action, node_ids=ids, reason=reason
    )
    activity_of(kernel).log(kernel.collection, line)
