"""Reading patterns: all of them or one, in the connection's collection and in the shipped catalogue."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memotheca.kernel.handles import PATTERN_NAMES
from memotheca.kernel.kernel import Kernel
from memotheca.model.commits import Version
from memotheca.model.ids import is_id
from memotheca.model.kinds import PATTERN, STARTER_COLLECTION
from memotheca.model.knowledge import Entry
from memotheca.patterns.pattern_cache import Card, View, shelves_of
from memotheca.patterns.pattern_file import PATTERN_FORM, SKILL_FORM
from memotheca.patterns.pattern_store import SKILLS, catalogue_of
from memotheca.patterns.starter import ensure_starter
from memotheca.storage.snapshot import Snapshot


def all_cards(kernel: Kernel, form: str = PATTERN_FORM) -> list[Card]:
    """Every pattern that can be found, by its name; one of the connection's own hides a shipped one of its name."""
    return view_of(kernel, form).cards


def view_of(kernel: Kernel, form: str) -> View:
    shelves = shelves_of(kernel)
    return shelves.view([shelves.cards(snapshot) for snapshot in _snapshots(kernel)], form)


@dataclass(frozen=True, slots=True)
class StoredPattern:
    """A pattern where it is kept."""

    version: Version
    collection: str


def get_held(kernel: Kernel, handle: str, form: str = PATTERN_FORM) -> StoredPattern | None:
    """A pattern by its id, with or without its prefix, or by its entry's uuid; the connection's own come first."""
    spoken = handle.strip().removeprefix(f"{PATTERN_NAMES}:")
    name = (SKILLS if form == SKILL_FORM else "") + spoken
    for snapshot in _snapshots(kernel):
        id = spoken.lower() if is_id(spoken) else snapshot.find_alias(PATTERN_NAMES, name)
        version = None if id is None else snapshot.head(id)
        if version is None or not isinstance(version.thing, Entry) or version.kind != PATTERN:
            continue
        if version.thing.attributes.get("form") == form:
            return StoredPattern(version, snapshot.collection)
    return None


@dataclass(frozen=True, slots=True)
class State:
    """Where something comes from, as of when, and which version of it that is."""

    source: str
    time: int
    version: str


def origin_of(held: StoredPattern) -> State:
    entry = held.version.thing
    assert isinstance(entry, Entry)
    source = "/".join(part for part in (catalogue_of(entry), str(entry.attributes.get("path", ""))) if part)
    return State(source, entry.updated_at, f"{held.collection}@{held.version.tx}")


def state_of(kernel: Kernel, cards: Sequence[Card]) -> State:
    """The catalogues that cards come from, and the newest change of the collections that were searched."""
    states = [(snapshot.collection, snapshot.tx, snapshot.time) for snapshot in _snapshots(kernel)]
    sources = ", ".join(sorted({card.catalogue for card in cards or all_cards(kernel)}))
    newest = max(time for _, _, time in states)
    return State(sources, newest, ", ".join(f"{collection}@{tx}" for collection, tx, _ in states if tx))


def _collections(kernel: Kernel) -> list[str]:
    ensure_starter(kernel)
    return list(dict.fromkeys([kernel.collection, STARTER_COLLECTION]))


def _snapshots(kernel: Kernel) -> Iterator[Snapshot]:
    for collection in _collections(kernel):
        with kernel.store.read(collection) as snapshot:
            yield snapshot
