"""Goldens of topics and goals: what each tool answers, and how its errors look."""

from typing import Any

import pytest

from memotheca.model.clock import DAY, SECOND
from tests.conftest import Time
from tests.memories.gardens import BAKERY, CHOIR, REACTOR, tell
from tests.memories.librarian import Librarian
from tests.memories.test_goldens import show

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "auto_bootstrap_north_star": ("auto_bootstrap_north_star", {}),
    "auto_bootstrap_north_star-beyond": ("auto_bootstrap_north_star", {"confidence_threshold": 2}),
    "discover_sub_goals": ("discover_sub_goals", {"max_goals": 1, "min_confidence": 0}),
    "discover_sub_goals-unknown": ("discover_sub_goals", {"topic_id": "topic_0", "reject": True}),
    "get_alignment_drift": ("get_alignment_drift", {"timeframe": "7d", "include_history": True}),
    "get_alignment_drift-timeframe": ("get_alignment_drift", {"timeframe": "1y"}),
    "get_drift_history": ("get_drift_history", {"time_range": "all"}),
    "trigger_drift_correction": ("trigger_drift_correction", {"force": True}),
    "manage_teleological_profile": (
        "manage_teleological_profile",
        {"action": "create", "profile_id": "mine", "task_type": "debugging", "filters": {"tags": ["incident"]}},
    ),
    "manage_teleological_profile-list": ("manage_teleological_profile", {"action": "list"}),
    "manage_teleological_profile-unknown": ("manage_teleological_profile", {"action": "read", "profile_id": "x"}),
    "compute_teleological_vector": ("compute_teleological_vector", {"content": REACTOR[0]}),
    "search_teleological": (
        "search_teleological",
        {"query_content": "Who has checked the reactor pump?", "max_results": 2},
    ),
    "search_teleological-both": ("search_teleological", {"query_content": "Tea.", "query_vector_id": "pv_0"}),
    "search_teleological-unknown": ("search_teleological", {"query_vector_id": "pv_0"}),
    "update_synergy_matrix-unknown": (
        "update_synergy_matrix",
        {"query_vector_id": "pv_0", "result_vector_id": "pv_1", "feedback": "relevant"},
    ),
    "fuse_embeddings-unknown": ("fuse_embeddings", {"memory_id": "nobody"}),
    "get_autonomous_status": (
        "get_autonomous_status",
        {"include_metrics": True, "include_history": True, "history_count": 2},
    ),
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_golden_goal(librarian: Librarian, golden: Any, time: Time, name: str) -> None:
    tell(librarian, REACTOR, BAKERY)
    librarian.call("auto_bootstrap_north_star", confidence_threshold=0.5)
    time.advance(10 * DAY // SECOND)
    tell(librarian, BAKERY, CHOIR)
    librarian.call("get_alignment_drift")
    golden(f"memories/{name}", show(librarian, *CALLS[name]))


def test_golden_of_fusion(librarian: Librarian, golden: Any) -> None:
    ids = tell(librarian, REACTOR, BAKERY)
    librarian.call("auto_bootstrap_north_star", confidence_threshold=0.5)
    golden("memories/fuse_embeddings", show(librarian, "fuse_embeddings", {"memory_id": ids[0]}))
    said = {"query_vector_id": ids[0], "result_vector_id": ids[1], "feedback": "relevant"}
    golden("memories/update_synergy_matrix", show(librarian, "update_synergy_matrix", said))


def test_golden_of_too_little(librarian: Librarian, golden: Any) -> None:
    golden("memories/auto_bootstrap_north_star-little", show(librarian, "auto_bootstrap_north_star", {}))
    golden("memories/get_alignment_drift-little", show(librarian, "get_alignment_drift", {}))
    golden("memories/trigger_drift_correction-skipped", show(librarian, "trigger_drift_correction", {}))
