"""The closed list of failures, and the exception that carries one."""

from collections.abc import Mapping
from enum import Enum
from typing import Any


class Failure(Enum):
    """Everything that can go wrong, each with whether trying the same again can help."""

    INVALID = ("invalid", False)
    MISSING_RATIONALE = ("missing_rationale", False)
    NOT_FOUND = ("not_found", False)
    ALREADY_EXISTS = ("already_exists", False)
    DUPLICATE = ("duplicate", False)
    AMBIGUOUS = ("ambiguous", False)
    CONFLICT = ("conflict", False)
    CONFIRMATION_REQUIRED = ("confirmation_required", False)
    EXPIRED = ("expired", False)
    TOMBSTONED = ("tombstoned", False)
    ERASED = ("erased", False)
    CYCLIC = ("cyclic", False)
    UNSUPPORTED = ("unsupported", False)
    TOO_LARGE = ("too_large", False)
    ENCRYPTED = ("encrypted", False)
    CORRUPT = ("corrupt", False)
    OCR_FAILED = ("ocr_failed", False)
    FORBIDDEN = ("forbidden", False)
    READ_ONLY = ("read_only", False)
    INCOMPATIBLE = ("incompatible", False)
    BUSY = ("busy", True)
    TIMEOUT = ("timeout", True)
    CANCELLED = ("cancelled", True)
    DISK_FULL = ("disk_full", True)
    UNAVAILABLE = ("unavailable", True)
    INTERNAL = ("internal", False)

    def __init__(self, code: str, retryable: bool) -> None:
        self.code = code
        self.retryable = retryable

    @property
    def is_trouble(self) -> bool:
        """Whether something could not be looked up at all, which must never be taken for its not being there."""
        return self.retryable or self in (Failure.CORRUPT, Failure.INCOMPATIBLE, Failure.INTERNAL)


class Refusal(Exception):
    """A failure with what a person needs to know; its message goes to the client as it is."""

    def __init__(
        self,
        failure: Failure,
        message: str,
        *,
        field: str | None = None,
        details: Mapping[str, Any] | None = None,
        constraint: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.failure = failure
        self.message = message
        self.field = field
        self.details = dict(details or {})
        # What was asked for; set where a call is answered, for a contract whose failures depend on it.
        self.arguments: Mapping[str, Any] = {}
        self.constraint = dict(constraint or {})


class Interruption(Refusal):
    """The way to the data failed, for a reason that passes."""


def refuse_for_memory() -> Refusal:
    return Refusal(Failure.UNAVAILABLE, "There is not enough memory for this now. Ask for less, or try again later.")
