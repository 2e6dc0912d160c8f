"""What an entry cannot be told: names that are texts, and a text that its file has."""

from collections.abc import Sequence

from memotheca.model.errors import Failure, Refusal
from memotheca.model.unset import Unset

LONGEST_NAME = 1000  # specification: the bound of a topic


def refuse_long(field: str, names: Sequence[str | Unset | None]) -> None:
    """Who said something, where it comes from, and each tag are names, no texts."""
    if any(len(name) > LONGEST_NAME for name in names if isinstance(name, str)):
        raise Refusal(Failure.INVALID, f"{field} may have at most {LONGEST_NAME:,} characters.", field=field)


class OwnedByFile(Refusal):
    """A note of a vault, which changes with its file and not as an entry."""

    def __init__(self, handle: str) -> None:
        super().__init__(Failure.UNSUPPORTED, f"{handle!r} is a note of a vault; change its file.", field="id")
        self.handle = handle
