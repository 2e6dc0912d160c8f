"""Ask the person."""

from dataclasses import dataclass
from typing import Any

from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.recall.questions import DUE, OpenQuestion, eligibility, next_question
from memotheca.memory.session.state import activity_of
from memotheca.toolkit.ask import Form, Response, choice_of
from memotheca.toolkit.fields import UNSET, Schema, Unset, flag, free, number, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

ASK, NONE = "ask_user", "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    session_id: str | Unset = text("Session identifier for context", UNSET)
    force: bool = flag("Generate question regardless of coherence state", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    action_type: str = text()
    question: str = text()
    expected_entropy_reduction: float = number(minimum=0, maximum=1)
    focal_nodes: tuple[str, ...] = texts()
    coherence_before: float = number()
    suggested_follow_up: str | None = text(default=None, nullable=True)
    reason: str = text()
    asked_directly: bool = flag()
    answer: dict[str, Any] | Unset = free(default=UNSET)


EXAMPLE = Example(arguments={"force": True})


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE, idempotent=False)
def epistemic_action(call: Call[Kernel], input: Input) -> Answer:
    """Get the one question to the user whose answer would settle most: about contradictions, causes, unlinked or
    unexplained things. Where the client can ask, the user is asked at once. No question comes twice in a session."""
    kernel = call.kernel
    name = input.session_id if isinstance(input.session_id, str) and input.session_id else call.session
    with kernel.read() as snapshot:
        mood = activity_of(kernel).mood(snapshot.session, kernel.collection, name)
        why = eligibility(mood, force=input.force)
        found = next_question(kernel, snapshot, mood) if why is not None else None
    if found is None:
        told = _unasked(why)
        output = Output(
            action_type=NONE,
            question="",
            expected_entropy_reduction=0.0,
            focal_nodes=(),
            coherence_before=round(mood.coherence, 4),
            reason=told,
            asked_directly=False,
        )
        return Answer(told, NODES, output)
    response = call.ask(_form(found))
    mood.asked = [*mood.asked, found.mark]
    activity_of(kernel).keep((kernel.collection, name))
    output = Output(
        action_type=ASK,
        question=found.text,
        expected_entropy_reduction=round(found.reduction, 4),
        focal_nodes=tuple(entry.id for entry in found.focal),
        coherence_before=round(mood.coherence, 4),
        suggested_follow_up=_follow_up(found, response),
        reason=f"{found.kind}; {why}",
        asked_directly=response.outcome != "unsupported",
        answer=dict(response.content) if response.accepted else UNSET,
    )
    return Answer(found.text, NODES, output)


def _unasked(why: str | None) -> str:
    if why is None:
        return f"No question is due: one is {DUE}. Use force to ask all the same."
    return "Everything there is to ask has been asked in this session."


def _form(found: OpenQuestion) -> Form:
    answer: Schema = {"type": "string", "title": "Answer", "description": "In your own words."}
    if found.kind != "contradiction":
        return Form(message=found.text, fields={"answer": answer}, required=("answer",))
    titles = [name_of(entry) for entry in found.focal]
    holds = choice_of(["first", "second", "both", "neither"], [*titles, "Both, at different times", "Neither"])
    return Form(message=found.text, fields={"holds": holds, "answer": answer}, required=("holds",))


def _follow_up(found: OpenQuestion, response: Response) -> str | None:
    """What to do with the answer; nothing where there is none to come."""
    if response.outcome in ("declined", "cancelled"):
        return None
    cited = ", ".join(citation_of(entry) for entry in found.focal)
    link = f" and link_to {cited}" if cited else ""
    if response.accepted:
        return f"Store the answer with store_memory{link}."
    return f"Ask the user, then store the answer with store_memory{link}."
