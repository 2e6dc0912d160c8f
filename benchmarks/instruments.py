"""The instruments of the memory as `memory.py` calls them: other arguments each round, in the order that each needs."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from remembering import WHY

BARS = ("duplicate", "link", "near", "dispute", "clash", "priors")
FOCUS = "benchmark"  # a session of its own


class Filled(Protocol):
    """A filled directory, as far as the instruments' arguments need it."""

    def id(self, turn: int, part: int = 0) -> str: ...
    def words(self, turn: int) -> str: ...
    def text(self, turn: int) -> str: ...
    def prediction(self, turn: int) -> str: ...


Arguments = Callable[[Any, int], dict[str, Any]]


def _bar(turn: int) -> dict[str, Any]:
    return {"threshold_type": BARS[turn % len(BARS)]}


# What tells of something, or of everything; nothing of it changes what is remembered.
ASKING: Mapping[str, Arguments] = {
    "get_autonomous_status": lambda bench, turn: {"include_metrics": True, "include_history": True},
    "get_alignment_drift": lambda bench, turn: {"timeframe": ("24h", "7d", "30d")[turn % 3]},
    "get_drift_history": lambda bench, turn: {"time_range": "all"},
    "get_amortized_shortcuts": lambda bench, turn: {},
    "get_dream_status": lambda bench, turn: {},
    "get_pruning_candidates": lambda bench, turn: {},
    "omni_infer": lambda bench, turn: {"source": bench.id(turn), "direction": ("forward", "abduction")[turn % 2]},
    "get_learner_state": lambda bench, turn: {},
    "get_meta_learning_status": lambda bench, turn: {"include_accuracy_history": True},
    "get_meta_learning_log": lambda bench, turn: {},
    "get_threshold_status": lambda bench, turn: {},
    "get_threshold_history": lambda bench, turn: _bar(turn),
    "explain_threshold": lambda bench, turn: _bar(turn),
    "get_calibration_metrics": lambda bench, turn: {"timeframe": "30d"},
    "discover_sub_goals": lambda bench, turn: {},
    "auto_bootstrap_north_star": lambda bench, turn: {"confidence_threshold": 0.0},
    "compute_teleological_vector": lambda bench, turn: {"content": bench.text(turn)},
    "fuse_embeddings": lambda bench, turn: {"memory_id": bench.id(turn)},
    "search_teleological": lambda bench, turn: {"query_content": bench.words(turn)},
    "manage_teleological_profile": lambda bench, turn: {"action": "list"},
    "abort_dream": lambda bench, turn: {},
}

# What turns a knob, keeps something or carries something out.
DOING: Mapping[str, Arguments] = {
    "trigger_drift_correction": lambda bench, turn: {},
    "trigger_lambda_recalibration": lambda bench, turn: {"dry_run": True},
    "trigger_recalibration": lambda bench, turn: {"level": 1 + turn % 4, "dry_run": True},
    "observe_outcome": lambda bench, turn: {"prediction_id": bench.prediction(turn), "actual_outcome": turn % 2},
    "set_threshold_prior": lambda bench, turn: {
        "threshold_type": "link",
        "value": 0.6 + turn % 5 / 100,
        "rationale": WHY,
    },
    "update_synergy_matrix": lambda bench, turn: {
        "query_vector_id": bench.id(turn, 6),
        "result_vector_id": bench.id(turn, 7),
        "feedback": ("relevant", "not_relevant")[turn % 2],
    },
    "trigger_workspace_broadcast": lambda bench, turn: {"memory_id": bench.id(turn), "force": True},
    "adjust_coupling": lambda bench, turn: {"new_K": float(turn % 10), "session_id": FOCUS},
    "adjust_neuromodulator": lambda bench, turn: {"modulator": "dopamine", "delta": 0.1, "session_id": FOCUS},
    "execute_prune": lambda bench, turn: {"node_ids": [bench.id(turn, 8)], "reason": "staleness"},
    "trigger_healing": lambda bench, turn: {"subsystem": ("utl", "gwt")[turn % 2], "severity": "low"},
}

# What takes as long as what it is for: judging a text as storing does, comparing a hundred memories with all others.
WORKING: Mapping[str, Arguments] = {
    "get_steering_feedback": lambda bench, turn: {"content": bench.text(turn), "context": WHY},
    "trigger_consolidation": lambda bench, turn: {"max_memories": 100},
}

INSTRUMENTS: Mapping[str, Arguments] = {**ASKING, **WORKING, **DOING}
