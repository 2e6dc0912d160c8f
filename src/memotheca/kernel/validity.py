"""Valid time as people say it: dates, instants, and words for without end."""

from memotheca.model.clock import from_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Validity
from memotheca.model.unset import Unset

ENDLESS = frozenset({"infinite", "infinity", "forever"})


def moment(text: str, field: str) -> int:
    try:
        return from_iso(text)
    except (ValueError, OverflowError):
        raise Refusal(
            Failure.INVALID, f"{field} must be an ISO-8601 date or time, such as 2026-02-10T14:30:00Z.", field=field
        ) from None


def said_validity(before: Validity, valid_from: str | Unset | None, valid_to: str | Unset | None) -> Validity:
    """The validity after what was said of its bounds; null takes one away."""
    start, end, endless = before.start, before.end, before.endless
    if not isinstance(valid_from, Unset):
        start = None if valid_from is None else moment(valid_from, "valid_from")
    if not isinstance(valid_to, Unset):
        endless = valid_to is not None and valid_to.strip().lower() in ENDLESS
        end = None if valid_to is None or endless else moment(valid_to, "valid_to")
    if start is not None and end is not None and end < start:
        raise Refusal(Failure.INVALID, "valid_to must not be before valid_from.", field="valid_to")
    return Validity(start, end, endless)
