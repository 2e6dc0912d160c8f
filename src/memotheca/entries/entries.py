"""Storing, changing and deleting entries, with the rules of typed knowledge."""

from dataclasses import dataclass, replace
from typing import Any, cast

from memotheca.documents.sections import remove_document, remove_with_edges
from memotheca.entries.refusals import OwnedByFile, refuse_long
from memotheca.kernel.handles import ENTRY_NAMES, resolve
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.seen_version import refuse_changed
from memotheca.kernel.validity import said_validity
from memotheca.model import kinds
from memotheca.model.clock import SECOND
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Alias, Entry, handle_of
from memotheca.model.unset import UNSET, Unset
from memotheca.search.embed import prepare_text
from memotheca.search.prepared import LATER
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

ATTRIBUTES = ("source", "actor", "confidence", "knowledge_type", "memory_type", "status")

FACT_RULE = (
    "Kept as a hypothesis: a fact needs confidence 1.0 and a supported_by edge to evidence (use relate), "
    "then update its knowledge_type."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What is said of an entry beside its text: what is unset stays, null takes a value away."""

    tags: tuple[str, ...] | Unset = UNSET
    source: str | Unset | None = UNSET
    actor: str | Unset | None = UNSET
    confidence: float | Unset | None = UNSET
    knowledge_type: str | Unset | None = UNSET
    memory_type: str | Unset | None = UNSET
    status: str | Unset | None = UNSET
    valid_from: str | Unset | None = UNSET
    valid_to: str | Unset | None = UNSET
    seconds_to_live: int | Unset | None = UNSET
    # Whether the writer waits for all vectors of a long text.
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEntry(Told):
    """An entry that is to be made."""

    title: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryChange(Told):
    """What is to become of an entry."""

    title: str | Unset = UNSET
    body: str | Unset = UNSET


@dataclass(frozen=True, slots=True)
class Written:
    """An entry as it is now stored, and what the writer should know about it."""

    version: Version
    notice: str | None = None
    waiting: int = 0


def store_entry(kernel: Kernel, new: NewEntry, *, actor: str) -> Written:
    """Make a new entry."""

    _refuse_long_names(new)
    prepared = prepare_text(kernel, new.title, new.body, whole=new.whole)

    def act(transaction: Transaction) -> Written:
        transaction.describe("CREATE")
        entry, notice = _settled(transaction, _amended(blank_entry(transaction), new, transaction.time))
        transaction.put(entry, prepared)
        return Written(transaction.as_put(entry), notice, transaction.waiting_chunks(entry.id))

    return kernel.write(act, actor=actor)


def blank_entry(transaction: Transaction, title: str = "", body: str = "", tags: tuple[str, ...] = ()) -> Entry:
    """A new entry of this family with the next handle, not yet put."""
    return Entry(
        id=transaction.new_id(),
        kind=kinds.ENTRY,
        title=title,
        body=body,
        tags=tags,
        aliases=(Alias(ENTRY_NAMES, f"e-{transaction.next_serial(ENTRY_NAMES)}"),),
        created_at=transaction.time,
        updated_at=transaction.time,
    )


def update_entry(kernel: Kernel, handle: str, change: EntryChange, *, actor: str, seen: int | None = None) -> Written:
    """Change what was said, as it was `seen` after that transaction; saying what is already so changes nothing."""

    _refuse_long_names(change)
    with kernel.read() as snapshot:
        present = cast(Entry, resolve(snapshot, handle, "entry").thing)
    _refuse_fixed_text(present, change)
    title = present.title if isinstance(change.title, Unset) else change.title
    body = present.body if isinstance(change.body, Unset) else change.body
    same = (title, body) == (present.title, present.body)
    prepared = LATER if same else prepare_text(kernel, title, body, whole=change.whole)

    def act(transaction: Transaction) -> Written:
        transaction.describe("UPDATE")
        version = resolve(transaction, handle, "entry")
        refuse_changed(version, seen)
        before = cast(Entry, version.thing)
        _refuse_filed(before)
        _refuse_fixed_text(before, change)
        amended, notice = _settled(transaction, _amended(before, change, transaction.time))
        if amended == before:
            return Written(_newest(transaction, before.id), notice, transaction.waiting_chunks(before.id))
        changed = replace(amended, updated_at=transaction.time)
        transaction.put(changed, prepared)
        return Written(transaction.as_put(changed), notice, transaction.waiting_chunks(before.id))

    return kernel.write(act, actor=actor)


def delete_entry(kernel: Kernel, handle: str, *, actor: str) -> tuple[str, int, int]:
    """Leave a tombstone for an entry and for the edges that end at it; returns its handle, the number of
    edges and the transaction."""

    def act(transaction: Transaction) -> tuple[str, int, int]:
        transaction.describe("DELETE")
        entry = cast(Entry, resolve(transaction, handle, "entry").thing)
        _refuse_filed(entry)
        remove = remove_document if entry.kind == kinds.DOCUMENT else remove_with_edges
        return handle_of(entry), remove(transaction, entry), transaction.tx

    return kernel.write(act, actor=actor)


def get_entry(kernel: Kernel, handle: str) -> Version:
    with kernel.read() as snapshot:
        return resolve(snapshot, handle, "entry")


def _refuse_long_names(told: Told) -> None:
    refuse_long("source", (told.source,))
    refuse_long("actor", (told.actor,))
    refuse_long("tags", () if isinstance(told.tags, Unset) else told.tags)


def _refuse_fixed_text(entry: Entry, change: EntryChange) -> None:
    if isinstance(change.body, Unset):
        return
    if entry.kind in (kinds.DOCUMENT, kinds.SECTION):
        raise Refusal(
            Failure.INVALID, "The text of a document comes from its file; add the file again.", field="content"
        )
    if entry.kind == kinds.CONVERSATION:
        raise Refusal(
            Failure.INVALID, "What was said stays as it was said; store what follows from it.", field="content"
        )


def _refuse_filed(entry: Entry) -> None:
    if entry.attributes.get("owner") == "file":
        raise OwnedByFile(handle_of(entry))


def _newest(snapshot: Snapshot, id: str) -> Version:
    return cast(Version, snapshot.version(id, snapshot.tx))


def _amended(entry: Entry, change: NewEntry | EntryChange, now: int) -> Entry:
    told = {name: getattr(change, name) for name in ATTRIBUTES}
    attributes = {
        name: value
        for name, value in {**entry.attributes, **_said(told)}.items()
        if name not in told or value is not None
    }
    plain = _said({"title": change.title, "body": change.body})
    if not isinstance(change.tags, Unset):
        plain["tags"] = tuple(dict.fromkeys(change.tags))
    if not isinstance(change.seconds_to_live, Unset):
        plain["expires_at"] = None if change.seconds_to_live is None else now + change.seconds_to_live * SECOND
    validity = said_validity(entry.validity, change.valid_from, change.valid_to)
    return replace(entry, attributes=attributes, validity=validity, **plain)


def _said(told: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in told.items() if value is not UNSET}


def _settled(snapshot: Snapshot, entry: Entry) -> tuple[Entry, str | None]:
    """Apply the rules of typed knowledge."""
    attributes = entry.attributes
    type = attributes.get("knowledge_type")
    if type == "evidence" and not attributes.get("source"):
        raise Refusal(Failure.INVALID, "Evidence needs a source.", field="source")
    notice = None
    if type == "fact" and not _is_supported(snapshot, entry):
        entry = replace(entry, attributes={**attributes, "knowledge_type": "hypothesis"})
        notice, type = FACT_RULE, "hypothesis"
    if attributes.get("status") == "refuted" and type != "hypothesis":
        raise Refusal(Failure.INVALID, "Only a hypothesis can be refuted.", field="status")
    return entry, notice


def _is_supported(snapshot: Snapshot, entry: Entry) -> bool:
    return entry.attributes.get("confidence") == 1.0 and any(
        edge.validity.covers(snapshot.time) for edge in snapshot.edges_from(entry.id, kinds.SUPPORTED_BY)
    )
