"""The living entry somebody means, by whatever name a memory tool is given."""

from memotheca.kernel.citations import TAG, resolve_citation
from memotheca.kernel.handles import resolve
from memotheca.model import kinds
from memotheca.model.commits import Version
from memotheca.model.ids import is_id
from memotheca.storage.lookups import ids_labelled
from memotheca.storage.snapshot import Snapshot


def find_node(snapshot: Snapshot, handle: str, *, field: str = "node_id") -> Version:
    """The living entry under a handle: an id, a citation with or without brackets, or any other name."""
    if TAG.fullmatch(handle.strip()):
        handle = resolve_citation(snapshot, handle).id
    elif not is_id(handle.strip()) and (named := find_named(snapshot, handle)) is not None:
        handle = named
    return resolve(snapshot, handle, "entry", field=field)


def find_named(snapshot: Snapshot, name: str) -> str | None:
    """The one memory with this title."""
    ids = ids_labelled(snapshot, name.strip(), kind=kinds.MEMORY, limit=2) if name.strip() else []
    return ids[0] if len(ids) == 1 else None
