"""Ranking by a profile: what its filters leave out of a search, and the order that its spaces give to what was found
(memory-model: Profiles)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from memotheca.kernel.kernel import Kernel
from memotheca.memory.recall.profiles import Profile
from memotheca.memory.spaces.all_spaces import Gallery
from memotheca.memory.spaces.fusion_weights import fuse_weights, prioritise
from memotheca.memory.spaces.space_table import COUNT
from memotheca.memory.standing.nearest import vicinity_of
from memotheca.memory.standing.probe import hang_question
from memotheca.model.clock import DAY, to_iso
from memotheca.model.knowledge import Entry
from memotheca.search.hits import Hit
from memotheca.search.search import Question

SPOKEN = 5  # chosen: the spaces that count most; all thirteen would take a multiple of the search
HALF = 0.5  # chosen: as a space that is asked for by name
HALF_LIFE = 30 * DAY  # chosen: what recency means where somebody asks for it


def narrow(question: Question, profile: Profile | None, now: int) -> Question:
    """A question with what a profile leaves out, where the question itself says nothing about it."""
    if profile is None or not profile.filters:
        return question
    kept, changes = profile.filters, dict[str, Any]()
    if "min_importance" in kept and question.least_importance is None:
        changes["least_importance"] = kept["min_importance"]
    if "tags" in kept and not question.tags:
        changes["tags"] = tuple(kept["tags"])
    if "within_days" in kept and question.created_after is None:
        changes["created_after"] = to_iso(now - int(kept["within_days"] * DAY))
    if "domain" in kept and not any(name == "domain" for name, _ in question.any_of):
        changes["any_of"] = (*question.any_of, ("domain", (kept["domain"],)))
    return replace(question, **changes)


def rank_by_profile(kernel: Kernel, hits: Sequence[Hit], query: str, profile: Profile | None) -> list[Hit]:
    """What a search has found, half by its score and half by nearness in the spaces that a profile counts most, and
    the recent before the old where recency counts; the best is 1 again."""
    if profile is None or not hits:
        return list(hits)
    shares = _shares(kernel, hits, query, profile)
    now = kernel.now()
    scored: list[Hit] = []
    for hit, share in zip(hits, shares, strict=True):
        entry = hit.version.thing
        told = entry.created_at if isinstance(entry, Entry) else now
        fresh = 0.5 ** (max(0, now - told) / HALF_LIFE)
        score = ((1 - HALF) * (hit.score or 0.0) + HALF * share) * (1 - profile.recency * (1 - fresh))
        scored.append(replace(hit, score=score))
    best = max(hit.score or 0.0 for hit in scored) or 1.0
    return sorted([replace(hit, score=(hit.score or 0.0) / best) for hit in scored], key=lambda hit: -(hit.score or 0))


def _shares(kernel: Kernel, hits: Sequence[Hit], query: str, profile: Profile) -> list[float]:
    """How near each hit is to the question, of the nearest, over the spaces that count most."""
    weights = prioritise(profile.weights, profile.priorities)
    entries = [hit.version.thing for hit in hits if isinstance(hit.version.thing, Entry)]
    with kernel.read() as snapshot:
        gallery = Gallery(vicinity_of(kernel, snapshot).hang(snapshot, entries))
        probe = hang_question(kernel, snapshot, query)
    counted = sorted(range(COUNT), key=lambda space: (-weights[space], space))[:SPOKEN]
    near = {space: gallery.nearness(space, probe) for space in counted}
    says = {space: float(values.max()) for space, values in near.items() if values.size and float(values.max()) > 0}
    fused = fuse_weights(profile.fusion, weights, [says.get(space) for space in range(COUNT)])
    total = np.zeros(len(gallery))
    for space, nearest in says.items():
        total += fused[space] * np.clip(near[space] / nearest, 0.0, 1.0)
    held = dict(zip(gallery.ids, total.tolist(), strict=True))
    return [float(held.get(hit.version.id, 0.0)) for hit in hits]
