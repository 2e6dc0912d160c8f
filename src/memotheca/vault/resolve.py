"""Which note a link means: as Obsidian resolves paths and file names, then by title, alias and spelling variant."""

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from memotheca.vault.wikilinks import Link, LinkSyntax, folded, without_suffix

_FROM_HERE = ("./", "../", ".\\", "..\\")


class LinkMatch(StrEnum):
    """By what a link found its note, in the order of trying."""

    RELATIVE = "relative"
    PATH = "path"
    NAME = "name"
    TITLE = "title"
    ALIAS = "alias"
    VARIANT = "variant"


@dataclass(frozen=True, slots=True)
class Resolved:
    """The note that a link means; `others` would have been just as good."""

    path: str
    means: LinkMatch
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Named:
    """A note by everything that a link can call it."""

    path: str
    title: str
    aliases: tuple[str, ...] = ()


@lru_cache(65_536)
def link_key(target: str) -> str:
    """What a link's target shares with every note that it could ever mean (`note_keys`)."""
    return _varied(_last(without_suffix(target.replace("\\", "/").rstrip("/"))))


def note_keys(named: Named) -> frozenset[str]:
    """The keys of links that this note's arrival, loss or change can turn."""
    names = (without_suffix(named.path), named.title, without_suffix(named.title), *named.aliases)
    return frozenset(_varied(_last(name.rstrip("/"))) for name in names) | frozenset(link_key(name) for name in names)


@dataclass(slots=True)
class _Shared:
    """Several notes under one name, and which of them was chosen from which folder."""

    paths: set[str]
    chosen: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


class _Names:
    """From a name to the notes that bear it; nearly always one, so nearly always a bare string."""

    def __init__(self) -> None:
        self._held: dict[str, str | _Shared] = {}

    def add(self, name: str, path: str) -> None:
        held = self._held.get(name)
        if held is None:
            self._held[name] = path
        elif isinstance(held, str):
            if held != path:
                self._held[name] = _Shared({held, path})
        else:
            held.paths.add(path)
            held.chosen.clear()

    def remove(self, name: str, path: str) -> None:
        held = self._held.get(name)
        if held == path:
            del self._held[name]
        elif isinstance(held, _Shared):
            held.paths.discard(path)
            held.chosen.clear()
            if len(held.paths) == 1:
                self._held[name] = held.paths.pop()

    def find(self, name: str, folder: str) -> tuple[str, ...]:
        """All notes of that name, the one meant from this folder first."""
        held = self._held.get(name)
        if held is None:
            return ()
        if isinstance(held, str):
            return (held,)
        if folder not in held.chosen:
            held.chosen[folder] = tuple(sorted(held.paths, key=lambda path: _distance(path, folder)))
        return held.chosen[folder]

    def shared(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for name, held in self._held.items():
            if isinstance(held, _Shared):
                yield name, tuple(sorted(held.paths))


class _Overlaid(_Names):
    """Names as they would be with some notes gone and others come; what lies below is only looked at."""

    def __init__(self, below: _Names, gone: frozenset[str]) -> None:
        super().__init__()
        self._below = below
        self._gone = gone

    def find(self, name: str, folder: str) -> tuple[str, ...]:
        held = tuple(path for path in self._below.find(name, folder) if path not in self._gone)
        come = super().find(name, folder)
        return (
            tuple(sorted((*held, *come), key=lambda path: _distance(path, folder))) if held and come else held or come
        )


class Resolver:
    """Finds the note that a link means, among notes that come and go one by one."""

    def __init__(self, notes: Iterable[Named] = ()) -> None:
        self._notes: dict[str, Named] = {}
        self._paths, self._names, self._titles = _Names(), _Names(), _Names()
        self._aliases, self._variants = _Names(), _Names()
        self._keys = _Names()
        # What words mean wherever they stand; nearly all links do, and many are to the same notes.
        self._everywhere: dict[str, Resolved | None] = {}
        for named in notes:
            self.add(named)

    def __len__(self) -> int:
        return len(self._notes)

    def __contains__(self, path: str) -> bool:
        return path in self._notes

    def get(self, path: str) -> Named | None:
        return self._notes.get(path)

    def add(self, named: Named) -> None:
        """Take a note in, in place of what stood at its path."""
        self.remove(named.path)
        self._everywhere.clear()
        self._notes[named.path] = named
        for names, name in self._entries(named):
            names.add(name, named.path)

    def remove(self, path: str) -> None:
        named = self._notes.pop(path, None)
        if named:
            self._everywhere.clear()
            for names, name in self._entries(named):
                names.remove(name, path)

    def with_renamed(self, old: str, named: Named) -> "Resolver":
        """What links would mean if the note at `old` were this one, in place of what stands at its path; nothing here
        changes, so that a rename can still be refused."""
        gone = frozenset({old, named.path})
        after = Resolver()
        after._notes = {path: held for path, held in self._notes.items() if path not in gone}
        after._paths, after._names = _Overlaid(self._paths, gone), _Overlaid(self._names, gone)
        after._titles, after._aliases = _Overlaid(self._titles, gone), _Overlaid(self._aliases, gone)
        after._variants, after._keys = _Overlaid(self._variants, gone), _Overlaid(self._keys, gone)
        after.add(named)
        return after

    def duplicate_titles(self) -> list[tuple[str, ...]]:
        """The paths of notes that share a title."""
        return [paths for _, paths in self._titles.shared()]

    def resolve(self, link: Link, source: str) -> Resolved | None:
        """The note that `link` in the note at `source` means; None where there is none yet."""
        return self.find(link.target, source, is_path=link.form is not LinkSyntax.WIKI)

    def find(self, target: str, source: str = "", *, is_path: bool = False) -> Resolved | None:
        """The note that these words mean in the note at `source`; `is_path` for a markdown link's destination."""
        if not target:
            return Resolved(source, LinkMatch.PATH) if source in self._notes else None
        is_anywhere = not is_path or target[0] == "/"
        if is_anywhere and target in self._everywhere:
            return self._everywhere[target]
        found = self._find(target, source.rpartition("/")[0], is_path=is_path)
        if is_anywhere and not (target.startswith(_FROM_HERE) or (found and found.others)):
            self._everywhere[target] = found
        return found

    def is_settled(self, target: str) -> bool:
        """Whether the words of a wikilink that were just looked up mean the same in every note."""
        return target in self._everywhere

    def spelled(self, path: str) -> tuple[str, ...]:
        """The paths that differ from this one at most in case, normalisation and suffix."""
        return self._paths.find(folded(without_suffix(path)), "")

    def holding(self, key: str) -> set[str]:
        """The paths of the notes that have a key (`note_keys`)."""
        return {*self._variants.find(key, ""), *self._keys.find(key, "")}

    def _find(self, target: str, folder: str, *, is_path: bool) -> Resolved | None:
        written = target.replace("\\", "/")
        if written.startswith(("./", "../")):
            return self._at(posixpath.normpath(posixpath.join(folder, written)), folder, LinkMatch.RELATIVE)
        if written.startswith("/"):
            return self._at(written.lstrip("/"), folder, LinkMatch.PATH)
        return (
            (self._at(posixpath.join(folder, written), folder, LinkMatch.RELATIVE) if is_path else None)
            or self._at(written, folder, LinkMatch.PATH if "/" in written else LinkMatch.NAME)
            or self._by_name(written, folder)
            or self._by_words(written, folder)
        )

    def _at(self, path: str, folder: str, means: LinkMatch) -> Resolved | None:
        """The note at exactly this path, give or take its suffix, case and normalisation."""
        key = folded(path)
        return _first(self._paths.find(key, folder), means) or _first(
            self._paths.find(without_suffix(key), folder), means
        )

    def _by_name(self, written: str, folder: str) -> Resolved | None:
        for key in dict.fromkeys((folded(written), without_suffix(folded(written)))):
            found = self._names.find(_last(key), folder)
            if "/" in key:
                found = tuple(path for path in found if folded(without_suffix(path)).endswith(f"/{key}"))
            if found:
                return _first(found, LinkMatch.PATH if "/" in key else LinkMatch.NAME)
        return None

    def _by_words(self, written: str, folder: str) -> Resolved | None:
        key = folded(written)
        if found := self._titles.find(key, folder):
            return _first(found, LinkMatch.TITLE)
        if found := self._aliases.find(key, folder):
            return _first(found, LinkMatch.ALIAS)
        found = self._variants.find(_varied(written), folder) or self._variants.find(
            _varied(without_suffix(written)), folder
        )
        return _first(found, LinkMatch.VARIANT)

    def _entries(self, named: Named) -> Iterator[tuple[_Names, str]]:
        key = folded(without_suffix(named.path))
        yield self._paths, key
        yield self._names, _last(key)
        yield self._titles, folded(named.title)
        for alias in named.aliases:
            yield self._aliases, folded(alias)
        variants = {_varied(_last(key)), _varied(named.title)}
        for name in variants:
            yield self._variants, name
        if not _is_plain(named):
            for name in note_keys(named) - variants:
                yield self._keys, name


def _is_plain(named: Named) -> bool:
    """Whether a note's keys are surely no more than the variants of its file's name and its title."""
    said = f"{without_suffix(named.path)}.{named.title}"
    return not named.aliases and said.isascii() and said.count(".") == 1 and not ("\\" in said or "/" in named.title)


def _first(found: tuple[str, ...], means: LinkMatch) -> Resolved | None:
    return Resolved(found[0], means, found[1:]) if found else None


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _varied(name: str) -> str:
    """Spaces, dashes and underscores are one."""
    return " ".join(folded(name).replace("-", " ").replace("_", " ").split())


def _distance(path: str, folder: str) -> tuple[bool, int, int, str]:
    """Below the linking note's folder first, then the shorter path, then the alphabet."""
    is_below = not folder or path.startswith(f"{folder}/")
    return (not is_below, path.count("/"), len(path), path)
