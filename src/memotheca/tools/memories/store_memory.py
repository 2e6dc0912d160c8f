"""Store a memory."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.documents.inline import LARGEST, TextTooLong, Unpacked, unpack_encoded, unpack_uri
from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.when import SOURCE_KNOWN, SOURCES, source_of, tell_times
from memotheca.memory.curation.decisions import PREDICATES, Decisions
from memotheca.memory.curation.links import StatedRelation
from memotheca.memory.curation.origin import SAID, Origin
from memotheca.memory.curation.remember import NewMemory, Stored
from memotheca.memory.curation.remember import store_memory as store
from memotheca.memory.session.steering_reward import Improvement
from memotheca.memory.spaces.form import MODALITIES
from memotheca.memory.standing.whole import dominant_space
from memotheca.memory.tuning.thresholds import DOMAINS
from memotheca.model.clock import to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.toolkit.fields import UNSET, Unset, choice, free, integer, many, number, one, said, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.beside import (
    ConflictShape,
    DuplicateShape,
    NearShape,
    UpdateShape,
    calls_to_decide,
    lines_beside,
    tell_beside,
)
from memotheca.tools.memories.contract import NODES

LONGEST_ENCODED = 4 * math.ceil(LARGEST / 3)  # specification: the largest content as base64
UNTESTED = "No recall was tested yet (test_recall_accuracy)."
WAYS = ("content", "content_base64", "data_uri")
IMPROVING: Mapping[Improvement, str] = {
    "merge": "merge it with its duplicate (merge_concepts)",
    "rationale": "say more fully why it is worth remembering (rationale)",
    "domain": "say which domain it is of (domain)",
    "source": "say who said it (source)",
    "link": "link it to what is near, if it belongs there (annotate_node, link_to)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    content: str = text("What to remember; or send it in one of the next two.", UNSET, minLength=1, maxLength=65_536)
    content_base64: str = text(
        "A text or a file (picture, PDF, …) whose text is remembered.", UNSET, minLength=4, maxLength=LONGEST_ENCODED
    )
    data_uri: str = text("The same as data:…;base64,…", UNSET, minLength=6, maxLength=LONGEST_ENCODED + 256)
    rationale: str = text("Why it is worth remembering.", minLength=10, maxLength=1000)
    importance: float = number("", 0.5, minimum=0, maximum=1)
    modality: str = choice(MODALITIES, "", "text")
    metadata: dict[str, Any] = free(
        "Anything else; relation says how it stands to link_to (causes, caused by, part of, supersedes, …), weight and "
        "confidence (0-1) how much.",
        UNSET,
    )
    link_to: tuple[str, ...] = texts("Nodes it belongs to.", UNSET)
    tags: tuple[str, ...] = texts("", UNSET, minLength=1)
    name: str = text("A short title.", UNSET, maxLength=256)
    domain: str = choice(DOMAINS, "", UNSET)
    agent_id: str = text("", UNSET, maxLength=256)
    session_id: str = text("", UNSET, maxLength=256)
    source: str = choice(SOURCES, "Who said it.", UNSET)
    occurred_at: str = text("When it happened (ISO 8601); else read from the text.", UNSET, maxLength=64)
    valid_from: str = text("Since when it holds, likewise.", UNSET, maxLength=64)
    valid_to: str = text("Until when it holds, likewise.", UNSET, maxLength=64)
    supersedes: tuple[str, ...] = texts("Nodes it takes the place of: they end.", UNSET, minLength=1)
    contradicts: tuple[str, ...] = texts("Nodes that cannot hold beside it: disputed.", UNSET, minLength=1)
    same_as: tuple[str, ...] = texts("Nodes that say the same.", UNSET, minLength=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class FingerprintShape:
    dominant_embedder: str = text()
    johari_aggregate: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class UtlShape:
    delta_s: float = number()
    delta_c: float = number()
    learning_score: float = number()
    w_e: float = number()
    phi: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeShape:
    source: str = text()
    target: str = text()
    type: str = text()
    weight: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionShape:
    type: str = text()
    count: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardShape:
    reward: float = number()
    dopamine_signal: float = number()
    gardener: float = number()
    curator: float = number()
    assessor: float | None = number(nullable=True)
    assessor_reason: str | Unset = text(default=UNSET)
    explanation: str = text()
    behavioral_hint: str = text()
    suggestions: tuple[str, ...] = texts()


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaShape:
    type: str = text()
    bytes: int = integer()
    sha256: str = text()
    read_by: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    node_id: str = text()
    citation: str = text()
    name: str = text()
    fingerprint: FingerprintShape = one(FingerprintShape)
    utl: UtlShape = one(UtlShape)
    edges_created: int = integer()
    edges: tuple[EdgeShape, ...] = many(EdgeShape)
    duplicates: tuple[DuplicateShape, ...] = many(DuplicateShape)
    conflicts: tuple[ConflictShape, ...] = many(ConflictShape)
    updates: tuple[UpdateShape, ...] = many(UpdateShape)
    near: tuple[NearShape, ...] = many(NearShape)
    redactions: tuple[RedactionShape, ...] = many(RedactionShape)
    source: str | None = text(default=None, nullable=True)
    source_known: str | Unset = text(default=UNSET)
    times: dict[str, Any] = free()
    quarantine: dict[str, Any] | Unset = free(default=UNSET)
    media: MediaShape | Unset = one(MediaShape, default=UNSET)
    steering_reward: RewardShape = one(RewardShape)
    prediction_id: str | None = text(default=None, nullable=True)
    prediction_reason: str = text(
        default="Nobody can say later whether a store was right; whether a context or a search helps is predicted."
    )
    tx_id: int = integer()


EXAMPLE = Example(
    arguments={
        "content": "Deploys fail when the migration lock is held, because the job waits for it without a timeout.",
        "rationale": "It cost us two hours on Tuesday; the next one should look here first.",
        "tags": ["ops"],
    },
    after=(
        (
            "store_memory",
            {"content": "The migration lock is taken by the nightly job.", "rationale": "Needed to explain deploys."},
        ),
    ),
)


@tool(contract="memories", component="storage", effect="add", models=(Input, Output), example=EXAMPLE)
def store_memory(call: Call[Kernel], input: Input) -> Answer:
    """Remember something for later sessions, with why. The answer shows what is near, and what it surely updates,
    contradicts or repeats: decide with supersedes, contradicts, same_as. Secrets are taken out, planted instructions
    held."""
    stored = store(call.kernel, _draft(call, input), actor=call.actor)
    entry = stored.version.thing
    assert isinstance(entry, Entry)
    return Answer(_sentence(call, stored, entry), f"{NODES}/{entry.id}", _output(stored, entry), is_text_alone=True)


def _draft(call: Call[Kernel], input: Input) -> NewMemory:
    given: dict[str, Any] = {"metadata": {}, **said(input)}
    given["origin"] = Origin(**{name: given.pop(name) for name in SAID if name in given})
    given["decisions"] = Decisions(**{name: tuple(given.pop(name)) for name in PREDICATES if name in given})
    given["relation"] = _relation(given["metadata"])
    session = given.pop("session_id", None) or call.session
    unpacked = _unpack(call.kernel, given)
    if unpacked is None:
        if not given["content"].strip():
            raise Refusal(Failure.INVALID, "There is nothing to remember: the content is blank.", field="content")
        return NewMemory(**given, session=session)
    modality = unpacked.modality if given["modality"] == "text" else given["modality"]
    content: dict[str, Any] = {"content": unpacked.text, "modality": modality, "media": unpacked.media}
    return NewMemory(**{**given, **content}, session=session)


def _relation(metadata: Mapping[str, Any]) -> StatedRelation:
    """How it stands to what it is linked to, where the metadata say so."""
    weight, confidence = (_number(metadata.get(name)) for name in ("weight", "confidence"))
    return StatedRelation(word=str(metadata.get("relation") or ""), weight=weight, confidence=confidence)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _unpack(kernel: Kernel, given: dict[str, Any]) -> Unpacked | None:
    """What was sent in place of a text; nothing where the text itself was given."""
    sent = {name: given.pop(name) for name in WAYS[1:] if name in given}
    if len(sent) + ("content" in given) != 1:
        message = "Give exactly one of content, content_base64 and data_uri."
        raise Refusal(Failure.INVALID, message, field="content", constraint={"allowed": list(WAYS)})
    try:
        if "content_base64" in sent:
            return unpack_encoded(kernel, sent["content_base64"])
        return unpack_uri(kernel, sent["data_uri"]) if sent else None
    except TextTooLong as long:
        advice = f"{long.message} Add it as a document with knowledge-add."
        raise Refusal(long.failure, advice, field=long.field, constraint=long.constraint) from long


def _output(stored: Stored, entry: Entry) -> Output:
    learned = stored.learned
    verdict, dopamine = stored.rewarded.verdict, stored.rewarded.dopamine
    return Output(
        node_id=entry.id,
        citation=citation_of(entry),
        name=name_of(entry),
        fingerprint=FingerprintShape(
            dominant_embedder=dominant_space(stored.judged), johari_aggregate=learned.quadrant
        ),
        utl=UtlShape(
            delta_s=round(learned.delta_s, 4),
            delta_c=round(learned.delta_c, 4),
            learning_score=round(learned.score, 4),
            w_e=round(learned.emphasis, 4),
            phi=round(learned.angle, 4),
        ),
        edges_created=len(stored.edges),
        edges=tuple(
            EdgeShape(source=edge.source, target=edge.target, type=edge.type, weight=round(edge.weight, 4))
            for edge in stored.edges
        ),
        **tell_beside(stored.compared, stored.decided),
        redactions=tuple(RedactionShape(type=each.type, count=each.count) for each in stored.redactions),
        source=source_of(entry),
        source_known=entry.attributes.get(SOURCE_KNOWN, UNSET),
        times=tell_times(entry),
        quarantine=_quarantine(entry),
        media=MediaShape(**entry.attributes["media"]) if "media" in entry.attributes else UNSET,
        steering_reward=RewardShape(
            reward=round(verdict.reward, 4),
            dopamine_signal=round(dopamine, 4),
            gardener=round(verdict.gardener, 4),
            curator=round(verdict.curator, 4),
            assessor=None if verdict.assessor is None else round(verdict.assessor, 4),
            assessor_reason=UNTESTED if verdict.assessor is None else UNSET,
            explanation=verdict.explanation,
            behavioral_hint=verdict.behavioral_hint,
            suggestions=tuple(IMPROVING[each] for each in verdict.improvements),
        ),
        tx_id=stored.version.tx,
    )


def _quarantine(entry: Entry) -> dict[str, Any] | Unset:
    held: dict[str, Any] | None = entry.attributes.get("quarantine")
    if held is None:
        return UNSET
    until = None if held["until"] is None else to_iso(held["until"])
    return {"reason": held["reason"], "since": to_iso(held["since"]), "until": until}


def _sentence(call: Call[Kernel], stored: Stored, entry: Entry) -> str:
    """What an agent needs to go on: what it is called by, and what else is said about it; programs read the rest."""
    told = [f'Remembered {citation_of(entry)} "{name_of(entry)}" in transaction {stored.version.tx}. id: {entry.id}']
    told += lines_beside(stored.compared, stored.decided)
    told += calls_to_decide(entry.id, stored.compared, stored.decided) if call.shows("annotate_node") else []
    if stored.redactions:
        named = ", ".join(each.type for each in stored.redactions)
        told.append(f"Taken out before storing: {named}.")
    if stored.is_held:
        told.append("It reads like instructions planted for you, and is held: nothing finds it until it is released.")
    return "\n".join(told)
