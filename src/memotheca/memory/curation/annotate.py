"""Annotating: what is attached to an entry without changing what it says or means."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.claims.when import FIELDS, SOURCE, tell_times
from memotheca.memory.curation.decisions import (
    PREDICATES,
    UNDECIDED,
    Decisions,
    carry_out_decisions,
    resolve_decisions,
)
from memotheca.memory.curation.origin import SAID, Origin, amend_origin
from memotheca.memory.curation.ties import LINK_TO, UNLINK, Tied, TieRequest, tie
from memotheca.memory.curation.undecided import open_disputes
from memotheca.memory.graph.cycles import refuse_superseding_itself
from memotheca.memory.graph.relations import CONTRADICTS
from memotheca.memory.session.state import log_curation
from memotheca.memory.verbs import Verb
from memotheca.model import kinds
from memotheca.model.clock import to_iso
from memotheca.model.commits import VERB, Version
from memotheca.model.knowledge import Entry
from memotheca.notes.note_bytes import is_filed
from memotheca.notes.outbox import FilePlan
from memotheca.notes.ownership import carry_out, inscribe
from memotheca.search.chosen_embedder import model_of
from memotheca.search.prepared import LATER
from memotheca.storage import fingerprints
from memotheca.storage.lookups import ids_labelled
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction
from memotheca.text.secrets import scrub_all
from memotheca.vault.edit import with_property, with_tags
from memotheca.vault.frontmatter import read_properties
from memotheca.vault.note_file import ParsedNote

ATTACHED = ("domain", "confidence", "related_concepts", SOURCE)
RELEASE = "release"
# What can change of an entry, in the order in which it is told.
ANNOTATED = ("tags", "domain", "confidence", "notes", "related_concepts", *SAID, RELEASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What somebody attaches to an entry. None says nothing; of the origin, only the fields that `amends` names are
    stated, and None there takes away what was known."""

    tags: tuple[str, ...] = ()
    domain: str | None = None
    confidence: float | None = None
    notes: str = ""
    related_concepts: tuple[str, ...] | None = None
    origin: Origin = Origin()
    amends: tuple[str, ...] = ()
    releases: bool = False
    ties: TieRequest = TieRequest()


@dataclass(frozen=True, slots=True)
class Annotated:
    """An entry as it was annotated: what changed, which links were made or taken away, and whether the vectors and the
    fingerprint are the very same bytes as before."""

    version: Version
    changed: tuple[str, ...]
    tied: Tied
    is_same: bool


def annotate(
    kernel: Kernel, handle: str, annotation: Annotation, *, decisions: Decisions = UNDECIDED, actor: str
) -> Annotated:
    """Attach tags, a domain, a confidence, notes, related concepts; link it to others, or take links away; and carry
    out what was decided of others."""

    def act(transaction: Transaction, plan: FilePlan) -> Annotated:
        transaction.describe("UPDATE", note={VERB: Verb.ANNOTATE})
        before = cast(Entry, find_node(transaction, handle).thing)
        seen = _derived(transaction, before.id)
        after = _annotated(before, annotation, transaction.time)
        changed = [name for name in ANNOTATED if _field(before, name) != _field(after, name)]
        if changed:
            after = _with_owner(transaction, before, after, [name for name in changed if name != RELEASE])
            transaction.put(replace(after, updated_at=transaction.time), LATER)
            plan.add(before, after)
        tied = tie(transaction, before.id, annotation.ties)
        changed += [name for name, edges in ((LINK_TO, tied.made), (UNLINK, tied.removed)) if edges]
        changed += _decide(transaction, after, decisions)
        version = cast(Version, transaction.version(before.id, transaction.tx))
        # What changed nothing of the entry itself is still this transaction's.
        version = replace(version, tx=transaction.tx) if changed else version
        return Annotated(version, tuple(changed), tied, _derived(transaction, before.id) == seen)

    annotated = carry_out(kernel, act, actor=actor)
    log_curation(kernel, "info", "annotate", (annotated.version.id,))
    return annotated


def _decide(transaction: Transaction, entry: Entry, decisions: Decisions) -> list[str]:
    """Carry out what was not decided before; returns of which kinds it was."""
    decided = resolve_decisions(transaction, decisions, entry.id)
    known = {
        (edge.target, edge.predicate) for name in PREDICATES.values() for edge in transaction.edges_of(entry.id, name)
    }
    fresh = {id: predicate for id, predicate in decided.items() if (id, predicate) not in known}
    edges = carry_out_decisions(transaction, entry, fresh)
    transaction.link(edges)
    refuse_superseding_itself(transaction, edges, "supersedes")
    open_disputes(transaction, entry, [id for id, predicate in fresh.items() if predicate == CONTRADICTS])
    return [name for name, predicate in PREDICATES.items() if predicate in fresh.values()]


def _with_owner(transaction: Transaction, before: Entry, after: Entry, changed: Sequence[str]) -> Entry:
    """The same where its owner keeps it: in the head of a note's file, among what is said about a document."""
    if is_filed(before):
        return inscribe(transaction, after, lambda note: _written(note, before, after, changed))
    if before.kind == kinds.DOCUMENT:
        said = {name: list(after.tags) if name == "tags" else _field(after, name) for name in changed}
        metadata = {**before.attributes.get("metadata", {}), **said}
        return replace(after, attributes={**after.attributes, "metadata": metadata})
    return after


def _written(note: ParsedNote, before: Entry, after: Entry, changed: Sequence[str]) -> ParsedNote:
    """A note's head with the annotations; what its author has written there stays."""
    for name in changed:
        if name == "tags":
            note = with_tags(note, [*note.own_tags, *(tag for tag in after.tags if tag not in before.tags)])
        elif name == "notes":
            newest = after.attributes["notes"][-1]
            held = read_properties(note.frontmatter).get("notes") if note.frontmatter else None
            kept = cast(list[Any], held) if isinstance(held, list) else [] if held is None else [held]
            note = with_property(note, "notes", [*kept, f"{to_iso(newest['at'])} {newest['text']}"])
        elif name in FIELDS:
            note = with_property(note, name, tell_times(after).get(name, {}).get("at", ""))
        else:
            note = with_property(note, name, after.attributes.get(name, ""))
    return note


def _derived(snapshot: Snapshot, id: str) -> tuple[Any, Any]:
    session, collection = snapshot.session, snapshot.collection
    model = model_of(session, collection)
    return fingerprints.read_all(session, collection, [id]), fingerprints.entry_vectors(
        session, collection, model, [id]
    )


def annotations_of(entry: Entry) -> dict[str, Any]:
    """What was attached to an entry."""
    notes = [{"at": to_iso(note["at"]), "text": note["text"]} for note in entry.attributes.get("notes", ())]
    said = {name: entry.attributes[name] for name in ATTACHED if name in entry.attributes}
    return {"tags": list(entry.tags), **said, **tell_times(entry), **({"notes": notes} if notes else {})}


def find_related(kernel: Kernel, names: Sequence[str]) -> list[tuple[str, str | None]]:
    """The entries that concepts are names of, where there is one."""
    found: list[tuple[str, str | None]] = []
    with kernel.read() as snapshot:
        for name in names:
            ids = ids_labelled(snapshot, name, without=kinds.ENTITY)
            found.append((name, ids[0] if ids else None))
    return found


def _annotated(entry: Entry, annotation: Annotation, now: int) -> Entry:
    told = {"tags": annotation.tags, "notes": annotation.notes, "related_concepts": annotation.related_concepts}
    clean = scrub_all(told)[0]
    attributes = dict(entry.attributes)
    plain = {"domain": annotation.domain, "confidence": annotation.confidence}
    attributes |= {name: value for name, value in plain.items() if value is not None}
    if clean["notes"]:
        attributes["notes"] = [*attributes.get("notes", []), {"at": now, "text": clean["notes"]}]
    if clean["related_concepts"] is not None:
        attributes["related_concepts"] = list(dict.fromkeys(clean["related_concepts"]))
    if annotation.releases:
        attributes.pop("quarantine", None)
    tags = tuple(dict.fromkeys([*entry.tags, *clean["tags"]]))
    return amend_origin(replace(entry, attributes=attributes, tags=tags), annotation.origin, annotation.amends)


def _field(entry: Entry, name: str) -> Any:
    if name in FIELDS:
        return tell_times(entry).get(name)
    if name == RELEASE:
        return "quarantine" not in entry.attributes
    return entry.tags if name == "tags" else entry.attributes.get(name)
