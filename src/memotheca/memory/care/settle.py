"""Settling: what a person answers about a curation task, carried out in one transaction that can be undone."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from memotheca.conversations.keep import link_turn
from memotheca.conversations.turns import turns_of
from memotheca.kernel.citations import citation_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.tasks import CareTask, keep_as_it_is
from memotheca.memory.claims.told import USER
from memotheca.memory.curation.decisions import carry_out_decisions
from memotheca.memory.curation.links import new_link
from memotheca.memory.curation.merge import forget
from memotheca.memory.curation.origin import Origin, amend_origin
from memotheca.memory.curation.remember import NewMemory, store_memory
from memotheca.memory.curation.undecided import TaskKind, open_disputes
from memotheca.memory.graph.cycles import refuse_superseding_itself
from memotheca.memory.graph.relations import CONSISTENT, CONTRADICTS, SAME_AS, SUPERSEDES
from memotheca.memory.session.state import log_curation
from memotheca.memory.verbs import Verb
from memotheca.model import kinds
from memotheca.model.clock import to_iso
from memotheca.model.commits import VERB
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.notes.outbox import FilePlan
from memotheca.notes.ownership import carry_out
from memotheca.search.prepared import LATER
from memotheca.storage.store import Transaction
from memotheca.text.secrets import scrub

Choice = Literal[
    "first",
    "second",
    "both",
    "neither",
    "unknown",
    "same",
    "different",
    "release",
    "forget",
    "hold",
    "still",
    "over",
    "store",
    "dismiss",
]
_WHICH: tuple[Choice, ...] = ("first", "second", "both", "neither", "unknown")
# What can be answered about a task of a kind; about others nobody is asked, or in their own words.
CHOICES: Mapping[TaskKind, tuple[Choice, ...]] = {
    "dispute": _WHICH,
    "update": _WHICH,
    "duplicate": ("same", "different"),
    "held": ("release", "forget", "hold"),
    "expired": ("still", "over"),
    "doubtful": ("first", "second", "both", "same"),
    "proposed": ("store", "dismiss"),
}
_LINKS: Mapping[Choice, str] = {"both": CONSISTENT, "different": CONSISTENT, "same": SAME_AS, "unknown": CONTRADICTS}


@dataclass(frozen=True, slots=True)
class Settled:
    """What was done about a task, and the transaction that did it, if one was needed."""

    told: str
    tx: int | None


def settle(kernel: Kernel, task: CareTask, choice: Choice, *, rationale: str, actor: str) -> Settled:
    """Carry out what was answered; the task is closed by what is then stored, and open again when that is undone."""
    why = scrub(rationale)[0]
    if choice == "store":
        return accept(kernel, task, rationale=why, actor=actor)
    if choice in ("hold", "over", "dismiss"):
        keep_as_it_is(kernel, task)
        told = "It is not remembered, and not proposed again." if choice == "dismiss" else "It stays as it is."
        return Settled(told, None)
    if choice == "forget":
        gone = forget(kernel, task.entries[0].id, reason="incorrect", rationale=why, actor=actor)
        return Settled("It was forgotten; it can come back for 30 days.", gone.commit.tx)

    def act(transaction: Transaction, plan: FilePlan) -> Settled:
        transaction.describe("UPDATE", note={VERB: Verb.ANNOTATE, "rationale": why})
        living = transaction.living([entry.id for entry in task.entries])
        if len(living) < len(task.entries):
            raise Refusal(Failure.CONFLICT, "Meanwhile one of them was forgotten or merged; nothing was changed.")
        return Settled(_carry_out(transaction, list(living.values()), choice), transaction.tx)

    settled = carry_out(kernel, act, actor=actor)
    log_curation(kernel, "info", "settle", tuple(entry.id for entry in task.entries), reason=choice)
    return settled


def accept(kernel: Kernel, task: CareTask, *, rationale: str, actor: str) -> Settled:
    """Remember what was proposed, word for word, and where it was said; one undo takes both back."""
    (conversation,) = task.entries
    turn = int(task.row.stamp)

    def link(transaction: Transaction, id: str) -> None:
        link_turn(transaction, id, conversation, turn, task=task.row.id)

    origin = Origin(source=USER, occurred_at=_said_at(conversation, turn))
    draft = NewMemory(content=task.row.one_said, rationale=rationale, metadata={}, origin=origin, beside=link)
    stored = store_memory(kernel, draft, actor=actor)
    assert isinstance(stored.version.thing, Entry)
    return Settled(f"It is remembered as {citation_of(stored.version.thing)}.", stored.version.tx)


def _said_at(conversation: Entry, number: int) -> str | None:
    at = next((turn.at for turn in turns_of(conversation) if turn.number == number), None)
    return None if at is None else to_iso(at)


def _carry_out(transaction: Transaction, entries: list[Entry], choice: Choice) -> str:
    if choice in ("first", "second"):
        holding, ended = entries if choice == "first" else entries[::-1]
        edges = carry_out_decisions(transaction, holding, {ended.id: SUPERSEDES})
        transaction.link(edges)
        refuse_superseding_itself(transaction, edges, "answer")
        return "The one that does not hold has ended, and the other supersedes it."
    if choice == "neither":
        for entry in entries:
            _put(transaction, amend_origin(entry, Origin(valid_to=to_iso(transaction.time)), ["valid_to"]))
        return "Both have ended."
    if choice == "still":
        _put(transaction, amend_origin(entries[0], Origin(), ["valid_to"]))
        return "It holds again, without an end."
    if choice == "release":
        kept = {name: value for name, value in entries[0].attributes.items() if name != "quarantine"}
        _put(transaction, replace(entries[0], attributes=kept))
        return "It is released, and found again."
    one, other = entries
    predicate = _LINKS[choice]
    transaction.link([new_link(transaction, (other.id, one.id), kinds.RELATIONAL, predicate=predicate)])
    if predicate == CONTRADICTS:
        open_disputes(transaction, other, [one.id])
    return f"They are linked: {predicate}."


def _put(transaction: Transaction, entry: Entry) -> None:
    transaction.put(replace(entry, updated_at=transaction.time), LATER)
