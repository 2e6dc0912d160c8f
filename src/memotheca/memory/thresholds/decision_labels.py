"""Labels: whether what a gate decided was right, by what became of what it decided about (memory-model: Thresholds)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memotheca.kernel.kernel import Kernel
from memotheca.memory.graph.relations import CONSISTENT, CONTRADICTS, SAME_AS, SUPERSEDES
from memotheca.memory.session.gate_log import gates_of
from memotheca.memory.session.state import activity_of
from memotheca.memory.tuning.gates import gates_at, voice_at
from memotheca.memory.tuning.thresholds import GENERAL, REGISTRY, Gates, Name
from memotheca.model.clock import DAY
from memotheca.model.kinds import MEMORY
from memotheca.storage.adjacency import pairs_saying
from memotheca.storage.care_tasks import tasks_about
from memotheca.storage.instruments.gate_decisions import GateDecision
from memotheca.storage.instruments.retrievals import RetrievalRow
from memotheca.storage.lookups import read_standing, removals_of
from memotheca.storage.snapshot import Snapshot

KEPT_FOR = 7 * DAY  # specification (memory-model: Thresholds): a merge that stands for so long was right
MOST = 300  # chosen: as many as are kept
USED = 0.5  # chosen: what was opened, cited or boosted


@dataclass(frozen=True, slots=True)
class Merging:
    """A merge: of what, when it was, and whether it has been taken back."""

    sources: frozenset[str]
    time: int
    is_undone: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """What became of the entries that gates decided about: what was said of two of them, in which transactions each
    went away, which of those were merges, which live, and of which somebody said to keep them held."""

    now: int
    said: Mapping[frozenset[str], set[str]]
    removed: Mapping[str, set[int]]
    merges: Mapping[int, Merging]
    # Those that live, with whether they are held.
    living: Mapping[str, bool]
    kept_held: frozenset[str]

    def merged(self, ids: Iterable[str]) -> bool | None:
        """Whether some entries were rightly merged: kept for a week, or undone; None where nobody knows."""
        wanted = set(ids)
        gone = {tx for id in wanted for tx in self.removed.get(id, ())}
        found = [self.merges[tx] for tx in gone if tx in self.merges and wanted <= self.merges[tx].sources]
        if any(not each.is_undone and self.now - each.time >= KEPT_FOR for each in found):
            return True
        return False if found and all(each.is_undone for each in found) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionSample:
    """Which decisions are looked at: those of a domain, in general of any; from when on; the newest so many."""

    domain: str = GENERAL
    since: int = 0
    newest: int = MOST


EVERYTHING = DecisionSample()


def labelled_decisions(
    kernel: Kernel, snapshot: Snapshot, names: Sequence[Name], sample: DecisionSample = EVERYTHING
) -> dict[Name, list[GateDecision]]:
    """What some thresholds decided, oldest first, each with its label where it is known by now."""
    domain, since = sample.domain, sample.since
    log, found = gates_of(kernel), dict[Name, list[GateDecision]]()
    for name in names:
        rows = log.last(snapshot.session, snapshot.collection, name, limit=sample.newest, since=since)[::-1]
        found[name] = [row for row in rows if domain in (GENERAL, row.domain)]
    evidence = _gather(snapshot, [row for name, rows in found.items() if name in RULES for row in rows], kernel.now())
    for name in names:
        if name in RULES:
            found[name] = [_with_label(row, RULES[name], evidence) for row in found[name]]
    shown = _of_retrievals(kernel, snapshot, sample) if {"relevance", "near"} & found.keys() else []
    for name in names:
        rows = [*found[name], *(row for row in shown if row.threshold == name)]
        found[name] = sorted(rows, key=lambda row: row.time)
    return found


def _of_retrievals(kernel: Kernel, snapshot: Snapshot, sample: DecisionSample) -> list[GateDecision]:
    """What was shown, and whether it was of use: of each, by the cut-off of contexts; of the nearest, by how near it
    was. What was not used though the whole was said to help is unknown."""
    log, gates = activity_of(kernel).retrievals, gates_at(snapshot)
    voice, found = voice_at(snapshot, gates), list[GateDecision]()
    for row in log.judged(snapshot.session, snapshot.collection, among=sample.newest, since=sample.since):
        if sample.domain not in (GENERAL, row.domain) or not row.shown:
            continue
        for each in row.shown if row.way == "context" else ():
            if (should := _was_of_use(each.used, row.outcome)) is not None:
                made = _judged(row, "relevance", each.score, gates)
                found.append(replace(made, node_ids=(each.entry_id,), label=float(should)))
        cosine = max((each.signals["cosine"] for each in row.shown if "cosine" in each.signals), default=None)
        should = _was_of_use(max(each.used for each in row.shown), row.outcome)
        if cosine is not None and should is not None:
            best = (cosine - voice.centre) / voice.spread
            found.append(replace(_judged(row, "near", best, gates), label=float(should)))
    return found


def _was_of_use(used: float, outcome: float | None) -> bool | None:
    if used >= USED:
        return True
    return False if outcome is not None and outcome < USED else None


def _judged(row: RetrievalRow, name: Name, score: float, gates: Gates) -> GateDecision:
    return GateDecision(
        time=row.time,
        threshold=name,
        domain=GENERAL,
        score=round(score, 6),
        value=gates[name],
        passed=REGISTRY[name].is_reached(score, gates[name]),
    )


def _with_label(row: GateDecision, rule: "Rule", evidence: Evidence) -> GateDecision:
    should = rule(row, evidence)
    return row if should is None else replace(row, label=float(should))


def _gather(snapshot: Snapshot, rows: Sequence[GateDecision], now: int) -> Evidence:
    ids = sorted({id for row in rows for id in row.node_ids})
    singles = sorted({row.node_ids[0] for row in rows if len(row.node_ids) == 1})
    removed = removals_of(snapshot, ids)
    merges: dict[int, Merging] = {}
    for tx in {tx for numbers in removed.values() for tx in numbers}:
        commit = snapshot.commit(tx)
        if commit is not None and commit.operation == "MERGE":
            sources = frozenset(map(str, commit.note.get("sources", ())))
            merges[tx] = Merging(sources, commit.time, snapshot.undone_by(tx) is not None)
    tasks = tasks_about(snapshot.session, snapshot.collection, singles)
    return Evidence(
        now=now,
        said=_said(snapshot, sorted({id for row in rows if len(row.node_ids) > 1 for id in row.node_ids})),
        removed=removed,
        merges=merges,
        living={id: held is not None for id, _, _, held in read_standing(snapshot, (MEMORY,), singles)},
        kept_held=frozenset(task.one for task in tasks if task.kind == "held" and task.state == "kept"),
    )


def _said(snapshot: Snapshot, ids: Sequence[str]) -> dict[frozenset[str], set[str]]:
    """What somebody said of two of some entries."""
    found: dict[frozenset[str], set[str]] = {}
    for predicate in (CONTRADICTS, SUPERSEDES, SAME_AS, CONSISTENT) if ids else ():
        for pair in pairs_saying(snapshot, ids, predicate):
            found.setdefault(frozenset(pair), set()).add(predicate)
    return found


Rule = Callable[[GateDecision, Evidence], bool | None]


def _is_same(row: GateDecision, evidence: Evidence) -> bool | None:
    said = evidence.said.get(frozenset(row.node_ids), set[str]())
    if SAME_AS in said:
        return True
    if said & {SUPERSEDES, CONTRADICTS, CONSISTENT}:
        return False
    return evidence.merged(row.node_ids)


def _is_otherwise(row: GateDecision, evidence: Evidence) -> bool | None:
    said = evidence.said.get(frozenset(row.node_ids), set[str]())
    if said & {SUPERSEDES, CONTRADICTS}:
        return True
    return False if said & {SAME_AS, CONSISTENT} else None


def _is_disputed(row: GateDecision, evidence: Evidence) -> bool | None:
    """A dispute is settled by what supersedes what: that says nothing of whether it was one."""
    said = evidence.said.get(frozenset(row.node_ids), set[str]())
    if CONTRADICTS in said:
        return True
    return False if SUPERSEDES in said and not row.passed else None


def _was_alike(row: GateDecision, evidence: Evidence) -> bool | None:
    return evidence.merged(row.node_ids)


def _was_planted(row: GateDecision, evidence: Evidence) -> bool | None:
    if not row.node_ids:
        return None
    id = row.node_ids[0]
    is_held = evidence.living.get(id)
    if is_held is None:
        # Forgotten while it was held; what was erased or merged says nothing.
        gone = evidence.removed.get(id, set[int]())
        return True if row.passed and gone and not gone & evidence.merges.keys() else None
    if id in evidence.kept_held:
        return True
    return False if row.passed and not is_held else None


RULES: Mapping[Name, Rule] = {
    "duplicate": _is_same,
    "change": _is_otherwise,
    "clash": _is_otherwise,
    "dispute": _is_disputed,
    "priors": _was_alike,
    "consolidation": _is_same,
    "planted": _was_planted,
    "planted_sure": _was_planted,
    "planted_outside": _was_planted,
    "planted_own": _was_planted,
    "planted_pasted": _was_planted,
}
