"""Which nodes of a map answer to a text."""

from memotheca.kernel.kernel import Kernel
from memotheca.model.kinds import KINDS
from memotheca.model.knowledge import fold
from memotheca.search.search import Question, find_entries
from memotheca.storage.adjacency import find_labelled
from memotheca.views.graph_map import GraphMap

BY_TEXT = 100  # chosen: what a text finds beyond titles; who wants more of it searches


def find_nodes(kernel: Kernel, map: GraphMap, text: str, *, limit: int) -> tuple[list[int], int]:
    """The nodes whose title contains a text or whose text answers it, as many as wanted; and how many there are."""
    page = find_entries(kernel, Question(content=text, kinds=KINDS, passages=1), limit=BY_TEXT)
    with kernel.read() as snapshot:
        ids = [*find_labelled(snapshot, text, limit=len(map.rows.ids)), *(hit.version.id for hit in page.hits)]
    ids += [id for id, spelled in map.rows.spelled.items() if fold(text) in fold(spelled)]
    numbers = {id: number for number, id in enumerate(map.rows.ids)}
    found = dict.fromkeys(numbers[id] for id in ids if id in numbers)
    return list(found)[:limit], len(found)
