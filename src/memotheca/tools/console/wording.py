"""How the console says a number of things, and a moment."""

from memotheca.model.clock import to_iso

LONGEST_TITLE = 80  # chosen: as long as a line of a table


def moment(time: int | None) -> str | None:
    return None if time is None else to_iso(time)


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def cut(title: str) -> str:
    """A title where very many are told."""
    return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1]}…"
