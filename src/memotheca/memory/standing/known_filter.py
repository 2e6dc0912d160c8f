"""What a search of the memories family looks through."""

from memotheca.memory.traits import KNOWN
from memotheca.search.index.score import Filter
from memotheca.storage.snapshot import Snapshot
from memotheca.text.terms import filter_number


def everything_known(snapshot: Snapshot) -> Filter:
    """All that a memory tool works on."""
    return Filter(groups=(tuple(filter_number("kind", kind) for kind in KNOWN),), as_of=snapshot.tx)
