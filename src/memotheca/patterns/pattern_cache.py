"""The shelf: what a card says of every pattern of a collection, kept in memory and brought up to each snapshot."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.projection import Projection
from memotheca.model.commits import Version
from memotheca.model.kinds import PATTERN
from memotheca.model.knowledge import Entry, handle_of
from memotheca.patterns.near_names import NameIndex
from memotheca.patterns.pattern_file import DIFFICULTIES
from memotheca.patterns.pattern_store import SKILLS, catalogue_of
from memotheca.storage.snapshot import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A pattern as far as lists of patterns need it."""

    entry_id: str
    collection: str
    slug: str
    title: str
    category: str
    difficulty: str
    summary: str
    description: str
    tags: tuple[str, ...]
    use_when: str
    catalogue: str
    form: str
    tx: int
    updated_at: int


Cards = dict[str, Card]


class Shelf(Projection[Cards, dict[str, Card | None]]):
    """The cards of one collection by their entries' ids, the same dictionary for as long as no pattern changes."""

    def load(self, snapshot: Snapshot) -> Cards:
        found = (_to_card(snapshot.collection, version) for version in snapshot.entries((PATTERN,)))
        return {card.entry_id: card for card in found if card is not None}

    def read(self, snapshot: Snapshot, after: int, held: Cards) -> dict[str, Card | None]:
        changed = [id for id, _, kind in snapshot.changed_after(after) if kind == PATTERN]
        versions = snapshot.versions_at(changed, snapshot.tx) if changed else {}
        return {id: _to_card(snapshot.collection, version) for id, version in versions.items()}

    def apply(self, held: Cards, changes: dict[str, Card | None]) -> Cards:
        if not changes:
            return held
        cards = {**held, **changes}
        return {id: card for id, card in sorted(cards.items()) if card is not None}


def _to_card(collection: str, version: Version) -> Card | None:
    entry = version.thing
    if not isinstance(entry, Entry):
        return None
    said = entry.attributes
    return Card(
        entry_id=entry.id,
        collection=collection,
        slug=handle_of(entry).removeprefix(SKILLS),
        title=entry.title,
        category=str(said.get("category", "")),
        difficulty=str(said.get("difficulty", "")),
        summary=str(said.get("summary", "")),
        description=str(said.get("description", "")),
        tags=entry.tags,
        use_when=str(said.get("use_when", "")),
        catalogue=catalogue_of(entry),
        form=str(said.get("form", "")),
        tx=version.tx,
        updated_at=entry.updated_at,
    )


class View:
    """The cards of one form that can be seen together; the first collection's hide others of their names."""

    def __init__(self, sources: Sequence[Cards], form: str) -> None:
        self.sources = sources
        self.by_slug: dict[str, Card] = {}
        for source in sources:
            for card in source.values():
                if card.form == form:
                    self.by_slug.setdefault(card.slug, card)
        self.cards = sorted(self.by_slug.values(), key=lambda card: card.slug)
        self.by_id = {card.entry_id: card for card in self.cards}
        self.collections = tuple(dict.fromkeys(card.collection for card in self.cards))

    @cached_property
    def names(self) -> NameIndex:
        return NameIndex((card.slug, name) for card in self.cards for name in (card.slug, card.title))


class Shelves:
    """What this process holds of one store."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._shelves: dict[str, Shelf] = {}
        self._views: dict[str, View] = {}

    def cards(self, snapshot: Snapshot) -> Cards:
        with self._guard:
            shelf = self._shelves.setdefault(snapshot.collection, Shelf())
        return shelf.at(snapshot)

    def view(self, sources: Sequence[Cards], form: str) -> View:
        """Made anew only where one of the sources has changed."""
        held = self._views.get(form)
        same = held is not None and len(held.sources) == len(sources)
        if held is None or not same or any(one is not other for one, other in zip(held.sources, sources, strict=True)):
            held = self._views[form] = View(sources, form)
        return held


def shelves_of(kernel: Kernel) -> Shelves:
    return kernel.keep(Shelves)


def count_categories(cards: Iterable[Card]) -> dict[str, int]:
    """The most frequent first, equal ones by name."""
    counted = Counter(card.category for card in cards)
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def count_difficulties(cards: Iterable[Card]) -> dict[str, int]:
    """From the easiest on, without those that do not occur."""
    counted = Counter(card.difficulty for card in cards)
    return {difficulty: counted[difficulty] for difficulty in DIFFICULTIES if counted[difficulty]}
