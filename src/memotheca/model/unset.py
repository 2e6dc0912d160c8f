"""What was not said, where null means something else: null takes a value away, silence leaves it."""

from typing import Final


class Unset:
    """Marks what a caller did not say."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()
