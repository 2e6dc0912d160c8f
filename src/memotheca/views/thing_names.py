"""Names of things: how something is named where others are spoken of, and where it comes from."""

from dataclasses import dataclass

from memotheca.kernel.names import short_handle
from memotheca.model import kinds
from memotheca.model.knowledge import Entry
from memotheca.storage.snapshot import Snapshot

NAME = 80  # chosen: letters of a title where a text has none, a line


@dataclass(frozen=True, slots=True)
class ThingName:
    """Something as it is named where others are spoken of."""

    id: str
    handle: str
    title: str


def name_entry(snapshot: Snapshot, entry: Entry) -> ThingName:
    title = entry.title or str(entry.attributes.get("filename") or "") or _beginning(entry.body)
    return ThingName(entry.id, short_handle(snapshot, entry), title)


def _beginning(body: str) -> str:
    """What stands for a title, cut between words where that is not far."""
    flat = " ".join(body.lstrip()[: 4 * NAME].split())
    if len(flat) <= NAME:
        return flat
    cut = flat[: NAME - 1]
    blank = cut.rfind(" ")
    return cut[: blank if blank > NAME // 2 else None].rstrip(" ,;:-") + "…"


def source_of(entry: Entry) -> str | None:
    """Where it comes from, as far as that was said: a source, a file, or who stored it."""
    # Where a document lies on this machine is nobody's business elsewhere; a note's path is within its vault.
    names = ("source", "filename", "actor") if entry.kind != kinds.NOTE else ("source", "path", "actor")
    for name in names:
        if isinstance(told := entry.attributes.get(name), str) and told:
            return told
    return None
