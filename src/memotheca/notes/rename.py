"""Keeping every link whole when a note gets another name: which files change, and how."""

from dataclasses import dataclass
from typing import cast

from memotheca.model.knowledge import Entry
from memotheca.notes.note_bytes import to_bytes
from memotheca.notes.notebook import Notebook
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.vault_index import NoteRow
from memotheca.vault.edit import replace_targets, retarget
from memotheca.vault.note_file import ParsedNote, parse
from memotheca.vault.resolve import Named, Resolved, Resolver
from memotheca.vault.wikilinks import Link, LinkSyntax, is_note, without_suffix


@dataclass(frozen=True, slots=True)
class Relinked:
    """A note whose links were written anew, and how many."""

    row: NoteRow
    parsed: ParsedNote
    links: int


def relink(snapshot: Snapshot, book: Notebook, row: NoteRow, renamed: ParsedNote) -> tuple[ParsedNote, list[Relinked]]:
    """The renamed note with its own links, and every other note that has to change so that all links mean what they
    meant before."""
    old, new = row.path.removeprefix(row.vault), renamed.path
    resolver = book.resolver(row.vault)
    named = Named(new, renamed.title, (*renamed.aliases, *([renamed.id] if renamed.id else ())))
    sources = [source for source in book.possible_sources(row, named) if source.id != row.id]
    parsed = {source.id: _parsed(snapshot, source) for source in sources}
    meant = {source.id: _meanings(book, source, parsed[source.id]) for source in sources}
    own = {link: found for link in renamed.links if (found := resolver.resolve(link, old)) is not None}
    done: list[Relinked] = []
    future = resolver.with_renamed(old, named)
    for source in sources:
        written = _rewritten(source, meant[source.id], row=row, new=new, resolver=future)
        if written:
            after = replace_targets(parsed[source.id], written)
            done.append(Relinked(source, after, len(written)))
    inner = _rewritten(row, own, row=row, new=new, resolver=future)
    return (replace_targets(renamed, inner) if inner else renamed), done


def _parsed(snapshot: Snapshot, row: NoteRow) -> ParsedNote:
    entry = cast(Entry, snapshot.entry(row.id))
    return parse(to_bytes(entry), row.path.removeprefix(row.vault))


def _meanings(book: Notebook, row: NoteRow, parsed: ParsedNote) -> dict[Link, Resolved | str]:
    """What each link means: a note of its own vault as its resolver says, or the id of one in another vault."""
    found: dict[Link, Resolved | str] = {}
    for link in parsed.links:
        if link.is_inside:
            continue
        near = book.resolver(row.vault).resolve(link, parsed.path)
        if near is not None:
            found[link] = near
        elif (far := book.resolve(row, link.target, str(link.form))) is not None:
            found[link] = far
    return found


def _rewritten(
    source: NoteRow,
    meant: dict[Link, Resolved | str] | dict[Link, Resolved],
    *,
    row: NoteRow,
    new: str,
    resolver: Resolver,
) -> dict[Link, str]:
    """The links of a note that have to be written otherwise, and how."""
    old = row.path.removeprefix(row.vault)
    here = new if source.id == row.id else source.path.removeprefix(source.vault)
    written: dict[Link, str] = {}
    for link, found in meant.items():
        if isinstance(found, str):
            if found == row.id and link.form is LinkSyntax.WIKI:
                written[link] = row.vault + (new if is_note(link.target) else without_suffix(new))
        elif source.vault == row.vault:
            destination = new if found.path == old else found.path
            text = retarget(link, found, destination, source=here, resolver=resolver)
            if text is not None:
                written[link] = text
    return written
