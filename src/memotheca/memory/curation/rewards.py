"""Rewards: what a store was worth, and what it does to the modulators."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.priors import missing_grounds
from memotheca.memory.session.arousal import keep_levels, modulator_levels
from memotheca.memory.session.learning import phase_at
from memotheca.memory.session.modulators import Levels, reward
from memotheca.memory.session.state import activity_of
from memotheca.memory.session.steering_reward import Deed, Reward, steer
from memotheca.memory.spaces.fingerprint import SESSION
from memotheca.memory.standing.whole import Learned
from memotheca.model.knowledge import Entry

LEARNED = "learned"
RECALLED = "recalled"
REMEMBERED = 50  # chosen (memory-model: Steering)


@dataclass(frozen=True, slots=True)
class Joined:
    """How a stored memory stands beside the others: whether it repeats one, whether it is linked to nothing though
    something is about the same, and which share of all are joined."""

    is_duplicate: bool
    is_alone: bool
    connectivity: float


@dataclass(frozen=True, slots=True)
class Rewarded:
    """The verdict on a store, and by how much dopamine moved."""

    verdict: Reward
    dopamine: float


@dataclass(frozen=True, slots=True)
class WeighedStore:
    """The verdict on a store, with what it was reached from."""

    verdict: Reward
    levels: Levels
    scores: list[float]


def reward_store(kernel: Kernel, entry: Entry, learned: Learned, joined: Joined) -> Rewarded:
    """Judge a store; the score and the session's levels are remembered."""
    weighed = weigh_store(kernel, entry, learned, joined)
    after = reward(weighed.levels, weighed.verdict.reward)
    keep_levels(kernel, str(entry.attributes[SESSION]), after)
    activity_of(kernel).set_state(kernel.collection, LEARNED, weighed.scores)
    return Rewarded(weighed.verdict, after.values["dopamine"] - weighed.levels.values["dopamine"])


def weigh_store(kernel: Kernel, entry: Entry, learned: Learned, joined: Joined) -> WeighedStore:
    """Judge a store, or one that would be; nothing is remembered of it."""
    activity = activity_of(kernel)
    with kernel.store.database.read() as session:
        levels = modulator_levels(kernel, session, str(entry.attributes[SESSION]))
        scores: list[float] = activity.state(session, kernel.collection, LEARNED) or []
        recalled: float | None = activity.state(session, kernel.collection, RECALLED)
        interactions = activity.count(session, kernel.collection)
    scores = [*scores, learned.score][-REMEMBERED:]
    verdict = steer(
        Deed(
            delta_s=learned.delta_s,
            delta_c=learned.delta_c,
            phase=phase_at(interactions),
            is_duplicate=joined.is_duplicate,
            missing=missing_grounds(entry),
            is_alone=joined.is_alone,
            connectivity=joined.connectivity,
            quality=sum(scores) / len(scores),
            accuracy=recalled,
        )
    )
    return WeighedStore(verdict, levels, scores)
