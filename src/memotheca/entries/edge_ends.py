"""An edge with its ends: what a triple says needs the entries that it connects."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from memotheca.model.commits import Version
from memotheca.model.knowledge import Edge, Entry
from memotheca.storage.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class EdgeWithEnds:
    """An edge with its ends."""

    version: Version
    source: Entry | None
    target: Entry | None


def related_at(snapshot: Snapshot, version: Version) -> EdgeWithEnds:
    """An edge with its ends as they are now."""
    return with_ends(snapshot, [version], snapshot.tx)[0]


def with_ends(snapshot: Snapshot, versions: Sequence[Version], as_of: int) -> list[EdgeWithEnds]:
    edges = [cast(Edge, version.thing) for version in versions]
    found = snapshot.versions_at({end for edge in edges for end in (edge.source, edge.target)}, as_of) if edges else {}
    ends = {id: version.thing for id, version in found.items() if isinstance(version.thing, Entry)}
    return [
        EdgeWithEnds(version, ends.get(edge.source), ends.get(edge.target))
        for version, edge in zip(versions, edges, strict=True)
    ]
