"""Lineage: what happened to an entry from its making to now, and what it was merged from and into."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from memotheca.kernel.citations import TAG, resolve_citation
from memotheca.kernel.handles import resolve_any
from memotheca.kernel.nodes import find_named
from memotheca.memory.curation.reversal import hash_of
from memotheca.model.commits import Transaction, Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.ids import is_id
from memotheca.model.knowledge import Entry
from memotheca.storage.snapshot import Reading

ChangeType = Literal["created", "updated", "merged", "annotated", "boosted", "forgotten", "restored"]

APART = "differs in priors"
_BY_TOOL: dict[str, ChangeType] = {"annotate_node": "annotated", "boost_importance": "boosted"}


@dataclass(frozen=True, slots=True)
class Step:
    """One change of an entry, by which transaction, and in which words."""

    change: ChangeType
    transaction: Transaction
    description: str

    @property
    def reversal_hash(self) -> str | None:
        """By which a forgetting or merging can be taken back."""
        return hash_of(self.transaction) if self.transaction.operation in ("DELETE", "MERGE") else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """An entry's steps, oldest first, and its kin."""

    id: str
    steps: tuple[Step, ...]
    merged_from: tuple[str, ...]
    merged_into: str | None
    forked_to: tuple[str, ...]
    is_alive: bool


def find_lineage(reading: Reading, handle: str, depth: int) -> Lineage:
    """Of anything that ever was, dead or alive; mergers are followed back for so many generations."""
    id = find_any(reading, handle)
    versions = reading.versions(id)
    if any(version.erased for version in versions) or versions[0].subject != "entry":
        raise Refusal(Failure.NOT_FOUND, f"There is no node {handle!r}.", field="node_id")
    steps = [_step(reading, versions, place) for place in range(len(versions))]
    newest = versions[-1]
    ended = steps[-1].transaction
    is_merged_away = newest.thing is None and ended.operation == "MERGE"
    return Lineage(
        id=id,
        steps=tuple(steps),
        merged_from=tuple(_ancestors(reading, id, depth)),
        merged_into=ended.subject_id if is_merged_away else None,
        forked_to=tuple(sorted(edge.source for edge in reading.edges_of(id, APART) if edge.target == id)),
        is_alive=newest.thing is not None,
    )


def find_any(reading: Reading, handle: str, *, field: str = "node_id") -> str:
    """The id under a handle, of what lives or lived."""
    if TAG.fullmatch(handle.strip()):
        return resolve_citation(reading, handle).id
    if not is_id(handle.strip()) and (named := find_named(reading, handle)) is not None:
        return named
    try:
        return resolve_any(reading, handle).id
    except Refusal as refusal:
        refusal.field = field
        raise


def _ancestors(reading: Reading, id: str, depth: int) -> list[str]:
    found: dict[str, None] = {}
    layer = [id]
    for _ in range(depth):
        layer = [source for each in layer for source in _sources(reading, each) if source not in found]
        found |= dict.fromkeys(layer)
    return list(found)


def _sources(reading: Reading, id: str) -> Sequence[str]:
    """What an entry was merged from, as its last image says."""
    last = next((version.thing for version in reversed(reading.versions(id)) if version.thing is not None), None)
    return cast(Sequence[str], last.attributes.get("merged_from", ())) if isinstance(last, Entry) else ()


def _step(reading: Reading, versions: Sequence[Version], place: int) -> Step:
    version = versions[place]
    transaction = cast(Transaction, reading.transaction(version.tx))
    before = versions[place - 1].thing if place else None
    change = _change(transaction, cast(Entry | None, before), cast(Entry | None, version.thing))
    return Step(change, transaction, _describe(change, transaction, cast(Entry | None, before), version))


def _change(transaction: Transaction, before: Entry | None, after: Entry | None) -> ChangeType:
    if transaction.operation == "MERGE":
        return "merged"
    if after is None:
        return "forgotten"
    if transaction.operation == "REVERT":
        return "restored"
    if before is None:
        return "created"
    return _BY_TOOL.get(str(transaction.note.get("tool")), "updated")


def _describe(change: ChangeType, transaction: Transaction, before: Entry | None, version: Version) -> str:
    note = transaction.note
    told = {
        "created": "Made.",
        "updated": f"Changed: {_changed(before, cast(Entry | None, version.thing))}.",
        "annotated": f"Annotated: {_changed(before, cast(Entry | None, version.thing))}.",
        "boosted": _boosted(before, cast(Entry | None, version.thing)),
        "restored": f"As it was before transaction {transaction.undoes}.",
        "forgotten": _forgotten(transaction),
        "merged": _merged(transaction, version),
    }[change]
    rationale = str(note.get("rationale") or "")
    return f"{told} {rationale}".strip()


def _changed(before: Entry | None, after: Entry | None) -> str:
    if before is None or after is None:
        return "everything"
    named = ("title", "body", "tags", "validity", "aliases")
    fields = [name for name in named if getattr(before, name) != getattr(after, name)]
    keys = sorted(before.attributes.keys() | after.attributes.keys())
    fields += [name for name in keys if before.attributes.get(name) != after.attributes.get(name)]
    return ", ".join(fields) or "nothing of its content"


def _boosted(before: Entry | None, after: Entry | None) -> str:
    values = [0.5 if each is None else float(each.attributes.get("importance", 0.5)) for each in (before, after)]
    return f"Importance from {values[0]:g} to {values[1]:g}."


def _forgotten(transaction: Transaction) -> str:
    if transaction.operation == "REVERT":
        return f"Taken back with transaction {transaction.undoes}."
    reason = transaction.note.get("reason")
    return f"Forgotten as {reason}." if reason else "Deleted."


def _merged(transaction: Transaction, version: Version) -> str:
    if version.thing is None:
        return f"Merged into {transaction.subject_id}."
    sources = cast(Sequence[str], transaction.note.get("sources", ()))
    return f"Made by merging {len(sources)} into one."
