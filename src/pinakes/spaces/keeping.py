"""What was worked out lately, kept under what it was worked out from, so that it need not be worked out again."""

from collections import OrderedDict
from hashlib import blake2b
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """So many results at most; the one that was longest not asked for goes first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[bytes, T] = OrderedDict()
        self._guard = Lock()

    def get(self, key: bytes) -> T | None:
        with self._guard:
            found = self._held.get(key)
            if found is not None:
                self._held.move_to_end(key)
            return found

    def put(self, key: bytes, value: T) -> None:
        with self._guard:
            self._held[key] = value
            while len(self._held) > self._most:
                self._held.popitem(last=False)


def key_of(text: str) -> bytes:
    """Short, whatever the length of the text, which is not itself kept."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
