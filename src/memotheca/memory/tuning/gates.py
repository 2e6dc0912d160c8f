"""Gates: the bars that hold at a moment, in a domain (memory-model: Thresholds)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, cast, get_args

from memotheca.memory.tuning.thresholds import GENERAL, NAMES, PRIORS, REGISTRY, Domain, Gates, Name
from memotheca.memory.tuning.tunings import MOST
from memotheca.model.kinds import TUNING
from memotheca.model.knowledge import Entry
from memotheca.storage.lookups import images_beginning
from memotheca.storage.serialization import from_image
from memotheca.storage.snapshot import Snapshot
from memotheca.vectors.profile import Voice, voice_of

PREFIX = "threshold:"

# By what a bar came to lie where it does: said by somebody, or learned in one of four ways (memory-model: Thresholds).
Cause = Literal["manual", "ewma", "temp", "bandit", "bayes"]
CAUSES: tuple[Cause, ...] = get_args(Cause)


@dataclass(frozen=True, slots=True)
class Setting:
    """What was said or learned of a threshold in a domain: its value, how far scores are drawn to the middle before
    they are held against it, by what, and on how much evidence."""

    name: Name
    domain: Domain
    value: float
    temperature: float = 1.0
    cause: Cause = "manual"
    labels: int = 0

    @property
    def bar(self) -> float:
        return bar_of(self.name, self.value, self.temperature)

    def to_json(self) -> dict[str, Any]:
        return {"value": self.value, "temperature": self.temperature, "cause": self.cause, "labels": self.labels}


def bar_of(name: Name, value: float, temperature: float) -> float:
    """What a score itself has to reach so that, drawn to the middle, it reaches the value; within its range."""
    if temperature == 1.0 or REGISTRY[name].scale != "probability":
        return value
    low, high = REGISTRY[name].range
    return min(high, max(low, 1 / (1 + math.exp(-temperature * math.log(value / (1 - value))))))


def tuning_name(name: str, domain: str) -> str:
    return f"{PREFIX}{name}:{domain}"


def setting_of(said: str, value: Mapping[str, Any]) -> Setting | None:
    """What a tuning says of a threshold; nothing where it is one of another program."""
    name, _, domain = said.removeprefix(PREFIX).partition(":")
    if name not in NAMES or domain not in REGISTRY[name].domains:
        return None
    cause = value.get("cause", "manual")
    return Setting(
        name,
        domain,
        float(value["value"]),
        float(value.get("temperature", 1.0)),
        cause if cause in CAUSES else "manual",
        int(value.get("labels", 0)),
    )


def read_settings(snapshot: Snapshot) -> Mapping[tuple[str, str], Setting]:
    """Everything that was said or learned of thresholds, by name and domain."""
    return _settings(images_beginning(snapshot, PREFIX, kind=TUNING, limit=MOST))


@lru_cache(maxsize=8)
def _settings(images: tuple[tuple[str, str], ...]) -> Mapping[tuple[str, str], Setting]:
    """Read once for as long as nothing is tuned."""
    entries = [cast(Entry, from_image("entry", id, image)) for id, image in images]
    found = [setting_of(entry.title, entry.attributes) for entry in entries]
    return MappingProxyType({(each.name, each.domain): each for each in found if each is not None})


def gates_at(snapshot: Snapshot, domain: str | None = None) -> Gates:
    """The bars as a snapshot has them, for what is of a domain: one look into an index, where nothing was learned."""
    images = images_beginning(snapshot, PREFIX, kind=TUNING, limit=MOST)
    return Gates(_bars(images), domain or GENERAL) if images else PRIORS


@lru_cache(maxsize=8)
def _bars(images: tuple[tuple[str, str], ...]) -> Mapping[tuple[str, str], float]:
    return MappingProxyType({key: each.bar for key, each in _settings(images).items()})


def voice_at(snapshot: Snapshot, gates: Gates) -> Voice:
    """What the embedder's cosines mean, with from where on something is near."""
    voice = voice_of(snapshot.session, snapshot.collection)
    if gates["near"] == PRIORS["near"]:
        return voice
    return replace(voice, near=round(voice.centre + gates["near"] * voice.spread, 4))
