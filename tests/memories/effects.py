"""What a parameter does to an answer, and those of the tools for thresholds."""

from typing import Any, NamedTuple

from memotheca.model.clock import DAY, to_iso
from tests.conftest import BEGAN
from tests.memories.librarian import WHY, Librarian

LATER = to_iso(BEGAN + 30 * DAY)
# So many seconds pass before it is asked.
PASSED = "passed"


class Effect(NamedTuple):
    """Arguments, the one that is put in their place, and where in the answer the difference shows."""

    tool: str
    said: dict[str, Any]
    instead: dict[str, Any]
    shown: str

    @property
    def parameter(self) -> str:
        (name,) = self.instead
        return name


PLACED = {"threshold_type": "about", "value": 0.6, "rationale": WHY}
THRESHOLDS = [
    Effect("get_threshold_status", {}, {"domain": "Legal"}, "thresholds"),
    Effect("get_threshold_status", {}, {"embedder_id": 2}, "temperatures"),
    Effect("get_calibration_metrics", {"timeframe": "30d", PASSED: 7200}, {"timeframe": "1h"}, "sample_count"),
    Effect("trigger_recalibration", {"level": 1}, {"level": 4}, "attempts"),
    Effect("trigger_recalibration", {"level": 1}, {"domain": "Legal"}, "attempts"),
    Effect("trigger_recalibration", {"level": 1}, {"dry_run": True}, "recalibration"),
    Effect("set_threshold_prior", PLACED, {"threshold_type": "alike"}, "gates"),
    Effect("set_threshold_prior", PLACED, {"value": 0.65}, "then.points"),
    Effect("set_threshold_prior", PLACED, {"domain": "Legal"}, "then.points"),
    Effect("set_threshold_prior", PLACED, {"rationale": "Too much of something else was shown."}, "then.points"),
    Effect("get_threshold_history", {"threshold_type": "link"}, {"threshold_type": "near"}, "points"),
    Effect("get_threshold_history", {"threshold_type": "link"}, {"since": LATER}, "total"),
    Effect("get_threshold_history", {"threshold_type": "link"}, {"limit": 1}, "points"),
    Effect("explain_threshold", {"threshold_type": "priors"}, {"threshold_type": "about"}, "decided"),
    Effect("explain_threshold", {"threshold_type": "priors"}, {"domain": "Legal"}, "decided"),
]


def decide_often(librarian: Librarian) -> None:
    """Decisions of gates of which it is known whether they were right, and a threshold that was moved twice."""
    for number in range(5):
        _merge_in_error(librarian, number)
    librarian.remember("The shelf holds 12 jars.", name="shelf", session_id="many")
    librarian.remember("The shelf holds 14 jars.", session_id="many", supersedes=["shelf"])
    for value in (0.65, 0.7):
        librarian.call("set_threshold_prior", threshold_type="link", value=value, rationale=WHY)


def _merge_in_error(librarian: Librarian, number: int) -> None:
    """Two that are made one, and taken apart again."""
    ids = [librarian.remember(f"Half {half} of error {number}.", session_id="many") for half in "ab"]
    done = librarian.call("merge_concepts", source_node_ids=ids, target_name="in error", rationale=WHY)
    librarian.call("restore_from_hash", reversal_hash=done["reversal_hash"])
