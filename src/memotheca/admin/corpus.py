"""Bringing in a corpus: one text a line with an id of its own, in batches that each are a transaction."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from memotheca.entries.entries import blank_entry
from memotheca.kernel.handles import IMPORTED_NAMES
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Alias, Entry
from memotheca.search.prepared import LATER
from memotheca.storage.store import Transaction
from memotheca.text.secrets import scrub

BATCH = 500  # chosen: one transaction a batch, so that other writers wait for a moment only

Report = Callable[[float, float | None, str], None]


class BadLine(Refusal):
    """A line of a file that is not as it should be."""

    def __init__(self, number: int, said: str, what_else: str = "nothing was imported") -> None:
        super().__init__(Failure.INVALID, f"Line {number} {said}; {what_else}.")
        self.number, self.said = number, said


@dataclass(frozen=True, slots=True)
class Unmerged:
    """A thing of an export that is not here as it is there, and why: its handle and name there, what is to be said of
    the reason (the parts that differ, its new name), and its handle here."""

    reason: str
    id: str
    kind: str
    handle: str
    name: str
    detail: str
    here: str


@dataclass(frozen=True, slots=True)
class Moved:
    """How much went out or came in; secrets that were taken out of it; where an export was merged into what is here,
    what is not alike in both."""

    transactions: int
    entries: int
    edges: int
    skipped: int = 0
    redacted: int = 0
    listed: tuple[Unmerged, ...] | None = None


Keep = Callable[[Moved], None]


def keep_no_count(moved: Moved) -> None:
    """For who waits until all is in."""


def import_corpus(
    kernel: Kernel, lines: Iterable[dict[str, Any]], *, actor: str, report: Report, keep: Keep = keep_no_count
) -> Moved:
    """Each line becomes an entry whose handle is its `_id`; what is there already, unchanged, is skipped, so that an
    import that was cut off can be run again. No secret is stored. `keep` is told what is durable after every
    transaction."""
    made = skipped = transactions = redacted = 0
    try:
        for batch in _batches(lines):
            added = kernel.write(lambda transaction, batch=batch: _put_batch(transaction, batch), actor=actor)
            made, skipped = made + added, skipped + len(batch) - added
            transactions += added > 0
            redacted += sum(line.redacted for line in batch)
            keep(Moved(transactions, made, 0, skipped, redacted))
            report(made + skipped, None, "importing")
    except BadLine as bad:
        if not transactions:
            raise
        raise BadLine(bad.number, bad.said, f"the first {made + skipped:,} are in, and skipped next time") from None
    return Moved(transactions, made, 0, skipped, redacted)


@dataclass(frozen=True, slots=True)
class CorpusLine:
    """A line as it may be stored, and how many secrets were taken out of it."""

    handle: str
    title: str
    body: str
    redacted: int


def _scrubbed(line: dict[str, Any]) -> CorpusLine:
    title, in_title = scrub(str(line.get("title") or ""))
    body, in_body = scrub(str(line["text"]))
    return CorpusLine(str(line["_id"]), title, body, sum(found.count for found in (*in_title, *in_body)))


def _batches(lines: Iterable[dict[str, Any]]) -> Iterator[list[CorpusLine]]:
    batch: list[CorpusLine] = []
    for number, line in enumerate(lines, start=1):
        check_corpus_line(line, number)
        batch.append(_scrubbed(line))
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def check_corpus_line(line: dict[str, Any], number: int) -> None:
    for name in ("_id", "text"):
        said = line.get(name)
        if not isinstance(said, str | int) or (name == "_id" and not str(said).strip()):
            raise BadLine(number, f"lacks {name}")


def _put_batch(transaction: Transaction, batch: list[CorpusLine]) -> int:
    transaction.describe("IMPORT")
    added = 0
    for line in batch:
        handle, title, body = line.handle, line.title, line.body
        known = transaction.find_alias(IMPORTED_NAMES, handle)
        present = transaction.entry(known) if known is not None and transaction.head(known) is not None else None
        if present is not None:
            if (present.title, present.body) != (title, body):
                transaction.put(replace(present, title=title, body=body, updated_at=transaction.time), LATER)
                added += 1
            continue
        transaction.put(_with_handle(blank_entry(transaction, title, body), handle), LATER)
        added += 1
    return added


def _with_handle(entry: Entry, handle: str) -> Entry:
    return replace(entry, aliases=(Alias(IMPORTED_NAMES, handle), *entry.aliases))
