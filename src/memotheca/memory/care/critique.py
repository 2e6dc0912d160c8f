"""Critique: what of the recent context contradicts, repeats, outlives or undermines what is stored (memory-model:
Critique)."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.contradiction import Contradiction, contradict
from memotheca.memory.claims.priors import assume
from memotheca.memory.claims.quantities import differ_in_figures
from memotheca.memory.curation.remember import DUPLICATE, importance_of, quarantine_of
from memotheca.memory.graph.relations import CONSISTENT, CONTRADICTS
from memotheca.memory.spaces.fingerprint import words_of
from memotheca.memory.standing.judge import NEAR, reference_of
from memotheca.memory.standing.nearest import vicinity_of
from memotheca.model.cancellation import heed
from memotheca.model.clock import DAY, to_iso
from memotheca.model.kinds import MEMORY, TEMPORAL
from memotheca.model.knowledge import Entry
from memotheca.storage import fingerprints
from memotheca.storage.adjacency import with_predicate
from memotheca.storage.snapshot import Snapshot

Check = Literal["conflicts", "duplicates", "outdated", "low_confidence"]
CHECKS: tuple[Check, ...] = ("conflicts", "duplicates", "outdated", "low_confidence")

OLD = 90 * DAY  # chosen (memory-model: Critique)
UNSURE, SLIGHT = 0.5, 0.2  # chosen (memory-model: Critique)
SNIPPET = 200  # chosen: what an answer can show
BEGINNING = 120  # chosen: what an answer can show


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is wrong with which entries, the one in question first, and how sure that is."""

    check: Check
    entries: tuple[Entry, ...]
    score: float
    explanation: str
    clash: Contradiction | None = None

    @property
    def snippet(self) -> str:
        if self.clash is not None:
            return f"{self.clash.one[:SNIPPET]} ⟷ {self.clash.other[:SNIPPET]}"
        return self.entries[0].body[:SNIPPET]


@dataclass(frozen=True, slots=True)
class ContradictoryPair:
    """Two entries that cannot both hold, the older one first."""

    older: Entry
    newer: Entry
    contradiction: Contradiction


@dataclass(frozen=True, slots=True)
class RelatedPairs:
    """Pairs of entries that have to do with each other, and how many entries were not compared with what is near."""

    pairs: list[tuple[Entry, Entry]]
    left_out: int = 0


def critique(kernel: Kernel, snapshot: Snapshot, entries: Sequence[Entry], checks: Iterable[str]) -> list[Finding]:
    """Compare entries with each other, with what they are linked to and with what the search finds near them."""
    wanted = set(checks)
    related = RelatedPairs([])
    if wanted - {"low_confidence"}:
        related = related_pairs(kernel, snapshot, entries)
        known = {frozenset((one.id, other.id)) for one, other in related.pairs}
        together = [pair for pair in combinations(entries, 2) if frozenset(each.id for each in pair) not in known]
        related = RelatedPairs([*together, *related.pairs])
    return criticise(kernel, snapshot, related, entries, checks=wanted)


def criticise(
    kernel: Kernel, snapshot: Snapshot, related: RelatedPairs, entries: Sequence[Entry], *, checks: Collection[str]
) -> list[Finding]:
    """What is wrong with some entries and with what is related to them."""
    pairs = related.pairs
    clashes = find_clashes(snapshot, pairs)
    found: list[Finding] = []
    if "conflicts" in checks:
        found += [_conflict(clash) for clash in clashes]
    if "duplicates" in checks:
        clashing = {frozenset((clash.older.id, clash.newer.id)) for clash in clashes}
        found += _duplicates(kernel, snapshot, [p for p in pairs if frozenset((p[0].id, p[1].id)) not in clashing])
    if "outdated" in checks:
        found += _outdated(entries, clashes, kernel.now())
    if "low_confidence" in checks:
        found += [finding for entry in entries if (finding := _low_confidence(entry)) is not None]
    return sorted(found, key=lambda each: (CHECKS.index(each.check), -each.score, [e.id for e in each.entries]))


def related_pairs(
    kernel: Kernel, snapshot: Snapshot, entries: Sequence[Entry], *, most: int | None = None
) -> RelatedPairs:
    """Each entry with its neighbours, but for what merely came before or after it, and with its nearest, no pair twice;
    of those whose nearest would have to be searched for, at most so many."""
    now, vicinity = kernel.now(), vicinity_of(kernel, snapshot)
    near = vicinity.around(kernel, snapshot, entries, most)
    left_out = len(entries) - len(near)
    entries = [entry for entry in entries if entry.id in near]
    linked = fingerprints.neighbours(
        snapshot.session, snapshot.collection, [entry.id for entry in entries], without=TEMPORAL
    )
    joined = {id: others[:NEAR] for id, others in linked.items()}
    known = vicinity.read(snapshot, (id for others in joined.values() for id in others))
    pairs: dict[tuple[str, str], tuple[Entry, Entry]] = {}
    for entry in entries:
        beside = [known[id] for id in joined.get(entry.id, []) if id in known]
        for other in (*(found for found, _ in near[entry.id]), *beside):
            if other.id != entry.id and quarantine_of(other, now) is None:
                pairs.setdefault((min(entry.id, other.id), max(entry.id, other.id)), (entry, other))
    return RelatedPairs(list(pairs.values()), left_out)


def meanings_of(kernel: Kernel, snapshot: Snapshot, pairs: Sequence[tuple[Entry, Entry]]) -> list[float]:
    """How near the two of each pair are in meaning: as E1 sees them, or by their words where one has no vector."""
    known = {entry.id: entry for pair in pairs for entry in pair}
    vectors = vicinity_of(kernel, snapshot).meanings(snapshot, known.values())
    meant = [place for place, (one, other) in enumerate(pairs) if one.id in vectors and other.id in vectors]
    left, right = ([vectors[pairs[place][end].id] for place in meant] for end in (0, 1))
    cosines = np.einsum("ij,ij->i", np.array(left), np.array(right)) if meant else np.empty(0)
    values = dict(zip(meant, np.clip(cosines, 0.0, 1.0).tolist(), strict=True))
    if len(values) < len(pairs):
        gallery, said = reference_of(kernel, snapshot).gallery, {id: words_of(entry) for id, entry in known.items()}
        for place in range(len(pairs)):
            if place not in values:
                heed()
                values[place] = gallery.wording(*(said[entry.id] for entry in pairs[place]))
    return [values[place] for place in range(len(pairs))]


def find_clashes(snapshot: Snapshot, pairs: Iterable[tuple[Entry, Entry]]) -> list[ContradictoryPair]:
    found: list[ContradictoryPair] = []
    pairs = list(pairs)
    ids = {one.id for one, _ in pairs}
    said, fine = _said_to_clash(snapshot, ids), _said_to_be_fine(snapshot, ids)
    for pair in pairs:
        heed()
        if frozenset(each.id for each in pair) in fine:
            continue
        older, newer = sorted(pair, key=lambda entry: (holds_from(entry), entry.id))
        weight = said.get(frozenset((older.id, newer.id)))
        clash = contradict(older, newer) if weight is None else _stated(older, newer, weight)
        if clash is not None:
            found.append(ContradictoryPair(older, newer, clash))
    return found


def holds_from(entry: Entry) -> int:
    return entry.created_at if entry.validity.start is None else entry.validity.start


def _said_to_clash(snapshot: Snapshot, ids: Iterable[str]) -> dict[frozenset[str], float]:
    """The edges that say so (memory-model: Contradictions), by their ends."""
    edges = [edge for id in with_predicate(snapshot, ids, CONTRADICTS) for edge in snapshot.edges_of(id, CONTRADICTS)]
    return {frozenset((edge.source, edge.target)): edge.weight for edge in sorted(edges, key=lambda each: each.weight)}


def _said_to_be_fine(snapshot: Snapshot, ids: Iterable[str]) -> set[frozenset[str]]:
    """Pairs of which somebody said that both may stand as they are."""
    edges = [edge for id in with_predicate(snapshot, ids, CONSISTENT) for edge in snapshot.edges_of(id, CONSISTENT)]
    return {frozenset((edge.source, edge.target)) for edge in edges}


def _stated(older: Entry, newer: Entry, weight: float) -> Contradiction:
    why = "somebody linked them as contradicting"
    return Contradiction(round(weight, 4), "factual", older.body, newer.body, why)


def _conflict(clash: ContradictoryPair) -> Finding:
    found = clash.contradiction
    return Finding(
        check="conflicts",
        entries=(clash.older, clash.newer),
        score=found.score,
        explanation=found.explanation,
        clash=found,
    )


def _duplicates(kernel: Kernel, snapshot: Snapshot, pairs: Sequence[tuple[Entry, Entry]]) -> list[Finding]:
    fine = _said_to_be_fine(snapshot, {one.id for one, _ in pairs})
    pairs = [pair for pair in pairs if frozenset(each.id for each in pair) not in fine]
    return [
        Finding(
            check="duplicates",
            entries=pair,
            score=round(value, 4),
            explanation=f"they say the same, to {value:.2f}",
        )
        for pair, value in zip(pairs, meanings_of(kernel, snapshot, pairs), strict=True)
        if value >= DUPLICATE and not differ_in_figures(pair[0].body, pair[1].body)
    ]


def _outdated(entries: Sequence[Entry], clashes: Sequence[ContradictoryPair], now: int) -> list[Finding]:
    """Contradicted by something newer; past its time; or old and contradicted at all."""
    recent = {entry.id for entry in entries}
    found: dict[str, Finding] = {}
    for clash in sorted(clashes, key=lambda each: -each.contradiction.score):
        score, why = clash.contradiction.score, clash.contradiction.explanation
        if clash.older.id in recent:
            said = f"something newer contradicts it: {why}"
            found.setdefault(clash.older.id, _out((clash.older, clash.newer), score, said, clash.contradiction))
        if clash.newer.id in recent and now - holds_from(clash.newer) > OLD:
            said = f"it is older than 90 days and contradicted: {why}"
            found.setdefault(clash.newer.id, _out((clash.newer, clash.older), score, said, clash.contradiction))
    for entry in entries:
        end = entry.validity.end
        if end is not None and end < now:
            found[entry.id] = _out((entry,), 1.0, f"it held until {to_iso(end)}")
    return list(found.values())


def _out(entries: tuple[Entry, ...], score: float, why: str, clash: Contradiction | None = None) -> Finding:
    return Finding(check="outdated", entries=entries, score=score, explanation=why, clash=clash)


def _low_confidence(entry: Entry) -> Finding | None:
    """Doubted by whoever annotated it, held to be unimportant, or stored without anything that vouches for it."""
    sure = entry.attributes.get("confidence")
    if sure is not None and float(sure) < UNSURE:
        return _doubt(entry, 1 - float(sure), f"its confidence is {float(sure):g}")
    if importance_of(entry) < SLIGHT:
        return _doubt(entry, 1 - importance_of(entry), f"its importance is {importance_of(entry):g}")
    if sure is None and entry.kind == MEMORY and not assume(entry).confidence:
        return _doubt(entry, UNSURE, "no source, no domain and hardly a reason were given")
    return None


def _doubt(entry: Entry, score: float, why: str) -> Finding:
    return Finding(check="low_confidence", entries=(entry,), score=round(score, 4), explanation=why)
