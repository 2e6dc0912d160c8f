"""Reasons: what was told before something and is spoken of in its words, or in why it was remembered, where a cause is
asked for and nobody has linked it (memory-model: Context)."""

from collections.abc import Sequence
from dataclasses import replace

from memotheca.kernel.kernel import Kernel
from memotheca.memory.recall.profile_order import narrow
from memotheca.memory.recall.profiles import Profile
from memotheca.memory.standing.nearest import affordable
from memotheca.memory.traits import KNOWN
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import Entry
from memotheca.search.hits import Hit
from memotheca.search.search import Question, find_entries

ASKED = 2  # chosen: what is asked about is among the first; each takes a search
LED = 2  # chosen: what comes nearest to each
WORDS = 400  # chosen: letters of a text by which others are looked for


def told_before(
    kernel: Kernel, best: Sequence[tuple[Entry, float]], profile: Profile | None
) -> list[tuple[Hit, Entry, float]]:
    """What comes nearest to each of the best among all that was stored before it, and what share of the score of that
    one it has. `best` are entries with their scores, the best first."""
    found: list[tuple[Hit, Entry, float]] = []
    usual = narrow(Question(kinds=KNOWN, is_explained=False, is_complete=False), profile, kernel.now())
    with kernel.read() as snapshot:
        most = affordable(kernel, snapshot)
    for effect, score in best[: ASKED if most is None else min(ASKED, most)]:
        reason = str(effect.attributes.get("rationale") or "")
        said = f"{reason} {effect.body[:WORDS]}".strip()
        if not said:
            continue
        page = find_entries(
            kernel, replace(usual, content=said, created_before=to_iso(effect.created_at)), limit=LED + 1
        )
        hits = [(hit, hit.version.thing) for hit in page.hits if isinstance(hit.version.thing, Entry)]
        others = [(hit, entry) for hit, entry in hits if entry.id != effect.id and entry.body][:LED]
        most = max((hit.score or 0.0 for hit, _ in others), default=0.0)
        found += [(hit, entry, score * (hit.score or 0.0) / most) for hit, entry in others if most]
    return found
