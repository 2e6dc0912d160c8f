"""Boosting: how much an entry matters, said by hand and kept within bounds."""

from dataclasses import dataclass, replace
from typing import cast

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.graph.balance import examine, refuse_cancer
from memotheca.memory.graph.cancer import Examined
from memotheca.memory.session.gate_log import note_decisions
from memotheca.memory.session.state import log_curation
from memotheca.memory.traits import importance_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.tuning.thresholds import Decided
from memotheca.memory.verbs import Verb
from memotheca.model.commits import VERB, Version
from memotheca.model.knowledge import Entry
from memotheca.search.prepared import LATER
from memotheca.storage.store import Transaction
from memotheca.text.secrets import scrub


@dataclass(frozen=True, slots=True)
class Boosted:
    """An entry with its importance before and after, and what its neighbourhood says to that."""

    version: Version
    before: float
    after: float
    examined: Examined


def boost(kernel: Kernel, handle: str, delta: float, rationale: str, *, actor: str) -> Boosted:
    """Move an entry's importance within 0 and 1; refused where it would come to outweigh unrelated things."""

    def act(transaction: Transaction) -> Boosted:
        transaction.describe("UPDATE", note={VERB: Verb.BOOST, "rationale": scrub(rationale)[0]})
        entry = cast(Entry, find_node(transaction, handle).thing)
        before = importance_of(entry)
        after = min(1.0, max(0.0, before + delta))
        look = refuse_cancer if after > before else examine
        examined = look(transaction, entry.id, after)
        if after != before:
            attributes = {**entry.attributes, "importance": after}
            transaction.put(replace(entry, attributes=attributes, updated_at=transaction.time), LATER)
        return Boosted(cast(Version, transaction.version(entry.id, transaction.tx)), before, after, examined)

    boosted = kernel.write(act, actor=actor)
    _note_limits(kernel, boosted)
    reason = f"{boosted.before:.3f} to {boosted.after:.3f}"
    log_curation(kernel, "info", "boost", (boosted.version.id,), reason=reason)
    return boosted


def _note_limits(kernel: Kernel, boosted: Boosted) -> None:
    """Which of both limits an entry has come near, where it has neighbours enough to tell."""
    found = boosted.examined
    if found.entropy is None:
        return
    with kernel.read() as snapshot:
        gates = gates_at(snapshot, cast(Entry, boosted.version.thing).attributes.get("domain"))
    heaviest, widest = found.limits
    limits = [Decided("scatter_limit", found.entropy, found.entropy > widest)]
    limits += [Decided("weight_limit", found.importance, found.importance > heaviest)]
    note_decisions(kernel, limits, gates, [boosted.version.id], at=boosted.version.time)
