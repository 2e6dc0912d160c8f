"""Companions: what bears the same tags as the best that was found, where all of something or a cause is asked for, and
says so in words that the question has not (memory-model: Context)."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from memotheca.kernel.kernel import Kernel
from memotheca.memory.recall.profile_order import narrow
from memotheca.memory.recall.profiles import Profile
from memotheca.memory.traits import KNOWN
from memotheca.model.knowledge import Entry
from memotheca.search.hits import Hit
from memotheca.search.search import Question, find_entries, list_newest

TAGS = 2  # chosen: subjects that what is asked about belongs to
BEARERS = 2  # chosen: what a single one is labelled with may be anything
COMPANIONS = 10  # chosen: of a tag; where more bear it, those alone that have to do with the question


def companions(kernel: Kernel, query: str, best: Sequence[tuple[Entry, float]], profile: Profile | None) -> list[Hit]:
    """What bears a tag that several of the best have in common: all of it where that is little, else what comes nearest
    to the question. `best` are entries with their scores."""
    found: dict[str, Hit] = {}
    for tag in _common_tags(best):
        page = list_newest(kernel, _bearing(kernel, tag, profile), limit=COMPANIONS, offset=0)
        if page.total > COMPANIONS:
            page = find_entries(kernel, replace(_bearing(kernel, tag, profile), content=query), limit=COMPANIONS)
        for hit in page.hits:
            if isinstance(entry := hit.version.thing, Entry):
                found.setdefault(entry.id, hit)
    return list(found.values())


def _bearing(kernel: Kernel, tag: str, profile: Profile | None) -> Question:
    usual = narrow(Question(kinds=KNOWN, is_explained=False, is_complete=False), profile, kernel.now())
    return replace(usual, tags=tuple(dict.fromkeys((tag, *usual.tags))))


def _common_tags(best: Sequence[tuple[Entry, float]]) -> list[str]:
    """The tags that most of the best bear, counted by their scores."""
    weight: dict[str, float] = defaultdict(float)
    bearers: dict[str, int] = defaultdict(int)
    for entry, score in best:
        for tag in dict.fromkeys(entry.tags):
            weight[tag] += score
            bearers[tag] += 1
    common = [tag for tag, count in bearers.items() if count >= BEARERS]
    return sorted(common, key=lambda tag: (-weight[tag], tag))[:TAGS]
