"""Get the schedule."""

from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.schedule import ScheduledJob, done_jobs, scheduled_jobs
from memotheca.memory.session.rounds import is_working
from memotheca.memory.topics.drift_checks import level_of_check, past_checks
from memotheca.memory.topics.north_star import Goal, read_goal
from memotheca.memory.topics.topics import TopicMap, read_topics
from memotheca.model.clock import to_iso
from memotheca.storage.snapshot import Snapshot
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, free, integer, many, number, one, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

HEALTHY, DEGRADED = 0.8, 0.5  # specification (memory-model: Schedule)
DRIFTED = ("Medium", "High", "Critical")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    include_metrics: bool = flag("How much waits for each job, and what the topics are made of.", False)
    include_history: bool = flag("What the last runs did.", False)
    history_count: int = integer("", 10, minimum=1, maximum=100)


@dataclass(frozen=True, slots=True, kw_only=True)
class NorthStarShape:
    goal_id: str = text()
    name: str = text()
    share: float = number("Of all memories, when it was found.")
    member_count: int = integer()
    since: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthShape:
    score: float = number("The share of jobs that are not an hour late.")
    status: str = choice(("healthy", "degraded", "critical"))


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsShape:
    pending: dict[str, Any] = free("How much waits for each job.")
    topics: int = integer()
    memories: int = integer("When topics were found last.")
    unsorted: int = integer()
    drift_checks: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunShape:
    job: str = text()
    time: str = text()
    told: dict[str, Any] = free()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    enabled: bool = flag("Whether this process does the jobs between calls.")
    north_star: NorthStarShape | None = one(NorthStarShape, default=None, nullable=True)
    services: dict[str, Any] = free(
        "Each job: status due, waiting or on_request; last_run; next_run, null where it waits for something to do."
    )
    overall_health: HealthShape = one(HealthShape)
    recommendations: tuple[str, ...] = texts()
    metrics: MetricsShape | Unset = one(MetricsShape, default=UNSET)
    history: tuple[RunShape, ...] | Unset = many(RunShape, default=UNSET)


EXAMPLE = Example(arguments={"include_metrics": True})


@tool(contract="memories", component="storage", effect="read", models=(Input, Output), example=EXAMPLE)
def get_autonomous_status(call: Call[Kernel], input: Input) -> Answer:
    """The jobs that are done between calls (vectors, sealing, review, topics, drift, dreams): when each was done last
    and is due next."""
    kernel, now = call.kernel, call.kernel.now()
    with kernel.read() as snapshot:
        jobs = scheduled_jobs(kernel, snapshot)
        known = read_topics(kernel, snapshot)
        goal = read_goal(snapshot, known)
        checks = past_checks(kernel, snapshot)
        history = _history(kernel, snapshot, input) if input.include_history else UNSET
    working = is_working(kernel)
    late = [job.name for job in jobs if job.is_late(now)]
    score = 1 - len(late) / len(jobs)
    output = Output(
        enabled=working,
        north_star=None if goal is None else _north_star(goal),
        services={job.name: _job(job) for job in jobs},
        overall_health=HealthShape(
            score=round(score, 4),
            status="healthy" if score >= HEALTHY else "degraded" if score >= DEGRADED else "critical",
        ),
        recommendations=_advice(known, goal, late=late, working=working, level=_last_level(checks)),
        metrics=_metrics(jobs, known, len(checks)) if input.include_metrics else UNSET,
        history=history,
    )
    lines = [f"{job.name}: {job.status}, last {_told(job.last_run)}, next {_told(job.next_run)}" for job in jobs]
    return Answer("\n".join((*lines, *output.recommendations)), NODES, output)


def _told(moment: int | None) -> str:
    return "never" if moment is None else to_iso(moment)


def _job(job: ScheduledJob) -> dict[str, Any]:
    return {
        "status": job.status,
        "last_run": None if job.last_run is None else to_iso(job.last_run),
        "next_run": None if job.next_run is None else to_iso(job.next_run),
    }


def _north_star(goal: Goal) -> NorthStarShape:
    return NorthStarShape(
        goal_id=goal.id,
        name=goal.name,
        share=round(goal.share, 4),
        member_count=goal.count,
        since=to_iso(goal.since),
    )


def _history(kernel: Kernel, snapshot: Snapshot, input: Input) -> tuple[RunShape, ...]:
    done = done_jobs(kernel, snapshot, input.history_count)
    return tuple(RunShape(job=each.name, time=to_iso(each.time), told=dict(each.told)) for each in done)


def _metrics(jobs: tuple[ScheduledJob, ...], known: TopicMap | None, checks: int) -> MetricsShape:
    return MetricsShape(
        pending={job.name: job.pending for job in jobs},
        topics=0 if known is None else len(known.topics),
        memories=0 if known is None else known.memories,
        unsorted=0 if known is None else known.unsorted,
        drift_checks=checks,
    )


def _last_level(checks: list[Any]) -> str | None:
    return level_of_check(checks[-1]) if checks else None


def _advice(
    known: TopicMap | None, goal: Goal | None, *, late: list[str], working: bool, level: str | None
) -> tuple[str, ...]:
    advice: list[str] = []
    if late:
        where = "this process does them when nobody asks" if working else "they are done while a server runs"
        advice.append(f"Late: {', '.join(late)}; {where}.")
    if known is not None and known.topics and goal is None:
        advice.append("There are topics and no goal: auto_bootstrap_north_star.")
    if level in DRIFTED and goal is not None:
        advice.append("The last check found drift: get_alignment_drift, trigger_drift_correction.")
    return tuple(advice)
