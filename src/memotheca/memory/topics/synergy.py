"""Synergy: how far two spaces belong together when purposes are compared, and what feedback on such comparisons has
taught: one weight for each group of spaces, in force where it orders feedback better that it has not seen
(memory-model: Synergy)."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.kernel.kernel import Kernel
from memotheca.memory.spaces.fusion_weights import GROUPS, PAIRS, STRONG, synergy
from memotheca.memory.spaces.space_table import IDS
from memotheca.memory.topics.purpose import PurposeVector
from memotheca.memory.tuning.tunings import Tuning, change_tunings, read_tuning, read_tunings
from memotheca.memory.verbs import Verb
from memotheca.model.commits import Commit
from memotheca.storage.snapshot import Snapshot

Array = NDArray[Any]
Weights = tuple[float, ...]

MATRIX, EVENTS = "synergy", "synergy-event:"
UPDATE_SCOPES = ("all_pairs", "high_synergy_only", "contributing_pairs")
# What a word of feedback wants of a likeness, and how it moves weights: specification (memory-model: Synergy).
FEEDBACK: Mapping[str, tuple[float, float]] = {
    "relevant": (1.0, 1.0),
    "not_relevant": (0.0, -0.5),
    "partially_relevant": (0.5, 0.25),
}
NEEDED = 10  # specification (memory-model: Synergy)
EACH = 3  # chosen: of both kinds, else there is nothing to put in order
LEAST, MOST = 0.5, 1.5  # chosen: no group is silenced or drowns the others
BETTER = 1e-6  # chosen: any pair more in its right order
KEPT_EVENTS = 500  # chosen: far more than somebody says by hand
_GROUP_OF = tuple(next(at for at, name in enumerate(GROUPS) if id in GROUPS[name]) for id in IDS)
_EVEN: Weights = (1.0,) * len(GROUPS)


@dataclass(frozen=True, slots=True, kw_only=True)
class PurposeFeedback:
    """What somebody said of a result of a search by purpose: the values of both, by id of the query; the likeness it
    should have; and how, how fast and by which pairs it moves weights."""

    query: str
    one: tuple[float, ...]
    other: tuple[float, ...]
    wanted: float
    push: float
    rate: float
    scope: str
    time: int = 0

    @property
    def clear(self) -> Array:
        """For each pair of spaces, how clearly both speak of both, from 0 to 1."""
        both = np.minimum(1.0, np.array(self.one) * np.array(self.other))
        return np.array([both[one] * both[other] for one, other in PAIRS])

    @property
    def scoped(self) -> Array:
        """Which pairs it moves."""
        if self.scope == "high_synergy_only":
            base = synergy()
            return np.array([base[pair] >= STRONG for pair in PAIRS])
        return self.clear > 0 if self.scope == "contributing_pairs" else np.ones(len(PAIRS), bool)


@dataclass(frozen=True, slots=True)
class HeldOutOrder:
    """How often of two results the one that is relevant is the more alike, among feedback that has taught nothing:
    with the weights as they are given, and with what the rest has taught."""

    count: int
    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SynergyState:
    """What was learned, whether it is in force, how often that changed, and by which feedback."""

    learned: Weights = _EVEN
    is_applied: bool = False
    version: int = 0
    events: tuple[PurposeFeedback, ...] = ()

    @property
    def matrix(self) -> Array:
        return matrix_of(self.learned if self.is_applied else _EVEN)


@dataclass(frozen=True, slots=True)
class SynergyUpdate:
    """What a piece of feedback came to."""

    before: SynergyState
    after: SynergyState
    event: PurposeFeedback
    held_out: HeldOutOrder | None
    reason: str
    commit: Commit | None

    @property
    def moved(self) -> Array:
        """By how much it moves what is learned of each pair."""
        return pair_values(matrix_of(self.after.learned)) - pair_values(matrix_of(self.before.learned))


def pair_values(matrix: Array) -> Array:
    return np.array([matrix[pair] for pair in PAIRS])


def matrix_of(weights: Weights) -> Array:
    """The given matrix with each pair times the mean weight of its two groups; never above 1, and 1 with itself."""
    each = np.array([weights[group] for group in _GROUP_OF])
    found = synergy() * (each[:, None] + each[None, :]) / 2
    np.fill_diagonal(found, 0.0)
    found = found / max(1.0, float(found.max()))
    np.fill_diagonal(found, 1.0)
    return found


def read_synergy(snapshot: Snapshot) -> SynergyState:
    """What is learned; its matrix counts in every purpose that is told or compared."""
    held = read_tuning(snapshot, MATRIX)
    if held is None:
        return SynergyState()
    value = held.value
    return SynergyState(
        learned=tuple(float(value["weights"][name]) for name in GROUPS),
        is_applied=bool(value["applied"]),
        version=int(value["version"]),
    )


def synergy_matrix(snapshot: Snapshot) -> Array:
    return read_synergy(snapshot).matrix


def _read_events(snapshot: Snapshot) -> dict[str, PurposeFeedback]:
    return {name: _event(held) for name, held in read_tunings(snapshot, EVENTS).items()}


def _event(held: Tuning) -> PurposeFeedback:
    value = held.value
    plain = {name: value[name] for name in ("query", "wanted", "push", "rate", "scope")}
    return PurposeFeedback(**plain, one=tuple(value["one"]), other=tuple(value["other"]), time=held.time)


def feedback_of(
    ids: tuple[str, str], vectors: tuple[PurposeVector, PurposeVector], said: Mapping[str, Any]
) -> tuple[str, PurposeFeedback]:
    """A piece of feedback, and the name it is kept under: said again of the same two, it takes the place of the
    former."""
    wanted, push = FEEDBACK[said["feedback"]]
    if "relevance_score" in said:
        wanted, push = float(said["relevance_score"]), 2 * float(said["relevance_score"]) - 1
    one, other = (tuple(round(float(value), 4) for value in vector.plain) for vector in vectors)
    digest = hashlib.blake2b("\0".join(ids).encode(), digest_size=8).hexdigest()
    return EVENTS + digest, PurposeFeedback(
        query=ids[0],
        one=one,
        other=other,
        wanted=wanted,
        push=push,
        rate=float(said["learning_rate"]),
        scope=str(said["update_scope"]),
    )


def take_feedback(kernel: Kernel, name: str, event: PurposeFeedback, *, actor: str) -> SynergyUpdate:
    """Keep a piece of feedback and learn from all there is: one transaction, which can be taken back."""
    with kernel.read() as snapshot:
        before = read_synergy(snapshot)
        held = _read_events(snapshot)
    events = {**held, name: event}
    gone = sorted(held.keys() - {name}, key=lambda each: held[each].time)[: max(0, len(events) - KEPT_EVENTS)]
    events = {each: events[each] for each in sorted(events) if each not in gone}
    told = tuple(events.values())
    held_out, reason = _test(told)
    is_applied = held_out is not None and held_out.after - held_out.before >= BETTER
    learned = learn_weights(told)
    was = before.learned if before.is_applied else _EVEN
    version = before.version + (was != (learned if is_applied else _EVEN))
    after = SynergyState(learned=learned, is_applied=is_applied, version=version, events=told)
    changes: dict[str, Mapping[str, Any] | None] = {
        MATRIX: {"weights": dict(zip(GROUPS, learned, strict=True)), "applied": is_applied, "version": version},
        name: _to_json(event),
        **dict.fromkeys(gone),
    }
    commit = change_tunings(kernel, changes, verb=Verb.LEARN, actor=actor, rationale=f"Feedback on a result. {reason}")
    return SynergyUpdate(before, after, event, held_out, reason, commit)


def _to_json(event: PurposeFeedback) -> dict[str, Any]:
    plain = ("query", "wanted", "push", "rate", "scope")
    return {**{name: getattr(event, name) for name in plain}, "one": list(event.one), "other": list(event.other)}


def learn_weights(events: Sequence[PurposeFeedback]) -> Weights:
    """One weight a group: moved by each piece of feedback as clearly as pairs of the group speak of both texts."""
    found = np.ones(len(GROUPS))
    for event in events:
        clear, scoped = event.clear, event.scoped
        for group in range(len(GROUPS)):
            touched = [at for at, pair in enumerate(PAIRS) if scoped[at] and _touches(pair, group)]
            if touched:
                found[group] += event.rate * event.push * float(clear[touched].mean())
    return tuple(round(float(each), 6) for each in np.clip(found, LEAST, MOST))


def _touches(pair: tuple[int, int], group: int) -> bool:
    return group in (_GROUP_OF[pair[0]], _GROUP_OF[pair[1]])


def _test(events: Sequence[PurposeFeedback]) -> tuple[HeldOutOrder | None, str]:
    """Whether what feedback on other queries teaches puts that on a query in better order than what was given."""
    good, bad = (sum(sign * (event.wanted - 0.5) > 0 for event in events) for sign in (1, -1))
    if len(events) < NEEDED or min(good, bad) < EACH:
        return None, (
            f"insufficient_labels: {len(events)} of {NEEDED}, {good} relevant and {bad} not, of at least {EACH} each."
        )
    queries = sorted({event.query for event in events})
    parts = [[event.query != query for event in events] for query in queries]
    if len(queries) == 1:
        parts = [[event is not left for event in events] for left in events]
    likeness: dict[int, float] = {}
    for taught in parts:
        weights = learn_weights([event for event, is_taught in zip(events, taught, strict=True) if is_taught])
        matrix = matrix_of(weights)
        likeness |= {at: _likeness(events[at], matrix) for at, is_taught in enumerate(taught) if not is_taught}
    plain = matrix_of(_EVEN)
    before = _in_order(events, [_likeness(event, plain) for event in events])
    after = _in_order(events, [likeness[at] for at in range(len(events))])
    verdict = "and is in force" if after - before >= BETTER else "no better, and is not in force"
    told = f"Of feedback that it has not seen, {after:.3f} is in order, {before:.3f} without it, {verdict}."
    return HeldOutOrder(len(events), round(before, 4), round(after, 4)), told


def _likeness(event: PurposeFeedback, matrix: Array) -> float:
    one, other = (PurposeVector(values=values, topics={}).pairs(matrix) for values in (event.one, event.other))
    lengths = float(np.linalg.norm(one)) * float(np.linalg.norm(other))
    return float(one @ other) / lengths if lengths > 0 else 0.0


def _in_order(events: Sequence[PurposeFeedback], likeness: Sequence[float]) -> float:
    """Of all pairs of which one should be more alike, the share that is; half of those that are just as alike."""
    found: list[float] = []
    for at, event in enumerate(events):
        for against, other in enumerate(events):
            if event.wanted > other.wanted:
                found.append(0.5 + 0.5 * float(np.sign(round(likeness[at] - likeness[against], 9))))
    return sum(found) / len(found) if found else 0.5
