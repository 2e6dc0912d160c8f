"""Focus: whether the last retrieval of a session found what was asked, and how that moves its pulse (memory-model:
Focus)."""

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.gate_log import note_decisions
from memotheca.memory.session.learning import smooth
from memotheca.memory.session.state import Mood, activity_of
from memotheca.memory.tuning.gates import gates_at, voice_at
from memotheca.memory.tuning.thresholds import Decided
from memotheca.model.clock import SECOND
from memotheca.vectors.profile import Voice

EMPTY_AFTER = 5 * SECOND  # specification: a workspace that is empty for five seconds
SHARE = 0.3  # chosen: two questions in vain are noticed (memory-model: Focus)
FULL = 6.0  # chosen on one corpus: spreads above what is unrelated (memory-model: Focus)


def fit_of(similarity: float, voice: Voice) -> float:
    """How surely something near answers a question, from 0, no match, to 1."""
    farthest, nearest = voice.near, voice.centre + FULL * voice.spread
    return min(1.0, max(0.0, (similarity - farthest) / (nearest - farthest)))


def note_retrieval(kernel: Kernel, session: str, best: float | None, agreement: float | None = None) -> float:
    """Let a session feel what a retrieval brought: how near the best of it is, nothing where there is none, and how far
    what it brought agrees with itself, where that was looked at. The answer is how surely the best of it fits."""
    place, activity = (kernel.collection, session), activity_of(kernel)
    with kernel.read() as snapshot:
        mood = activity.mood(snapshot.session, *place)
        gates = gates_at(snapshot)
        voice = voice_at(snapshot, gates)
    fit = 0.0 if best is None else fit_of(best, voice)
    if best is not None:
        note_decisions(kernel, [Decided("near", (best - voice.centre) / voice.spread, best >= voice.near)], gates)
    mood.entropy = smooth(mood.entropy, 1 - fit, SHARE)
    if agreement is not None:
        mood.coherence = smooth(mood.coherence, agreement, SHARE)
    if best is not None and best >= voice.near:
        mood.empty_since = None
    elif mood.empty_since is None:
        mood.empty_since = kernel.now()
    activity.keep(place)
    return fit


def is_empty(kernel: Kernel, mood: Mood) -> bool:
    """Nothing near was found, and nothing else has come into focus for five seconds."""
    return mood.empty_since is not None and kernel.now() - mood.empty_since >= EMPTY_AFTER
