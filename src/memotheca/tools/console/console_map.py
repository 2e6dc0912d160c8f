"""Show the map of the whole graph for a page."""

from dataclasses import dataclass, replace

from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import to_iso
from memotheca.toolkit.fields import flag, integer, many, number, one, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.console.wording import count, cut
from memotheca.views.as_of import find_past
from memotheca.views.graph_map import GraphMap
from memotheca.views.kept_maps import maps_of
from memotheca.views.map_names import name_nodes

LONGEST = 30  # chosen: longer than the largest graph takes to draw here (docs/benchmarks.md)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    wait: float = number("How many seconds to wait for it to be drawn", 0.5, minimum=0, maximum=LONGEST)
    columns: bool = flag("Whether to tell every node's place and every edge too, packed", False)
    known: str = text("The map one has: its columns are not told again", "", maxLength=64)
    as_of: str | None = text("As it was then: an ISO-8601 time, or a transaction's number", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindCount:
    kind: str = text()
    count: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationCount:
    type: str = text()
    predicate: str = text()
    count: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicShape:
    title: str = text()
    number: int = integer()
    count: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    left: float = number()
    top: float = number()
    right: float = number()
    bottom: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    map: str | None = text(nullable=True)
    tx: int = integer()
    at: str | None = text(nullable=True)
    fresh: bool = flag()
    drawing: bool = flag()
    nodes: int = integer()
    edges: int = integer()
    unlinked: int = integer()
    box: Box = one(Box)
    kinds: tuple[KindCount, ...] = many(KindCount)
    relations: tuple[RelationCount, ...] = many(RelationCount)
    topics: tuple[TopicShape, ...] = many(TopicShape)
    columns: str | None = text(nullable=True)


EXAMPLE = Example(
    arguments={"wait": 5},
    after=(("relate", {"subject": "Ada", "predicate": "works_at", "object": "Analytical Engines"}),),
)


_NOTHING = Output(
    map=None,
    tx=0,
    at=None,
    fresh=False,
    drawing=False,
    nodes=0,
    edges=0,
    unlinked=0,
    box=Box(left=0.0, top=0.0, right=0.0, bottom=0.0),
    kinds=(),
    relations=(),
    topics=(),
    columns=None,
)


@tool(contract="console", effect="read", models=(Input, Output), example=EXAMPLE)
def console_map(call: Call[Kernel], input: Input) -> Answer:
    """Show the whole graph laid out: what there is of it, and on request every node's place and every edge. It is drawn
    in the background; until then the last one is shown, or none; of a state that has passed, none."""
    then, maps = find_past(call.kernel, input.as_of), maps_of(call.kernel)
    state = maps.look(call.kernel, input.wait) if then is None else maps.look_back(call.kernel, then, input.wait)
    if state.map is None:
        said = "The map is being drawn; ask again." if state.is_drawing else "There is no map."
        return Answer(said, content=replace(_NOTHING, drawing=state.is_drawing))
    map, rows = state.map, state.map.rows
    return Answer(
        f"{count(len(rows.ids), 'node')} and {count(len(rows.sources), 'edge')}.",
        content=Output(
            map=map.name,
            tx=rows.tx,
            at=to_iso(rows.time) if rows.tx else None,
            fresh=state.is_fresh,
            drawing=state.is_drawing,
            nodes=len(rows.ids),
            edges=len(rows.sources),
            unlinked=len(rows.ids) - map.linked,
            box=_box(map),
            kinds=tuple(KindCount(kind=kind, count=number) for kind, number in map.count_kinds()),
            relations=tuple(
                RelationCount(type=each.type, predicate=cut(each.predicate), count=each.count) for each in rows.spoken
            ),
            topics=_topics(call.kernel, map),
            columns=map.spelled if input.columns and input.known != map.name else None,
        ),
    )


def _box(map: GraphMap) -> Box:
    left, top, right, bottom = (round(each, 1) for each in map.box)
    return Box(left=left, top=top, right=right, bottom=bottom)


def _topics(kernel: Kernel, map: GraphMap) -> tuple[TopicShape, ...]:
    """The largest topics, each called after its most linked node."""
    named = {each.number: each.shown.title for each in name_nodes(kernel, map, [topic.hub for topic in map.topics])}
    return tuple(TopicShape(title=cut(named[each.hub]), number=each.hub, count=each.count) for each in map.topics)
