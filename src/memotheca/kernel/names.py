"""What a person calls a thing, and the thing a person means by a name."""

import os
import re
from dataclasses import dataclass

from memotheca.kernel.citations import TAG, resolve_citation, written_name_of
from memotheca.kernel.handles import ManyMeant, resolve_any
from memotheca.model import kinds
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.ids import is_id
from memotheca.model.knowledge import Edge, Entry, Thing, handle_of
from memotheca.storage import document_index
from memotheca.storage.snapshot import Snapshot

SAID = 60  # chosen: a name within a line
SHORT = 8  # chosen: of a random id, so many letters tell documents of a person apart
_BEGINNING = re.compile(r"[0-9a-f]{8}[0-9a-f-]*")


@dataclass(frozen=True, slots=True)
class Called:
    """A thing as a person would speak of it, and the shortest handle that finds it again."""

    kind: str
    name: str
    handle: str


def call(snapshot: Snapshot, version: Version) -> Called:
    """What a version is called; what was erased has no name any more."""
    kind = "triple" if version.subject == "edge" else version.kind
    thing = version.thing
    if thing is None:
        return Called(kind, "(erased)" if version.erased else "(deleted)", "")
    return Called(kind, name_thing(snapshot, thing), short_handle(snapshot, thing))


def name_thing(snapshot: Snapshot, thing: Thing) -> str:
    if isinstance(thing, Edge):
        source, target = (name_end(snapshot, end) for end in (thing.source, thing.target))
        return f"{source} {thing.predicate} {target}"
    if thing.kind == kinds.DOCUMENT:
        filename = str(thing.attributes.get("filename") or "")
        return filename if thing.title in (filename, "") else f"{filename} “{_cut(thing.title)}”"
    if thing.kind == kinds.SECTION:
        return f"{_cut(thing.title)}, in {file_of(snapshot, thing)}{page_of(thing)}"
    if thing.kind == kinds.ENTRY:
        said = " ".join(thing.body.split())
        if said.startswith(thing.title):
            # As of what was remembered without a topic, which is its first sentence.
            return max(thing.title, _cut(said), key=len)
        return f"{thing.title}: {_cut(said)}" if said else thing.title
    if thing.kind == kinds.NOTE:
        return f"{thing.title} ({thing.attributes.get('path') or handle_of(thing)})"
    return _cut(written_name_of(thing)) or handle_of(thing)


def name_end(snapshot: Snapshot, id: str) -> str:
    """The end of a relation, also where it is deleted."""
    found = snapshot.entry(id)
    if found is None:
        past = [version.thing for version in snapshot.versions(id) if isinstance(version.thing, Entry)]
        found = past[-1] if past else None
    return "?" if found is None else _cut(written_name_of(found))


def file_of(snapshot: Snapshot, entry: Entry) -> str:
    """The filename of a document, or of the one that a section is in."""
    document = snapshot.entry(entry.attributes["document"]) if entry.kind == kinds.SECTION else entry
    return "" if document is None else str(document.attributes.get("filename") or "")


def path_of(snapshot: Snapshot, entry: Entry) -> str:
    """Where the file of a document, section or note lies; empty where there is none."""
    document = snapshot.entry(entry.attributes["document"]) if entry.kind == kinds.SECTION else entry
    return "" if document is None else str(document.attributes.get("path") or "")


def page_of(section: Entry) -> str:
    return f", page {section.attributes['page']}" if "page" in section.attributes else ""


def short_handle(snapshot: Snapshot, thing: Thing) -> str:
    """A handle that finds the thing again on the command line: of a document's id the beginning."""
    if isinstance(thing, Entry) and thing.kind == kinds.SECTION:
        document = snapshot.entry(thing.attributes["document"])
        anchor = handle_of(thing).partition("#")[2]
        return f"{handle_of(document)[:SHORT]}#{anchor}" if document is not None else anchor
    handle = handle_of(thing)
    if not is_id(handle):
        return handle
    return handle[:SHORT] if isinstance(thing, Entry) and thing.kind == kinds.DOCUMENT else handle


def find_thing(snapshot: Snapshot, named: str) -> Version:
    """The newest version of what a person means, dead or alive: any handle of any family, a citation, a note's path
    with or without its ending, or a document by its filename, its path, or the beginning of its id."""
    named = named.strip()
    try:
        return resolve_any(snapshot, named)
    except ManyMeant as meant:
        raise _ambiguous(snapshot, named, meant.ids) from None
    except Refusal as refusal:
        if refusal.failure is not Failure.NOT_FOUND:
            raise
        found = _by_another_name(snapshot, named)
        if found is None:
            raise Refusal(
                Failure.NOT_FOUND, f"There is nothing under {named!r}; memotheca search finds things by what they say."
            ) from None
        return found


def _by_another_name(snapshot: Snapshot, named: str) -> Version | None:
    if TAG.fullmatch(named):
        return resolve_citation(snapshot, named)
    ids = [id for _, id in snapshot.find_aliases(f"{named}.md")] or document_ids(snapshot, named)
    if len(ids) > 1:
        raise _ambiguous(snapshot, named, ids)
    return snapshot.version(ids[0], snapshot.tx) if ids else None


def document_ids(snapshot: Snapshot, named: str) -> list[str]:
    """Documents by filename, path, or the beginning of the id; or the sections of one by that and an anchor."""
    session, collection = snapshot.session, snapshot.collection
    rows = document_index.called(session, collection, named, os.path.realpath(named))
    start, _, anchor = named.removeprefix("doc:").partition("#")
    if not rows and _BEGINNING.fullmatch(start):
        rows = document_index.beginning(session, collection, start)
    if anchor and not anchor.startswith("page="):
        return [id for row in rows for _, id in snapshot.find_aliases(f"{row.handle}#{anchor}")]
    return [row.id for row in rows]


def _ambiguous(snapshot: Snapshot, named: str, ids: list[str]) -> Refusal:
    things = [version.thing for id in ids if (version := snapshot.version(id, snapshot.tx)) is not None]
    told = [f"  {handle_of(thing)}  {name_thing(snapshot, thing)}" for thing in things if thing is not None]
    return Refusal(
        Failure.AMBIGUOUS,
        "\n".join([f"{named!r} names {len(ids)} things; say which:", *told]),
        details={"candidates": ids},
    )


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= SAID else text[: SAID - 1].rstrip() + "…"
