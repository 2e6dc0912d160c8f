"""What a dream tends first."""

from pathlib import Path
from typing import Any

from tests.conftest import Time
from tests.memories.librarian import open_librarian
from tests.memories.planted_outcomes import Planted, put_outcomes


def test_what_it_tends_first_is_ordered_by_what_outcomes_taught(tmp_path: Path) -> None:
    """Where what is new has helped, the newest come first; where what fits has, what answers show most."""
    told: dict[str, dict[str, Any]] = {}
    place: dict[str, int] = {}
    for telling in ("recency", "cosine"):
        librarian = open_librarian(tmp_path / telling, Time())
        ids = [librarian.remember(f"Fact {number} of the house.", session_id=str(number)) for number in range(80)]
        put_outcomes(librarian, ids[0], 90, Planted(telling=telling, right=0.1, wrong=0.9))
        librarian.call("trigger_lambda_recalibration", force_bayesian=True)
        report = librarian.call("trigger_dream", blocking=True, phase="nrem", dry_run=True)["report"]
        told[telling] = report["nrem"]["order"]
        assert report["nrem"]["memories_replayed"] == len(ids)
        assert set(told[telling]["first"]) <= {ids[0], *ids[-told[telling]["newest"] :]}
        place[telling] = told[telling]["first"].index(ids[0])
        assert librarian.call("get_dream_status")["last_report"]["nrem"]["order"] == told[telling]
        librarian.app.close()
    new, fitting = told["recency"], told["cosine"]
    assert new["lambda_s"] > 0.5 > fitting["lambda_s"]
    assert new["newest"] > fitting["newest"]
    assert place["recency"] > place["cosine"] == 0
    assert new["most_shown"] == fitting["most_shown"] == 1
