"""The failure of whatever is measured against a goal where none was found. Apart from what finds goals, so that naming
it loads nothing."""

from memotheca.model.errors import Failure, Refusal


class NoGoal(Refusal):
    """Nothing can be held against a goal that there is not."""

    def __init__(self) -> None:
        super().__init__(Failure.INVALID, "insufficient_data: no goal was found yet; purposes are measured against it.")
