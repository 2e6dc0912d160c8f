"""Ask the person."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from memotheca.kernel.citations import citation_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.second_opinion import SYSTEM, note_heard, pairs_to_ask, read_opinions, word_question
from memotheca.memory.care.settle import Choice, Settled, settle
from memotheca.memory.care.tasks import CareTask, keep_as_it_is
from memotheca.memory.curation.links import StatedRelation
from memotheca.memory.curation.origin import Origin
from memotheca.memory.curation.remember import NewMemory
from memotheca.memory.curation.remember import store_memory as store
from memotheca.memory.recall.questions import OpenQuestion, eligibility, next_question, tell_due
from memotheca.memory.session.state import Mood, activity_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.tuning.thresholds import Gates
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import Entry, fold
from memotheca.toolkit.ask import UNSUPPORTED, Form, ModelQuestion, Response, choice_of
from memotheca.toolkit.fields import UNSET, Schema, Unset, flag, free, integer, many, number, one, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

ASK, NONE = "ask_user", "none"
LONGEST_OPINION = 64  # chosen: tokens, a line a pair
UNEXPLAINED = "unexplained"
INTRODUCES = "introduces"
_NOT_KNOWN: Schema = {"type": "boolean", "title": "I do not know", "default": False}
UNMEASURED = "A general question is about nothing that is open, so nothing can be said of what its answer settles."


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    session_id: str | Unset = text("Session identifier for context", UNSET)
    force: bool = flag("Generate question regardless of coherence state", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceShape:
    answer: str = text()
    meaning: str = text()
    tool: str | Unset = text(default=UNSET)
    arguments: dict[str, Any] | Unset = free(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledShape:
    answer: str = text()
    told: str = text()
    tx_id: int | None = integer(default=None, nullable=True)
    task_id: str | Unset = text(default=UNSET)
    model: str | Unset = text(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    action_type: str = text()
    question: str = text()
    expected_entropy_reduction: float | None = number(default=None, nullable=True, minimum=0, maximum=1)
    reduction_reason: str | Unset = text(default=UNSET)
    focal_nodes: tuple[str, ...] = texts()
    coherence_before: float = number()
    suggested_follow_up: str | None = text(default=None, nullable=True)
    reason: str = text()
    asked_directly: bool = flag()
    answer: dict[str, Any] | Unset = free(default=UNSET)
    task_id: str | Unset = text(default=UNSET)
    choices: tuple[ChoiceShape, ...] = many(ChoiceShape)
    settled: SettledShape | Unset = one(SettledShape, default=UNSET)
    settled_by_model: tuple[SettledShape, ...] | Unset = many(SettledShape, default=UNSET)


EXAMPLE = Example(arguments={"force": True})


@tool(contract="memories", effect="change", models=(Input, Output), example=EXAMPLE, idempotent=False)
def epistemic_action(call: Call[Kernel], input: Input) -> Answer:
    """Get the most pressing question to the user: what is disputed, seems to have changed, is there twice, or is never
    explained. Where the client can ask, the user is asked at once and the answer carried out; else choices says which
    call carries out which answer."""
    kernel = call.kernel
    name = input.session_id if isinstance(input.session_id, str) and input.session_id else call.session
    with kernel.read() as snapshot:
        mood = activity_of(kernel).mood(snapshot.session, kernel.collection, name)
        gates = gates_at(snapshot)
        why = eligibility(mood, gates, force=input.force)
        pairs = pairs_to_ask(kernel, snapshot) if why is not None else []
    heard = _hear_model(call, pairs)
    with kernel.read() as snapshot:
        decided = {task.row.id for task, _ in heard.opinions}
        found = next_question(kernel, snapshot, mood, without=decided) if why is not None else None
    response = UNSUPPORTED if found is None else call.ask(_form(found))
    by_model = _carry_out_opinions(call, heard)
    if found is None:
        return _nothing_to_ask(_unasked(why, gates), mood, by_model)
    settled = _settle(call, found, response)
    mood.asked = [*mood.asked, found.mark]
    activity_of(kernel).keep((kernel.collection, name))
    choices = () if settled is not None else _choices(found, to_iso(kernel.now()))
    reduction = found.reduction
    output = Output(
        action_type=ASK,
        question=found.told,
        expected_entropy_reduction=None if reduction is None else round(reduction, 4),
        reduction_reason=UNMEASURED if reduction is None else UNSET,
        focal_nodes=tuple(entry.id for entry in found.focal),
        coherence_before=round(mood.coherence, 4),
        suggested_follow_up=_follow_up(found, response, choices, is_settled=settled is not None),
        reason=f"{found.kind}; {why}",
        asked_directly=response.outcome != "unsupported",
        answer=dict(response.content) if response.accepted else UNSET,
        task_id=UNSET if found.task is None else found.task.row.id,
        choices=choices,
        settled=UNSET if settled is None else settled,
        settled_by_model=by_model,
    )
    return Answer(found.told if settled is None else f"{found.told} {settled.told}", NODES, output)


@dataclass(frozen=True, slots=True)
class _Heard:
    """What the client's model was asked about, which it is, and what it has decided."""

    pairs: Sequence[CareTask] = ()
    model: str = ""
    opinions: Sequence[tuple[CareTask, Choice]] = ()


def _hear_model(call: Call[Kernel], pairs: Sequence[CareTask]) -> _Heard:
    """Ask the client's own model about some pairs, before anything is written."""
    if not pairs:
        return _Heard()
    answer = call.ask(ModelQuestion(text=word_question(pairs), system=SYSTEM, max_tokens=LONGEST_OPINION))
    if not answer.accepted:
        return _Heard()
    model = str(answer.content.get("model") or "the client's model")
    return _Heard(pairs, model, read_opinions(str(answer.content.get("text", "")), pairs))


def _carry_out_opinions(call: Call[Kernel], heard: _Heard) -> tuple[SettledShape, ...] | Unset:
    if not heard.pairs:
        return UNSET
    done: list[SettledShape] = []
    for task, choice in heard.opinions:
        why = f"The client's model {heard.model} was asked about the two and chose: {choice}."
        settled = settle(call.kernel, task, choice, rationale=why, actor=f"{call.actor} ({heard.model})")
        done.append(
            SettledShape(answer=choice, told=settled.told, tx_id=settled.tx, task_id=task.row.id, model=heard.model)
        )
    with call.kernel.read() as snapshot:
        note_heard(call.kernel, snapshot, heard.pairs)
    return tuple(done)


def _nothing_to_ask(told: str, mood: Mood, by_model: tuple[SettledShape, ...] | Unset) -> Answer:
    output = Output(
        action_type=NONE,
        question="",
        expected_entropy_reduction=0.0,
        focal_nodes=(),
        coherence_before=round(mood.coherence, 4),
        reason=told,
        asked_directly=False,
        choices=(),
        settled_by_model=by_model,
    )
    return Answer(told, NODES, output)


def _unasked(why: str | None, gates: Gates) -> str:
    if why is None:
        return f"No question is due: one is {tell_due(gates)}. Use force to ask all the same."
    return "Everything there is to ask has been asked in this session."


def _field(found: OpenQuestion) -> str:
    return "holds" if found.kind in ("dispute", "update") else "choice"


def _form(found: OpenQuestion) -> Form:
    answer: Schema = {"type": "string", "title": "Answer", "description": "In your own words."}
    if found.kind == UNEXPLAINED:
        return Form(message=found.text, fields={"answer": answer, "unknown": _NOT_KNOWN}, required=())
    if not found.choices:
        return Form(message=found.text, fields={"answer": answer}, required=("answer",))
    chosen = choice_of(list(found.choices), list(found.titles))
    return Form(message=found.text, fields={_field(found): chosen, "answer": answer}, required=(_field(found),))


def _settle(call: Call[Kernel], found: OpenQuestion, response: Response) -> SettledShape | None:
    """Carry out what the person chose; in their own words alone nothing is decided, but who or what something is."""
    if found.kind == UNEXPLAINED and found.task is not None and response.accepted:
        return _explain(call, found, found.task, response)
    chosen = response.content.get(_field(found)) if response.accepted else None
    if chosen is None or found.task is None:
        return None
    said = str(response.content.get("answer") or "").strip()
    why = f"The user was asked: {found.told} They chose: {chosen}.{f' They said: {said}' if said else ''}"
    done: Settled = settle(call.kernel, found.task, cast(Choice, chosen), rationale=why, actor=call.actor)
    return SettledShape(answer=str(chosen), told=done.told, tx_id=done.tx)


def _explain(call: Call[Kernel], found: OpenQuestion, task: CareTask, response: Response) -> SettledShape | None:
    """Store who or what a name is, in the person's words, or leave it open for good where they do not know."""
    if response.content.get("unknown"):
        keep_as_it_is(call.kernel, task)
        return SettledShape(answer="unknown", told="It stays open, and is not asked again.")
    said, name = str(response.content.get("answer") or "").strip(), task.entries[0].title
    if not said:
        return None
    draft = NewMemory(
        content=said if fold(name) in fold(said) else f"{name}: {said}",
        rationale=f"The user was asked: {found.text}",
        metadata={"relation": INTRODUCES},
        relation=StatedRelation(word=INTRODUCES),
        link_to=(task.entries[0].id,),
        session=call.session,
        origin=Origin(source="user"),
    )
    stored = store(call.kernel, draft, actor=call.actor)
    told = f"It was stored as {citation_of(cast(Entry, stored.version.thing))}."
    return SettledShape(answer=said, told=told, tx_id=stored.version.tx)


def _choices(found: OpenQuestion, now: str) -> tuple[ChoiceShape, ...]:
    """Each answer, and the call that carries it out."""
    return tuple(
        ChoiceShape(answer=choice, meaning=title, **_call(choice, [entry.id for entry in found.focal], now))
        for choice, title in zip(found.choices, found.titles, strict=True)
    )


def _call(choice: Choice, ids: list[str], now: str) -> dict[str, Any]:
    one, other = ids[0], ids[-1]
    linked = {"node_id": other, "link_to": [one], "relation": "consistent with"}
    why = "The user was asked and said that it does not hold."
    calls: Mapping[Choice, tuple[str, dict[str, Any]]] = {
        "first": ("annotate_node", {"node_id": one, "supersedes": [other]}),
        "second": ("annotate_node", {"node_id": other, "supersedes": [one]}),
        "both": ("annotate_node", linked),
        "different": ("annotate_node", linked),
        "neither": ("annotate_node", {"node_id": other, "supersedes": [one], "valid_to": now}),
        "unknown": ("annotate_node", {"node_id": other, "contradicts": [one]}),
        "same": ("annotate_node", {"node_id": other, "same_as": [one]}),
        "release": ("annotate_node", {"node_id": one, "release": True}),
        "forget": ("forget_concept", {"node_id": one, "reason": "incorrect", "rationale": why}),
        "still": ("annotate_node", {"node_id": one, "valid_to": None}),
    }
    if choice not in calls:
        return {}
    name, arguments = calls[choice]
    return {"tool": name, "arguments": arguments}


def _follow_up(
    found: OpenQuestion, response: Response, choices: tuple[ChoiceShape, ...], *, is_settled: bool
) -> str | None:
    """What to do with the answer; nothing where there is none to come."""
    if response.outcome in ("declined", "cancelled"):
        return None
    said = str(response.content.get("answer") or "").strip()
    linked = f', "link_to": {json.dumps([entry.id for entry in found.focal])}' if found.focal else ""
    if response.accepted:
        if is_settled and (not said or found.kind == UNEXPLAINED):
            return None
        return f'Store what they said: store_memory {{"content": {json.dumps(said)}{linked}, "rationale": "…"}}.'
    if not choices:
        return f'Ask the user, then store the answer: store_memory {{"content": "…"{linked}, "rationale": "…"}}.'
    calls = [
        f"{each.answer}: {each.tool} {json.dumps(each.arguments)}" for each in choices if isinstance(each.tool, str)
    ]
    return f"Ask the user, then carry the answer out. {'; '.join(calls)}."
