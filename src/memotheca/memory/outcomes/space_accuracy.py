"""How well each space tells what helped from what did not (memory-model: Learner)."""

from memotheca.kernel.kernel import Kernel
from memotheca.memory.outcomes.calibrator import SIGNALS, features_of
from memotheca.memory.outcomes.labels import HALF
from memotheca.memory.outcomes.learner import WINDOW
from memotheca.memory.spaces.space_table import IDS
from memotheca.storage.instruments.retrievals import STATED, labelled_retrievals

# The spaces whose nearness to the question is a signal of its own.
SIGNAL_OF = {"E1": ("cosine", 1), "E2": ("recency", 1), "E6": ("lexical", 1), "E8": ("distance", -1)}


def space_accuracy(kernel: Kernel) -> dict[str, float | None]:
    """Of each space whose nearness is a signal, how often it is greater for what helped than for what did not; ½ says
    nothing. Unknown of the others, and where nothing is known to have helped, or not to."""
    with kernel.read() as snapshot:
        rows = labelled_retrievals(snapshot.session, kernel.collection, hows=(STATED,), limit=WINDOW)
    found: dict[str, float | None] = dict.fromkeys(IDS)
    for space, (signal, sign) in SIGNAL_OF.items():
        values = {
            helped: [
                sign * features_of(row.shown)[SIGNALS.index(signal)]
                for row in rows
                if row.shown and row.outcome is not None and (row.outcome >= HALF) is helped
            ]
            for helped in (True, False)
        }
        pairs = [(one > other) + (one == other) / 2 for one in values[True] for other in values[False]]
        found[space] = sum(pairs) / len(pairs) if pairs else None
    return found
