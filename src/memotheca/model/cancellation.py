"""Heeding: long work looks now and then whether whoever asked for it still wants it."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from memotheca.model.errors import Failure, Interruption, Refusal


@dataclass(slots=True)
class _CallWish:
    """Whether a call was cancelled; once something of it is kept, it is carried to its end."""

    is_cancelled: Callable[[], bool]
    is_kept: bool = False


_wish: ContextVar[_CallWish | None] = ContextVar("wish", default=None)


@contextmanager
def heeding(is_cancelled: Callable[[], bool]) -> Generator[None]:
    """While it lasts, `heed` in this thread asks; and who is interrupted after something was kept says so."""
    wish = _CallWish(is_cancelled)
    before = _wish.set(wish)
    try:
        yield
    except Interruption as cut:
        if not wish.is_kept:
            raise
        raise Refusal(
            cut.failure,
            "What this call was about was saved, but then the database could not be reached for the rest of the "
            "answer. Look before you try again.",
        ) from cut
    finally:
        _wish.reset(before)


def heed() -> None:
    """Stop here if the work is not wanted any more. In loops that may be long, and before something is kept."""
    wish = _wish.get()
    if wish is not None and not wish.is_kept and wish.is_cancelled():
        raise Refusal(Failure.CANCELLED, "The call was cancelled; nothing of it was kept.")


def carry_on() -> None:
    """Something was kept: what belongs to it is done too, wanted or not."""
    wish = _wish.get()
    if wish is not None:
        wish.is_kept = True


@contextmanager
def undisturbed() -> Generator[None]:
    """While it lasts nothing is heeded: what others need too is brought to its end, whoever began it."""
    before = _wish.set(None)
    try:
        yield
    finally:
        _wish.reset(before)
