"""Sections of a document: entries that can be walked to and linked, whose text is a slice of the document's."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from memotheca.kernel.handles import DOCUMENT_NAMES
from memotheca.model import kinds
from memotheca.model.knowledge import Alias, Edge, Entry, fold, handle_of
from memotheca.parsing.document import Section
from memotheca.search.prepared import LATER
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

HAS_SECTION = "has_section"
MOST = 300  # chosen: a book's chapters; more would drown what people said (docs/decisions/documents.md)
LONGEST_ANCHOR = 80  # chosen: a handle that people can still copy
# What the text of the document says of a section; everything else somebody has said of it.
PLACES = frozenset({"anchor", "document", "level", "start", "stop", "page"})


def chosen(sections: tuple[Section, ...]) -> list[Section]:
    """The sections that become entries: all, or where there are very many, those nearest to the top."""
    if len(sections) <= MOST:
        return list(sections)
    ranked = sorted(range(len(sections)), key=lambda number: (sections[number].level, number))[:MOST]
    return [sections[number] for number in sorted(ranked)]


def place_sections(transaction: Transaction, document: Entry, sections: tuple[Section, ...]) -> None:
    """Make the sections of a document what its text now has; one that is still there keeps its id and its links."""
    known = {section.attributes["anchor"]: section for section in sections_of(transaction, document)}
    used: set[str] = set()
    for section in chosen(sections):
        anchor = _anchor(section.title, used)
        present = known.pop(anchor, None)
        made = _entry(transaction, document, section, anchor=anchor, present=present)
        if present is None:
            transaction.put(made, LATER)
            transaction.put(_edge(transaction, document, made))
        elif made != present:
            transaction.put(replace(made, updated_at=transaction.time), LATER)
    for gone in known.values():
        remove_with_edges(transaction, gone)


def sections_of(snapshot: Snapshot, document: Entry) -> list[Entry]:
    """The sections of a document in the order of its text."""
    ends = [snapshot.entry(edge.target) for edge in snapshot.edges_from(document.id, HAS_SECTION)]
    return sorted((end for end in ends if end is not None), key=lambda end: end.attributes["start"])


def with_text(snapshot: Snapshot, entry: Entry) -> Entry:
    """An entry as it reads: a section with its slice of the document. To be looked at, never to be put."""
    return with_texts(snapshot, [entry])[0]


def with_texts(snapshot: Snapshot, entries: Sequence[Entry]) -> list[Entry]:
    """As `with_text`, with every document read once."""
    wanted = {entry.attributes["document"] for entry in entries if entry.kind == kinds.SECTION}
    documents = snapshot.living(wanted) if wanted else {}
    return [_with_slice(entry, documents) if entry.kind == kinds.SECTION else entry for entry in entries]


def _with_slice(section: Entry, documents: Mapping[str, Entry]) -> Entry:
    document = documents.get(section.attributes["document"])
    start, stop = section.attributes["start"], section.attributes["stop"]
    return section if document is None else replace(section, body=document.body[start:stop])


def sections_ever(snapshot: Snapshot, id: str) -> list[str]:
    """Ids of the sections that a document has or had in any version."""
    versions = [version.thing for edge in snapshot.edges_ever_at(id) for version in snapshot.versions(edge)]
    edges = [thing for thing in versions if isinstance(thing, Edge)]
    return list(dict.fromkeys(edge.target for edge in edges if edge.source == id and edge.predicate == HAS_SECTION))


def remove_document(transaction: Transaction, document: Entry) -> int:
    """Leave tombstones for a document, its sections and all edges that end at them; returns how many of those end at
    the document itself."""
    sections = sections_of(transaction, document)
    edges = remove_with_edges(transaction, document)
    for section in sections:
        remove_with_edges(transaction, section)
    return edges


def remove_with_edges(transaction: Transaction, entry: Entry) -> int:
    """Leave a tombstone for an entry and for every edge that ends at it; returns how many those are."""
    edges = {edge.id: edge for edge in transaction.edges_of(entry.id)}
    transaction.remove(entry)
    for edge in edges.values():
        transaction.remove(edge)
    return len(edges)


def _anchor(title: str, used: set[str]) -> str:
    """A name for a section that stays the same while its title does; the second of a title is numbered."""
    stem = re.sub(r"[^\w]+", "-", fold(title)).strip("-")[:LONGEST_ANCHOR] or "section"
    anchor, number = stem, 1
    while anchor in used:
        number += 1
        anchor = f"{stem}-{number}"
    used.add(anchor)
    return anchor


def _entry(transaction: Transaction, document: Entry, section: Section, *, anchor: str, present: Entry | None) -> Entry:
    attributes = {
        "anchor": anchor,
        "document": document.id,
        "level": section.level,
        "start": section.start,
        "stop": section.stop,
        **({} if section.page is None else {"page": section.page}),
    }
    if present is not None:
        said = {name: value for name, value in present.attributes.items() if name not in PLACES}
        return replace(present, title=section.title, attributes={**said, **attributes})
    return Entry(
        id=transaction.new_id(),
        kind=kinds.SECTION,
        title=section.title,
        attributes=attributes,
        aliases=(Alias(DOCUMENT_NAMES, f"{handle_of(document)}#{anchor}"),),
        created_at=transaction.time,
        updated_at=transaction.time,
    )


def _edge(transaction: Transaction, document: Entry, section: Entry) -> Edge:
    return Edge(
        id=transaction.new_id(),
        source=document.id,
        target=section.id,
        type=kinds.HIERARCHICAL,
        predicate=HAS_SECTION,
        created_at=transaction.time,
        updated_at=transaction.time,
    )
