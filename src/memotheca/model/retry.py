"""Persisting: whoever erases takes files of the index away at once, also from under a snapshot that still names them.
So what is read is read again."""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from memotheca.model.errors import Failure, Refusal

T = TypeVar("T")

TRIES = 3  # chosen: what fails three times does not pass by itself


class MissingSegmentError(FileNotFoundError):
    """A file of the search index that should be there is not, or not whole, which is as good as gone."""


def persist(find: Callable[[], T]) -> T:
    """What is found, each time with a snapshot of its own; nothing may have been changed before a file was missed."""
    for _ in range(TRIES):
        with suppress(MissingSegmentError):
            return find()
    raise Refusal(Failure.CORRUPT, "A file of the search index is missing; run `memotheca reindex` to make it anew.")
