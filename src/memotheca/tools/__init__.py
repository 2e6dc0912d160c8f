"""What can agents call?

A folder a family: one file a tool, and the contract that puts answers into the family's words. Not for doing the work,
which is a verb of a room below. Look first at `entries/store.py` for an example.
"""

from memotheca.toolkit.tool import Toolset

# What an agent needs to remember well, across families: at most nine tools, in 12 KB (docs/memory.md).
SELECTIONS = (
    Toolset(
        "memory",
        "The nine tools an agent needs to remember well; the recommendation.",
        default=False,
        members=(
            "inject_context",
            "store_memory",
            "search_graph",
            "update",
            "annotate_node",
            "merge_concepts",
            "forget_concept",
            "epistemic_action",
            "undo",
        ),
    ),
    Toolset(
        "focus",
        "What a session's attention is on, and how far it pulls: pin a memory, see what competes, turn the knobs.",
        default=False,
        members=(
            "get_consciousness_state",
            "get_kuramoto_sync",
            "get_workspace_status",
            "get_ego_state",
            "trigger_workspace_broadcast",
            "adjust_coupling",
            "gwt/compute_delta_sc",
            "get_neuromodulation_state",
            "adjust_neuromodulator",
        ),
    ),
    Toolset(
        "health",
        "How the machinery of the memory stands, and what can be done about it.",
        default=False,
        members=("get_health_status", "trigger_healing"),
    ),
    Toolset(
        "dream",
        "Letting an agent's memory tend itself while nobody asks it anything, and what came of it.",
        default=False,
        members=(
            "trigger_dream",
            "get_dream_status",
            "abort_dream",
            "get_amortized_shortcuts",
            "restore_from_hash",
        ),
    ),
    Toolset(
        "thresholds",
        "The bars by which an agent's memory decides: what they decided, whether that was right, and moving them.",
        default=False,
        members=(
            "get_threshold_status",
            "get_calibration_metrics",
            "trigger_recalibration",
            "set_threshold_prior",
            "get_threshold_history",
            "explain_threshold",
            "restore_from_hash",
        ),
    ),
    Toolset(
        "keeping",
        "What may be let go or drawn together in an agent's memory, and doing it.",
        default=False,
        members=("get_pruning_candidates", "execute_prune", "trigger_consolidation", "restore_from_hash"),
    ),
    Toolset(
        "outcomes",
        "Whether what an agent's memory shows helps: saying so, and what it learns from that.",
        default=False,
        members=(
            "observe_outcome",
            "get_learner_state",
            "get_meta_learning_status",
            "trigger_lambda_recalibration",
            "get_meta_learning_log",
        ),
    ),
    Toolset(
        "goals",
        "What an agent's memory is about: its topics, its goal, and whether it keeps to it.",
        default=False,
        members=(
            "auto_bootstrap_north_star",
            "discover_sub_goals",
            "get_alignment_drift",
            "get_drift_history",
            "trigger_drift_correction",
            "get_autonomous_status",
            "restore_from_hash",
        ),
    ),
    Toolset(
        "purpose",
        "Presets of retrieval, and which topics a text serves.",
        default=False,
        members=(
            "manage_teleological_profile",
            "compute_teleological_vector",
            "fuse_embeddings",
            "search_teleological",
            "update_synergy_matrix",
            "search_graph",
            "inject_context",
            "restore_from_hash",
        ),
    ),
)
