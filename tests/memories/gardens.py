"""A memory with two subjects that have hardly a word in common, and others to plant."""

from tests.conftest import Time
from tests.memories.librarian import Librarian

REACTOR = tuple(
    f"The reactor {part} was {state} by the control crew."
    for part in ("pump", "valve", "gauge", "core")
    for state in ("cleaned", "checked", "replaced")
)
BAKERY = tuple(
    f"The bakery {thing} needs {what} and flour for the oven."
    for thing in ("bread", "cake")
    for what in ("butter", "sugar", "yeast")
)
CHOIR = tuple(
    f"The choir sings {piece} in the chapel with {voice} voices."
    for piece in ("hymns", "psalms", "carols")
    for voice in ("high", "low", "many")
)


def tell(librarian: Librarian, *groups: tuple[str, ...], time: Time | None = None) -> list[str]:
    ids: list[str] = []
    for number, text in enumerate(text for group in groups for text in group):
        if time is not None:
            time.advance(60)
        ids.append(librarian.remember(text, session_id=f"session {number % 3}"))
    return ids
