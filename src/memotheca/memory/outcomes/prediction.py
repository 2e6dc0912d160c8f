"""Predictions: each retrieval is written down with how well it is thought to help, so that its outcome can be held
against that (memory-model: Retrievals)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memotheca.kernel.kernel import Kernel
from memotheca.memory.outcomes.shown_signals import domain_of, shown_entries
from memotheca.memory.safety.secrets import scrub
from memotheca.memory.session.state import activity_of
from memotheca.model.ids import new_id
from memotheca.search.search import Hit
from memotheca.storage.instruments.retrievals import RetrievalRow

Way = Literal["context", "search"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredQuestion:
    """A question with what is shown for it; `fit` is how surely the best of it answers (memory-model: Focus)."""

    query: str
    session: str
    way: Way
    hits: Sequence[Hit]
    fit: float
    domain: str | None = None


def predict_help(kernel: Kernel, answered: AnsweredQuestion) -> RetrievalRow:
    """Write down what was asked and shown, and how well that is thought to help: nothing where nothing is shown, and
    unknown where only words were compared, of which the best is always best."""
    now = kernel.now()
    hits = answered.hits
    is_known = not hits or any(hit.cosine is not None for hit in hits)
    row = RetrievalRow(
        id=new_id(now),
        time=now,
        session=answered.session,
        way=answered.way,
        query=scrub(answered.query)[0],
        domain=answered.domain or domain_of(hits),
        predicted=round(answered.fit, 4) if is_known else None,
        shown=shown_entries(kernel, hits, now),
    )
    activity_of(kernel).retrievals.keep(kernel.collection, row)
    return row
