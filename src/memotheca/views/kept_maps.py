"""Maps that are kept: drawn in the background when somebody asks, and laid out the same from visit to visit."""

import base64
import logging
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Condition
from typing import Any

import numpy as np

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.sideline import Sideline
from memotheca.model.cancellation import heed
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.activity import read_state, write_state
from memotheca.storage.chunks import count_erasures
from memotheca.views.as_of import PastState
from memotheca.views.graph_map import GraphMap, Seats, draw_map
from memotheca.views.graph_rows import read_graph
from memotheca.views.map_layout import Laid

log = logging.getLogger(__name__)

STATE = "graph map"
SHARE = 0.05  # chosen: of a processor's time so much at most goes into a map that is always drawn anew
KEPT_NEWS = 0.02  # chosen: so large a share of new places is worth writing down; fewer are found again
REMEMBERED = 3  # chosen: maps, of now and of what has passed, whose nodes can still be asked for by number


@dataclass(frozen=True, slots=True)
class MapState:
    """The map there is, whether it shows the newest transaction, and whether another is being drawn."""

    map: GraphMap | None
    is_fresh: bool
    is_drawing: bool


class KeptMaps:
    """The maps of one collection in this process; one thread draws, and only while somebody wants it."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._maps: list[GraphMap] = []
        self._seats: Seats | None = None
        self._written: set[str] = set()
        self._is_drawing = False
        self._rests_until = 0.0
        self._failure: Refusal | None = None
        self._past: dict[int, GraphMap] = {}
        self._past_failure: Refusal | None = None
        self._erasures = 0
        self._is_looking_back = False

    def look(self, kernel: Kernel, wait: float) -> MapState:
        """The map, drawn anew where something has changed; waits so many seconds for that."""
        with kernel.read() as snapshot:
            tx = snapshot.tx
        until = time.monotonic() + wait
        with self._changed:
            while self._current(tx) is None:
                heed()
                if not self._is_drawing and self._is_rested and not self._begin(kernel):
                    break
                left = until - time.monotonic()
                if left <= 0 or self._failure is not None:
                    break
                # In short waits, since a call that was cancelled tells nobody.
                self._changed.wait(min(0.05, left))
            failure, self._failure = self._failure, None
            if failure is not None:
                raise failure
            newest = self._maps[-1] if self._maps else None
            return MapState(newest, self._current(tx) is not None, self._is_drawing)

    def look_back(self, kernel: Kernel, then: PastState, wait: float) -> MapState:
        """The map of a state that has passed, as `look` has that of now; what was there then keeps its place of now."""
        with kernel.read() as snapshot:
            erasures, _ = count_erasures(snapshot.session, snapshot.collection)
        until = time.monotonic() + wait
        with self._changed:
            if erasures != self._erasures:
                self._past.clear()
                self._erasures = erasures
            while then.tx not in self._past:
                heed()
                if not self._is_looking_back and not self._begin_back(kernel, then):
                    break
                left = until - time.monotonic()
                if left <= 0 or self._past_failure is not None:
                    break
                self._changed.wait(min(0.05, left))
            failure, self._past_failure = self._past_failure, None
            if failure is not None:
                raise failure
            drawn = self._past.get(then.tx)
            return MapState(drawn, drawn is not None, self._is_looking_back)

    def find(self, name: str) -> GraphMap:
        with self._changed:
            for each in (*self._maps, *self._past.values()):
                if each.name == name:
                    return each
        message = "That map is not kept any more, since the graph has changed; ask for the map again."
        raise Refusal(Failure.EXPIRED, message, field="map")

    @property
    def _is_rested(self) -> bool:
        return not self._maps or time.monotonic() >= self._rests_until

    def _begin(self, kernel: Kernel) -> bool:
        sideline = kernel.keep(Sideline, kernel.collection)
        self._is_drawing = sideline.begin("map", partial(self._draw, kernel))
        return self._is_drawing

    def _current(self, tx: int) -> GraphMap | None:
        return self._maps[-1] if self._maps and self._maps[-1].rows.tx >= tx else None

    def _begin_back(self, kernel: Kernel, then: PastState) -> bool:
        sideline = kernel.keep(Sideline, kernel.collection)
        self._is_looking_back = sideline.begin("past map", partial(self._draw_back, kernel, then))
        return self._is_looking_back

    def _draw_back(self, kernel: Kernel, then: PastState) -> None:
        drawn, failure = None, None
        try:
            drawn, failure = _try(partial(self._draw_then, kernel, then))
        finally:
            with self._changed:
                self._is_looking_back = False
                self._past_failure = failure
                if drawn is not None:
                    kept = list(self._past.items())[1 - REMEMBERED :]
                    self._past = {**dict(kept), then.tx: drawn}
                self._changed.notify_all()

    def _draw_then(self, kernel: Kernel, then: PastState) -> GraphMap:
        return draw_map(read_graph(kernel, heed, then), self._known_seats(kernel), heed, is_past=True)

    def _draw(self, kernel: Kernel) -> None:
        began, drawn, failure = time.thread_time(), None, None
        try:
            drawn, failure = _try(partial(self._draw_now, kernel))
        finally:
            with self._changed:
                self._is_drawing = False
                self._rests_until = time.monotonic() + (time.thread_time() - began) * (1 / SHARE - 1)
                self._failure = failure
                if drawn is not None:
                    others = [each for each in self._maps if each.name != drawn.name]
                    self._maps = [*others[1 - REMEMBERED :], drawn]
                self._changed.notify_all()

    def _known_seats(self, kernel: Kernel) -> Seats | None:
        if self._seats is not None:
            return self._seats
        with kernel.read() as snapshot:
            return _unpack(read_state(snapshot.session, snapshot.collection, STATE))

    def _draw_now(self, kernel: Kernel) -> GraphMap:
        if self._seats is None:
            self._seats = self._known_seats(kernel)
            self._written = set() if self._seats is None else set(self._seats.ids)
        drawn = draw_map(read_graph(kernel, heed), self._seats, heed)
        is_other = self._seats is None or drawn.seats.begun != self._seats.begun
        self._seats = drawn.seats
        news = sum(id not in self._written for id in drawn.seats.ids)
        if drawn.seats.ids and (is_other or news > KEPT_NEWS * len(drawn.seats.ids)):
            self._write_down(kernel, drawn.seats)
        return drawn

    def _write_down(self, kernel: Kernel, seats: Seats) -> None:
        """Where nothing may be written, as on a disk that is full, the map is laid out again another time."""
        act = partial(write_state, collection=kernel.collection, name=STATE, value=_pack(seats), now=kernel.now())
        try:
            kernel.store.operate(act, collection=kernel.collection)
            self._written = set(seats.ids)
        except Refusal as refusal:
            log.warning("the places of the map could not be kept: %s", refusal.message)


def _try(draw: Callable[[], GraphMap]) -> tuple[GraphMap | None, Refusal | None]:
    """The map, or why there is none."""
    try:
        return draw(), None
    except Refusal as refusal:
        return None, refusal
    except Exception:
        log.exception("the map could not be drawn")
        return None, Refusal(Failure.INTERNAL, "The map could not be drawn; the server's log says why.")


def maps_of(kernel: Kernel) -> KeptMaps:
    return kernel.keep(KeptMaps, kernel.collection)


def _pack(seats: Seats) -> dict[str, Any]:
    columns = ("\n".join(seats.ids).encode(), seats.laid.places.tobytes(), seats.laid.groups.astype("<i4").tobytes())
    packed = [base64.b64encode(zlib.compress(column)).decode() for column in columns]
    return {"begun": seats.begun, "columns": packed}


def _unpack(said: Any) -> Seats | None:
    if said is None:
        return None
    ids, places, groups = (zlib.decompress(base64.b64decode(column)) for column in said["columns"])
    laid = Laid(np.frombuffer(places, "<f4").reshape(2, -1), np.frombuffer(groups, "<i4").astype(np.int64))
    return Seats(ids.decode().split("\n"), laid, said["begun"])
