"""Citations: the short tags under which a memory is quoted, and what they lead back to."""

import re

from memotheca.kernel.handles import MEMORY_NAMES
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Alias, Entry
from memotheca.storage.lookups import ids_between
from memotheca.storage.snapshot import Snapshot

TAG = re.compile(r"\[?node_([a-f0-9]+)\]?")
# Chosen: twenty letters hold the time of a transaction and the place in it, so that no two entries share them.
SHORT, LONG = 8, 20
HELD = "(held back)"
CANDIDATES = 10  # chosen: more than an ambiguous tag is worth naming
NAME = 80  # chosen: a line


def new_alias(snapshot: Snapshot, id: str) -> Alias:
    """The last letters of an id, which are random; more of them in the rare case that eight are taken."""
    spelled = id.replace("-", "")
    free = next(size for size in range(SHORT, len(spelled) + 1) if not snapshot.find_aliases(f"node_{spelled[-size:]}"))
    return Alias(MEMORY_NAMES, f"node_{spelled[-free:]}")


def citation_of(entry: Entry) -> str:
    """A memory's own tag; for any other entry, the beginning of its id."""
    own = next((alias.name for alias in entry.aliases if alias.namespace == MEMORY_NAMES), None)
    return f"[{own or 'node_' + entry.id.replace('-', '')[:LONG]}]"


def name_of(entry: Entry) -> str:
    """What an entry is called: its title, else the first line of what it says. What is held as planted says nothing,
    beside whatever it stands."""
    return HELD if is_held(entry) else written_name_of(entry)


def is_held(entry: Entry) -> bool:
    """Whether it is held as planted until somebody lets it go."""
    held = entry.attributes.get("quarantine")
    return held is not None and held.get("until") is None


def written_name_of(entry: Entry) -> str:
    """The same as people are told it, who decide whether it is to be used."""
    first = next((line.strip() for line in entry.body.splitlines() if line.strip()), "")
    named = entry.title or first
    return named if len(named) <= NAME else named[: NAME - 1].rstrip() + "…"


def resolve_citation(snapshot: Snapshot, tag: str) -> Version:
    """The newest version of what a tag names, dead or alive: its own name, else the beginning of an id."""
    found = TAG.fullmatch(tag.strip())
    if found is None:
        raise Refusal(Failure.INVALID, f"{tag!r} is no citation; one looks like [node_1a2b3c4d].", field="citation_tag")
    letters = found.group(1)
    owner = snapshot.find_alias(MEMORY_NAMES, f"node_{letters}")
    ids = [owner] if owner is not None else _beginning_with(snapshot, letters)
    versions = [version for id in ids if (version := snapshot.version(id, snapshot.tx)) is not None]
    if len(versions) > 1:
        raise Refusal(
            Failure.AMBIGUOUS,
            f"{tag} fits several memories; use more letters of the id.",
            field="citation_tag",
            details={"candidates": ids},
        )
    if not versions or versions[0].erased:
        raise Refusal(Failure.NOT_FOUND, f"Nothing is cited as {tag}.", field="citation_tag")
    return versions[0]


def _beginning_with(snapshot: Snapshot, letters: str) -> list[str]:
    if len(letters) < SHORT:
        return []
    low, high = _spelled(letters.ljust(32, "0")[:32]), _spelled(letters.ljust(32, "f")[:32])
    return ids_between(snapshot, low, high, limit=CANDIDATES)


def _spelled(letters: str) -> str:
    return "-".join((letters[:8], letters[8:12], letters[12:16], letters[16:20], letters[20:]))
