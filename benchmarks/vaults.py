"""Made-up vaults of any size, the same on every machine: python benchmarks/vaults.py DIR [--notes N] [--links N].

Notes as people keep them: folders, frontmatter, headings, tags, links in every form, some to notes that are missing."""

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

from corpus import SEED, TAGS, notes

LINKS = 10
MISSING = 0.02
FOLDERS = ("", "projects", "people", "daily", "reference", "projects/active", "projects/archive", "reference/papers")


def names(count: int, chance: random.Random) -> list[tuple[str, str]]:
    """Where each note is, and its title; every fiftieth shares its file's name with another."""
    made: list[tuple[str, str]] = []
    taken: set[str] = set()
    for place, note in enumerate(notes(count)):
        words = "".join(letter if letter.isalnum() or letter == " " else " " for letter in note.topic).split()[:5]
        stem = "-".join(words).lower() or "note"
        unique = stem if place % 50 == 0 else f"{stem}-{place}"
        folder = chance.choice(FOLDERS)
        path = f"{folder}/{unique}.md" if folder else f"{unique}.md"
        made.append((path if path not in taken else f"{unique}-{place}.md", " ".join(words).title()))
        taken.add(path)
    return made


def link(path: str, title: str, chance: random.Random) -> str:
    """A link to a note, in one of the forms that people use, the plain one most often."""
    stem = path.rpartition("/")[2].removesuffix(".md")
    form = chance.random()
    if form < 0.6:
        return f"[[{stem}]]"
    if form < 0.75:
        return f"[[{stem}|{title}]]"
    if form < 0.85:
        return f"[[{path.removesuffix('.md')}]]"
    if form < 0.9:
        return f"[[{stem}#Details]]"
    return f"![[{stem}]]" if form < 0.93 else f"[{title}](/{path})"


def texts(count: int, links: int = LINKS) -> Iterator[tuple[str, str]]:
    """Path and text of each note."""
    chance = random.Random(SEED)
    places = names(count, chance)
    hubs = max(count // 100, 1)
    for (path, title), note in zip(places, notes(count), strict=True):
        targets = [places[chance.randrange(hubs if chance.random() < 0.3 else count)] for _ in range(links)]
        linked = [
            f"[[not yet {chance.randrange(count)}]]" if chance.random() < MISSING else link(*target, chance)
            for target in targets
        ]
        words = note.content.split()
        step = max(len(words) // (len(linked) + 1), 1)
        for place, each in enumerate(linked):
            words.insert((place + 1) * step + place, each)
        day, middle = chance.randrange(1, 29), len(words) // 2
        head = f"---\ntitle: {title}\ntags: [{', '.join(note.tags)}]\ncreated: 2026-01-{day:02}\n---\n\n"
        opening, details = " ".join(words[:middle]), " ".join(words[middle:])
        body = f"# {title}\n\n{opening}\n\n## Details\n\n- {details}\n- #{chance.choice(TAGS)}\n"
        yield path, (head if chance.random() < 0.7 else "") + body


def build_vault(folder: Path, count: int, links: int = LINKS) -> Path:
    """A vault of that many notes, made once."""
    done = folder.with_name(f"{folder.name}.done")
    if not done.exists():
        for path, text in texts(count, links):
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")
        done.write_text(f"{count} {links}\n", "utf-8")
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks/vaults.py", description="Make a vault of made-up notes.")
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--notes", type=int, default=10_000, metavar="N")
    parser.add_argument("--links", type=int, default=LINKS, metavar="N", help="links in each note")
    parsed = parser.parse_args()
    print(build_vault(parsed.folder, parsed.notes, parsed.links))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
