"""The scratchpad: what a session wants to have at hand for an hour. It is kept in memory and nowhere else."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

from memotheca.model.clock import HOUR
from memotheca.model.errors import Failure, Refusal

LIFETIME = HOUR  # specification: a note for an hour
MOST_KEYS = 100  # chosen: a session's notes fit one answer
MOST_BYTES = 64 * 1024  # chosen: memory that thousands of sessions may take together
LONGEST_VALUE = 4096  # specification: longer belongs into a memory
LONGEST_KEY = 256  # chosen: a name, no text

Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Jotting:
    """A value and until when it is kept."""

    value: str
    expires: int

    @property
    def size(self) -> int:
        return len(self.value.encode())


@dataclass(slots=True)
class Scratchpads:
    """One pad for each session of each collection; nothing of one is seen in another."""

    _guard: Lock = field(default_factory=Lock)
    _pads: dict[Place, dict[str, Jotting]] = field(default_factory=dict[Place, dict[str, Jotting]])

    def write(self, place: Place, key: str, value: str, now: int) -> Jotting:
        _refuse_long(key, value)
        with self._guard:
            self._drop_expired(now)
            pad = self._pads.get(place, {})
            others = {name: held for name, held in pad.items() if name != key}
            used = sum(len(name.encode()) + held.size for name, held in others.items())
            if len(others) >= MOST_KEYS or used + len(key.encode()) + len(value.encode()) > MOST_BYTES:
                raise Refusal(
                    Failure.INVALID,
                    f"The scratchpad is full: it holds {MOST_KEYS} keys and {MOST_BYTES} bytes. Clear some of it.",
                    field="value",
                    details={"bounds": {"keys": MOST_KEYS, "bytes": MOST_BYTES}},
                )
            made = Jotting(value, now + LIFETIME)
            self._pads[place] = {**others, key: made}
            return made

    def read(self, place: Place, now: int) -> Mapping[str, Jotting]:
        with self._guard:
            self._drop_expired(now)
            return dict(self._pads.get(place, {}))

    def clear(self, place: Place, key: str | None, now: int) -> int:
        """Forget one key or all of them; returns how many there were."""
        with self._guard:
            self._drop_expired(now)
            pad = self._pads.get(place, {})
            gone = [name for name in pad if key is None or name == key]
            for name in gone:
                del pad[name]
            if not pad:
                self._pads.pop(place, None)
            return len(gone)

    def _drop_expired(self, now: int) -> None:
        for place, pad in list(self._pads.items()):
            kept = {name: held for name, held in pad.items() if held.expires > now}
            if kept:
                self._pads[place] = kept
            else:
                del self._pads[place]


def _refuse_long(key: str, value: str) -> None:
    for name, said, longest in (("key", key, LONGEST_KEY), ("value", value, LONGEST_VALUE)):
        if len(said) > longest:
            raise Refusal(
                Failure.INVALID,
                f"{name} has {len(said)} characters; it may have {longest}.",
                field=name,
                details={"constraint": "maxLength", "expected": longest, "bounds": {"maxLength": longest}},
            )
