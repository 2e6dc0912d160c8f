"""An export brought into a collection that holds something: what is new comes in once, nothing that is there changes,
and what is not alike in both is listed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from memotheca.admin.corpus import BATCH, Keep, Moved, Report, Unmerged
from memotheca.admin.export_heads import ExportHeads, state_digest
from memotheca.admin.export_lines import COUNTED
from memotheca.kernel.citations import new_alias
from memotheca.kernel.handles import (
    DOCUMENT_NAMES,
    ENTITY_NAMES,
    IMPORTED_NAMES,
    MEMORY_NAMES,
    NOTE_NAMES,
    PATTERN_NAMES,
    SESSION_NAMES,
)
from memotheca.kernel.kernel import Kernel
from memotheca.model import kinds
from memotheca.model.commits import Version
from memotheca.model.knowledge import Alias, Edge, Entry, Thing, fold, handle_of
from memotheca.search.prepared import LATER
from memotheca.storage.document_index import with_digest
from memotheca.storage.heads import is_live
from memotheca.storage.lookups import edges_between, heads_of
from memotheca.storage.store import Transaction

# Names that say what bears them: who has the same one is the same thing.
_TELLING = {
    kinds.ENTITY: ENTITY_NAMES,
    kinds.CONVERSATION: SESSION_NAMES,
    kinds.PATTERN: PATTERN_NAMES,
    kinds.NOTE: NOTE_NAMES,
    kinds.ENTRY: IMPORTED_NAMES,
}
_OF_ENTRY = ("kind", "title", "body", "tags", "attributes", "validity", "expires_at")
_OF_EDGE = ("source", "target", "type", "predicate", "weight", "confidence", "attributes", "validity")
_TEXT = ("title", "body", "tags")
_OF_JOINED_EDGE = ("weight", "confidence", "attributes", "validity")


def merge_export(kernel: Kernel, export: ExportHeads, *, actor: str, report: Report, keep: Keep) -> Moved:
    """Bring in what is new, some hundreds of things a transaction; broken off, it goes on when it is run again."""
    merge = _Merge(export)
    done = 0
    for things in _batches(export.things):
        step = kernel.write(partial(_put, merge=merge, things=things), actor=actor)
        merge.add(step)
        done += len(things)
        keep(merge.moved())
        report(done, len(export.things), "merging")
    _list_gone(kernel, merge)
    return merge.moved()


@dataclass(slots=True)
class _Step:
    """What one transaction of a merge came to; a transaction that is tried again makes it anew."""

    entries: int = 0
    edges: int = 0
    known: int = 0
    transactions: int = 0
    twins: dict[str, str] = field(default_factory=dict[str, str])
    arrived: set[str] = field(default_factory=set[str])
    serials: dict[str, int] = field(default_factory=dict[str, int])
    listed: list[Unmerged] = field(default_factory=list[Unmerged])


class _Merge:
    """One export on its way in: what of it is here under another id, what came with this run, what was counted."""

    def __init__(self, export: ExportHeads) -> None:
        self.export = export
        self.ids = frozenset(thing.id for thing in export.things)
        counted = {name: last for name, last in export.serials.items() if name in COUNTED}
        self.total = _Step(serials=counted)

    def add(self, step: _Step) -> None:
        total = self.total
        total.entries += step.entries
        total.edges += step.edges
        total.known += step.known
        total.transactions += step.transactions
        total.twins |= step.twins
        total.arrived |= step.arrived
        total.serials |= step.serials
        total.listed += step.listed

    def moved(self) -> Moved:
        total = self.total
        return Moved(total.transactions, total.entries, total.edges, total.known, listed=tuple(total.listed))


def _batches(things: Sequence[Thing]) -> Iterator[Sequence[Thing]]:
    for start in range(0, len(things), BATCH):
        yield things[start : start + BATCH]


def _put(transaction: Transaction, *, merge: _Merge, things: Sequence[Thing]) -> _Step:
    transaction.describe("IMPORT")
    for namespace, last in merge.total.serials.items():
        transaction.raise_serial(namespace, last)
    placing = _Placing(transaction, merge)
    for thing in things:
        placing.place(thing)
    placing.step.transactions = int(transaction.changed)
    return placing.step


class _Placing:
    """Finds each thing of an export its place within one transaction."""

    def __init__(self, transaction: Transaction, merge: _Merge) -> None:
        self._transaction = transaction
        self._merge = merge
        self.step = _Step()

    def place(self, thing: Thing) -> None:
        if isinstance(thing, Entry) and thing.kind == kinds.TUNING:
            self._pass_over(thing)
            return
        if isinstance(thing, Edge):
            thing = replace(thing, source=self._here(thing.source), target=self._here(thing.target))
        present = self._transaction.version(thing.id, self._transaction.tx)
        if present is None or self._was_taken_back(present):
            self._bring_entry(thing) if isinstance(thing, Entry) else self._bring_edge(thing)
        elif present.thing is None:
            self._list(thing, "erased_here" if present.erased else "deleted_here")
        else:
            self._compare(thing, present.thing)

    def _pass_over(self, tuning: Entry) -> None:
        present = self._transaction.entry(tuning.id)
        if present is not None and present.attributes == tuning.attributes:
            self.step.known += 1
        else:
            self._list(tuning, "setting")

    def _here(self, id: str) -> str:
        return self.step.twins.get(id) or self._merge.total.twins.get(id, id)

    def _was_taken_back(self, present: Version) -> bool:
        """Whether it came by an import that was undone: then nobody here has ever deleted it."""
        if present.thing is not None or present.erased:
            return False
        undoing = self._transaction.commit(present.tx)
        if undoing is None or undoing.operation != "REVERT" or undoing.undoes is None:
            return False
        undone = self._transaction.commit(undoing.undoes)
        return undone is not None and undone.operation == "IMPORT"

    def _bring_entry(self, entry: Entry) -> None:
        twin = self._twin(entry)
        if twin is not None:
            self.step.twins[entry.id] = twin.id
            self._join(entry, twin, _TEXT)
        elif entry.kind == kinds.NOTE:
            self._list(entry, "note")
        elif entry.kind == kinds.SECTION and not self._lives(document := str(entry.attributes["document"])):
            whole = self._transaction.entry(self._here(document))
            if whole is None:
                self._list(entry, "document_missing")
            else:  # of the same file, but read into other sections here
                self._list(entry, "differs", detail="sections", here=handle_of(whole))
        else:
            self._transaction.put(replace(entry, aliases=self._names(entry)), LATER)
            self.step.entries += 1
            self.step.arrived.add(entry.id)

    def _bring_edge(self, edge: Edge) -> None:
        if not (self._lives(edge.source) and self._lives(edge.target)):
            self._list(edge, "end_missing")
            return
        twin = self._twin_edge(edge)
        if twin is not None:
            self._join(edge, twin, _OF_JOINED_EDGE)
            return
        self._transaction.put(replace(edge, aliases=self._names(edge)))
        self.step.edges += 1
        self.step.arrived.add(edge.id)

    def _lives(self, id: str) -> bool:
        """Also what came before in a trial, which keeps nothing."""
        return self._has_come(id) or bool(heads_of(self._transaction, [id]))

    def _has_come(self, id: str) -> bool:
        return id in self.step.arrived or id in self._merge.total.arrived

    def _twin(self, entry: Entry) -> Entry | None:
        """What is here in its place: of the same telling name, or a document of the same file; unless the export has
        both."""
        id = self._twin_id(entry)
        twin = None if id is None or id in self._merge.ids else self._transaction.living([id]).get(id)
        if twin is None or twin.kind != entry.kind:
            return None
        # Names from imported files say what bears them only where it is the same text: many corpora count from 1.
        is_other = entry.kind == kinds.ENTRY and (twin.title, twin.body) != (entry.title, entry.body)
        return None if is_other else twin

    def _twin_id(self, entry: Entry) -> str | None:
        find = self._transaction.find_alias
        if entry.kind == kinds.DOCUMENT:
            digest = str(entry.attributes.get("sha256"))
            row = with_digest(self._transaction.session, self._transaction.collection, digest)
            return None if row is None else row.id
        if entry.kind == kinds.SECTION:
            whole = self._transaction.entry(self._here(str(entry.attributes.get("document"))))
            anchor = entry.attributes.get("anchor")
            return None if whole is None else find(DOCUMENT_NAMES, f"{handle_of(whole)}#{anchor}")
        telling = _TELLING.get(entry.kind)
        found = (find(alias.namespace, alias.name) for alias in entry.aliases if alias.namespace == telling)
        return next((id for id in found if id is not None), None)

    def _twin_edge(self, edge: Edge) -> Edge | None:
        if self._has_come(edge.source) or self._has_come(edge.target):
            return None
        for id in edges_between(self._transaction, edge.source, edge.target):
            twin = self._transaction.edge(id)
            is_same = twin is not None and (fold(twin.predicate), twin.type) == (fold(edge.predicate), edge.type)
            if is_same and id not in self._merge.ids:
                return twin
        return None

    def _names(self, thing: Thing) -> tuple[Alias, ...]:
        """What it is called here: as there where that is free, else by the next number or not at all."""
        names: list[Alias] = []
        for alias in thing.aliases:
            owner = self._transaction.find_alias(alias.namespace, alias.name)
            if owner is None or owner == thing.id:
                names.append(alias)
            elif alias.namespace in COUNTED:
                number = self._transaction.next_serial(alias.namespace)
                self.step.serials[alias.namespace] = number
                names.append(Alias(alias.namespace, f"{COUNTED[alias.namespace]}-{number}"))
                self._list(thing, "renamed", detail=names[-1].name)
            elif alias.namespace == MEMORY_NAMES:
                names.append(new_alias(self._transaction, thing.id))
                self._list(thing, "renamed", detail=names[-1].name)
            elif is_live(self._transaction.session, self._transaction.collection, owner):
                self._list(thing, "name_taken", detail=alias.name)
            else:
                names.append(alias)
        return tuple(names)

    def _join(self, thing: Thing, twin: Thing, fields: Sequence[str]) -> None:
        unlike = [name for name in fields if getattr(thing, name) != getattr(twin, name)]
        if unlike:
            self._list(thing, "differs", detail=", ".join(unlike), here=handle_of(twin))
        else:
            self.step.known += 1

    def _compare(self, thing: Thing, present: Thing) -> None:
        if type(thing) is not type(present):
            self._list(thing, "differs", detail="kind")
            return
        fields = _OF_ENTRY if isinstance(thing, Entry) else _OF_EDGE
        unlike = [name for name in fields if getattr(thing, name) != getattr(present, name)]
        held = {(alias.namespace, fold(alias.name)) for alias in present.aliases}
        missing = (alias for alias in thing.aliases if (alias.namespace, fold(alias.name)) not in held)
        if any(self._transaction.find_alias(alias.namespace, alias.name) in (None, thing.id) for alias in missing):
            unlike.append("names")
        if unlike:
            said = self._changed_where(thing, present)
            self._list(thing, f"changed_{said}", detail=", ".join(unlike), here=handle_of(present))
        else:
            self.step.known += 1

    def _changed_where(self, thing: Thing, present: Thing) -> str:
        """Since both were alike, as far as the one's past tells the other's state."""
        if state_digest(present) in self._merge.export.past.get(thing.id, ()):
            return "there"
        past = (version.thing for version in self._transaction.versions(thing.id))
        was_alike = any(before is not None and state_digest(before) == state_digest(thing) for before in past)
        return "here" if was_alike else "both"

    def _list(self, thing: Thing, reason: str, *, detail: str = "", here: str = "") -> None:
        self.step.listed.append(_unmerged(thing, reason, detail=detail, here=here))


def _unmerged(thing: Thing, reason: str, *, detail: str = "", here: str = "") -> Unmerged:
    named = thing.title if isinstance(thing, Entry) else thing.predicate
    kind = thing.kind if isinstance(thing, Entry) else kinds.TRIPLE
    handle = handle_of(thing)
    return Unmerged(reason, thing.id, kind, handle, named, detail, here or handle)


def _list_gone(kernel: Kernel, merge: _Merge) -> None:
    """What was deleted there and is here stays, and is listed."""
    gone = merge.export.gone
    with kernel.read() as snapshot:
        for id, is_erased in gone.items():
            present = snapshot.head(id)
            if present is not None and present.thing is not None:
                merge.total.listed.append(_unmerged(present.thing, "erased_there" if is_erased else "deleted_there"))
