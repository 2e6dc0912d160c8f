"""Valid time as people say it: dates, instants, and words for without end."""

from memotheca.model.clock import from_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Validity

ENDLESS = frozenset({"infinite", "infinity", "forever"})


def moment(text: str, field: str) -> int:
    try:
        return from_iso(text)
    except (ValueError, OverflowError):
        raise Refusal(
            Failure.INVALID, f"{field} must be an ISO-8601 date or time, such as 2026-02-10T14:30:00Z.", field=field
        ) from None


def said_validity(before: Validity, said: dict[str, str | None]) -> Validity:
    """The validity after what was said of `valid_from` and `valid_to`; null takes a bound away."""
    start, end, endless = before.start, before.end, before.endless
    if "valid_from" in said:
        start = None if said["valid_from"] is None else moment(said["valid_from"], "valid_from")
    if "valid_to" in said:
        spelled = said["valid_to"]
        endless = spelled is not None and spelled.strip().lower() in ENDLESS
        end = None if spelled is None or endless else moment(spelled, "valid_to")
    if start is not None and end is not None and end < start:
        raise Refusal(Failure.INVALID, "valid_to must not be before valid_from.", field="valid_to")
    return Validity(start, end, endless)
