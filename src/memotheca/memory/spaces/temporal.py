"""Nearness in time: how fresh together (E2), at which point of the clock and calendar (E3), in which order (E4)."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.spaces.space import Hung, Space
from memotheca.model.clock import DAY, HOUR

Array = NDArray[Any]

SCALES = (HOUR, DAY, 7 * DAY, 30 * DAY)
PERIODS = (HOUR, DAY, 7 * DAY, 30 * DAY, 365 * DAY)
LONGEST = 365 * DAY  # specification: what is further apart is a year apart (memory-model: Spaces)
STEPS = 10.0  # specification (memory-model: Spaces)
MINUTE = HOUR // 60  # specification: the unit


def freshness(moments: Array, moment: int | Array) -> Array:
    """E2: the mean over an hour, a day, a week and a month of how little the distance is on that scale; for a column of
    moments, a row for each."""
    apart = np.minimum(np.abs(moments - moment), LONGEST).astype(np.float64)
    return np.mean([np.exp(-apart / scale) for scale in SCALES], axis=0).astype(np.float32)


def phases(moments: Array) -> Array:
    """E3: where moments stand in the hour, day, week, month and year, as ten numbers, a row for each."""
    turns = np.stack([2 * np.pi * (moments % period) / period for period in PERIODS], axis=1)
    return np.concatenate([np.sin(turns), np.cos(turns)], axis=1).astype(np.float32)


def periodicity(known: Array, probes: Array) -> Array:
    """How near each of some phases is to all that are known, a row for each."""
    cosines = np.einsum("pj,kj->pk", probes, known) / len(PERIODS)
    return ((1 + cosines) / 2).astype(np.float32)


def ordering(known: tuple[Array, Array], probes: tuple[Array, Array]) -> Array:
    """E4: how many steps apart within one session; different sessions have no order between them. For columns of
    sessions and positions, a row for each."""
    steps = np.abs(known[1] - probes[1]).astype(np.float64)
    return np.where(known[0] == probes[0], np.exp(-steps / STEPS), 0.0).astype(np.float32)


def implicit_position(moment: int) -> tuple[str, int]:
    """What was stored outside a session stands in the order of its day, a step a minute."""
    return f"day:{moment // DAY}", (moment % DAY) // MINUTE


class RecentSpace(Space):
    """Freshness together."""

    id, name, purpose = "E2", "Temporal recent", "freshness"
    representation = "decay over an hour, a day, a week and a month"
    sees_content = False

    @cached_property
    def _moments(self) -> Array:
        return _moments_of(self.members.hung)

    def nearness(self, probes: Sequence[Hung]) -> Array:
        return freshness(self._moments, _moments_of(probes)[:, None])

    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        return freshness(_moments_of(others), _moments_of(ones))


class PeriodicSpace(Space):
    """The point of clock and calendar."""

    id, name, purpose = "E3", "Temporal periodic", "periodicity"
    representation = "phases of hour, day, week, month and year"
    sees_content = False

    @cached_property
    def _phases(self) -> Array:
        return phases(_moments_of(self.members.hung))

    def nearness(self, probes: Sequence[Hung]) -> Array:
        return periodicity(self._phases, phases(_moments_of(probes)))

    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        return periodicity(phases(_moments_of(others)), phases(_moments_of(ones))).diagonal()


class PositionalSpace(Space):
    """Steps apart in a session."""

    id, name, purpose = "E4", "Temporal positional", "ordering"
    representation = "steps within a session"
    sees_content = False
    silence = "nothing else of its session is there to compare"

    @cached_property
    def _order(self) -> tuple[Array, Array]:
        return _order_of(self.members.hung)

    def speaks(self, probes: Sequence[Hung]) -> Array:
        known = Counter(member.print.session for member in self.members.hung)
        ids = {member.id for member in self.members.hung}
        return np.array([known[probe.print.session] > (probe.id in ids) for probe in probes], bool)

    def nearness(self, probes: Sequence[Hung]) -> Array:
        sessions, positions = _order_of(probes)
        return ordering(self._order, (sessions[:, None], positions[:, None]))

    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        return ordering(_order_of(others), _order_of(ones))


def _moments_of(probes: Sequence[Hung]) -> Array:
    return np.array([probe.print.moment for probe in probes], np.int64)


def _order_of(probes: Sequence[Hung]) -> tuple[Array, Array]:
    sessions = np.array([probe.print.session for probe in probes], np.uint64)
    return sessions, np.array([probe.print.position for probe in probes], np.int64)
