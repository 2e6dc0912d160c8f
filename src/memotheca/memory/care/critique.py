"""Critique: what of the recent context contradicts, repeats, outlives or undermines what is stored (memory-model:
Critique)."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.contradiction import Contradiction
from memotheca.memory.claims.verdict import PairVerdict
from memotheca.memory.curation.undecided import STATED, holds_from, in_order
from memotheca.memory.graph.relations import CONTRADICTS
from memotheca.memory.graph.said import said_between
from memotheca.memory.session.gate_log import note_decisions
from memotheca.memory.spaces.fingerprint import words_of
from memotheca.memory.standing.judge import NEAR
from memotheca.memory.standing.meanings import mean_vector, meanings
from memotheca.memory.standing.nearest import find_near, vicinity_of
from memotheca.memory.standing.sample import reference_of
from memotheca.memory.standing.subject import FOUND, Near, compare_pairs, compare_with_stored
from memotheca.memory.traits import importance_of, quarantine_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.tuning.thresholds import Decided, Gates
from memotheca.model.cancellation import heed
from memotheca.model.clock import DAY, to_iso
from memotheca.model.kinds import MEMORY, TEMPORAL
from memotheca.model.knowledge import Entry
from memotheca.search.embed import prepare_text, prepared_vectors
from memotheca.storage import fingerprints
from memotheca.storage.snapshot import Snapshot

Check = Literal["conflicts", "duplicates", "outdated", "low_confidence"]
CHECKS: tuple[Check, ...] = ("conflicts", "duplicates", "outdated", "low_confidence")

OLD = 90 * DAY  # chosen (memory-model: Critique)
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
class Repetition:
    """Two entries that say the same, the older one first, and how near they are."""

    older: Entry
    newer: Entry
    nearness: float
    verdict: PairVerdict


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


def critique_text(kernel: Kernel, content: str, checks: Iterable[str]) -> list[Finding]:
    """Compare a text that is not stored with what is: what it contradicts, makes outdated or repeats."""
    wanted, now = set(checks), kernel.now()
    prepared = prepare_text(kernel, "", content, whole=True)
    draft = Entry(id="", kind=MEMORY, title="", body=content, created_at=now, updated_at=now)
    with kernel.read() as snapshot:
        made = prepared_vectors(snapshot, prepared, "", content)
        vector = mean_vector(made) if made else None
        cosines = find_near(kernel, snapshot, [draft], {} if vector is None else {"": vector}, limit=FOUND)[""]
        near = Near(vector, cosines if vector is not None else {})
        compared = compare_with_stored(kernel, snapshot, draft, near)
    found = [_of_text(each.entry, each.verdict, wanted) for each in compared if each.verdict is not None]
    return [finding for finding in found if finding.check in wanted]


def _of_text(entry: Entry, verdict: PairVerdict, wanted: Collection[str]) -> Finding:
    """A newer value is a conflict as it is between stored ones, and where only that is asked for, something
    outdated."""
    told = Contradiction(verdict.score, verdict.type, verdict.older, verdict.newer, verdict.explanation)
    clashing: Check = "outdated" if verdict.kind == "update" and "conflicts" not in wanted else "conflicts"
    return Finding(
        check="duplicates" if verdict.kind == "duplicate" else clashing,
        entries=(entry,),
        score=verdict.score,
        explanation=verdict.explanation,
        clash=None if verdict.kind == "duplicate" else told,
    )


def criticise(
    kernel: Kernel, snapshot: Snapshot, related: RelatedPairs, entries: Sequence[Entry], *, checks: Collection[str]
) -> list[Finding]:
    """What is wrong with some entries and with what is related to them."""
    asserted = judge_pairs(snapshot, related.pairs, kernel) if set(checks) - {"low_confidence"} else []
    clashes = [each for each in asserted if isinstance(each, ContradictoryPair)]
    found: list[Finding] = []
    if "conflicts" in checks:
        found += [_conflict(clash) for clash in clashes]
    if "duplicates" in checks:
        found += [_duplicate(each) for each in asserted if isinstance(each, Repetition)]
    if "outdated" in checks:
        found += _outdated(entries, clashes, kernel.now())
    if "low_confidence" in checks:
        gates = gates_at(snapshot)
        found += [finding for entry in entries if (finding := _low_confidence(entry, gates)) is not None]
        for entry in entries:
            note_decisions(kernel, _doubts(entry, gates), gates.of(entry.attributes.get("domain")), [entry.id])
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


def find_clashes(
    snapshot: Snapshot, pairs: Iterable[tuple[Entry, Entry]], kernel: Kernel | None = None
) -> list[ContradictoryPair]:
    """What of some pairs is updated or contradicted; without the kernel every word tells as much as another."""
    return [each for each in judge_pairs(snapshot, pairs, kernel) if isinstance(each, ContradictoryPair)]


def judge_pairs(
    snapshot: Snapshot, pairs: Iterable[tuple[Entry, Entry]], kernel: Kernel | None = None
) -> list[ContradictoryPair | Repetition]:
    """What is asserted of some pairs: by whoever linked them, else on strong evidence. What has ended before the other
    began is settled, and so is what somebody called the same."""
    ordered, now = [in_order(*pair) for pair in pairs], 0 if kernel is None else kernel.now()
    said = said_between(snapshot, {one.id for one, _ in ordered} | {other.id for _, other in ordered})
    found: list[ContradictoryPair | Repetition] = []
    unsaid: list[tuple[Entry, Entry]] = []
    for older, newer in ordered:
        predicates = said.get(frozenset((older.id, newer.id)), {})
        if CONTRADICTS in predicates:
            found.append(ContradictoryPair(older, newer, _stated(older, newer, predicates[CONTRADICTS])))
        elif not predicates and not is_over(older, newer, now):
            unsaid.append((older, newer))
    vectors = meanings(snapshot, list({entry.id for pair in unsaid for entry in pair}))
    for (older, newer), made in zip(unsaid, compare_pairs(kernel, snapshot, unsaid, vectors), strict=True):
        if made.verdict is not None:
            found.append(_asserted(older, newer, made.verdict, made.cosine))
    return found


def is_over(older: Entry, newer: Entry, now: int) -> bool:
    """Whether one of two entries had ended before the other began to hold, or both have ended by now."""
    ends = [each.validity.end for each in (older, newer)]
    if ends[0] is not None and ends[0] <= holds_from(newer):
        return True
    return all(end is not None and end <= now for end in ends)


def _asserted(older: Entry, newer: Entry, verdict: PairVerdict, cosine: float | None) -> ContradictoryPair | Repetition:
    if verdict.kind == "duplicate":
        return Repetition(older, newer, verdict.score if cosine is None else cosine, verdict)
    return ContradictoryPair(
        older, newer, Contradiction(verdict.score, verdict.type, verdict.older, verdict.newer, verdict.explanation)
    )


def _stated(older: Entry, newer: Entry, weight: float) -> Contradiction:
    return Contradiction(round(weight, 4), "factual", older.body, newer.body, STATED)


def _conflict(clash: ContradictoryPair) -> Finding:
    found = clash.contradiction
    return Finding(
        check="conflicts",
        entries=(clash.older, clash.newer),
        score=found.score,
        explanation=found.explanation,
        clash=found,
    )


def _duplicate(found: Repetition) -> Finding:
    return Finding(
        check="duplicates",
        entries=(found.newer, found.older),
        score=round(found.nearness, 4),
        explanation=f"they say the same, to {found.nearness:.2f}",
    )


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


def _low_confidence(entry: Entry, gates: Gates) -> Finding | None:
    """Doubted by whoever annotated it, or held to be unimportant. That nobody has vouched for it is no doubt."""
    sure, gates = entry.attributes.get("confidence"), gates.of(entry.attributes.get("domain"))
    if sure is not None and float(sure) < gates["doubt"]:
        return _doubt(entry, 1 - float(sure), f"its confidence is {float(sure):g}")
    if importance_of(entry) < gates["slight"]:
        return _doubt(entry, 1 - importance_of(entry), f"its importance is {importance_of(entry):g}")
    return None


def _doubts(entry: Entry, gates: Gates) -> list[Decided]:
    """What the bars say of how sure and how important an entry is said to be."""
    sure, held = entry.attributes.get("confidence"), gates.of(entry.attributes.get("domain"))
    if sure is not None:
        return [Decided("doubt", float(sure), float(sure) < held["doubt"])]
    return [Decided("slight", importance_of(entry), importance_of(entry) < held["slight"])]


def _doubt(entry: Entry, score: float, why: str) -> Finding:
    return Finding(check="low_confidence", entries=(entry,), score=round(score, 4), explanation=why)
