"""Keeping links whole when notes move: each link is written anew in the form its author chose."""

import posixpath
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from memotheca.vault.note_file import ParsedNote, read
from memotheca.vault.resolve import LinkMatch, Resolved, Resolver
from memotheca.vault.wikilinks import Link, LinkSyntax, folded, is_note, without_suffix

_UNSAFE = re.compile(r"[\s()<>\\]")
_UNWRITABLE = re.compile(r"[\[\]|#^\n]")


def replace_targets(note: ParsedNote, written: Mapping[Link, str]) -> ParsedNote:
    """The note with these links' targets written so; everything else stays as it is."""
    text, end, parts = note.text, len(note.text), list[str]()
    for link in sorted(written, key=lambda link: link.start, reverse=True):
        parts += [text[link.target_end : end], written[link]]
        end = link.target_start
    parts.append(text[:end])
    return read("".join(reversed(parts)), path=note.path, encoding=note.encoding)


def retarget(link: Link, found: Resolved, destination: str, *, source: str, resolver: Resolver) -> str | None:
    """How `link` in the note at `source` is to be written so that it means `destination`, None where it may stay.

    `found` is what it meant before; `resolver` already knows the notes as they will be.
    """
    now = resolver.find(link.target, source, is_path=link.form is not LinkSyntax.WIKI)
    if now is not None and now.path == destination:
        return None
    for candidate in _candidates(link, found, destination, source=source, resolver=resolver):
        if link.form is LinkSyntax.WIKI and _UNWRITABLE.search(candidate):
            continue
        meant = resolver.find(candidate, source, is_path=link.form is not LinkSyntax.WIKI)
        if meant is not None and meant.path == destination:
            return _spelled(candidate, link)
    return None


def _candidates(link: Link, found: Resolved, destination: str, *, source: str, resolver: Resolver) -> Iterable[str]:
    """The ways to write it, the author's own first, the longest last."""
    path = destination if is_note(link.target) else without_suffix(destination)
    segments = path.split("/")
    above, slash, _ = link.target.rpartition("/")
    if slash and posixpath.dirname(found.path) == posixpath.dirname(destination):
        yield f"{above}/{segments[-1]}"
    if link.target.startswith("/"):
        yield f"/{path}"
    if found.means is LinkMatch.RELATIVE:
        relative = posixpath.relpath(path, posixpath.dirname(source) or ".")
        yield f"./{relative}" if link.target.startswith("./") and not relative.startswith("../") else relative
    named = resolver.get(destination)
    if named and (found.means in (LinkMatch.TITLE, LinkMatch.VARIANT) or folded(named.title) == folded(segments[-1])):
        yield named.title
    if found.means is LinkMatch.PATH and folded(without_suffix(link.target)) == folded(without_suffix(found.path)):
        yield path
    for count in range(min(above.strip("/").count("/") + 1 + bool(slash), len(segments)), len(segments) + 1):
        yield "/".join(segments[-count:])
    yield f"/{path}"


def _spelled(candidate: str, link: Link) -> str:
    """With the escapes that the link's form asks for."""
    if link.form is LinkSyntax.WIKI or link.is_angled:
        return candidate
    if _UNSAFE.search(candidate) or "%" in candidate:
        return quote(candidate, safe="/!$&'*+,;=:@~-._" + "".join(c for c in candidate if ord(c) > 127))
    return candidate
