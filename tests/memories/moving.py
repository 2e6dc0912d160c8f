"""Planted changes: what a tool reports in three worlds that differ in one thing, and in which direction it moves."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from memotheca.kernel.nodes import find_node
from memotheca.memory.curation.links import new_link
from memotheca.memory.graph.relations import read_relation
from tests.memories.librarian import WHY, Librarian

Act = Callable[[Librarian], object]
Direction = Literal["up", "down", "changes"]


def nothing(librarian: Librarian) -> None:
    """Leave the world as it is."""


def stranger(librarian: Librarian) -> None:
    """Something that has to do with nothing else."""
    librarian.remember("Penguins huddle against the polar wind.", name="penguins", session_id="elsewhere")


def question(librarian: Librarian) -> None:
    """A question in another session."""
    here, librarian.session = librarian.session, "elsewhere"
    librarian.call("search_graph", query="zzz")
    librarian.session = here


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A tool's numbers move with `plant` and not with `unrelated`, compared with `before`; all three come after
    `prepare`. Where the change is in what the tool is told, `planted` are the other arguments."""

    tool: str
    moves: Mapping[str, Direction]
    ask: Mapping[str, Any] = field(default_factory=dict[str, Any])
    planted: Mapping[str, Any] | None = None
    prepare: Act = nothing
    before: Act = nothing
    plant: Act = nothing
    unrelated: Act = stranger
    tolerance: float = 0.0

    def __str__(self) -> str:
        return f"{self.tool}:{','.join(self.moves)}"


def look_up(answer: Any, path: str) -> float:
    """The number at a path as `neighbors[0].weight`; where there is none yet, it is 0."""
    here = answer
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        if index:
            here = here[int(index)] if isinstance(here, list) and len(here) > int(index) else None
        else:
            here = here.get(name) if isinstance(here, dict) else None
    return 0.0 if here is None else float(here)


def remembered(*contents: str, **more: Any) -> Act:
    """Store these, the first under the name `first` and so on."""
    names = ("first", "second", "third", "fourth", "fifth", "sixth")

    def act(librarian: Librarian) -> None:
        for name, content in zip(names, contents, strict=False):
            librarian.remember(content, name=name, **more)

    return act


def called(tool: str, **arguments: Any) -> Act:
    return lambda librarian: librarian.call(tool, **arguments)


def linked(source: str, target: str, relation: str = "causal", *, weight: float = 0.8, **attributes: Any) -> Act:
    """Put an edge between two that are named."""

    def act(librarian: Librarian) -> None:
        with librarian.kernel.read() as snapshot:
            ends = (find_node(snapshot, source).id, find_node(snapshot, target).id)

        def put(transaction: Any) -> None:
            transaction.describe("CREATE")
            edge = new_link(transaction, ends, read_relation(relation).type, weight=weight, predicate=relation)
            transaction.put(replace(edge, attributes=attributes))

        librarian.kernel.write(put, actor="tester")

    return act


def both(*acts: Act) -> Act:
    def act(librarian: Librarian) -> None:
        for each in acts:
            each(librarian)

    return act


def boosted(name: str, delta: float) -> Act:
    return called("boost_importance", node_id=name, delta=delta, rationale=WHY)


def forgotten(name: str) -> Act:
    return called("forget_concept", node_id=name, reason="obsolete", rationale=WHY)
