"""Pruning: memories are let go, each on a ground of its own, all in one transaction (memory-model: Pruning)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.care.grounds import Ground, PruneCandidate, alignments_of, grounds_of
from memotheca.memory.curation.reversal import hash_of, machine_note
from memotheca.memory.graph.relations import SUPERSEDES
from memotheca.memory.session.state import activity_of
from memotheca.memory.verbs import Verb
from memotheca.model.commits import Commit
from memotheca.model.errors import Refusal
from memotheca.model.kinds import MEMORY
from memotheca.notes.outbox import FilePlan
from memotheca.notes.ownership import carry_out, retire
from memotheca.storage.activity import ActivityRecord
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction
from memotheca.text.secrets import scrub

PruneReason = Literal["staleness", "low_alignment", "redundancy", "orphan"]
REASONS: tuple[PruneReason, ...] = ("staleness", "low_alignment", "redundancy", "orphan")

LOW = 0.4  # specification (memory-model: Pruning): below it something serves little that the memory is about
DEEPEST = 100  # chosen: predecessors of what is let go that go with it; nobody has longer chains

# Which grounds a reason speaks of; whatever the reason, without a ground nothing goes.
OF_REASON: Mapping[PruneReason, frozenset[Ground]] = {
    "staleness": frozenset({"superseded", "expired", "unread"}),
    "redundancy": frozenset({"duplicate", "superseded"}),
    "orphan": frozenset({"superseded", "duplicate", "expired", "unread"}),
    "low_alignment": frozenset({"superseded", "duplicate", "expired", "unread"}),
}
NO_GROUND = (
    "There is no ground to let it go: it is neither superseded, repeated nor expired, nor unread for 90 days, slight "
    "and about no person or safety."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneRequest:
    """Which memories are to go and why, and whether what they superseded goes with them."""

    handles: Sequence[str]
    reason: PruneReason
    cascade: bool = False
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was let go on its own ground, what with it, and what was not and why; by which transaction, if any."""

    gone: tuple[PruneCandidate, ...]
    along: tuple[PruneCandidate, ...]
    refused: tuple[tuple[str, str], ...]
    commit: Commit | None

    @property
    def reversal_hash(self) -> str | None:
        return None if self.commit is None else hash_of(self.commit)


def prune(kernel: Kernel, asked: PruneRequest, *, actor: str) -> Pruned:
    """Let go of those for which there is a ground that the reason speaks of; the others stay."""

    def act(transaction: Transaction, plan: FilePlan) -> Pruned:
        named, refused = _named(transaction, asked.handles)
        grounds = grounds_of(kernel, transaction, list(named))
        if asked.reason == "low_alignment":
            aligned = alignments_of(kernel, transaction, [each.entry for each in grounds.values()])
            grounds = {id: replace(each, alignment=aligned.get(id)) for id, each in grounds.items()}
        gone: list[PruneCandidate] = []
        for id, handle in named.items():
            why = _objection(asked, grounds.get(id))
            if why:
                refused.append((handle, why))
            else:
                gone.append(grounds[id])
        along = _predecessors(kernel, transaction, gone) if asked.cascade else []
        if not gone:
            return Pruned((), (), tuple(refused), None)
        transaction.describe("DELETE", note=_note(asked, [*gone, *along]))
        for each in (*gone, *along):
            retire(transaction, plan, each.entry)
        return Pruned(tuple(gone), tuple(along), tuple(refused), cast(Commit, transaction.commit(transaction.tx)))

    pruned = carry_out(kernel, act, actor=actor)
    if pruned.commit is not None:
        ids = tuple(each.entry.id for each in (*pruned.gone, *pruned.along))
        line = ActivityRecord(
            time=kernel.now(), level="info", component="curation", action="prune", node_ids=ids, reason=asked.reason
        )
        activity_of(kernel).log(kernel.collection, line)
    return pruned


def _named(snapshot: Snapshot, handles: Sequence[str]) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The memories that are meant, by their ids, each with how it was named; and who is none."""
    named: dict[str, str] = {}
    refused: list[tuple[str, str]] = []
    for handle in dict.fromkeys(handles):
        try:
            found = find_node(snapshot, handle, field="node_ids")
        except Refusal as refusal:
            refused.append((handle, refusal.message))
            continue
        if found.kind == MEMORY:
            named.setdefault(found.id, handle)
        else:
            refused.append((handle, f"It is no memory but of the kind {found.kind}; whoever keeps it lets it go."))
    return named, refused


def _objection(asked: PruneRequest, ground: PruneCandidate | None) -> str:
    """Why something stays, if it does."""
    if ground is None:
        return NO_GROUND
    if ground.ground not in OF_REASON[asked.reason]:
        return f"It could go as {ground.ground}, which is not {asked.reason.replace('_', ' ')}."
    if asked.reason == "orphan" and ground.connections:
        return f"It is no orphan: {ground.connections} edges join it to others."
    if asked.reason == "low_alignment" and ground.alignment is None:
        return "What the memory is about is not known yet, so nothing is known to serve it little."
    if asked.reason == "low_alignment" and (ground.alignment or 0.0) >= LOW:
        return f"It serves what the memory is about: its alignment is {ground.alignment}."
    return ""


def _predecessors(kernel: Kernel, snapshot: Snapshot, gone: Sequence[PruneCandidate]) -> list[PruneCandidate]:
    """What was superseded by what goes, and what that had superseded."""
    known = {each.entry.id for each in gone}
    border, older = [each.entry.id for each in gone], list[str]()
    while border and len(older) < DEEPEST:
        found = [edge.target for id in border for edge in snapshot.edges_from(id, SUPERSEDES)]
        border = [id for id in dict.fromkeys(found) if id not in known]
        known |= set(border)
        older += border
    grounds = grounds_of(kernel, snapshot, older[:DEEPEST])
    return [each for each in grounds.values() if each.ground == "superseded"]


def _note(asked: PruneRequest, gone: Sequence[PruneCandidate]) -> dict[str, object]:
    grounds = sorted({each.ground for each in gone})
    said = asked.rationale or f"Let go for {asked.reason.replace('_', ' ')}: {', '.join(grounds)}."
    return machine_note(Verb.PRUNE, scrub(said)[0], reason=asked.reason, grounds=grounds)
