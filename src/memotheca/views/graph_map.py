"""The map of a collection: its whole graph laid out, and packed into columns as a page draws it."""

import base64
import hashlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memotheca.views.graph_rows import GHOST, NODE_KINDS, GraphRows
from memotheca.views.map_layout import Laid, NodePairs, join, lay_out, pile, tie

GROWTH = 1.5  # chosen: laid out anew when half as many have come again, or as many are gone
MARGIN = 1.1  # chosen: the pile moves aside in steps of a tenth, not with each node that comes
NAMED_TOPICS = 24  # chosen: more colours than a person tells apart
NO_TOPIC = 0xFFFF  # chosen: of nodes without links, and of those whose topic is beyond what two bytes count
FULL = 0xFFFF  # chosen: places are sent as shares of the box they are in, in two bytes
DEFLATE = 6  # chosen: what zlib takes by itself


@dataclass(frozen=True, slots=True)
class Seats:
    """Where linked nodes were placed, by their ids: what a map keeps from one visit to the next."""

    ids: list[str]
    laid: Laid
    # How many there were when all were laid out together.
    begun: int


@dataclass(frozen=True, slots=True)
class MapTopic:
    """A group of nodes that hold together, named by the most linked of them."""

    count: int
    hub: int


@dataclass(frozen=True, slots=True)
class GraphMap:
    """The whole graph with places; `name` is the same wherever the same map is drawn."""

    name: str
    rows: GraphRows
    seats: Seats
    box: tuple[float, float, float, float]
    topics: list[MapTopic]
    linked: int
    columns: bytes
    is_past: bool = False

    @property
    def spelled(self) -> str:
        """The columns as text."""
        return base64.b64encode(self.columns).decode()

    def count_kinds(self) -> list[tuple[str, int]]:
        counts = [int(np.count_nonzero(self.rows.kinds == number)) for number in range(len(NODE_KINDS))]
        return [(kind, count) for kind, count in zip(NODE_KINDS, counts, strict=True) if count]

    def is_ghost(self, number: int) -> bool:
        return NODE_KINDS[int(self.rows.kinds[number])] == GHOST


def draw_map(rows: GraphRows, held: Seats | None, pause: Callable[[], None], *, is_past: bool = False) -> GraphMap:
    """Places for everything: as they were for who had one, unless the graph has become another. What has passed is
    shown in the places of now, however much of it there was."""
    count = len(rows.ids)
    ties = tie(count, rows.sources, rows.targets)
    linked = np.flatnonzero(ties.degrees)
    stays = is_past and held is not None and bool(held.ids)
    seats = _seat([rows.ids[number] for number in linked.tolist()], _only(ties, linked), held, pause, stays=stays)
    places, box = _with_pile(count, linked, seats.laid)
    groups = np.full(count, -1)
    groups[linked] = seats.laid.groups
    topics, ranks = _rank_topics(ties, groups)
    columns = pack(rows, _to_shares(places, box), ranks)
    digest = hashlib.blake2b(columns, digest_size=16)
    digest.update("\n".join([*rows.ids, *([str(rows.tx)] if is_past else [])]).encode())
    return GraphMap(
        str(UUID(bytes=digest.digest(), version=5)), rows, seats, box, topics, len(linked), columns, is_past
    )


def _only(ties: NodePairs, linked: NDArray[np.int64]) -> NodePairs:
    """The same links among those nodes alone."""
    place = np.full(ties.count, -1)
    place[linked] = np.arange(len(linked))
    return NodePairs(len(linked), place[ties.near], place[ties.far])


def _seat(ids: list[str], ties: NodePairs, held: Seats | None, pause: Callable[[], None], *, stays: bool) -> Seats:
    if not ids:
        return Seats([], Laid(np.zeros((2, 0), np.float32), np.zeros(0, np.int64)), 0)
    known = {} if held is None else {id: number for number, id in enumerate(held.ids)}
    before = np.array([known.get(id, -1) for id in ids])
    stayed = int(np.count_nonzero(before >= 0))
    if held is None or (not stays and (held.begun > GROWTH * stayed or len(ids) > GROWTH * held.begun)):
        return Seats(ids, lay_out(ties, pause), len(ids))
    places = np.where(before >= 0, held.laid.places[:, before], np.nan).astype(np.float32)
    groups = np.where(before >= 0, held.laid.groups[before], -1)
    return Seats(ids, join(ties, Laid(places, groups), pause), held.begun)


def _with_pile(
    count: int, linked: NDArray[np.int64], laid: Laid
) -> tuple[NDArray[np.float32], tuple[float, float, float, float]]:
    """All places, those without links piled up at the side; and the box around them."""
    places = np.zeros((2, count), np.float32)
    places[:, linked] = laid.places
    alone = np.setdiff1d(np.arange(count), linked)
    if len(alone):
        heap = pile(len(alone))
        reach = float(laid.places[0].max()) + 1 if len(linked) else 0.0
        wide = float(np.abs(heap).max()) + 1
        stepped = MARGIN ** np.ceil(np.log(reach + wide + 1) / np.log(MARGIN)) if len(linked) else 0.0
        places[:, alone] = heap + np.array([[stepped], [0]], np.float32)
    low, high = (places.min(1), places.max(1)) if count else (np.zeros(2), np.zeros(2))
    return places, (float(low[0]) - 1, float(low[1]) - 1, float(high[0]) + 1, float(high[1]) + 1)


def _rank_topics(ties: NodePairs, groups: NDArray[np.int64]) -> tuple[list[MapTopic], NDArray[np.uint16]]:
    """Groups by their size, and for each node the place of its own among them."""
    ranks = np.full(len(groups), NO_TOPIC, np.uint16)
    linked = np.flatnonzero(groups >= 0)
    if not len(linked):
        return [], ranks
    sizes = np.bincount(groups[linked])
    order = np.lexsort((np.arange(len(sizes)), -sizes))
    place = np.empty(len(sizes), np.int64)
    place[order] = np.arange(len(sizes))
    ranks[linked] = np.minimum(place[groups[linked]], NO_TOPIC)
    by_links = linked[np.lexsort((linked, -ties.degrees[linked]))]
    topics: list[MapTopic] = []
    for group in order[:NAMED_TOPICS].tolist():
        hub = by_links[groups[by_links] == group]
        topics += [MapTopic(int(sizes[group]), int(hub[0]))] if len(hub) else []
    return topics, ranks


def _to_shares(places: NDArray[np.float32], box: tuple[float, float, float, float]) -> NDArray[np.uint16]:
    low, high = np.array(box[:2])[:, None], np.array(box[2:])[:, None]
    return np.round((places - low) / np.maximum(high - low, 1e-6) * FULL).astype(np.uint16)


def pack(rows: GraphRows, shares: NDArray[np.uint16], topics: NDArray[np.uint16]) -> bytes:
    """Columns one after the other, deflated: of nodes how many links leave each (4 bytes), x and y (2 each), topic (2),
    kind (1); of links, in the order of their sources, how far the target is from the one before (4), relation (1)."""
    leaving = np.bincount(rows.sources, minlength=len(rows.ids)).astype("<u4")
    targets = rows.targets.astype(np.int64)
    steps = np.diff(targets, prepend=0)
    begins = np.flatnonzero(np.diff(rows.sources, prepend=-1))
    steps[begins] = targets[begins]
    columns: tuple[NDArray[Any], ...] = (
        leaving,
        steps.astype("<i4"),
        shares[0].astype("<u2"),
        shares[1].astype("<u2"),
        topics.astype("<u2"),
        rows.kinds,
        rows.relations,
    )
    return zlib.compress(b"".join(column.tobytes() for column in columns), DEFLATE)
