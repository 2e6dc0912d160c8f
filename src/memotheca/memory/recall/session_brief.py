"""Session brief: what whoever begins should know beside what was found for a goal: what is pinned, what is disputed,
and what changed last (memory-model: Context)."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import cast

from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.tasks import standing_tasks, with_entries
from memotheca.memory.claims.distil import weigh_words
from memotheca.memory.curation.undecided import TaskKind
from memotheca.memory.graph.relations import SUPERSEDES
from memotheca.memory.recall.candidates import ContextSource
from memotheca.memory.recall.context import NOTHING, Context, Occasion, compose
from memotheca.memory.recall.context_lines import LineWriter, Sheet
from memotheca.memory.traits import KNOWN, quarantine_of
from memotheca.model.kinds import MEMORY, RELATIONAL
from memotheca.model.knowledge import Entry
from memotheca.search.excerpts import ExcerptQuery
from memotheca.search.finder import finder_of
from memotheca.search.hits import Hit
from memotheca.search.index.score import Filter
from memotheca.storage.adjacency import joints_at
from memotheca.storage.lookups import ids_made_last
from memotheca.storage.snapshot import Snapshot
from memotheca.text.terms import filter_number
from memotheca.text.tokens import count_tokens
from memotheca.text.words import words

SHARE = 1 / 3  # chosen: of a budget, so that what was asked about has most of it
PINNED, MOST = "pinned", 6  # chosen: lines of each part, which a reader takes in at once
LEAST = 30  # chosen: tokens that a line takes at the least
DISPUTE: TaskKind = "dispute"
HEADINGS = ("Pinned:", "Open disputes:", "Recent changes:")


def begin(kernel: Kernel, occasion: Occasion) -> Context:
    """A context for a goal, and the parts that whoever begins should know in what is left of the budget."""
    room = occasion.tokens - round(SHARE * occasion.tokens)
    made = compose(kernel, replace(occasion, tokens=room, is_question=False))
    known = {hit.version.id for hit in made.hits}
    text = made.text or NOTHING
    lines, cited = brief(kernel, occasion.query, occasion.tokens - count_tokens(text), but=known)
    if not lines:
        return made
    text = "\n".join([text, *lines])
    tokens = count_tokens(text)
    return replace(
        made,
        text=text,
        tokens=tokens,
        tokens_before=made.tokens_before + tokens - made.tokens,
        hits=(*made.hits, *(each.hit for each in cited)),
    )


def brief(
    kernel: Kernel, query: str, tokens: int, *, but: Collection[str], changed: Sequence[str] = (MEMORY,)
) -> tuple[list[str], Sequence[ContextSource]]:
    """The parts that fit, each under its heading, and what they cite; without what is shown already. Changes are told
    of what is of these kinds."""
    with kernel.read() as snapshot:
        parts = (_pinned(kernel, snapshot), _disputed(kernel, snapshot), _changed(kernel, snapshot, changed))
    sheet = Sheet(weigh_words(query, [words(query)]), ExcerptQuery(query), tokens, kernel.now())
    told: list[str] = []
    cited: dict[str, ContextSource] = {}
    for heading, groups in zip(HEADINGS, parts, strict=True):
        shown: list[str] = []
        for sides in groups[: 2 * MOST] if tokens > LEAST else ():
            line = LineWriter(sheet, "narrative").line(sides)
            cost = count_tokens(line.forms[0]) + (0 if shown else count_tokens(heading))
            if len(shown) < MOST and cost <= tokens and not {*but, *cited}.issuperset(line.ids):
                tokens -= cost
                shown.append(line.forms[0])
                cited |= {each.entry.id: each for side in sides for each in side if each.entry.id not in but}
        told += [heading, *shown] if shown else []
    return told, list(cited.values())


def _pinned(kernel: Kernel, snapshot: Snapshot) -> list[list[list[ContextSource]]]:
    """What is tagged so, the newest first."""
    passing = Filter(groups=((filter_number("tag", PINNED),),), as_of=snapshot.tx)
    ids = finder_of(kernel).filtered(snapshot, passing)[::-1]
    return [[[each]] for each in _read(kernel, snapshot, ids[: 2 * MOST])]


def _disputed(kernel: Kernel, snapshot: Snapshot) -> list[list[list[ContextSource]]]:
    """The open tasks about which only a person can decide, both sides of each."""
    rows = [row for row in standing_tasks(kernel, snapshot) if row.kind == DISPUTE]
    tasks = with_entries(kernel, snapshot, rows[:MOST])
    return [[[each] for each in _read(kernel, snapshot, [entry.id for entry in task.entries])] for task in tasks]


def _changed(kernel: Kernel, snapshot: Snapshot, kinds: Sequence[str]) -> list[list[list[ContextSource]]]:
    """What was stored last, the newest first, each with what it replaced."""
    made = {id for kind in kinds for id in ids_made_last(snapshot, kind, limit=2 * MOST)}
    ids = sorted(made, reverse=True)[: 2 * MOST]
    joints = joints_at(snapshot, ids, "source", type=RELATIONAL, limit=len(ids) * MOST)
    replaced = [(joint.source, joint.target) for joint in joints if joint.predicate == SUPERSEDES]
    known = {each.entry.id: each for each in _read(kernel, snapshot, [*ids, *(old for _, old in replaced)])}
    over = {old for _, old in replaced}
    return [
        [[known[id], *(known[old] for new, old in replaced if new == id and old in known)]]
        for id in ids
        if id in known and id not in over
    ]


def _read(kernel: Kernel, snapshot: Snapshot, ids: Sequence[str]) -> list[ContextSource]:
    """Those that live and may be shown, in their order."""
    now, living = kernel.now(), snapshot.living(ids)
    found: list[ContextSource] = []
    for id in dict.fromkeys(ids):
        entry = living.get(id)
        if entry is None or entry.kind not in KNOWN or quarantine_of(entry, now) is not None:
            continue
        version = snapshot.version(id, snapshot.tx)
        assert version is not None
        found.append(ContextSource(Hit(version), cast(Entry, version.thing), 0.0))
    return found
