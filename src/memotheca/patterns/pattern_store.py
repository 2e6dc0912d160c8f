"""Patterns as entries: what of a pattern is title, text and attributes, and how a catalogue is kept in step."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from memotheca.kernel.handles import PATTERN_NAMES
from memotheca.model.kinds import PATTERN
from memotheca.model.knowledge import Alias, Entry, handle_of
from memotheca.patterns.pattern_file import SKILL_FORM, Pattern
from memotheca.search.prepared import LATER, Prepared
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Store, Transaction

BATCH = 500  # chosen: one transaction a batch, so that other writers wait for a moment only
SKILLS = "skill/"

_ATTRIBUTES = (
    "form",
    "category",
    "difficulty",
    "summary",
    "description",
    "use_when",
    "avoid_when",
    "related",
    "author",
    "path",
)


@dataclass(slots=True)
class CatalogueUpdate:
    """What bringing a catalogue up to date did, by the patterns' names; `foreign` belong to another catalogue."""

    added: list[str] = field(default_factory=list[str])
    changed: list[str] = field(default_factory=list[str])
    removed: list[str] = field(default_factory=list[str])
    unchanged: list[str] = field(default_factory=list[str])
    foreign: dict[str, str] = field(default_factory=dict[str, str])
    transactions: list[int] = field(default_factory=list[int])


def name_of(pattern: Pattern) -> str:
    return SKILLS + pattern.slug if pattern.form == SKILL_FORM else pattern.slug


def names_of(patterns: Sequence[Pattern]) -> frozenset[str]:
    return frozenset(name_of(pattern) for pattern in patterns)


def to_fields(pattern: Pattern, catalogue: str) -> dict[str, Any]:
    """The parts of an entry that a pattern decides; its text begins with its summary, so that this is searched too."""
    attributes: dict[str, Any] = {"catalogue": catalogue}
    for name in _ATTRIBUTES:
        value = getattr(pattern, name)
        if value:
            attributes[name] = list(cast(tuple[str, ...], value)) if isinstance(value, tuple) else value
    body = f"{pattern.summary}\n\n{pattern.text}"
    return {"title": pattern.title, "body": body, "tags": pattern.tags, "attributes": attributes}


def text_of(entry: Entry) -> str:
    """The pattern's own markdown."""
    return entry.body.removeprefix(f"{entry.attributes.get('summary', '')}\n\n")


def catalogue_of(entry: Entry) -> str:
    return str(entry.attributes.get("catalogue", ""))


@dataclass(frozen=True, slots=True)
class Others:
    """What a catalogue is to have, by name, and the paths whose patterns stay as they are."""

    wanted: frozenset[str]
    spared: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Target:
    """Where a catalogue is kept, and who keeps it."""

    store: Store
    collection: str
    catalogue: str
    actor: str


def keep_in_step(
    target: Target, patterns: Sequence[Pattern], *, spared: frozenset[str] = frozenset()
) -> CatalogueUpdate:
    """Make a catalogue hold exactly these patterns, in a transaction for every 500. What came from a `spared` path
    stays as it is: its file is there, but cannot be read now."""
    kept = CatalogueUpdate()
    for start in range(0, max(len(patterns), 1), BATCH):
        batch = patterns[start : start + BATCH]
        last = start + BATCH >= len(patterns)
        others = Others(names_of(patterns), spared) if last else None
        act = partial(put_batch, catalogue=target.catalogue, batch=batch, others=others)
        _merge(kept, target.store.write(target.collection, act, actor=target.actor))
    return kept


def put_batch(
    transaction: Transaction,
    *,
    catalogue: str,
    batch: Sequence[Pattern],
    others: Others | None,
    prepared: Prepared = LATER,
) -> CatalogueUpdate:
    """Put these patterns and, where it is said what the catalogue is to have beside them, remove the others."""
    transaction.describe("IMPORT")
    kept = CatalogueUpdate()
    for pattern in batch:
        _put(transaction, catalogue, pattern, kept, prepared=prepared)
    if others is not None:
        _remove_others(transaction, catalogue, others, kept)
    if transaction.changed:
        kept.transactions.append(transaction.tx)
    return kept


def _put(
    transaction: Transaction, catalogue: str, pattern: Pattern, kept: CatalogueUpdate, *, prepared: Prepared
) -> None:
    name, fields = name_of(pattern), to_fields(pattern, catalogue)
    present = _present(transaction, name)
    if present is None:
        transaction.put(
            Entry(
                id=transaction.new_id(),
                kind=PATTERN,
                **fields,
                aliases=(Alias(PATTERN_NAMES, name),),
                created_at=transaction.time,
                updated_at=transaction.time,
            ),
            prepared,
        )
        kept.added.append(name)
    elif catalogue_of(present) != catalogue:
        kept.foreign[name] = catalogue_of(present)
    elif replace(present, **fields) == present:
        kept.unchanged.append(name)
    else:
        transaction.put(replace(present, **fields, updated_at=transaction.time), prepared)
        kept.changed.append(name)


def _present(snapshot: Snapshot, name: str) -> Entry | None:
    id = snapshot.find_alias(PATTERN_NAMES, name)
    return snapshot.entry(id) if id is not None else None


def _remove_others(transaction: Transaction, catalogue: str, others: Others, kept: CatalogueUpdate) -> None:
    for version in transaction.entries((PATTERN,)):
        entry = version.thing
        if not isinstance(entry, Entry) or catalogue_of(entry) != catalogue or handle_of(entry) in others.wanted:
            continue
        if entry.attributes.get("path") in others.spared:
            kept.unchanged.append(handle_of(entry))
            continue
        transaction.remove(entry)
        for edge in {edge.id: edge for edge in transaction.edges_of(entry.id)}.values():
            transaction.remove(edge)
        kept.removed.append(handle_of(entry))


def _merge(kept: CatalogueUpdate, more: CatalogueUpdate) -> None:
    for name in ("added", "changed", "removed", "unchanged", "transactions"):
        getattr(kept, name).extend(getattr(more, name))
    kept.foreign |= more.foreign
