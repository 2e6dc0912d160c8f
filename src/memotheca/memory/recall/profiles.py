"""Profiles: presets of retrieval that are saved under a name, how much each space and recency count and what is left
out, and what they do to a search (memory-model: Profiles)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.state import activity_of
from memotheca.memory.spaces.fusion_weights import METHODS, normalise
from memotheca.memory.spaces.space_table import IDS
from memotheca.memory.tuning.tunings import change_tunings, read_tuning, read_tunings
from memotheca.memory.verbs import Verb
from memotheca.model.commits import Commit
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.snapshot import Snapshot

PREFIX = "profile:"
CUSTOM = "custom"
PRIMARY, SECONDARY, OTHER = 0.2, 0.1, 0.05  # specification (memory-model: Profiles)
LOOKED_BACK = 500  # chosen: retrievals by which the use of a profile is told
# The spaces that count most for a kind of work, and those that count next: specification (memory-model: Profiles).
BUILT_IN: Mapping[str, tuple[str, str]] = {
    "code_implementation": ("E7 E6", "E1 E5 E8"),
    "research": ("E1 E12", "E11 E5 E13"),
    "creative": ("E1 E10", "E9"),
    "analysis": ("E5 E11", "E1 E12"),
    "debugging": ("E5 E7", "E2 E4"),
    "documentation": ("E1 E13", "E11 E6"),
}
TASKS = (*BUILT_IN, CUSTOM)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A preset: the weights of the thirteen spaces, what their groups count, how they are fused, how much recency
    counts, and what a result must satisfy."""

    id: str
    name: str
    task_type: str
    weights: tuple[float, ...]
    priorities: Mapping[str, float] = field(default_factory=dict[str, float])
    fusion: str = METHODS[0]
    recency: float = 0.0
    filters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    is_built_in: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "task_type": self.task_type,
            "weights": [round(weight, 6) for weight in self.weights],
            "priorities": dict(self.priorities),
            "fusion": self.fusion,
            "recency": self.recency,
            "filters": dict(self.filters),
        }


@dataclass(frozen=True, slots=True)
class ProfileUse:
    """How often a profile was asked for lately, and how well that helped, where somebody said so."""

    count: int
    effectiveness: float | None


def weights_of_task(task: str) -> tuple[float, ...]:
    primary, secondary = BUILT_IN.get(task, ("", ""))
    named = dict.fromkeys(primary.split(), PRIMARY) | dict.fromkeys(secondary.split(), SECONDARY)
    return normalise([named.get(id, OTHER) for id in IDS])


def built_in() -> dict[str, Profile]:
    return {
        task: Profile(
            id=task, name=task.replace("_", " "), task_type=task, weights=weights_of_task(task), is_built_in=True
        )
        for task in BUILT_IN
    }


def read_profiles(snapshot: Snapshot) -> dict[str, Profile]:
    held = read_tunings(snapshot, PREFIX)
    own = {name.removeprefix(PREFIX): _profile(name.removeprefix(PREFIX), each.value) for name, each in held.items()}
    return own | built_in()


def find_profile(snapshot: Snapshot, id: str, *, field: str = "profile") -> Profile:
    """A profile by its id."""
    held = read_tuning(snapshot, PREFIX + id)
    found = built_in().get(id) or (None if held is None else _profile(id, held.value))
    if found is None:
        known = ", ".join(read_profiles(snapshot))
        raise Refusal(Failure.NOT_FOUND, f"There is no profile {id!r}; there are {known}.", field=field)
    return found


def save_profile(kernel: Kernel, profile: Profile, rationale: str, *, actor: str) -> Commit | None:
    if profile.id in BUILT_IN:
        raise Refusal(Failure.INVALID, f"The profile {profile.id!r} cannot be changed.", field="profile_id")
    value = profile.to_json()
    return change_tunings(kernel, {PREFIX + profile.id: value}, verb=Verb.TUNE, actor=actor, rationale=rationale)


def drop_profile(kernel: Kernel, profile: Profile, *, actor: str) -> Commit | None:
    if profile.is_built_in:
        raise Refusal(Failure.INVALID, f"The profile {profile.id!r} cannot be deleted.", field="profile_id")
    told = f"Somebody has deleted the profile {profile.name!r}."
    return change_tunings(kernel, {PREFIX + profile.id: None}, verb=Verb.TUNE, actor=actor, rationale=told)


def _profile(id: str, held: Mapping[str, Any]) -> Profile:
    return Profile(
        id=id,
        name=held["name"],
        task_type=held["task_type"],
        weights=tuple(held["weights"]),
        priorities=held["priorities"],
        fusion=held["fusion"],
        recency=held["recency"],
        filters=held["filters"],
    )


def use_of(kernel: Kernel, snapshot: Snapshot) -> dict[str, ProfileUse]:
    """How profiles were used in the last retrievals."""
    rows = activity_of(kernel).retrievals.last(snapshot.session, snapshot.collection, limit=LOOKED_BACK)
    used: dict[str, list[float | None]] = {}
    for row in rows:
        if row.facts.get("profile"):
            used.setdefault(str(row.facts["profile"]), []).append(row.outcome)
    return {id: ProfileUse(len(outcomes), _mean(outcomes)) for id, outcomes in used.items()}


def _mean(outcomes: Sequence[float | None]) -> float | None:
    known = [outcome for outcome in outcomes if outcome is not None]
    return round(sum(known) / len(known), 4) if known else None
