"""What stands beside a memory in an answer: what it updates, contradicts, repeats, and what else is said about it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.citations import citation_of
from memotheca.memory.claims.told import USER
from memotheca.memory.claims.verdict import PairVerdict, Slot
from memotheca.memory.claims.when import spell_day
from memotheca.memory.graph.relations import CONTRADICTS, SAME_AS, SUPERSEDES
from memotheca.memory.standing.subject import SHOWN, ComparedEntry
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import Entry
from memotheca.toolkit.fields import UNSET, Unset, flag, many, number, one, text

LONGEST = 240  # chosen: what an answer can show of a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotShape:
    kind: str = text()
    before: str = text()
    after: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateShape:
    id: str = text()
    similarity: float = number()
    sentence: str = text()
    other_sentence: str = text()
    stated: bool | Unset = flag(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictShape:
    id: str = text()
    type: str = text()
    score: float = number()
    explanation: str = text()
    sentence: str = text()
    other_sentence: str = text()
    slot: SlotShape | Unset = one(SlotShape, default=UNSET)
    stated: bool | Unset = flag(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateShape:
    id: str = text()
    score: float = number()
    explanation: str = text()
    sentence: str = text()
    other_sentence: str = text()
    slot: SlotShape | Unset = one(SlotShape, default=UNSET)
    stated: bool | Unset = flag(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearShape:
    id: str = text()
    citation: str = text()
    sentence: str = text()
    date: str = text()
    source: str | Unset = text(default=UNSET)
    differs: tuple[SlotShape, ...] = many(SlotShape)


# What is asserted, what is said of it by whoever decides, and how either is worded.
_KINDS = (
    ("update", SUPERSEDES, ("Superseded, held until now:", "Seems to update")),
    ("contradiction", CONTRADICTS, ("Disputed:", "Seems to contradict, ask which holds:")),
    ("duplicate", SAME_AS, ("Said to be the same:", "Seems to say the same as")),
)
_SAID_AS = {SUPERSEDES: "supersedes", CONTRADICTS: "contradicts", SAME_AS: "same_as"}


def tell_beside(compared: Sequence[ComparedEntry], decided: Mapping[str, str]) -> dict[str, Any]:
    """The lists of an answer: what was decided by the caller first, then what is asserted of the rest."""
    return {
        "duplicates": tuple(_duplicate(each, decided) for each in _of(compared, decided, "duplicate", SAME_AS)),
        "conflicts": tuple(_conflict(each, decided) for each in _of(compared, decided, "contradiction", CONTRADICTS)),
        "updates": tuple(_update(each, decided) for each in _of(compared, decided, "update", SUPERSEDES)),
        "near": tuple(_near(each) for each in _about(compared)[:SHOWN]),
    }


def _about(compared: Sequence[ComparedEntry]) -> list[ComparedEntry]:
    return [each for each in compared if each.is_about_the_same]


def sentences_beside(compared: Sequence[ComparedEntry], decided: Mapping[str, str]) -> list[str]:
    """The same for whoever only reads the first line."""
    told: list[str] = []
    open_ = [each for each in compared if each.entry.id not in decided and each.verdict is not None]
    kinds = [each.verdict.kind for each in open_ if each.verdict is not None]
    if "update" in kinds:
        told.append(f"It seems to update {kinds.count('update')} stored: if so, say supersedes.")
    if "contradiction" in kinds:
        told.append(f"It contradicts {kinds.count('contradiction')} stored: ask which holds.")
    if "duplicate" in kinds:
        told.append("The same is there already: consider merge_concepts, or say same_as.")
    if ended := [id for id, predicate in decided.items() if predicate == SUPERSEDES]:
        told.append(f"{len(ended)} superseded, held until now.")
    return told


def lines_beside(compared: Sequence[ComparedEntry], decided: Mapping[str, str]) -> list[str]:
    """The same for whoever decides: each with its sentence, date and source."""
    told: list[str] = []
    named: set[str] = set()
    for kind, predicate, (stated, seeming) in _KINDS:
        for each in _of(compared, decided, kind, predicate):
            is_stated = each.entry.id in decided
            why = "" if is_stated or each.verdict is None else f" ({each.verdict.explanation})"
            told.append(f"{stated if is_stated else seeming} {_quoted(each)}{why}")
            named.add(each.entry.id)
    return [*told, *(f"Near: {_quoted(each)}" for each in _about(compared)[:SHOWN] if each.entry.id not in named)]


def calls_to_decide(id: str, compared: Sequence[ComparedEntry], decided: Mapping[str, str]) -> list[str]:
    """The calls that carry out what is only seen so far."""
    told: list[str] = []
    for kind, predicate, _ in _KINDS:
        open_ = [each.entry.id for each in _of(compared, decided, kind, predicate) if each.entry.id not in decided]
        if open_:
            told.append(f"If so: annotate_node {json.dumps({'node_id': id, _SAID_AS[predicate]: open_})}")
    return told


def _quoted(each: ComparedEntry) -> str:
    source = each.entry.attributes.get("source")
    by = f", {source}" if source and source != USER else ""
    when = spell_day(_holds_from(each.entry))
    return f'{citation_of(each.entry)} ({when}{by}): "{each.older[:LONGEST]}"'


def _of(
    compared: Sequence[ComparedEntry], decided: Mapping[str, str], kind: str, predicate: str
) -> list[ComparedEntry]:
    """Those of which this was decided, and those of which it is asserted while nothing was decided."""
    said = [each for each in compared if decided.get(each.entry.id) == predicate]
    found = [
        each
        for each in compared
        if each.entry.id not in decided and each.verdict is not None and each.verdict.kind == kind
    ]
    return [*said, *found]


def _said(each: ComparedEntry, decided: Mapping[str, str]) -> dict[str, Any]:
    """What both say, in which slot, how sure that is, and whether the caller said so."""
    is_stated = each.entry.id in decided
    slot = each.verdict.slot if each.verdict is not None else (each.slots[0] if each.slots else None)
    return {
        "id": each.entry.id,
        "sentence": each.newer[:LONGEST],
        "other_sentence": each.older[:LONGEST],
        "stated": True if is_stated else UNSET,
        **({} if slot is None else {"slot": _slot(slot)}),
        "score": 1.0 if is_stated else _sure(each.verdict),
        "explanation": "said by whoever stored it" if is_stated else each.verdict.explanation if each.verdict else "",
    }


def _sure(verdict: PairVerdict | None) -> float:
    return 0.0 if verdict is None else verdict.score


def _duplicate(each: ComparedEntry, decided: Mapping[str, str]) -> DuplicateShape:
    said = _said(each, decided)
    likeness = said["score"] if each.cosine is None else each.cosine
    kept = {name: said[name] for name in ("id", "sentence", "other_sentence", "stated")}
    return DuplicateShape(similarity=round(likeness, 4), **kept)


def _conflict(each: ComparedEntry, decided: Mapping[str, str]) -> ConflictShape:
    return ConflictShape(type="factual" if each.verdict is None else each.verdict.type, **_said(each, decided))


def _update(each: ComparedEntry, decided: Mapping[str, str]) -> UpdateShape:
    return UpdateShape(**_said(each, decided))


def _near(each: ComparedEntry) -> NearShape:
    return NearShape(
        id=each.entry.id,
        citation=citation_of(each.entry),
        sentence=each.older[:LONGEST],
        date=to_iso(_holds_from(each.entry)),
        source=each.entry.attributes.get("source", UNSET),
        differs=tuple(_slot(slot) for slot in each.slots),
    )


def _slot(slot: Slot) -> SlotShape:
    return SlotShape(kind=slot.kind, before=slot.before, after=slot.after)


def _holds_from(entry: Entry) -> int:
    return entry.created_at if entry.validity.start is None else entry.validity.start
