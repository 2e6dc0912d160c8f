"""Keep profiles of retrieval."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.reversal import hash_of
from memotheca.memory.recall.profiles import (
    CUSTOM,
    TASKS,
    Profile,
    ProfileUse,
    drop_profile,
    find_profile,
    read_profiles,
    save_profile,
    use_of,
    weights_of_task,
)
from memotheca.memory.spaces.fusion_weights import GROUPS, METHODS, normalise
from memotheca.memory.spaces.space_table import COUNT
from memotheca.memory.tuning.thresholds import DOMAINS
from memotheca.model.commits import Commit
from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.fields import (
    UNSET,
    Unset,
    choice,
    flag,
    free,
    integer,
    many,
    number,
    numbers,
    one,
    said,
    text,
    texts,
)
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

ACTIONS = ("create", "read", "update", "delete", "list")
UNUSED = ProfileUse(0, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    min_importance: float = number("", UNSET, minimum=0, maximum=1)
    tags: tuple[str, ...] = texts("All of them.", UNSET, minLength=1)
    within_days: float = number("Stored in the last so many days.", UNSET, minimum=0)
    domain: str = choice(DOMAINS, "", UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Priorities:
    factual: float = number("", UNSET, minimum=0, maximum=10)
    temporal: float = number("", UNSET, minimum=0, maximum=10)
    causal: float = number("", UNSET, minimum=0, maximum=10)
    relational: float = number("", UNSET, minimum=0, maximum=10)
    qualitative: float = number("", UNSET, minimum=0, maximum=10)
    implementation: float = number("", UNSET, minimum=0, maximum=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    action: str = choice(ACTIONS)
    profile_id: str = text("Needed for all but list.", UNSET, minLength=1, maxLength=64)
    name: str = text("", UNSET, minLength=1, maxLength=120)
    task_type: str = choice(TASKS, "Whose weights to begin with.", UNSET)
    embedder_weights: tuple[float, ...] = numbers("Of E1 to E13; they are brought to a sum of 1.", UNSET)
    group_priorities: dict[str, Any] = one(Priorities, "What the weights of a group are multiplied with.", UNSET)
    fusion_strategy: str = choice(METHODS, "Weights alone, or by how clearly a space speaks.", UNSET)
    recency: float = number(
        "How much the old is put back: 1, half of the score in 30 days.", UNSET, minimum=0, maximum=1
    )
    filters: dict[str, Any] = one(Filters, "What a result must satisfy.", UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class UseShape:
    count: int = integer("Among the last 500 retrievals.")
    avg_effectiveness: float | None = number("The mean of the outcomes that were reported.", nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileShape:
    id: str = text()
    name: str = text()
    task_type: str = choice(TASKS)
    embedder_weights: tuple[float, ...] = numbers("Of E1 to E13.")
    group_priorities: dict[str, Any] = free()
    fusion_strategy: str = choice(METHODS)
    recency: float = number()
    filters: dict[str, Any] = free()
    usage: UseShape = one(UseShape)
    built_in: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    profile: ProfileShape | Unset = one(ProfileShape, default=UNSET)
    profiles: tuple[ProfileShape, ...] | Unset = many(ProfileShape, default=UNSET)
    deleted: bool | Unset = flag(default=UNSET)
    reversal_hash: str | None = text("Takes it back with restore_from_hash.", default=None, nullable=True)


EXAMPLE = Example(
    arguments={
        "action": "create",
        "profile_id": "incidents",
        "task_type": "debugging",
        "recency": 0.5,
        "filters": {"tags": ["incident"]},
    }
)


@tool(contract="memories", component="retrieval", effect="change", models=(Input, Output), example=EXAMPLE)
def manage_teleological_profile(call: Call[Kernel], input: Input) -> Answer:
    """Keep presets of retrieval: how much each space and recency count, and what is left out. Used by their id as
    profile in inject_context and search_graph. Six are built in, one for each task_type."""
    given, kernel = said(input), call.kernel
    if input.action == "list":
        with kernel.read() as snapshot:
            used = use_of(kernel, snapshot)
            found = tuple(_shape(each, used) for each in read_profiles(snapshot).values())
        return Answer("\n".join(f"{each.id}: {each.name}" for each in found), NODES, Output(profiles=found))
    if "profile_id" not in given:
        raise Refusal(Failure.INVALID, f"profile_id is needed to {input.action} a profile.", field="profile_id")
    commit, profile = _act(call, input.action, given)
    with kernel.read() as snapshot:
        shape = _shape(profile, use_of(kernel, snapshot))
    hash = None if commit is None else hash_of(commit)
    if input.action == "delete":
        return Answer(f"Deleted {profile.id}.", NODES, Output(deleted=True, reversal_hash=hash))
    return Answer(
        f"{shape.id}: {shape.name}, {shape.fusion_strategy}. Used as profile={shape.id}.",
        NODES,
        Output(profile=shape, reversal_hash=hash),
    )


def _act(call: Call[Kernel], action: str, given: Mapping[str, Any]) -> tuple[Commit | None, Profile]:
    kernel, id = call.kernel, str(given["profile_id"])
    with kernel.read() as snapshot:
        if action == "create":
            if id in read_profiles(snapshot):
                raise Refusal(Failure.INVALID, f"There is a profile {id!r}; update it.", field="profile_id")
            task = given.get("task_type", CUSTOM)
            profile = Profile(id=id, name=given.get("name", id), task_type=task, weights=weights_of_task(task))
        else:
            profile = find_profile(snapshot, id, field="profile_id")
    if action == "read":
        return None, profile
    if action == "delete":
        return drop_profile(kernel, profile, actor=call.actor), profile
    profile = _changed(profile, given)
    told = f"Somebody has {action}d the profile {profile.name!r}."
    return save_profile(kernel, profile, told, actor=call.actor), profile


def _changed(profile: Profile, given: Mapping[str, Any]) -> Profile:
    changes: dict[str, Any] = {name: given[name] for name in ("name", "task_type", "recency") if name in given}
    if "task_type" in given:
        changes["weights"] = weights_of_task(given["task_type"])
    if "embedder_weights" in given:
        weights = given["embedder_weights"]
        if len(weights) != COUNT or min(weights) < 0 or not any(weights):
            raise Refusal(
                Failure.INVALID, f"embedder_weights are {COUNT} numbers, none below 0.", field="embedder_weights"
            )
        changes["weights"] = normalise(weights)
    for said_as, kept_as in (
        ("group_priorities", "priorities"),
        ("fusion_strategy", "fusion"),
        ("filters", "filters"),
    ):
        if said_as in given:
            changes[kept_as] = given[said_as]
    return replace(profile, **changes)


def _shape(profile: Profile, used: Mapping[str, ProfileUse]) -> ProfileShape:
    use = used.get(profile.id, UNUSED)
    return ProfileShape(
        id=profile.id,
        name=profile.name,
        task_type=profile.task_type,
        embedder_weights=tuple(round(weight, 4) for weight in profile.weights),
        group_priorities=dict(profile.priorities) or dict.fromkeys(GROUPS, 1.0),
        fusion_strategy=profile.fusion,
        recency=profile.recency,
        filters=dict(profile.filters),
        usage=UseShape(count=use.count, avg_effectiveness=use.effectiveness),
        built_in=profile.is_built_in,
    )
