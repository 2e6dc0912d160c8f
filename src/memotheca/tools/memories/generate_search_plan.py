"""Generate a search plan."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.recall.plan import plan_search
from memotheca.toolkit.fields import UNSET, Unset, integer, many, number, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

UNMEASURED = "No search of this type was tested here; test_recall_accuracy measures it."
FOCUS = ("semantic", "causal", "code", "temporal", "entity")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    goal: str = text("What you want to find out.", minLength=10, maxLength=1000)
    focus_spaces: tuple[str, ...] | Unset = texts("Preferred embedding spaces", UNSET, values=FOCUS)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryShape:
    query: str = text()
    type: str = text()
    space: str = text()
    rationale: str = text()
    expected_recall: float | None = number(default=None, nullable=True)
    expected_recall_reason: str | Unset = text(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    queries: tuple[QueryShape, ...] = many(QueryShape)
    count: int = integer()
    execution_strategy: str = text()
    token_estimate: int = integer()


EXAMPLE = Example(
    arguments={"goal": "Find out why deploys fail while the migration lock is held"},
    after=(
        (
            "store_memory",
            {"content": "Deploys fail while the job holds the migration lock.", "rationale": "Seen on Tuesday."},
        ),
    ),
)


@tool(contract="memories", component="retrieval", effect="read", models=(Input, Output), example=EXAMPLE)
def generate_search_plan(call: Call[Kernel], input: Input) -> Answer:
    """Turn a goal into three different questions for search_graph, each with the space to pass on; how much searches of
    its type find here is told where it was measured."""
    focus = input.focus_spaces if isinstance(input.focus_spaces, tuple) else ()
    plan = plan_search(call.kernel, input.goal, focus)
    output = Output(
        queries=tuple(
            QueryShape(
                query=query.text,
                type=query.type,
                space=query.space,
                rationale=query.rationale,
                expected_recall=None if query.expected_recall is None else round(query.expected_recall, 4),
                expected_recall_reason=UNMEASURED if query.expected_recall is None else UNSET,
            )
            for query in plan.queries
        ),
        count=len(plan.queries),
        execution_strategy=plan.strategy,
        token_estimate=plan.tokens,
    )
    asked = "; ".join(f'"{query.text}"' for query in plan.queries)
    return Answer(f"Ask {asked} ({plan.strategy}).", NODES, output)
