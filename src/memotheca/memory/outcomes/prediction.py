"""Predictions: each retrieval is written down with how well it is thought to help, so that its outcome can be held
against that (memory-model: Retrievals)."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memotheca.kernel.kernel import Kernel
from memotheca.memory.outcomes.calibrator import features_of
from memotheca.memory.outcomes.learner import read_learner
from memotheca.memory.outcomes.shown_signals import domain_of, shown_entries
from memotheca.memory.session.state import activity_of
from memotheca.search.hits import Hit
from memotheca.storage.instruments.retrievals import RetrievalRow
from memotheca.text.secrets import scrub

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
    # The preset it was retrieved with.
    profile: str = ""


def predict_help(kernel: Kernel, answered: AnsweredQuestion) -> RetrievalRow:
    """Write down what was asked and shown, and how well that is thought to help: as was learned from outcomes, else as
    the best of it fits. Nothing helps that shows nothing; unknown is the fit where only words were compared, of which
    the best is always best."""
    now = kernel.now()
    hits = answered.hits
    shown = shown_entries(kernel, hits, now)
    domain = answered.domain or domain_of(hits)
    has_fit = not hits or any(hit.cosine is not None for hit in hits)
    fit = round(answered.fit, 4) if has_fit else None
    with kernel.read() as snapshot:
        learner = read_learner(snapshot, domain)
    predicted = fit if learner is None or not shown else round(learner.calibrator.predict(features_of(shown)), 4)
    row = RetrievalRow(
        id=f"pred_{secrets.token_hex(5)}",
        time=now,
        session=answered.session,
        way=answered.way,
        query=scrub(answered.query)[0],
        domain=domain,
        predicted=predicted,
        facts={"profile": answered.profile} if answered.profile else {},
        shown=shown,
    )
    activity_of(kernel).retrievals.keep(kernel.collection, row)
    return row
