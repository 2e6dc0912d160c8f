"""Parts: what lives as long as the process, kept in one place and asked for by its class."""

from collections.abc import Callable, Hashable
from threading import RLock
from typing import TypeVar, cast

from memotheca.model.errors import Failure, Refusal

T = TypeVar("T")


class Parts:
    """The parts a kernel was given, and those that were made when somebody first wanted them."""

    def __init__(self, *given: object) -> None:
        self._given: dict[type, object] = {type(part): part for part in given}
        self._kept: dict[tuple[type, Hashable], object] = {}
        # Reentrant: making one part may ask for another.
        self._guard = RLock()

    def having(self, *given: object) -> "Parts":
        """The same parts with some in the place of others; what is kept stays one for both."""
        parts = Parts()
        parts._given = {**self._given, **{type(part): part for part in given}}
        parts._kept, parts._guard = self._kept, self._guard
        return parts

    def find(self, kind: type[T]) -> T | None:
        """A part, or None where nothing of its class was given."""
        return cast("T | None", self._given.get(kind))

    def part(self, kind: type[T]) -> T:
        """A part that must have been given."""
        found = self.find(kind)
        if found is None:
            raise Refusal(Failure.UNAVAILABLE, f"This kernel was made without {kind.__name__}.")
        return found

    def keep(self, kind: type[T], key: Hashable, make: Callable[[], T]) -> T:
        """What is kept under a key for as long as the process lives: made when first asked for, and only once."""
        place = (kind, key)
        with self._guard:
            if place not in self._kept:
                self._kept[place] = make()
            return cast("T", self._kept[place])
