"""The living entry somebody means, by whatever name a memory tool is given."""

from memotheca.kernel.citations import TAG, resolve_citation
from memotheca.kernel.handles import resolve
from memotheca.model import kinds
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.ids import is_id
from memotheca.storage.lookups import ids_beginning, ids_labelled
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


def find_called(snapshot: Snapshot, handle: str) -> Version:
    """The same; or the one entity whose name begins with what was said: of one Ingrid, Ingrid Solberg is meant."""
    try:
        return find_node(snapshot, handle)
    except Refusal as refusal:
        said = " ".join(handle.split())
        longer = ids_beginning(snapshot, f"{said} ", kind=kinds.ENTITY, limit=2) if said else []
        if refusal.failure is not Failure.NOT_FOUND or len(longer) != 1:
            raise
        return resolve(snapshot, longer[0], "entry", field="node_id")
