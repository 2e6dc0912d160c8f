"""Tombstones: what was forgotten or merged away and can still come back, read from the journal."""

import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from memotheca.memory.curation.reversal import WINDOW, hash_of
from memotheca.memory.traits import text_of
from memotheca.model.clock import DAY
from memotheca.model.commits import Commit
from memotheca.model.knowledge import Entry
from memotheca.storage.lookups import Buried, read_buried
from memotheca.storage.serialization import from_image
from memotheca.storage.snapshot import Snapshot
from memotheca.text.words import words

EVERY = 1 << 30  # chosen: no limit


@dataclass(frozen=True, slots=True)
class Tombstone:
    """An entry as it was last, the transaction that took it away, and how long it can be brought back."""

    entry: Entry
    commit: Commit
    days_left: float

    @property
    def reversal_hash(self) -> str:
        return hash_of(self.commit)


def list_tombstones(snapshot: Snapshot, now: int, *, after: int = 0, limit: int = EVERY) -> list[Tombstone]:
    """Newest first; what is older than thirty days is no longer there to be found."""
    return [_tombstone(each, now) for each in read_buried(snapshot, max(after, now - WINDOW), limit=limit)]


def count_tombstones(snapshot: Snapshot, now: int, *, after: int = 0) -> int:
    return len(read_buried(snapshot, max(after, now - WINDOW), limit=EVERY))


def _tombstone(buried: Buried, now: int) -> Tombstone:
    commit = buried.commit
    return Tombstone(buried.entry, commit, (WINDOW - (now - commit.time)) / DAY)


def tombstone_of(snapshot: Snapshot, id: str, now: int) -> Tombstone | None:
    """The tombstone of one entry, also past its time, where its content is still kept."""
    newest = snapshot.version(id, snapshot.tx)
    if newest is None or newest.thing is not None:
        return None
    before = snapshot.version(id, newest.tx - 1)
    if before is None or not isinstance(before.thing, Entry):
        return None
    commit = cast(Commit, snapshot.commit(newest.tx))
    return Tombstone(before.thing, commit, (WINDOW - (now - commit.time)) / DAY)


def find_tombstones(
    snapshot: Snapshot, now: int, *, query: str = "", after: int = 0, limit: int
) -> tuple[list[Tombstone], int]:
    """Those whose words are asked for, those with the rarer of them first; without a question, the newest; and how
    many there are in all."""
    if not query.strip():
        found = list_tombstones(snapshot, now, after=after, limit=limit)
        return found, len(found) if len(found) < limit else count_tombstones(snapshot, now, after=after)
    asked = set(words(query, keep_stop_words=True))
    buried = read_buried(snapshot, max(after, now - WINDOW), limit=EVERY)
    held = [(each, asked & _said(each.image)) for each in buried]
    having = Counter(word for _, shared in held for word in shared)
    scores = [(sum(math.log(1 + len(held) / having[word]) for word in shared), each) for each, shared in held if shared]
    best = sorted(scores, key=lambda pair: -pair[0])[:limit]
    return [_tombstone(each, now) for _, each in best], len(scores)


@lru_cache(maxsize=8192)
def _said(image: str) -> frozenset[str]:
    """The words of an entry; an image never changes, so that it is taken apart once."""
    entry = cast(Entry, from_image("entry", "", image))
    return frozenset(words("\n".join((text_of(entry), *entry.tags)), keep_stop_words=True))
