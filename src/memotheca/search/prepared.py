"""What is made of a text before the writer's lock is taken, and handed to the write."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from memotheca.model.knowledge import Entry
from memotheca.storage.chunks import ChunkRow, columns_of

Vectors = Mapping[bytes, list[bytes]]


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was made of a text before the writer's lock was taken: vectors by an embedder, each under the digest of what
    it is the vector of, and of a document its rows as well. A write that is tried again uses it again."""

    model: str = ""
    vectors: Vectors = field(default_factory=dict[bytes, list[bytes]])
    draft: Entry | None = None
    rows: Sequence[ChunkRow] = ()

    def made_by(self, model: str) -> Vectors:
        return self.vectors if self.model == model else {}

    def rows_for(self, entry: Entry) -> list[ChunkRow] | None:
        """The rows, where they are of this very text, whatever id and times it was given since."""
        draft = self.draft
        if draft is None:
            return None
        if replace(entry, id=draft.id, created_at=draft.created_at, updated_at=draft.updated_at) != draft:
            return None
        columns = columns_of(entry)
        return [replace(row, entry_id=entry.id, columns=columns) for row in self.rows]


# For a text that has its vectors already, or gets them in the background.
LATER = Prepared()


def digest_of(title: str, text: str) -> bytes:
    return hashlib.blake2b(f"{title}\0{text}".encode(), digest_size=16).digest()
