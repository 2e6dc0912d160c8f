"""Consolidation: memories that say the same become one, all in one transaction; what differs in a figure, a name, a
denial or a time is left alone (memory-model: Consolidation)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memotheca.kernel.citations import name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.critique import Repetition, meanings_of, related_pairs
from memotheca.memory.care.tasks import task_of
from memotheca.memory.claims.priors import assume, similarity
from memotheca.memory.claims.sameness import differences
from memotheca.memory.curation.merge import ChangedMeanwhile, Merged, MergeRequest, carry_looks, merge_within
from memotheca.memory.curation.merged_text import extract
from memotheca.memory.curation.reversal import hash_of, machine_note
from memotheca.memory.curation.undecided import in_order
from memotheca.memory.graph.said import said_between
from memotheca.memory.session.gate_log import note_decisions
from memotheca.memory.session.state import activity_of
from memotheca.memory.standing.meanings import meanings
from memotheca.memory.standing.subject import compare_pairs
from memotheca.memory.traits import chief_of, quarantine_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.tuning.thresholds import Decided, Gates
from memotheca.memory.verbs import Verb
from memotheca.model.clock import DAY
from memotheca.model.commits import Commit
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import MEMORY, MENTIONS
from memotheca.model.knowledge import Entry
from memotheca.notes.outbox import FilePlan
from memotheca.notes.ownership import carry_out
from memotheca.search.embed import prepare_text
from memotheca.search.prepared import Prepared
from memotheca.storage.activity import ActivityRecord
from memotheca.storage.care_tasks import add_tasks, read_tasks
from memotheca.storage.lookups import ids_made_last
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

Strategy = Literal["similarity", "temporal", "semantic"]
STRATEGIES: tuple[Strategy, ...] = ("similarity", "temporal", "semantic")

TOO_UNLIKE = "they are alike to"
TOGETHER = DAY  # specification (memory-model: Consolidation): stored within a day of each other
LARGEST = 8  # chosen: more that all say the same are a list, and somebody's to decide
# A group that may not be merged: one of it is gone, or it would be its own cause, or outweigh what is around it.
RESISTING = (Failure.CYCLIC, Failure.CONFLICT, Failure.NOT_FOUND, Failure.TOMBSTONED, Failure.INVALID)
MOST_MERGED = 50  # specification (memory-model: Consolidation): groups a call


@dataclass(frozen=True, slots=True, kw_only=True)
class SamePair:
    """Two memories that say the same, the older one first: how near they are, and what hinders to merge them without
    asking, if anything does."""

    older: Entry
    newer: Entry
    similarity: float
    hindrance: str
    said: Repetition

    @property
    def is_sure(self) -> bool:
        return not self.hindrance


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidationRequest:
    """How many of the newest memories are compared with what is near them, and which pairs count, from which likeness
    on."""

    most: int = 100
    strategy: Strategy = "similarity"
    least: float = 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidated:
    """How many memories and pairs were looked at; the pairs that say the same; what was merged, by which transaction,
    if any."""

    looked_at: int
    evaluated: int
    pairs: tuple[SamePair, ...]
    merged: tuple[Merged, ...]
    commit: Commit | None

    @property
    def left(self) -> list[SamePair]:
        """Those that somebody has to decide about."""
        gone = {id for each in self.merged for id in each.sources}
        return [pair for pair in self.pairs if not {pair.older.id, pair.newer.id} <= gone]

    @property
    def reversal_hash(self) -> str | None:
        return None if self.commit is None else hash_of(self.commit)


@dataclass(frozen=True, slots=True)
class _Group:
    request: MergeRequest
    prepared: Prepared


def consolidate(kernel: Kernel, asked: ConsolidationRequest, *, actor: str) -> Consolidated:
    """Merge what surely says the same, and put the rest on the list of what is to be decided."""
    with kernel.read() as snapshot:
        entries = _entries(kernel, snapshot, asked.most)
        related = related_pairs(kernel, snapshot, entries).pairs
        pairs, evaluated = same_pairs(kernel, snapshot, related, asked)
        gates = gates_at(snapshot)
    _note_pairs(kernel, pairs, gates)
    merged, commit = merge_groups(kernel, pairs, actor=actor)
    done = Consolidated(
        looked_at=len(entries), evaluated=evaluated, pairs=tuple(pairs), merged=tuple(merged), commit=commit
    )
    rows = [task_of(pair.said, kernel.now()) for pair in done.left]
    if rows:
        kernel.operate(lambda session: add_tasks(session, kernel.collection, rows))
    return done


def _note_pairs(kernel: Kernel, pairs: Sequence[SamePair], gates: Gates) -> None:
    """Of which pairs likeness alone decided whether they are merged without asking."""
    for pair in pairs:
        if pair.is_sure or pair.hindrance.startswith(TOO_UNLIKE):
            held = gates.of(pair.newer.attributes.get("domain"))
            decided = Decided("consolidation", pair.similarity, pair.is_sure)
            note_decisions(kernel, [decided], held, [pair.newer.id, pair.older.id])


def _entries(kernel: Kernel, snapshot: Snapshot, most: int) -> list[Entry]:
    """Those that are known to be repeated, and the newest."""
    tasks = read_tasks(snapshot.session, snapshot.collection, ("open",))
    known = [id for task in tasks if task.kind == "duplicate" for id in (task.one, task.other)]
    ids = list(dict.fromkeys([*known, *ids_made_last(snapshot, MEMORY, limit=most)]))[:most]
    now = kernel.now()
    living = snapshot.living(ids).values()
    return [entry for entry in living if entry.kind == MEMORY and quarantine_of(entry, now) is None]


def same_pairs(
    kernel: Kernel, snapshot: Snapshot, pairs: Sequence[tuple[Entry, Entry]], asked: ConsolidationRequest
) -> tuple[list[SamePair], int]:
    """Which pairs of memories say the same, the most alike first; and how many were compared."""
    ordered = [in_order(*pair) for pair in pairs if all(each.kind == MEMORY for each in pair)]
    said = said_between(snapshot, {each.id for pair in ordered for each in pair})
    ordered = [pair for pair in ordered if not said.get(frozenset(each.id for each in pair))]
    ordered = [pair for pair in ordered if _fits(snapshot, pair, asked)]
    vectors = meanings(snapshot, list({each.id for pair in ordered for each in pair}))
    compared = compare_pairs(kernel, snapshot, ordered, vectors)
    same = [
        (pair, made.verdict)
        for pair, made in zip(ordered, compared, strict=True)
        if made.verdict is not None and made.verdict.kind == "duplicate"
    ]
    near, gates = meanings_of(kernel, snapshot, [pair for pair, _ in same]), gates_at(snapshot)
    found = [
        SamePair(
            older=older,
            newer=newer,
            similarity=value,
            hindrance=_hindrance(older, newer, value, gates),
            said=Repetition(older, newer, value, verdict),
        )
        for ((older, newer), verdict), value in zip(same, near, strict=True)
        if value >= asked.least
    ]
    return sorted(found, key=lambda pair: (-pair.similarity, pair.older.id, pair.newer.id)), len(ordered)


def _fits(snapshot: Snapshot, pair: tuple[Entry, Entry], asked: ConsolidationRequest) -> bool:
    """Whether a pair is one that the strategy speaks of."""
    one, other = pair
    if asked.strategy == "temporal":
        return abs(one.created_at - other.created_at) <= TOGETHER
    if asked.strategy == "semantic":
        named = [{edge.target for edge in snapshot.edges_from(each.id, MENTIONS)} for each in pair]
        return bool(named[0] & named[1])
    return True


def _hindrance(older: Entry, newer: Entry, value: float, gates: Gates) -> str:
    """Why two memories that say the same are not merged without asking."""
    differing = differences(older, newer)
    if differing:
        return f"they differ in {' and '.join(differing)}"
    held = gates.of(newer.attributes.get("domain"))
    if similarity(assume(older), assume(newer)) < held["priors"]:
        return "they rest on different assumptions"
    if value < held["consolidation"]:
        return f"{TOO_UNLIKE} {value:.2f}, and it takes {held['consolidation']:g}"
    return ""


def merge_groups(kernel: Kernel, pairs: Sequence[SamePair], *, actor: str) -> tuple[list[Merged], Commit | None]:
    """Make one memory of each group that says the same, in one transaction; a group that cannot be merged is left."""
    groups = [_draw(kernel, group) for group in _groups(pairs)[:MOST_MERGED]]
    begun: list[_Group] = []

    def act(transaction: Transaction, plan: FilePlan) -> list[Merged]:
        begun.clear()
        made: list[Merged] = []
        for group in groups:
            begun.append(group)
            made.append(merge_within(transaction, plan, group.request, group.prepared, note=_note(groups)))
        return made

    merged: list[Merged] = []
    while groups and not merged:
        try:
            merged = carry_out(kernel, act, actor=actor)
        except Refusal as refusal:
            if not begun or not (isinstance(refusal, ChangedMeanwhile) or refusal.failure in RESISTING):
                raise
            groups.remove(begun[-1])
    for each in merged:
        carry_looks(kernel, each)
    if not merged:
        return [], None
    ids = tuple(id for each in merged for id in (each.version.id, *each.sources))
    line = ActivityRecord(time=kernel.now(), level="info", component="curation", action="consolidate", node_ids=ids)
    activity_of(kernel).log(kernel.collection, line)
    return merged, merged[0].commit


def _note(groups: Sequence[_Group]) -> dict[str, object]:
    sources = [source.id for group in groups for source in group.request.sources]
    said = f"{len(sources)} memories said the same as others of them: no figure, name, denial or time differs."
    return machine_note(Verb.CONSOLIDATE, said, reason="duplicate", sources=sources)


def _draw(kernel: Kernel, sources: Sequence[Entry]) -> _Group:
    name = name_of(chief_of(sources))
    with kernel.read() as snapshot:
        content = extract(sources, gates_at(snapshot))[0]
    rationale = f"{len(sources)} memories say the same."
    request = MergeRequest(sources=sources, name=name, content=content, rationale=rationale, strategy="consolidate")
    return _Group(request, prepare_text(kernel, name, content, whole=True))


def _groups(pairs: Sequence[SamePair]) -> list[list[Entry]]:
    """Memories of which each says the same as each, as far as sure pairs join them."""
    entries: dict[str, Entry] = {}
    joined: dict[str, set[str]] = {}
    for pair in pairs:
        if pair.is_sure:
            entries |= {pair.older.id: pair.older, pair.newer.id: pair.newer}
            joined.setdefault(pair.older.id, set()).add(pair.newer.id)
            joined.setdefault(pair.newer.id, set()).add(pair.older.id)
    found: list[list[Entry]] = []
    taken: set[str] = set()
    for id in sorted(joined):
        group = [id] if id not in taken else []
        for other in sorted(joined[id] - taken) if group else ():
            if len(group) < LARGEST and all(_is_same(entries[each], entries[other]) for each in group):
                group.append(other)
        if len(group) > 1:
            taken |= set(group)
            found.append([entries[each] for each in group])
    return found


def _is_same(one: Entry, other: Entry) -> bool:
    return not differences(one, other)
