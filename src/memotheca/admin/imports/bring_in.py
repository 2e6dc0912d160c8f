"""Bringing in what was read of another program's file: once only, and without secrets."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from memotheca.admin.imports.foreign_content import ForeignContent, ForeignRecord, ForeignRelation
from memotheca.admin.transfer import relate_names
from memotheca.conversations.keep import LONGEST, KeepConversation, put_conversation, scrub_turns
from memotheca.entries.entries import blank_entry
from memotheca.entries.refusals import LONGEST_NAME
from memotheca.kernel.handles import IMPORTED_NAMES
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import Alias, Entry
from memotheca.search.prepared import LATER
from memotheca.storage.database import Session
from memotheca.storage.store import Store, Transaction
from memotheca.text.encoding import clean
from memotheca.text.secrets import scrub

BATCH = 500  # chosen: one transaction a batch, so that other writers wait for a moment only
_DIGEST = 16  # chosen: bytes; no two records of a person share so many
TWICE = "records with an id that another one has"
CHANGED_HERE = "records that were changed here since"

T = TypeVar("T")
Report = Callable[[float, float | None, str], None]


@dataclass(slots=True)
class ImportAccount:
    """What was brought in, what was there already, what was taken out of it, and what was not read and why."""

    format: str
    conversations: int = 0
    turns: int = 0
    entries: int = 0
    relations: int = 0
    known: int = 0
    transactions: int = 0
    redactions: Counter[str] = field(default_factory=Counter[str])
    left_out: Counter[str] = field(default_factory=Counter[str])


class _Rehearsed(Exception):
    """What a transaction would have come to, which is taken back."""

    def __init__(self, result: Any) -> None:
        self.result = result


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Writes in a store's place, and takes every transaction back once it is known what it comes to."""

    collection: str

    def write(self, store: Store, act: Callable[[Transaction], T], *, actor: str) -> T:
        def attempt(transaction: Transaction) -> T:
            raise _Rehearsed(act(transaction))

        try:
            return store.write(self.collection, attempt, actor=actor)
        except _Rehearsed as rehearsed:
            return rehearsed.result

    def operate(self, store: Store, act: Callable[[Session], T]) -> T:
        def attempt(session: Session) -> T:
            raise _Rehearsed(act(session))

        try:
            return store.operate(attempt)
        except _Rehearsed as rehearsed:
            return rehearsed.result


@dataclass(frozen=True, slots=True)
class Importer:
    """Who brings something in, and where that may be broken off."""

    kernel: Kernel
    actor: str
    pause: Callable[[], None] = lambda: None

    def write(self, act: Callable[[Transaction], T]) -> T:
        self.pause()
        return self.kernel.write(act, actor=self.actor)


def bring_in(importer: Importer, content: ForeignContent, report: Report, account: ImportAccount) -> None:
    """Store what was read, conversation by conversation and in batches; the account says at every moment what is in."""
    account.left_out.update(content.left_out)
    total = len(content.conversations) + len(content.records) + len(content.relations)
    done = 0
    for conversation in content.conversations:
        _keep(importer, replace(conversation, revives=True), account)
        done += 1
        report(done, total, "importing")
    records = list({record.origin: record for record in reversed(content.records)}.values())[::-1]
    if len(records) < len(content.records):
        account.left_out[TWICE] += len(content.records) - len(records)
    for batch in _batches(records):
        _put_records(importer, content.format, batch, account)
        done += len(batch)
        report(done, total, "importing")
    for relations in _batches(content.relations):
        _put_relations(importer, relations, account)
        done += len(relations)
        report(done, total, "importing")


def _keep(importer: Importer, request: KeepConversation, account: ImportAccount) -> None:
    if sum(len(turn.text) for turn in request.turns) > LONGEST:
        account.left_out[f"conversations of more than {LONGEST:,} letters"] += 1
        return
    scrubbed = scrub_turns(request)
    kept = importer.write(lambda transaction: put_conversation(transaction, request, scrubbed))
    account.turns += kept.added
    account.known += kept.known
    account.conversations += kept.added > 0
    account.transactions += kept.added > 0 or kept.linked > 0
    if kept.added:
        account.redactions.update(kept.redactions)


def _put_records(importer: Importer, format: str, batch: Sequence[ForeignRecord], account: ImportAccount) -> None:
    cleaned = [_clean(record) for record in batch]

    def act(transaction: Transaction) -> tuple[int, int, Counter[str]]:
        transaction.describe("IMPORT")
        made = changed = 0
        found: Counter[str] = Counter()
        for record, redactions in cleaned:
            became = _put_record(transaction, format, record)
            made, changed = made + (became == "made"), changed + (became == "changed here")
            found.update(redactions if became == "made" else ())
        return made, changed, found

    made, changed, found = importer.write(act)
    account.entries += made
    account.known += len(batch) - made - changed
    account.transactions += made > 0
    account.redactions.update(found)
    if changed:
        account.left_out[CHANGED_HERE] += changed


def _clean(record: ForeignRecord) -> tuple[ForeignRecord, Counter[str]]:
    found: Counter[str] = Counter()

    def scrubbed(text: str) -> str:
        cleaned, redactions = scrub(clean(text).strip())
        found.update({redaction.type: redaction.count for redaction in redactions})
        return cleaned

    body = scrubbed(record.body)
    title = " ".join(scrub(clean(record.title))[0].split())[:LONGEST_NAME]
    tags = tuple(tag for tag in (" ".join(clean(tag).split())[:LONGEST_NAME] for tag in record.tags) if tag)
    return replace(record, title=title, body=body, tags=tags), found


def _put_record(transaction: Transaction, format: str, record: ForeignRecord) -> str:
    """Make an entry of a record, or bring one up to date that nobody has changed here."""
    origin = f"{format}/{_digest(record.origin)}"
    digest = _digest(f"{record.title}\0{record.body}")
    known = transaction.find_alias(IMPORTED_NAMES, origin)
    present = transaction.entry(known) if known is not None and transaction.head(known) is not None else None
    if present is None:
        told = {"source": format, "imported": digest}
        told |= {} if record.created is None else {"written_at": to_iso(record.created)}
        entry = blank_entry(transaction, record.title, record.body, record.tags)
        aliases = (*entry.aliases, Alias(IMPORTED_NAMES, origin))
        transaction.put(replace(entry, aliases=aliases, attributes=told), LATER)
        return "made"
    if present.attributes.get("imported") == digest:
        return "known"
    if _digest(f"{present.title}\0{present.body}") != present.attributes.get("imported"):
        return "changed here"
    _renew(transaction, present, record, digest)
    return "made"


def _renew(transaction: Transaction, present: Entry, record: ForeignRecord, digest: str) -> None:
    attributes = {**present.attributes, "imported": digest}
    changed = replace(present, title=record.title, body=record.body, tags=record.tags, attributes=attributes)
    transaction.put(replace(changed, updated_at=transaction.time), LATER)


def _put_relations(importer: Importer, relations: Sequence[ForeignRelation], account: ImportAccount) -> None:
    def act(transaction: Transaction) -> int:
        transaction.describe("IMPORT")
        return sum(relate_names(transaction, *_named(each)) for each in relations)

    made = importer.write(act)
    account.relations += made
    account.known += len(relations) - made
    account.transactions += made > 0


def _named(relation: ForeignRelation) -> tuple[str, str, str]:
    source, predicate, target = (
        " ".join(clean(name).split())[:LONGEST_NAME] for name in (relation.source, relation.predicate, relation.target)
    )
    return source, predicate, target


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=_DIGEST).hexdigest()


def _batches(things: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(things), BATCH):
        yield things[start : start + BATCH]
