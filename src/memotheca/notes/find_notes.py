"""Finding notes: by words and meaning, or page by page."""

from typing import Any, cast

from memotheca.kernel.kernel import Kernel
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import NOTE
from memotheca.model.knowledge import Entry
from memotheca.notes.mounts import opened
from memotheca.notes.read_notes import Node, show, show_as_of
from memotheca.search.chosen_embedder import embedder_of
from memotheca.search.hits import Hit
from memotheca.search.search import Question, find_entries

SEARCHED = 200  # chosen: more than the fifty that may be asked for, since a threshold drops some
LONGEST_QUESTION = 4096  # chosen: the bound of a question everywhere (`toolkit/bounds.py`)


def search_notes(kernel: Kernel, query: str, *, limit: int, threshold: float | None = None) -> list[tuple[Node, float]]:
    """Notes by words and meaning, each with its similarity: the cosine, and 0 where that is negative. Nothing is like
    a question that says nothing."""
    if not query.strip():
        return []
    if len(query) > LONGEST_QUESTION:
        told = f"The query is {len(query):,} characters long; at most {LONGEST_QUESTION:,} are searched for."
        raise Refusal(Failure.INVALID, told, field="query")
    asked = limit if threshold is None else SEARCHED
    page = find_entries(kernel, Question(content=query, kinds=(NOTE,), is_complete=False), limit=asked)
    scored = [(hit, _similarity(kernel, query, hit)) for hit in page.hits]
    kept = [(hit, score) for hit, score in scored if threshold is None or score >= threshold][:limit]
    with opened(kernel) as (snapshot, book):
        return [
            (show(snapshot, book, hit.version.id), score)
            for hit, score in kept
            if hit.version.id in book.rows
        ]  # fmt: skip


def list_notes(
    kernel: Kernel, limit: int, cursor: str | None, asked: dict[str, Any]
) -> tuple[list[tuple[Node, Version]], int, str | None]:
    """A page of notes in the order of their making, the snapshot it is of, and where it goes on."""
    page = find_entries(kernel, Question(**asked, kinds=(NOTE,)), limit=limit, cursor=cursor)
    with opened(kernel) as (snapshot, book):
        shown = [(show_as_of(snapshot, book, hit.version), hit.version) for hit in page.hits]
    return shown, page.as_of_tx, page.next_cursor


def _similarity(kernel: Kernel, query: str, hit: Hit) -> float:
    """The cosine; of a note so new that its vectors are still on their way, they are made now."""
    if hit.cosine is not None:
        return max(0.0, min(1.0, hit.cosine))
    with kernel.read() as snapshot:
        embedder = embedder_of(kernel, snapshot.session)
    if embedder is None:
        return max(0.0, hit.lexical or 0.0)
    entry = cast(Entry, hit.version.thing)
    asked = embedder.embed_question(query)
    texts = [excerpt.text for excerpt in hit.excerpts] or [entry.body]
    vectors = [vector for text in texts for vector in embedder.embed_passage(entry.title, text)]
    return max((max(0.0, min(1.0, float(asked @ vector))) for vector in vectors), default=0.0)
