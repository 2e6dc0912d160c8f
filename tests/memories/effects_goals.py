"""What the parameters of the tools for topics, goals and presets do to an answer."""

from tests.memories.effects import Effect
from tests.memories.gardens import BAKERY, CHOIR, REACTOR

# Asked of a memory about reactors and bread: as it is, or with its goal and what was stored since.
PLANTED, SOWN, GROWN = "planted", 1, 2
GOALS = [
    Effect("auto_bootstrap_north_star", {PLANTED: SOWN}, {"confidence_threshold": 1.0}, "status"),
    Effect("auto_bootstrap_north_star", {PLANTED: SOWN}, {"max_candidates": 1}, "candidates"),
    Effect("discover_sub_goals", {PLANTED: GROWN}, {"min_confidence": 1.0}, "left_out"),
    Effect("discover_sub_goals", {PLANTED: GROWN}, {"max_goals": 1}, "left_out"),
    Effect("discover_sub_goals", {PLANTED: GROWN}, {"parent_goal_id": "$goal"}, "discovered_goals"),
    Effect("discover_sub_goals", {PLANTED: GROWN, "rename": "Plant"}, {"topic_id": "$topic"}, "changed"),
    Effect("discover_sub_goals", {PLANTED: GROWN, "topic_id": "$topic"}, {"rename": "Plant"}, "changed"),
    Effect("discover_sub_goals", {PLANTED: GROWN, "topic_id": "$topic"}, {"reject": True}, "changed"),
    Effect("get_alignment_drift", {PLANTED: GROWN}, {"timeframe": "30d"}, "analyzed_count"),
    Effect("get_alignment_drift", {PLANTED: GROWN}, {"include_history": True}, "history"),
    Effect("get_alignment_drift", {PLANTED: GROWN}, {"memory_ids": ["$hymn"]}, "analyzed_count"),
    Effect("get_alignment_drift", {PLANTED: GROWN, "timeframe": "30d"}, {"strategy": "cosine"}, "overall_drift"),
    Effect("get_drift_history", {PLANTED: GROWN}, {"goal_id": "another"}, "summary"),
    Effect("get_drift_history", {PLANTED: GROWN}, {"time_range": "all"}, "summary"),
    Effect("get_drift_history", {PLANTED: GROWN, "time_range": "all"}, {"limit": 1}, "history"),
    Effect("get_drift_history", {PLANTED: GROWN}, {"include_per_embedder": True}, "history"),
    Effect("get_drift_history", {PLANTED: GROWN, "time_range": "all"}, {"compute_deltas": False}, "history"),
    Effect("trigger_drift_correction", {PLANTED: GROWN}, {"force": True}, "correction_result"),
    Effect("trigger_drift_correction", {PLANTED: GROWN}, {"target_alignment": 0.4}, "correction_result"),
    Effect("get_autonomous_status", {PLANTED: GROWN}, {"include_metrics": True}, "metrics"),
    Effect("get_autonomous_status", {PLANTED: GROWN}, {"include_history": True}, "history"),
    Effect("get_autonomous_status", {PLANTED: GROWN, "include_history": True}, {"history_count": 1}, "history"),
]
MAKE = {"action": "create", "profile_id": "mine"}
TRIED = {PLANTED: GROWN, "content": REACTOR[0]}
FUSED = {PLANTED: GROWN, "memory_id": "$hymn"}
SOUGHT = {PLANTED: GROWN, "query_content": REACTOR[0], "strategy": "cosine", "min_similarity": 0}
SAID = {
    PLANTED: GROWN,
    "query_vector_id": "$pump",
    "result_vector_id": "$valve",
    "feedback": "relevant",
    "learning_rate": 0.5,
}
PURPOSE = [
    Effect("compute_teleological_vector", TRIED, {"content": CHOIR[0]}, "purpose_vector"),
    Effect("compute_teleological_vector", TRIED, {"profile_id": "code_implementation"}, "dominant_embedder"),
    Effect("compute_teleological_vector", TRIED, {"compute_tucker": True}, "tucker"),
    Effect("compute_teleological_vector", {**TRIED, "compute_tucker": True}, {"tucker_ranks": [2, 2, 2]}, "tucker"),
    Effect("compute_teleological_vector", TRIED, {"include_per_embedder": True}, "per_embedder"),
    Effect("fuse_embeddings", FUSED, {"memory_id": "$pump"}, "memory_id"),
    Effect("fuse_embeddings", FUSED, {"fusion_method": "linear"}, "weights"),
    Effect("fuse_embeddings", {**FUSED, "memory_id": "$pump"}, {"profile_id": "research"}, "weights"),
    Effect("fuse_embeddings", {**FUSED, "memory_id": "$pump"}, {"custom_weights": [1] * 12 + [5]}, "weights"),
    Effect("fuse_embeddings", {**FUSED, "memory_id": "$pump"}, {"apply_synergy": False}, "fused"),
    Effect("fuse_embeddings", FUSED, {"store_result": False}, "stored"),
    *(
        Effect("search_teleological", SOUGHT, {name: value}, "results")
        for name, value in (
            ("query_content", BAKERY[0]),
            ("strategy", "euclidean"),
            ("scope", "purpose_vector_only"),
            ("specific_groups", ["implementation"]),
            ("specific_embedder", 5),
            ("weight_purpose", 0.1),
            ("weight_correlations", 0.1),
            ("weight_groups", 0.05),
            ("min_similarity", 0.99),
            ("max_results", 1),
            ("include_breakdown", False),
            ("profile_id", "code_implementation"),
        )
    ),
    Effect("search_teleological", {PLANTED: GROWN}, {"query_vector_id": "$pump"}, "results"),
    Effect("update_synergy_matrix", SAID, {"query_vector_id": "$hymn"}, "weights"),
    Effect("update_synergy_matrix", SAID, {"result_vector_id": "$hymn"}, "weights"),
    Effect("update_synergy_matrix", SAID, {"feedback": "not_relevant"}, "weights"),
    Effect("update_synergy_matrix", SAID, {"relevance_score": 0.6}, "weights"),
    Effect("update_synergy_matrix", SAID, {"learning_rate": 0.1}, "max_delta"),
    Effect("update_synergy_matrix", SAID, {"update_scope": "all_pairs"}, "weights"),
    Effect("manage_teleological_profile", MAKE, {"action": "read"}, "error"),
    Effect("manage_teleological_profile", {"action": "read", "profile_id": "research"}, {"profile_id": "x"}, "error"),
    *(
        Effect("manage_teleological_profile", MAKE, {name: value}, "profile")
        for name, value in (
            ("name", "Mine"),
            ("task_type", "research"),
            ("embedder_weights", [1] * 12 + [5]),
            ("group_priorities", {"factual": 2, "temporal": 0, "causal": 3, "relational": 1, "qualitative": 1}),
            ("group_priorities", {"implementation": 2}),
            ("fusion_strategy", "gated"),
            ("recency", 0.5),
            ("filters", {"min_importance": 0.5, "tags": ["x"], "within_days": 3, "domain": "Legal"}),
        )
    ),
    Effect("search_graph", {"query": "the pot causes tea, because it boils"}, {"profile": "debugging"}, "results"),
    Effect("inject_context", {"query": "tea"}, {"profile": "nobody"}, "error"),
]
