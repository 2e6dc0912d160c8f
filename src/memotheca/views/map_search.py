"""Which nodes of a map answer to a text."""

from memotheca.kernel.kernel import Kernel
from memotheca.model.cancellation import heed
from memotheca.model.kinds import KINDS
from memotheca.model.knowledge import Entry, fold
from memotheca.search.search import Question, find_entries
from memotheca.storage.adjacency import find_labelled
from memotheca.storage.snapshot import Snapshot
from memotheca.views.graph_map import GraphMap
from memotheca.views.graph_rows import GraphRows
from memotheca.views.past_graph import AT_ONCE

BY_TEXT = 100  # chosen: what a text finds beyond titles; who wants more of it searches
LOOKED_AT = 5000  # chosen: titles of a past map that are read for a search; beyond, only texts are searched


def find_nodes(kernel: Kernel, map: GraphMap, text: str, *, limit: int) -> tuple[list[int], int]:
    """The nodes whose title contains a text or whose text answers it, as many as wanted; and how many there are."""
    rows = map.rows
    asked = Question(content=text, kinds=KINDS, passages=1, as_of_tx_id=rows.tx if map.is_past else None)
    page = find_entries(kernel, asked, limit=BY_TEXT)
    with kernel.read() as snapshot:
        labelled = [id for id in find_labelled(snapshot, text, limit=len(rows.ids)) if id not in rows.since]
        ids = [*labelled, *_labelled_then(snapshot, rows, text), *(hit.version.id for hit in page.hits)]
    ids += [id for id, spelled in rows.spelled.items() if fold(text) in fold(spelled)]
    numbers = {id: number for number, id in enumerate(rows.ids)}
    found = dict.fromkeys(numbers[id] for id in ids if id in numbers)
    return list(found)[:limit], len(found)


def _labelled_then(snapshot: Snapshot, rows: GraphRows, text: str) -> list[str]:
    """Those whose title contained it then, of what has changed since; read anew, so that nothing keeps old texts."""
    found: list[str] = []
    for at in range(0, min(len(rows.since), LOOKED_AT), AT_ONCE):
        heed()
        versions = snapshot.versions_at(sorted(rows.since)[at : at + AT_ONCE], rows.tx)
        things = {id: version.thing for id, version in versions.items()}
        found += [id for id, each in things.items() if isinstance(each, Entry) and fold(text) in fold(each.title)]
    return found
