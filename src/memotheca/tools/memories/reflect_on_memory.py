"""Reflect on memory."""

from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.recall.reflection import reflect
from memotheca.toolkit.fields import free, integer, many, number, one, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.names import TOOLS
from memotheca.tools.memories.proposals import say_why, to_arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    goal: str = text("What you're trying to achieve", minLength=10, maxLength=1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepShape:
    step: int = integer()
    tool: str = text()
    params: dict[str, Any] = free()
    rationale: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextShape:
    entropy: float = number()
    coherence: float = number()
    triggered_by: tuple[str, ...] = texts()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    reasoning: str = text()
    suggested_sequence: tuple[StepShape, ...] = many(StepShape)
    count: int = integer()
    utl_context: ContextShape = one(ContextShape)


EXAMPLE = Example(
    arguments={"goal": "Understand why deploys fail"},
    after=(
        ("store_memory", {"content": "Deploys fail while the lock is held.", "rationale": "Seen on Tuesday."}),
        ("store_memory", {"content": "The nightly job holds the lock.", "rationale": "It explains the deploys."}),
    ),
)


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def reflect_on_memory(call: Call[Kernel], input: Input) -> Answer:
    """Not sure how to go about something? Say the goal and get the tools to call, in order, with arguments filled in
    from what is stored."""
    found = reflect(call.kernel, input.goal, call.session)
    output = Output(
        reasoning=found.reasoning,
        suggested_sequence=tuple(
            StepShape(
                step=number, tool=TOOLS[step.verb], params=to_arguments(step, found.goal), rationale=say_why(step)
            )
            for number, step in enumerate(found.steps, 1)
        ),
        count=len(found.steps),
        utl_context=ContextShape(
            entropy=round(found.entropy, 4), coherence=round(found.coherence, 4), triggered_by=found.triggered_by
        ),
    )
    return Answer(f"{found.reasoning} Call {', then '.join(TOOLS[step.verb] for step in found.steps)}.", NODES, output)
