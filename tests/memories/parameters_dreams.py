"""What each parameter of the tools that dream, let go and draw together does: the tool, its arguments, the one that is
put in their place, and where in the answer the difference shows."""

from typing import Any

from tests.memories.effects_goals import GROWN, PLANTED

# Before the call, something was dreamt.
DREAMT = "dreamt"
# Before the call, something slight was stored, and nobody read it for so many days.
SLIGHT = "slight"

OLD: dict[str, Any] = {"node_ids": ["old oven"], "reason": "staleness"}
KEEPING: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("get_pruning_candidates", {"min_staleness_days": 0}, {"limit": 1}, "candidates"),
    ("get_pruning_candidates", {}, {"min_staleness_days": 0}, "candidates"),
    ("get_pruning_candidates", {PLANTED: GROWN, SLIGHT: 100}, {"min_alignment": 0}, "candidates"),
    ("execute_prune", OLD, {"node_ids": ["old oven", "oldest oven"]}, "pruned_count"),
    ("execute_prune", OLD, {"reason": "orphan"}, "pruned_count"),
    ("execute_prune", OLD, {"cascade": True}, "cascade_pruned"),
    ("execute_prune", OLD, {"rationale": "The cook has a new oven."}, "then.tombstones"),
    ("trigger_consolidation", {}, {"max_memories": 1}, "consolidation_result"),
    ("trigger_consolidation", {}, {"strategy": "semantic"}, "consolidation_result"),
    ("trigger_consolidation", {}, {"min_similarity": 1}, "consolidation_result"),
]
DREAM: dict[str, Any] = {"blocking": True, "phase": "nrem"}
REM: dict[str, Any] = {"blocking": True, "phase": "rem"}
DREAMS: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("trigger_dream", DREAM, {"phase": "rem"}, "phase_completed"),
    ("trigger_dream", REM, {"duration_minutes": 1}, "ends_by"),
    ("trigger_dream", REM, {"synthetic_query_count": 10}, "report.rem.queries_generated"),
    ("trigger_dream", {"phase": "rem"}, {"blocking": True}, "phase_completed"),
    ("trigger_dream", REM, {"abort_on_query": False}, "wakes_on"),
    ("trigger_dream", DREAM, {"dry_run": True}, "report.reversal_hashes"),
    ("trigger_dream", {**REM, DREAMT: True}, {"force": True}, "triggered"),
    ("trigger_dream", DREAM, {"rationale": "The cook has gone home."}, "then.why"),
    ("abort_dream", {}, {"reason": "The cook is back."}, "reason"),
    ("get_amortized_shortcuts", {}, {"min_confidence": 0.95}, "returned_count"),
    ("get_amortized_shortcuts", {}, {"limit": 1}, "returned_count"),
]
EFFECTS = [*KEEPING, *DREAMS]
