"""Storing, changing and deleting entries, with the rules of typed knowledge."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from memotheca.documents.sections import remove_document, remove_with_edges
from memotheca.kernel.handles import ENTRY_NAMES, resolve
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.validity import said_validity
from memotheca.model import kinds
from memotheca.model.clock import SECOND
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Alias, Entry, handle_of
from memotheca.search.embed import prepare_text
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

LONGEST_NAME = 1000
ATTRIBUTES = ("source", "actor", "confidence", "knowledge_type", "memory_type", "status")

FACT_RULE = (
    "Kept as a hypothesis: a fact needs confidence 1.0 and a supported_by edge to evidence (use relate), "
    "then update its knowledge_type."
)


@dataclass(frozen=True, slots=True)
class Written:
    """An entry as it is now stored, and what the writer should know about it."""

    version: Version
    notice: str | None = None
    waiting: int = 0


def store_entry(kernel: Kernel, said: Mapping[str, Any], *, actor: str) -> Written:
    """Make a new entry from the fields that were said."""

    refuse_long(said)
    prepare_text(kernel, said["topic"], said["content"], whole=bool(said.get("wait_for_embedding")))

    def act(transaction: Transaction) -> Written:
        transaction.describe("CREATE")
        entry, notice = _settled(transaction, _amended(blank_entry(transaction), said, transaction.time))
        transaction.put(entry)
        return Written(_newest(transaction, entry.id), notice, transaction.waiting_chunks(entry.id))

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


def update_entry(kernel: Kernel, handle: str, said: Mapping[str, Any], *, actor: str) -> Written:
    """Change the fields that were said; saying what is already so changes nothing."""

    refuse_long(said)
    with kernel.read() as snapshot:
        present = cast(Entry, resolve(snapshot, handle, "entry").thing)
    _refuse_text_of_document(present, said)
    title, body = said.get("topic", present.title), said.get("content", present.body)
    prepare_text(kernel, title, body, whole=bool(said.get("wait_for_embedding")))

    def act(transaction: Transaction) -> Written:
        transaction.describe("UPDATE")
        before = cast(Entry, resolve(transaction, handle, "entry").thing)
        _refuse_filed(before, "update_node")
        _refuse_text_of_document(before, said)
        amended, notice = _settled(transaction, _amended(before, said, transaction.time))
        if amended != before:
            transaction.put(replace(amended, updated_at=transaction.time))
        return Written(_newest(transaction, before.id), notice, transaction.waiting_chunks(before.id))

    return kernel.write(act, actor=actor)


def delete_entry(kernel: Kernel, handle: str, *, actor: str) -> tuple[str, int, int]:
    """Leave a tombstone for an entry and for the edges that end at it; returns its handle, the number of
    edges and the transaction."""

    def act(transaction: Transaction) -> tuple[str, int, int]:
        transaction.describe("DELETE")
        entry = cast(Entry, resolve(transaction, handle, "entry").thing)
        _refuse_filed(entry, "delete_node")
        remove = remove_document if entry.kind == kinds.DOCUMENT else remove_with_edges
        return handle_of(entry), remove(transaction, entry), transaction.tx

    return kernel.write(act, actor=actor)


def get_entry(kernel: Kernel, handle: str) -> Version:
    with kernel.read() as snapshot:
        return resolve(snapshot, handle, "entry")


def refuse_long(said: Mapping[str, Any]) -> None:
    """Who said something, where it comes from, and each tag are names, no texts."""
    for field in ("source", "actor", "tags"):
        value = said.get(field) or ()
        if any(len(name) > LONGEST_NAME for name in ((value,) if isinstance(value, str) else value)):
            told = f"{field} may have at most {LONGEST_NAME:,} characters."
            raise Refusal(Failure.INVALID, told, field=field)


def refuse_blank_text(said: Mapping[str, Any]) -> None:
    """Whoever says something about a topic has to say something."""
    for name in ("topic", "content"):
        if name in said and not said[name].strip():
            raise Refusal(Failure.INVALID, f"{name} must not be blank.", field=name)


def _refuse_text_of_document(entry: Entry, said: Mapping[str, Any]) -> None:
    if "content" in said and entry.kind in (kinds.DOCUMENT, kinds.SECTION):
        raise Refusal(
            Failure.INVALID, "The text of a document comes from its file; add the file again.", field="content"
        )


def _refuse_filed(entry: Entry, tool: str) -> None:
    """A file is the truth of its note, so a note changes with its file."""
    if entry.attributes.get("owner") == "file":
        raise Refusal(Failure.UNSUPPORTED, f"{handle_of(entry)!r} is a note of a vault; use {tool}.", field="id")


def _newest(snapshot: Snapshot, id: str) -> Version:
    return cast(Version, snapshot.version(id, snapshot.tx))


def _amended(entry: Entry, said: Mapping[str, Any], now: int) -> Entry:
    attributes = dict(entry.attributes)
    for name in ATTRIBUTES:
        if name in said:
            attributes[name] = said[name]
            if said[name] is None:
                del attributes[name]
    changes: dict[str, Any] = {"attributes": attributes, "validity": said_validity(entry.validity, dict(said))}
    for name, column in (("topic", "title"), ("content", "body")):
        if name in said:
            changes[column] = said[name]
    if "tags" in said:
        changes["tags"] = tuple(dict.fromkeys(said["tags"]))
    if "ttl_seconds" in said:
        ttl = said["ttl_seconds"]
        changes["expires_at"] = None if ttl is None else now + ttl * SECOND
    return replace(entry, **changes)


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
