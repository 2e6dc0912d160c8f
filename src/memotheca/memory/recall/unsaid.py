"""Unsaid: what of a question nothing that is stored says, told before anything else, so that nobody takes what comes
near for an answer (memory-model: Context)."""

import math
from collections.abc import Mapping, Sequence

from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.inquiry import content_words, focus_of, read_inquiry
from memotheca.memory.session.gate_log import note_decisions
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.tuning.thresholds import Decided
from memotheca.search.finder import finder_of

UNMENTIONED = "Nothing known mentions"


def tell_unsaid(kernel: Kernel, query: str, held: Sequence[frozenset[str]], nearness: float) -> str | None:
    """A line that names what of a question nothing stored mentions, or not together with whom it is asked of; None
    where nothing has a word of it, nor comes near. `held` are the words of each that may be shown."""
    asked = content_words(query)
    found = [term for term in asked if any(term in each for each in held)]
    with kernel.read() as snapshot:
        gates = gates_at(snapshot)
        if asked and not found:
            note_decisions(kernel, [Decided("distant", nearness, nearness < gates["distant"])], gates)
            return None if nearness < gates["distant"] else ""
        holding = finder_of(kernel).holding(snapshot, list(asked))
    missing = [term for term in asked if not holding[term] and term not in found]
    share = _share_of(missing, asked, held) if missing else 0.0
    note_decisions(kernel, [Decided("unsaid", share, share >= gates["unsaid"])] if missing else (), gates)
    if missing and share >= gates["unsaid"]:
        return f"{UNMENTIONED}: {', '.join(asked[term] for term in missing)}.\n"
    return _apart(query, asked, held)


def _share_of(missing: Sequence[str], asked: Mapping[str, str], held: Sequence[frozenset[str]]) -> float:
    """How much of a question is missing, the rarer a word the more."""
    weights = {term: math.log(1 + (1 + len(held)) / (1 + sum(term in each for each in held))) for term in asked}
    return sum(map(weights.__getitem__, missing)) / sum(weights.values())


def _apart(query: str, asked: Mapping[str, str], held: Sequence[frozenset[str]]) -> str:
    """Where something has what is asked for, but nothing has it together with any of those it is asked of. A cause is
    often told apart from what it brought about."""
    focus = focus_of(query)
    if focus is None or read_inquiry(query).asks_why:
        return ""
    if any(focus.asked in each and any(term in each for term in focus.of) for each in held):
        return ""
    return f"{UNMENTIONED} {asked[focus.asked]} together with {', '.join(asked[term] for term in focus.of)}.\n"
