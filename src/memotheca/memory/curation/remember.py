"""Storing, annotating and weighing memories, with what is known about each on the way in."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from memotheca.kernel.citations import TAG, new_alias
from memotheca.kernel.handles import MEMORY_NAMES
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.claims.said_times import read_times
from memotheca.memory.curation.compared_tasks import open_tasks
from memotheca.memory.curation.decisions import (
    UNDECIDED,
    Decisions,
    carry_out_decisions,
    decided_by,
    resolve_decisions,
)
from memotheca.memory.curation.found_links import FoundTie, edge_of, find_ties
from memotheca.memory.curation.links import StatedRelation, new_link, stated_edges
from memotheca.memory.curation.mentions import mention_edges
from memotheca.memory.curation.origin import Origin, stated_source, with_origin
from memotheca.memory.curation.rewards import Joined, Rewarded, reward_store, weigh_store
from memotheca.memory.graph.cycles import refuse_superseding_itself, without_circles
from memotheca.memory.graph.relations import CONTRADICTS
from memotheca.memory.safety.speakers import Hearing, hear
from memotheca.memory.session.arousal import NAMELESS, modulator_levels, note_threat
from memotheca.memory.session.gate_log import note_decisions
from memotheca.memory.session.modulators import learning_share
from memotheca.memory.session.retrieval_log import CITED
from memotheca.memory.session.state import Mood, activity_of, log_curation, note_use
from memotheca.memory.session.steering_reward import Reward
from memotheca.memory.spaces.fingerprint import MODALITY, POSITION, SESSION
from memotheca.memory.standing.meanings import mean_vector, meanings
from memotheca.memory.standing.nearest import find_near, near_enough, vicinity_of
from memotheca.memory.standing.sample import Judged, Reference, hang, likely_duplicates, reference_of
from memotheca.memory.standing.subject import FOUND, ComparedEntry, Near, compare_with_stored
from memotheca.memory.standing.whole import Learned, consistency, learn
from memotheca.memory.traits import quarantine_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.tuning.thresholds import Decided, Gates, Name
from memotheca.memory.verbs import Verb
from memotheca.model import kinds
from memotheca.model.clock import HOUR
from memotheca.model.commits import VERB, Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Edge, Entry
from memotheca.model.retry import persist
from memotheca.search.embed import prepare_text, prepared_vectors
from memotheca.search.prepared import Prepared
from memotheca.storage.heads import is_live
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction
from memotheca.storage.vectors import newest_vector
from memotheca.text.secrets import Redaction, scrub_all

NEAR = 10  # chosen (memory-model: Links)
NEAREST = 3  # chosen: what the sample may lack (docs/decisions/memories.md)
LATEST = 5  # chosen: of a session, what a follow-up may speak of
UNEMBEDDED = 5  # chosen: words tell less, so more are compared
REMEMBERED = 100  # chosen: the session's latest, one is enough to link


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """What somebody wants remembered, and why."""

    content: str
    rationale: str
    name: str = ""
    importance: float = 0.5
    modality: str = "text"
    metadata: Mapping[str, Any]
    link_to: tuple[str, ...] = ()
    relation: StatedRelation = StatedRelation()
    tags: tuple[str, ...] = ()
    domain: str | None = None
    agent_id: str | None = None
    session: str = ""
    media: Mapping[str, Any] | None = None
    decisions: Decisions = UNDECIDED
    origin: Origin = Origin()
    # What is written in the same transaction, so that undoing one undoes both.
    beside: Callable[[Transaction, str], object] = lambda _transaction, _id: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A memory as it was stored, and everything that was noticed on the way."""

    version: Version
    judged: Judged
    learned: Learned
    edges: tuple[Edge, ...]
    compared: tuple[ComparedEntry, ...]
    decided: Mapping[str, str]
    redactions: tuple[Redaction, ...]
    is_held: bool
    rewarded: Rewarded


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeseenStore:
    """What would be stored, and all that would be noticed on the way; `ties` with what is at their other end."""

    entry: Entry
    learned: Learned
    near: tuple[tuple[Entry, float], ...]
    compared: tuple[ComparedEntry, ...]
    ties: tuple[tuple[FoundTie, Entry], ...]
    redactions: tuple[Redaction, ...]
    hearing: Hearing
    verdict: Reward


@dataclass(frozen=True, slots=True)
class _AroundMemory:
    """What lies around a new memory: its nearest, how near, and what is stored about its subject."""

    judged: Judged
    near: tuple[tuple[Entry, float], ...]
    compared: tuple[ComparedEntry, ...]
    reference: Reference
    remember: Callable[[Entry], None]


@dataclass(frozen=True, slots=True)
class _Pondered:
    """A memory before it is written: what lies around it, and what its session learns."""

    entry: Entry
    around: _AroundMemory
    learned: Learned
    mood: Mood
    share: float
    previous: str | None
    gates: Gates


def store_memory(kernel: Kernel, draft: NewMemory, *, actor: str) -> Stored:
    """Scrub, check, judge and store; nothing is stored of what is refused."""
    clean, redactions = _scrubbed(draft)
    heard = _hear(kernel, clean)
    if heard.is_refused:
        raise _refuse(kernel, heard, session=clean.session)
    prepared = prepare_text(kernel, clean.name, clean.content, whole=True)
    pondered = persist(lambda: _ponder(kernel, clean, heard, prepared))
    entry, learned = pondered.entry, pondered.learned

    said_beside: set[str] = set()

    def act(transaction: Transaction) -> tuple[Version, tuple[Edge, ...], dict[str, str], _AroundMemory]:
        # What was near a moment ago may be gone, and what was asked for by name may be another by now.
        linked = tuple(find_node(transaction, handle, field="link_to").id for handle in clean.link_to)
        around = _still_there(transaction, pondered.around)
        made = put_memory(transaction, entry, prepared)
        said_beside.update(linked)
        decided = resolve_decisions(transaction, decided_by(clean.link_to, clean.relation.word, clean.decisions))
        asked = stated_edges(transaction, made.id, linked, clean.relation)
        asked += carry_out_decisions(transaction, made, decided)
        found = [edge_of(transaction, tie, made.id) for tie in _find_ties(transaction, made, around)]
        edges = [*asked, *without_circles(transaction, made.id, asked, found)]
        edges += temporal_edge(transaction, made, pondered.previous)
        kept = tuple({(edge.target, edge.source, edge.predicate): edge for edge in reversed(edges)}.values())
        kept += tuple(mention_edges(transaction, made, [other for other, _ in around.near]))
        transaction.link(kept)
        refuse_superseding_itself(transaction, kept, "supersedes")
        open_tasks(transaction, made, around.compared, decided, linked=linked)
        clean.beside(transaction, made.id)
        return _version_of(transaction, made), kept, decided, around

    version, edges, decided, around = kernel.write(act, actor=actor)
    _take_to_heart(kernel, replace(pondered, around=around), version, decided, session=clean.session)
    _note_cited(kernel, clean, {*said_beside, *decided})
    _note_gates(kernel, replace(pondered, around=around), heard, version)
    log_curation(kernel, "info", "store", (version.id,), reason="quarantined" if heard.is_held else "")
    said = [edge for edge in edges if edge.predicate != kinds.MENTIONS]
    joined = _joined(around, is_linked=any(edge.type != kinds.TEMPORAL for edge in said), is_joined=bool(said))
    return Stored(
        version=version,
        judged=around.judged,
        learned=learned,
        edges=edges,
        compared=around.compared,
        decided=decided,
        redactions=redactions,
        is_held=heard.is_held,
        rewarded=reward_store(kernel, cast(Entry, version.thing), learned, joined),
    )


def foresee_store(kernel: Kernel, draft: NewMemory) -> ForeseenStore:
    """What storing would do, up to the writing; nothing is kept of it."""
    clean, redactions = _scrubbed(draft)
    heard = _hear(kernel, clean)
    prepared = prepare_text(kernel, clean.name, clean.content, whole=True)
    pondered = persist(lambda: _ponder(kernel, clean, heard, prepared))
    entry, around = pondered.entry, pondered.around
    with kernel.read() as snapshot:
        ties = _find_ties(snapshot, entry, around)
        tied = snapshot.living({end for tie in ties for end in tie.ends if end})
    joined = _joined(around, is_linked=bool(ties), is_joined=bool(ties))
    weighed = weigh_store(kernel, entry, pondered.learned, joined)
    return ForeseenStore(
        entry=entry,
        learned=pondered.learned,
        near=around.near,
        compared=around.compared,
        ties=tuple((tie, tied[end]) for tie in ties for end in tie.ends if end in tied),
        redactions=redactions,
        hearing=heard,
        verdict=weighed.verdict,
    )


def _still_there(transaction: Transaction, around: _AroundMemory) -> _AroundMemory:
    """What lies around a memory without what was forgotten since it was looked at."""
    living = transaction.living({*(other.id for other, _ in around.near), *(each.entry.id for each in around.compared)})
    return replace(
        around,
        near=tuple(pair for pair in around.near if pair[0].id in living),
        compared=tuple(each for each in around.compared if each.entry.id in living),
    )


def _take_to_heart(
    kernel: Kernel, pondered: _Pondered, version: Version, decided: Mapping[str, str], *, session: str
) -> None:
    """What a store does to its session: its place in it, what was learned, what it clashes with."""
    mood, learned, activity = pondered.mood, pondered.learned, activity_of(kernel)
    if "quarantine" in pondered.entry.attributes:
        note_threat(kernel, session)
    mood.position = max(mood.position, pondered.entry.attributes[POSITION])
    pondered.around.remember(cast(Entry, version.thing))
    scores = (learned.delta_s, learned.delta_c, learned.score)
    activity.feel((kernel.collection, session), mood, scores, pondered.share)
    mood.has_conflict = mood.has_conflict or _is_disputed(pondered.around.compared, decided)
    mood.stored = [*mood.stored, version.id][-REMEMBERED:]
    mood.source = stated_source(pondered.entry) or mood.source
    activity.look(kernel.collection, [version.id], version.time)


def _note_cited(kernel: Kernel, draft: NewMemory, linked: set[str]) -> None:
    """What a memory was linked to by whoever stored it, and what its text and reason cite, was of use."""
    tags = [f"node_{letters}" for letters in TAG.findall(f"{draft.content}\n{draft.rationale}")]
    if tags:
        with kernel.read() as snapshot:
            linked |= {owner for tag in tags if (owner := snapshot.find_alias(MEMORY_NAMES, tag)) is not None}
    note_use(kernel, draft.session, linked, CITED)


def _note_gates(kernel: Kernel, pondered: _Pondered, heard: Hearing, version: Version) -> None:
    """Which bars decided what about a new memory, for itself and beside others."""
    gates, learned, around, id = pondered.gates, pondered.learned, pondered.around, version.id
    stands = (learned.delta_s, learned.delta_c)
    own = [*heard.decided, *(Decided("johari", value, value > gates["johari"]) for value in stands)]
    note_decisions(kernel, own, gates, [id], at=version.time)
    for each in around.compared:
        note_decisions(kernel, each.decided, gates, [id, each.entry.id], at=version.time)
    threshold, name = _link_threshold(gates, around.reference)
    for other, value in around.near:
        decided = [] if name is None else [Decided(name, value, value > threshold)]
        note_decisions(kernel, decided, gates, [id, other.id], at=version.time)


def _joined(around: _AroundMemory, *, is_linked: bool, is_joined: bool) -> Joined:
    """How it stands beside the others, where it is linked to something, or at least has a place beside it."""
    is_duplicate = any(each.verdict is not None and each.verdict.kind == "duplicate" for each in around.compared)
    is_met = any(each.is_about_the_same for each in around.compared)
    return Joined(is_duplicate, is_met and not is_linked, _connectivity(around.reference, is_joined))


def _connectivity(reference: Reference, is_joined: bool) -> float:
    """The share of the sample, and of what was stored now, that is joined to something; to name it is not enough."""
    joined = [*(bool(member.walk) for member in reference.gallery.members), is_joined]
    return sum(joined) / len(joined)


def _is_disputed(compared: Sequence[ComparedEntry], decided: Mapping[str, str]) -> bool:
    """Whether something cannot hold beside it, and nobody has said which of them does."""
    found = {each.entry.id for each in compared if each.verdict is not None and each.verdict.kind == "contradiction"}
    return CONTRADICTS in decided.values() or bool(found - decided.keys())


def _version_of(transaction: Transaction, entry: Entry) -> Version:
    return Version(id=entry.id, tx=transaction.tx, time=transaction.time, subject="entry", kind=entry.kind, thing=entry)


def _ponder(kernel: Kernel, draft: NewMemory, heard: Hearing, prepared: Prepared) -> _Pondered:
    """Draw a memory and judge it among the others."""
    with kernel.read() as snapshot:
        linked = tuple(find_node(snapshot, handle, field="link_to").id for handle in draft.link_to)
        mood = activity_of(kernel).mood(snapshot.session, kernel.collection, draft.session)
        now = kernel.now()
        drawn = draw(draft, heard, (now, mood.position + 1))
        entry = with_origin(
            drawn, draft.origin, read=read_times(draft.content, now), usual=mood.source if draft.session else None
        )
        decided = resolve_decisions(snapshot, decided_by(draft.link_to, draft.relation.word, draft.decisions))
        beside = (linked, [*decided, *mood.stored[-LATEST:]])
        around = _look_around(kernel, snapshot, entry, beside, prepared=prepared)
        interactions = activity_of(kernel).count(snapshot.session, kernel.collection)
        gates = gates_at(snapshot, draft.domain)
        learned = learn(entry, around.judged, interactions, gates)
        levels = modulator_levels(kernel, snapshot.session, draft.session, now=now)
        previous = next(
            (id for id in reversed(mood.stored) if is_live(snapshot.session, snapshot.collection, id)), None
        )
        share = learning_share(levels, len(mood.stored), around.reference.size)
        return _Pondered(entry, around, learned, mood, share, previous, gates)


def put_memory(transaction: Transaction, entry: Entry, prepared: Prepared) -> Entry:
    """Put a drawn memory under an id, a citation and a time of its own."""
    transaction.describe("CREATE", note={VERB: Verb.STORE, "rationale": entry.attributes["rationale"]})
    id = transaction.new_id()
    made = replace(
        entry, id=id, aliases=(new_alias(transaction, id),), created_at=transaction.time, updated_at=transaction.time
    )
    transaction.put(made, prepared)
    return made


def _scrubbed(draft: NewMemory) -> tuple[NewMemory, tuple[Redaction, ...]]:
    """All that a draft says; of its parts only the metadata have names that may be those of secrets."""
    told = (draft.content, draft.rationale, draft.name, draft.tags, draft.metadata)
    (content, rationale, name, tags, metadata), redactions = scrub_all(told)
    scrubbed = replace(draft, content=content, rationale=rationale, name=name, tags=tuple(tags), metadata=metadata)
    return scrubbed, tuple(redactions)


def _hear(kernel: Kernel, draft: NewMemory) -> Hearing:
    """What a draft is taken for, by who is taken to speak: as stated, else as the session stated last, but a session's
    user vouches for nothing that was not said to be theirs."""
    with kernel.read() as snapshot:
        gates, source = gates_at(snapshot, draft.domain), draft.origin.source
        if source is None and draft.session:
            usual = activity_of(kernel).mood(snapshot.session, kernel.collection, draft.session).source
            source = None if usual in ("user", "colleague") else usual
    return hear(draft.content, source, gates)


def _refuse(kernel: Kernel, heard: Hearing, *, session: str) -> Refusal:
    """Log that something was planted, and let the session feel it."""
    threat = heard.threat
    note_decisions(kernel, heard.decided, heard.gates)
    log_curation(kernel, "warn", "block", (), reason="instructions hidden in content")
    note_threat(kernel, session)
    told = {"attack_type": threat.attack_type, "score": round(threat.score, 4), "signs": list(threat.signs)}
    message = "The content hides instructions for a model from people's eyes, and was not stored."
    return Refusal(Failure.INVALID, message, field="content", details={"threat": told})


def draw(draft: NewMemory, heard: Hearing, at: tuple[int, int]) -> Entry:
    """The memory before it has an id of its own."""
    now, position = at
    attributes: dict[str, Any] = {
        "importance": draft.importance,
        "rationale": draft.rationale,
        MODALITY: draft.modality,
        SESSION: draft.session or NAMELESS,
        POSITION: position,
    }
    optional = {"domain": draft.domain, "agent_id": draft.agent_id, "metadata": dict(draft.metadata) or None}
    optional["media"] = None if draft.media is None else dict(draft.media)
    attributes |= {name: value for name, value in optional.items() if value is not None}
    if isinstance(draft.metadata.get("source"), str):
        attributes["source"] = draft.metadata["source"]
    if heard.is_held:
        attributes["quarantine"] = {"reason": "prompt_injection", "since": now, "until": None}
    tags = tuple(dict.fromkeys(draft.tags))
    return Entry(
        id="",
        kind=kinds.MEMORY,
        title=draft.name,
        body=draft.content,
        tags=tags,
        attributes=attributes,
        created_at=now,
        updated_at=now,
    )


def _look_around(
    kernel: Kernel,
    snapshot: Snapshot,
    entry: Entry,
    beside: tuple[Sequence[str], Sequence[str]],
    *,
    prepared: Prepared,
) -> _AroundMemory:
    """`beside` are those it was said to be linked to, and what it was decided about with the latest of its session."""
    reference = reference_of(kernel, snapshot)
    made = prepared_vectors(snapshot, prepared, entry.title, entry.body)
    vector = mean_vector(made) if made else None
    linked, latest = beside
    cosines = find_near(kernel, snapshot, [entry], {} if vector is None else {entry.id: vector}, limit=FOUND)[entry.id]
    found = near_enough(snapshot, entry, dict([*cosines.items()][:NEAR]))
    close = [each for each, _ in found if quarantine_of(each, entry.created_at) is None]
    joined = {"": [*linked, *(each.id for each in close[:NEAREST])]}
    closest = close[: NEAREST if vector is not None else UNEMBEDDED]
    vectors = {} if vector is None else {"": vector, **meanings(snapshot, [each.id for each in closest])}
    likely = likely_duplicates(vector, closest, vectors)
    own, *others = hang(snapshot, [entry, *likely], joined=joined, vectors=vectors)
    values = {other.id: reference.gallery.meaning(own, other) for other in others}
    values = {each.id: cosine for each, cosine in found if cosine is not None} | values
    near = tuple(sorted(((each, values.get(each.id, 0.0)) for each in close), key=lambda pair: -pair[1]))
    nearest = Near(vector, cosines if vector is not None else {})
    compared = tuple(compare_with_stored(kernel, snapshot, entry, nearest, besides=[*linked, *latest]))
    disputed = [each.verdict.score for each in compared if each.verdict and each.verdict.kind == "contradiction"]
    judged = reference.judge(own, near=others[:NEAREST], consistency=consistency(disputed))
    vicinity, at = vicinity_of(kernel, snapshot), (newest_vector(snapshot.session, snapshot.collection), snapshot.tx)

    def remember(stored: Entry) -> None:
        if vector is not None:
            vicinity.keep(stored, vector, found, at)

    return _AroundMemory(judged, near, compared, reference, remember)


def _find_ties(snapshot: Snapshot, entry: Entry, around: _AroundMemory) -> list[FoundTie]:
    """Semantic to what is clearly near, and what the text itself is evidence of."""
    threshold, _ = _link_threshold(gates_at(snapshot, entry.attributes.get("domain")), around.reference)
    alike = [
        FoundTie((entry.id, other.id), kinds.SEMANTIC, "resembles", value)
        for other, value in around.near
        if value > threshold
    ]
    return [*alike, *find_ties(snapshot, entry, [other for other, _ in around.near])]


def _link_threshold(gates: Gates, reference: Reference) -> tuple[float, Name | None]:
    """What is clearly near: nearer than what is usual here, once there is enough to tell (memory-model: Links); and
    which bar says so, where one does."""
    if reference.size < NEAR:
        return max((gates["link"], "link"), (gates["link_floor"], "link_floor"))
    usual = reference.scale.spaces[0].link_threshold
    return (usual, None) if usual > gates["link_floor"] else (gates["link_floor"], "link_floor")


def temporal_edge(transaction: Transaction, entry: Entry, previous: str | None) -> list[Edge]:
    """To the memory that came before it in the session, the weaker the longer ago."""
    before = None if previous is None else transaction.entry(previous)
    if before is None:
        return []
    weight = math.exp(-(entry.created_at - before.created_at) / HOUR)
    return [new_link(transaction, (before.id, entry.id), kinds.TEMPORAL, weight=weight, predicate="precedes")]
