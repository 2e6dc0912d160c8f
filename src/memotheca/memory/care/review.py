"""Reviewing entries: what is found wrong with them now, together with what stands on the list about them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.critique import Check, Finding, critique
from memotheca.memory.care.noted import noted_tasks
from memotheca.memory.care.tasks import CareTask, bring_up_to_date, tasks_of
from memotheca.memory.claims.contradiction import Contradiction, ContradictionKind
from memotheca.memory.curation.undecided import TaskKind, pair_task
from memotheca.model.knowledge import Entry
from memotheca.storage.care_tasks import TaskRow
from memotheca.storage.snapshot import Snapshot

CHECK_OF: Mapping[TaskKind, Check] = {"dispute": "conflicts", "update": "conflicts", "duplicate": "duplicates"}


@dataclass(frozen=True, slots=True)
class Review:
    """What is wrong, and under which id the list has what concerns two entries."""

    findings: tuple[Finding, ...]
    tasks: Mapping[frozenset[str], str]


def review_entries(kernel: Kernel, snapshot: Snapshot, entries: Sequence[Entry], checks: Collection[str]) -> Review:
    """Compare entries with what is near them; what that finds and the list lacks is noted, and what only the list
    knows of is told too."""
    found = critique(kernel, snapshot, entries, checks)
    listed = [task for task in tasks_of(kernel, snapshot, (entry.id for entry in entries)) if task.kind in CHECK_OF]
    known = {_ends(task.entries): task.row.id for task in listed}
    fresh = [row for finding in found if (row := _to_task(finding, kernel.now())) is not None]
    fresh = [row for row in fresh if frozenset((row.one, row.other)) not in known]
    noted_tasks(kernel).add(fresh, bring_up_to_date)
    known |= {frozenset((row.one, row.other)): row.id for row in fresh}
    told = {_ends(finding.entries) for finding in found}
    more = [_to_finding(task) for task in listed if CHECK_OF[task.kind] in checks and _ends(task.entries) not in told]
    return Review((*found, *more), known)


def _ends(entries: Iterable[Entry]) -> frozenset[str]:
    return frozenset(entry.id for entry in entries)


def _to_task(finding: Finding, now: int) -> TaskRow | None:
    if len(finding.entries) == 1 or finding.check not in ("conflicts", "duplicates"):
        return None
    one, other = finding.entries
    clash = finding.clash
    said = ("", "") if clash is None else (clash.one, clash.other)
    kind: TaskKind = "duplicate" if clash is None else "update" if clash.type == "temporal" else "dispute"
    told = ((one, said[0]), (other, said[1]))
    return pair_task(kind, told, score=finding.score, reason=finding.explanation, now=now)


def _to_finding(task: CareTask) -> Finding:
    row = task.row
    type: ContradictionKind = "temporal" if task.kind == "update" else "factual"
    clash = Contradiction(row.score, type, row.one_said, row.other_said, row.reason)
    return Finding(
        check=CHECK_OF[task.kind],
        entries=task.entries,
        score=row.score,
        explanation=row.reason,
        clash=None if task.kind == "duplicate" else clash,
    )
