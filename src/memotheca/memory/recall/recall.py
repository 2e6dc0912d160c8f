"""Recall: the shared search over everything that is stored, with what the memories family knows of each hit."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.when import source_of, told_when
from memotheca.memory.focus.pull import pull_of, pulled
from memotheca.memory.recall.compare import rank_in_space
from memotheca.memory.recall.preference import MORE, prefer
from memotheca.memory.recall.profile_order import narrow, rank_by_profile
from memotheca.memory.recall.profiles import Profile
from memotheca.memory.recall.variety import vary
from memotheca.memory.session.arousal import modulator_levels, note_effects, note_nothing_found
from memotheca.memory.session.modulators import Levels, SearchEffects, cut_off, widened
from memotheca.memory.session.quadrants import Quadrant
from memotheca.memory.session.state import activity_of
from memotheca.memory.spaces.form import MODALITIES
from memotheca.memory.standing.judge import judge_lately
from memotheca.memory.standing.sample import Judged
from memotheca.memory.standing.whole import dominant_space, quadrant_of
from memotheca.memory.topics.purpose import GoalNearness, nearness_to_goal
from memotheca.memory.traits import KNOWN, importance_of, quarantine_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.tuning.thresholds import DOMAINS
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import Entry
from memotheca.search.census import take_census
from memotheca.search.hits import Hit
from memotheca.search.index.score import CANDIDATES
from memotheca.search.search import Question, find_entries, refuse_blank
from memotheca.storage.activity import ActivityRecord
from memotheca.storage.snapshot import Snapshot

SNIPPET = 240  # chosen: what a result can show
POOL, DEEP = 100, 1000  # chosen (docs/decisions/memories.md)
BATCH = 10  # chosen: so many are judged at once


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What is looked for, and what a result must satisfy."""

    query: str
    top_k: int = 10
    min_similarity: float = 0.0
    min_importance: float | None = None
    quadrants: tuple[str, ...] = ()
    created_after: int | None = None
    created_before: int | None = None
    valid_at: int | None = None
    tags: tuple[str, ...] = ()
    domain: str | None = None
    agents: tuple[str, ...] = ()
    excluded_agents: tuple[str, ...] = ()
    modality: str | None = None
    space: str | None = None
    with_quarantined: bool = False
    session: str = ""
    profile: Profile | None = None

    @property
    def is_narrow(self) -> bool:
        """Whether more is asked for than the search itself can look at, so that it has to look further."""
        return bool(self.quadrants)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """A hit with its standing."""

    entry: Entry
    hit: Hit
    quadrant: Quadrant
    dominant: str
    is_quarantined: bool
    goal: GoalNearness | None = None

    @property
    def similarity(self) -> float:
        return similarity_of(self.hit)

    def facts(self) -> dict[str, Any]:
        shown = self.hit.excerpts[0].text if self.hit.excerpts else self.entry.body
        return {
            "id": self.entry.id,
            "kind": self.entry.kind,
            "name": name_of(self.entry),
            "citation": citation_of(self.entry),
            "similarity": round(self.similarity, 4),
            "score": round(self.hit.score or 0.0, 4),
            "importance": round(importance_of(self.entry), 4),
            "dominant_embedder": self.dominant,
            "johari": self.quadrant,
            "purpose_alignment": None if self.goal is None else self.goal.alignment,
            "theta_to_north_star": None if self.goal is None else self.goal.cosine,
            "created_at": to_iso(self.entry.created_at),
            "when": told_when(self.entry),
            "source": source_of(self.entry),
            "snippet": shown[:SNIPPET],
        }


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of a search: how many came, how many went on, and how long it took."""

    name: str
    came: int
    went: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Recollection:
    """The results, best first, the steps that led to them, and whether there may be more further down than was
    looked."""

    results: tuple[Recalled, ...]
    stages: tuple[Stage, ...]
    is_partial: bool


def recall(
    kernel: Kernel, wanted: RecallRequest, tell: Callable[[int, Recalled], None] = lambda number, found: None
) -> Recollection:
    """Find what is wanted; each result is told as soon as it stands, the best first, before the others are judged."""
    refuse_blank(wanted.query)
    began = time.perf_counter()
    now = kernel.now()
    levels = _levels(kernel, wanted.session, now)
    usual = DEEP if wanted.is_narrow else POOL
    depth = widened(usual, levels)
    # By words and by meaning so many are found each; where some will not pass, all of them are needed.
    pool = 2 * depth if wanted.is_narrow or wanted.min_similarity else wanted.top_k + MORE
    pool = pool if wanted.space is None and wanted.profile is None else max(pool, POOL)
    page = find_entries(kernel, narrow(_question(wanted, depth), wanted.profile, now), limit=pool)
    searched = time.perf_counter()
    passing = prefer(kernel, [hit for hit in page.hits if _passes(hit, wanted)], wanted.query)
    if wanted.space is not None:
        passing = rank_in_space(kernel, passing, wanted.query, wanted.space)
    passing = rank_by_profile(kernel, passing, wanted.query, wanted.profile)
    passing = _pull(kernel, passing, wanted.session)
    attending, effects = _attend(kernel, passing, levels, len(passing) if wanted.is_narrow else wanted.top_k)
    note_effects(kernel, wanted.session, replace(effects, candidates=depth, usual_candidates=usual))
    filtered = time.perf_counter()
    with kernel.read() as snapshot:
        judged = _judge_until(kernel, snapshot, attending, wanted, tell=tell)
        total = take_census(kernel, snapshot).nodes(KNOWN)
    if not judged:
        told = ActivityRecord(
            time=now, level="info", component="retrieval", action="search", reason="nothing was found"
        )
        activity_of(kernel).log(kernel.collection, told)
        note_nothing_found(kernel, wanted.session)
    ended = time.perf_counter()
    stages = (
        Stage("search", total, len(page.hits), _ms(began, searched)),
        Stage("filter", len(page.hits), len(attending), _ms(searched, filtered)),
        Stage("judge", len(attending), len(judged), _ms(filtered, ended)),
    )
    return Recollection(
        tuple(judged), stages, wanted.is_narrow and len(judged) < wanted.top_k and len(page.hits) >= depth
    )


def _levels(kernel: Kernel, session: str, now: int) -> Levels:
    with kernel.store.database.read() as snapshot:
        return modulator_levels(kernel, snapshot, session, now=now)


def _pull(kernel: Kernel, passing: list[Hit], session: str) -> list[Hit]:
    """As the session's focus has it, where it pulls at all."""
    with kernel.read() as snapshot:
        pull = pull_of(kernel, snapshot, session)
    ranked = [(cast(Entry, hit.version.thing), hit.score or 0.0) for hit in passing]
    return [replace(passing[place], score=score) for place, score in pulled(kernel, ranked, pull)]


def _attend(kernel: Kernel, passing: list[Hit], levels: Levels, most: int) -> tuple[list[Hit], SearchEffects]:
    """What is shown of what passes, and what the session's modulators did to that; the best is never cut off."""
    kept = [hit for place, hit in enumerate(passing) if not place or (hit.score or 0.0) >= cut_off(levels)]
    ranked = [(cast(Entry, hit.version.thing), hit.score or 0.0) for hit in kept]
    order = vary(kernel, ranked, levels)
    shown = [replace(kept[place], score=score) for place, score in order[:most]]
    moved = sum(place != at for at, (place, _) in enumerate(order[:most]))
    return shown, SearchEffects(results=len(shown), usual_results=min(most, len(passing)), moved=moved)


def _question(wanted: RecallRequest, depth: int) -> Question:
    """What the search itself can look at; the bounds are exact here, or looser than what is asked of a result. Without
    a domain an entry is of the general one, and without a modality it is text, so that all others are left out."""
    any_of = [("agent_id", wanted.agents)] if wanted.agents else []
    none_of = [("agent_id", agent) for agent in wanted.excluded_agents]
    for name, value, usual, values in (
        ("domain", wanted.domain, DOMAINS[-1], DOMAINS),
        ("modality", wanted.modality, MODALITIES[0], MODALITIES),
    ):
        if value == usual:
            none_of += [(name, other) for other in values if other != usual]
        elif value is not None:
            any_of.append((name, (value,)))
    return Question(
        content=wanted.query,
        kinds=KNOWN,
        created_after=None if wanted.created_after is None else to_iso(wanted.created_after),
        created_before=None if wanted.created_before is None else to_iso(wanted.created_before),
        as_of=None if wanted.valid_at is None else to_iso(wanted.valid_at),
        tags=wanted.tags,
        least_importance=wanted.min_importance,
        any_of=tuple(any_of),
        none_of=tuple(none_of),
        with_held=wanted.with_quarantined,
        depth=max(depth, CANDIDATES),
        is_explained=False,
        is_complete=False,
    )


def _ms(began: float, ended: float) -> float:
    return round((ended - began) * 1000, 3)


def similarity_of(hit: Hit) -> float:
    """The cosine; where nothing is embedded, how well the words match."""
    return max(0.0, hit.cosine if hit.cosine is not None else hit.lexical or 0.0)


def _passes(hit: Hit, wanted: RecallRequest) -> bool:
    entry = hit.version.thing
    if not isinstance(entry, Entry) or similarity_of(hit) < wanted.min_similarity:
        return False
    checks = (
        wanted.min_importance is None or importance_of(entry) >= wanted.min_importance,
        wanted.created_after is None or entry.created_at > wanted.created_after,
    )
    return all(checks)


def _judge_until(
    kernel: Kernel, snapshot: Snapshot, hits: list[Hit], wanted: RecallRequest, *, tell: Callable[[int, Recalled], None]
) -> list[Recalled]:
    """Judge a few at a time until there are enough."""
    found: list[Recalled] = []
    rest, gates = list(hits), gates_at(snapshot)
    while rest and len(found) < wanted.top_k:
        # Where all are taken, no more are judged than are wanted.
        size = BATCH if wanted.quadrants else min(BATCH, wanted.top_k - len(found))
        batch, rest = rest[:size], rest[size:]
        entries = [cast(Entry, hit.version.thing) for hit in batch]
        goal = nearness_to_goal(kernel, snapshot, entries) or {}
        for hit, entry, judged in zip(batch, entries, judge_lately(kernel, snapshot, entries), strict=True):
            quadrant = quadrant_of(entry, judged, gates)
            if len(found) < wanted.top_k and (not wanted.quadrants or quadrant in wanted.quadrants):
                found.append(replace(_recalled(hit, quadrant, judged, kernel.now()), goal=goal.get(entry.id)))
                tell(len(found), found[-1])
    return found


def _recalled(hit: Hit, quadrant: Quadrant, judged: Judged, now: int) -> Recalled:
    entry = cast(Entry, hit.version.thing)
    is_held = quarantine_of(entry, now) is not None
    return Recalled(entry=entry, hit=hit, quadrant=quadrant, dominant=dominant_space(judged), is_quarantined=is_held)
