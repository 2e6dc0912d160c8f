"""Whether something still is as somebody has seen it, before it is changed."""

from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal


def refuse_changed(version: Version, seen: int | None) -> None:
    """What somebody has looked at and changes now must be as they saw it; within the transaction that changes it."""
    if seen is not None and version.tx != seen:
        raise Refusal(
            Failure.CONFLICT,
            f"It was changed meanwhile, by transaction {version.tx}: look at it again, and then change it.",
            details={"tx": version.tx},
        )
