"""All notes of a collection in memory, without their text: names, tags and the graph of their links, up to date."""

import base64
import hashlib
import sys
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from typing import Any, ClassVar, TypeVar, cast

from memotheca.kernel.gc import resting_collector
from memotheca.kernel.handles import NAMESPACES
from memotheca.kernel.projection import Projection
from memotheca.model.kinds import NOTE
from memotheca.model.knowledge import Edge, Entry, Subject, fold, handle_of
from memotheca.notes.link_graph import Graph
from memotheca.storage.heads import is_live
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.vault_index import Link, NoteRow, missing_rows, read_row, read_rows, row_of
from memotheca.vault.resolve import Named, Resolver, link_key, note_keys
from memotheca.vault.wikilinks import LinkSyntax, folded

GHOST = "ghost_"
MANY = 1000  # chosen: below it reading changes one by one is always cheaper than all anew

# The node that a link leads to, if any, and the link's key where that is no note; by target, by vault.
Meaning = tuple[str | None, str | None]
Known = dict[str, dict[str, Meaning]]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Other:
    """Something that is no note but that a note is connected with."""

    id: str
    handle: str
    title: str


def ghost_id(target: str) -> str:
    """The id of a target that is not there, the same however its words are joined."""
    name = "/".join(link_key(part) for part in target.split("/"))
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return GHOST + base64.urlsafe_b64encode(digest).decode()[:12]


class Notebook:
    """The notes at one snapshot."""

    def __init__(self) -> None:
        self.rows: dict[str, NoteRow] = {}
        self.graph = Graph()
        self.ghosts: dict[str, str] = {}
        self.others: dict[str, Other] = {}
        self._by_path: dict[str, str] = {}
        self._resolvers: dict[str, Resolver] = {}
        self._loose: dict[str, set[str]] = {}
        self._by_tag: dict[str, set[str]] = {}
        self._edges: dict[str, list[str]] = {}
        self._measures: dict[str, tuple[int, Any]] = {}

    def find(self, name: str) -> str | None:
        """The id of the node that a path or a ghost's id names."""
        if name in self.ghosts:
            return name
        for path in (name, f"{name}.md"):
            if path in self._by_path:
                return self._by_path[path]
        for path in (folded(name), f"{folded(name)}.md"):
            if alike := [each for each in self._spelled(path) if folded(each) == path]:
                return self._by_path[min(alike)]
        return None

    def _spelled(self, path: str) -> list[str]:
        """Paths of notes that differ from this one at most in case, normalisation and suffix."""
        return [
            vault + each
            for vault, resolver in self._resolvers.items()
            if path.startswith(folded(vault))
            for each in resolver.spelled(path[len(folded(vault)) :])
        ]

    def standing_at(self, path: str) -> str | None:
        """The id of the note at this path, or at one that a disk may take for the same."""
        alike = [each for each in self._spelled(folded(path)) if folded(each) == folded(path)]
        return self._by_path.get(path) or (self._by_path[min(alike)] if alike else None)

    def name_of(self, node: str) -> str:
        """What clients call a node."""
        if node in self.rows:
            return self.rows[node].path
        return self.others[node].handle if node in self.others else node

    def title_of(self, node: str) -> str:
        if node in self.rows:
            return self.rows[node].title
        return self.others[node].title if node in self.others else self._ghost_title(node)

    def _ghost_title(self, node: str) -> str:
        """As the first note by its path spells it; whoever linked to it first may have changed since."""
        sources = [source for source in self.graph.into(node) if source in self.rows]
        first = min(sources, key=lambda source: self.rows[source].path, default=None)
        links = () if first is None else self.rows[first].links
        return next((target for target, _, _ in links if ghost_id(target) == node), self.ghosts[node])

    def resolver(self, vault: str) -> Resolver:
        held = self._resolvers.get(vault)
        if held is None:
            held = self._resolvers[vault] = Resolver()
        return held

    def tagged(self, tag: str) -> Set[str]:
        """The notes that have a tag, or one nested in it: a view, to be read at once."""
        return self._by_tag.get(fold(tag.strip().removeprefix("#").strip("/")), frozenset())

    def incoming(self, node: str) -> list[str]:
        """What points at a node, by name; of a hub it is sorted once for as long as the graph stays as it is."""
        found = self.graph.into(node)
        if len(found) < MANY:
            return sorted(found, key=self.name_of)
        return self.remembered(f"into {node}", lambda: sorted(found, key=self.name_of))

    def first_by_path(self, notes: Iterable[str], count: int) -> list[str]:
        return [note for _, note in nsmallest(count, [(self.rows[note].path, note) for note in notes])]

    def linking_to(self, node: str) -> list[NoteRow]:
        """The notes that link to a node, by their paths."""
        found = [self.rows[source] for source in self.graph.into(node) if source in self.rows]
        return sorted(found, key=lambda row: row.path)

    def possible_sources(self, row: NoteRow, named: Named) -> list[NoteRow]:
        """The notes that have a link which means `row`, or could mean it under another name."""
        found = self._sources(note_keys(named)).union(self.graph.into(row.id))
        return sorted((self.rows[source] for source in found & self.rows.keys()), key=lambda each: each.path)

    def _sources(self, keys: Iterable[str]) -> set[str]:
        """All notes that have a link with one of these keys. Such a link leads to a note that has the key, too, or to
        no note at all; a link to itself is none of the graph's."""
        found: set[str] = set()
        for key in keys:
            found.update(self._loose.get(key, ()))
            for vault, resolver in self._resolvers.items():
                for path in resolver.holding(key):
                    node = self._by_path[vault + path]
                    found.add(node)
                    found.update(self.graph.into(node))
        return found

    def target_in(self, source: NoteRow, node: str) -> str:
        """How a note names a node that it links to."""
        return next((target for target, form, _ in source.links if self.resolve(source, target, form) == node), "")

    def broken_links(self, node: str) -> list[str]:
        """Targets of a note's links that are not there."""
        missing = {target for target in self.graph.out[node] if target in self.ghosts}
        links = self.rows[node].links if missing else ()
        return list(dict.fromkeys(target for target, _, _ in links if ghost_id(target) in missing))

    def ambiguous_links(self, node: str) -> list[tuple[str, list[str]]]:
        """Targets of a note's links that several notes answer to, with those notes, the one that is meant first."""
        row = self.rows[node]
        found: list[tuple[str, list[str]]] = []
        for target, form, _ in row.links:
            meant = self.resolver(row.vault).find(
                target, row.path.removeprefix(row.vault), is_path=form != LinkSyntax.WIKI
            )
            if meant is not None and meant.others:
                found.append((target, [row.vault + path for path in (meant.path, *meant.others)]))
        return found

    def duplicate_titles(self) -> list[tuple[str, ...]]:
        return sorted(
            tuple(vault + path for path in paths)
            for vault, resolver in self._resolvers.items()
            for paths in resolver.duplicate_titles()
        )

    def remembered(self, name: str, measure: Callable[[], T]) -> T:
        """What was measured of the graph, measured again only after it changed."""
        held = self._measures.get(name)
        if held is None or held[0] != self.graph.version:
            held = self._measures[name] = (self.graph.version, measure())
        return held[1]

    def read_all(self, snapshot: Snapshot) -> None:
        rows = read_rows(snapshot.session, snapshot.collection)
        for id in missing_rows(snapshot.session, snapshot.collection, NOTE):
            row = row_of(cast(Entry, snapshot.entry(id)))
            rows += [] if row is None else [row]
        self._edges = _edges_of_notes(snapshot)
        self._fill(snapshot, rows)

    @classmethod
    def of(cls, snapshot: Snapshot, rows: Sequence[NoteRow]) -> "Notebook":
        """Notes that are told of, and what their links mean among them; without the edges that leave them."""
        book = cls()
        book._fill(snapshot, rows)
        return book

    def _fill(self, snapshot: Snapshot, rows: Sequence[NoteRow]) -> None:
        for row in rows:
            self._take_in(row)
        known: Known = {}
        for row in rows:
            self._connect(snapshot, row, known)
        self._drop_unused([*self.ghosts, *self.others])

    def follow(self, snapshot: Snapshot, changed: list[tuple[str, Subject, str]], seen: int) -> None:
        """Read what changed; links of other notes turn only where a name they could mean has come or gone."""
        turned: set[str] = set()
        sources: set[str] = set()
        for id, subject, kind in changed:
            if subject == "edge":
                sources |= self._look_at_edge(snapshot, id, seen)
            elif kind == NOTE or id in self.rows:
                row = read_row(snapshot.session, snapshot.collection, id)
                if _is_named_alike(self.rows.get(id), row):
                    sources.add(id)
                else:
                    sources.update(self.graph.into(id), {id})
                    turned |= frozenset[str]() if row is None else note_keys(_named(row))
                self._replace(id, row)
            else:
                turned |= self._look_at_other(snapshot, id)
        sources |= self._sources(turned)
        known: Known = {}
        for source in sorted(sources & self.rows.keys()):
            self._connect(snapshot, self.rows[source], known)
        self._drop_unused(self.graph.forsaken)

    def _take_in(self, row: NoteRow) -> None:
        self.rows[row.id] = row
        self._by_path[row.path] = row.id
        self.resolver(row.vault).add(_named(row))
        for tag in _with_parents(row.tags):
            self._by_tag.setdefault(tag, set()).add(row.id)
        self.graph.add(row.id)
        self.graph.version += 1

    def _take_out(self, row: NoteRow) -> None:
        del self.rows[row.id]
        if self._by_path.get(row.path) == row.id:
            del self._by_path[row.path]
            self.resolver(row.vault).remove(row.path.removeprefix(row.vault))
        _discard(self._loose, {link_key(target) for target, _, _ in row.links}, row.id)
        _discard(self._by_tag, _with_parents(row.tags), row.id)

    def _replace(self, id: str, row: NoteRow | None) -> None:
        """Put a note in the place of what it was."""
        before = self.rows.get(id)
        if before is not None:
            self._take_out(before)
        if row is not None:
            self._take_in(row)
        elif id in self.graph:
            self.graph.remove(id)

    def _look_at_edge(self, snapshot: Snapshot, id: str, seen: int) -> set[str]:
        """The entries that an edge left or leaves, with where their edges lead now."""
        versions = (snapshot.version(id, seen), snapshot.version(id, snapshot.tx))
        sources = {version.thing.source for version in versions if version and isinstance(version.thing, Edge)}
        for source in sources:
            self._edges[source] = [edge.target for edge in snapshot.edges_from(source)]
        return sources

    def _look_at_other(self, snapshot: Snapshot, id: str) -> set[str]:
        """Keys of links that could mean an entry which is no note."""
        version = snapshot.version(id, snapshot.tx)
        entry = None if version is None else version.thing
        names = {alias.name for alias in entry.aliases} if isinstance(entry, Entry) else set[str]()
        known = self.others.pop(id, None)
        if known is not None:
            names.add(known.handle)
            if entry is None and id in self.graph:
                self.graph.remove(id)
        names |= {f"{space}:{name}" for space in NAMESPACES for name in list(names)}
        return {link_key(name) for name in (*names, id)}

    def _connect(self, snapshot: Snapshot, row: NoteRow, known: Known) -> None:
        """Let a note point at what its links mean; `known` is what others' links were found to mean just now."""
        targets: list[str] = []
        meanings = known.setdefault(row.vault, {})
        for link in row.links:
            known_already = meanings.get(link[0]) if link[1] == LinkSyntax.WIKI else None
            target, key = known_already or self._look_up(snapshot, row, link, meanings)
            if target is not None:
                targets.append(target)
            if key is not None:
                self._loose.setdefault(key, set()).add(row.id)
        edges = self._edges.get(row.id, ())
        targets += [other for other in edges if other in self.rows or self._known_other(snapshot, other) is not None]
        self.graph.connect(row.id, targets)

    def resolve(self, row: NoteRow, target: str, form: str) -> str | None:
        """The id of the note that a link in another means, in its own vault first."""
        found = self.resolver(row.vault).find(
            target, row.path.removeprefix(row.vault), is_path=form != LinkSyntax.WIKI
        )  # fmt: skip
        if found is not None:
            return self._by_path[row.vault + found.path]
        for vault, resolver in sorted(self._resolvers.items()):
            if vault != row.vault and form == LinkSyntax.WIKI:
                found = resolver.find(target.removeprefix(vault) if vault else target)
                if found is not None:
                    return self._by_path[vault + found.path]
        return None

    def _look_up(self, snapshot: Snapshot, row: NoteRow, link: Link, meanings: dict[str, Meaning]) -> Meaning:
        """The node that a link leads to, and its key where that is no note."""
        target, form, attached = link
        found, key = self.resolve(row, target, form), None
        if found is None:
            key = link_key(target)
            found = self._find_other(snapshot, target) if form == LinkSyntax.WIKI else None
            if found is None and not attached:
                found = ghost_id(target)
                self.ghosts.setdefault(found, target)
        if form == LinkSyntax.WIKI and self.resolver(row.vault).is_settled(target):
            meanings[target] = found, key
        return found, key

    def _find_other(self, snapshot: Snapshot, target: str) -> str | None:
        prefix, _, rest = target.partition(":")
        if rest and prefix in NAMESPACES:
            owners = [snapshot.find_alias(prefix, rest)]
        else:
            owners = [*dict.fromkeys(id for _, id in snapshot.find_aliases(target)), target]
        live = [id for id in owners if id and is_live(snapshot.session, snapshot.collection, id)]
        return self._known_other(snapshot, live[0]) if len(live) == 1 else None

    def _known_other(self, snapshot: Snapshot, id: str) -> str | None:
        if id not in self.others:
            entry = snapshot.entry(id)
            if entry is None or entry.kind == NOTE:
                return None
            self.others[id] = Other(id, handle_of(entry), entry.title)
        return id

    def _drop_unused(self, nodes: Iterable[str]) -> None:
        """A ghost is there while something refers to it."""
        for node in sorted(nodes):
            if (node in self.ghosts or node in self.others) and not self.graph.in_degree(node):
                if node in self.graph:
                    self.graph.remove(node)
                self.ghosts.pop(node, None)
                self.others.pop(node, None)
        self.graph.forsaken.clear()


@dataclass(frozen=True, slots=True)
class _Changed:
    """What changed after a transaction, and the snapshot in which to look at it."""

    snapshot: Snapshot
    after: int
    things: list[tuple[str, Subject, str]]


class LiveNotebook(Projection[Notebook, _Changed]):
    """The notebook as this process has it: what changed since the last look is read, the rest is kept."""

    # How many are too many depends on how many notes there are.
    most: ClassVar[int] = sys.maxsize

    def load(self, snapshot: Snapshot) -> Notebook:
        book = Notebook()
        with resting_collector():
            book.read_all(snapshot)
        return book

    def read(self, snapshot: Snapshot, after: int, held: Notebook) -> _Changed | None:
        changed = snapshot.changed_after(after)
        return _Changed(snapshot, after, changed) if len(changed) < MANY + len(held.rows) else None

    def apply(self, held: Notebook, changes: _Changed) -> Notebook:
        held.follow(changes.snapshot, changes.things, changes.after)
        return held


def _edges_of_notes(snapshot: Snapshot) -> dict[str, list[str]]:
    """Where the edges of the journal that leave a note lead to."""
    found: dict[str, list[str]] = {}
    for source, target in snapshot.edge_ends(NOTE):
        found.setdefault(source, []).append(target)
    return found


def _named(row: NoteRow) -> Named:
    return Named(row.path.removeprefix(row.vault), row.title, row.names)


def _is_named_alike(before: NoteRow | None, after: NoteRow | None) -> bool:
    """Whether every link that meant a note means it still, and no other does."""
    if before is None or after is None:
        return False
    return (before.vault, before.path, before.title, before.names) == (
        after.vault, after.path, after.title, after.names,
    )  # fmt: skip


@lru_cache(4096)
def _with_parents(tags: tuple[str, ...]) -> frozenset[str]:
    """Tags as they are matched, with those they are nested in."""
    every = [fold(tag).split("/") for tag in tags]
    return frozenset("/".join(parts[:count]) for parts in every for count in range(1, len(parts) + 1))


def _discard(index: dict[str, set[str]], keys: Iterable[str], id: str) -> None:
    for key in keys:
        held = index.get(key)
        if held is not None:
            held.discard(id)
            if not held:
                del index[key]
