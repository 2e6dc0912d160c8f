"""Name nodes of the map, or find them there, for a page."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.toolkit.fields import flag, integer, integers, many, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.console.wording import count, cut
from memotheca.views.kept_maps import maps_of
from memotheca.views.map_names import find_node, name_nodes
from memotheca.views.map_search import find_nodes


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    map: str = text("Which map, as `console_map` named it", maxLength=64)
    numbers: tuple[int, ...] = integers("The nodes to name, by their numbers on it", (), maxItems=200)
    handle: str = text("A thing whose node is sought: any handle", "", maxLength=4096)
    query: str = text("A text: the nodes whose title has it, or whose text answers it", "", maxLength=4096)
    limit: int = integer("How many nodes are found at most", 1000, minimum=1, maximum=100_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeName:
    number: int = integer()
    id: str = text()
    handle: str = text()
    title: str = text()
    kind: str = text()
    ghost: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    nodes: tuple[NodeName, ...] = many(NodeName)
    found: tuple[int, ...] = integers()
    total: int = integer()


EXAMPLE = Example(
    arguments={"map": "$map", "handle": "Ada"},
    after=(
        ("relate", {"subject": "Ada", "predicate": "works_at", "object": "Analytical Engines"}),
        ("console_map", {"wait": 5}),
    ),
)


@tool(contract="console", effect="read", models=(Input, Output), example=EXAMPLE)
def console_map_nodes(call: Call[Kernel], input: Input) -> Answer:
    """Name nodes of a map by their numbers, and find those that a handle or a text means."""
    kernel = call.kernel
    map = maps_of(kernel).find(input.map)
    wanted, found, total = list(input.numbers), list[int](), 0
    if input.handle.strip():
        wanted.append(find_node(kernel, map, input.handle))
    if input.query.strip():
        found, total = find_nodes(kernel, map, input.query, limit=input.limit)
    nodes = tuple(
        NodeName(
            number=each.number,
            id=each.shown.id,
            handle=each.shown.handle,
            title=cut(each.shown.title),
            kind=each.shown.kind,
            ghost=map.is_ghost(each.number) or each.shown.is_ghost,
        )
        for each in name_nodes(kernel, map, wanted)
    )
    said = f"{count(total, 'node')} found." if input.query.strip() else f"{count(len(nodes), 'node')} named."
    return Answer(said, content=Output(nodes=nodes, found=tuple(found), total=total))
