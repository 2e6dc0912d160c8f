"""What was worked out lately, kept under what it was worked out from, so that it need not be worked out again."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from hashlib import blake2b
from threading import Lock
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class LruCache(Generic[K, T]):
    """So many results at most; the one that was longest not asked for goes first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[K, T] = OrderedDict()
        self._guard = Lock()

    def get(self, key: K) -> T | None:
        return self.find([key]).get(key)

    def find(self, keys: Iterable[K]) -> dict[K, T]:
        """What is kept under those of some keys that anything is kept under."""
        with self._guard:
            found = {key: self._held[key] for key in keys if key in self._held}
            for key in found:
                self._held.move_to_end(key)
            return found

    def __len__(self) -> int:
        return len(self._held)

    def put(self, key: K, value: T) -> None:
        with self._guard:
            self._held[key] = value
            self._held.move_to_end(key)
            while len(self._held) > self._most:
                self._held.popitem(last=False)


class once(Generic[T]):  # noqa: N801
    """A property that is worked out when it is first asked for. Two threads may both do so, and come to the same:
    `cached_property` has a lock against that, which takes longer than most sentences take to be looked at."""

    def __init__(self, work: Callable[[Any], T]) -> None:
        self._work = work
        self._name = work.__name__

    def __get__(self, instance: object, owner: type) -> T:
        found = instance.__dict__[self._name] = self._work(instance)
        return found


class WordCache(dict[str, T]):
    """What was worked out of words; all is forgotten when it has become much."""

    def __init__(self, work: Callable[[str], T], most: int) -> None:
        super().__init__()
        self._work = work
        self._most = most

    def __missing__(self, word: str) -> T:
        if len(self) >= self._most:
            self.clear()
        found = self[word] = self._work(word)
        return found


def key_of(text: str) -> bytes:
    """Short, whatever the length of the text, which is not itself kept."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
