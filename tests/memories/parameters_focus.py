"""What shows of each parameter of the instruments by which a session is steered: tool, arguments, the one that is put
in their place, and where the difference shows."""

from typing import Any

TEA, CUP = "tea", "cup"
DELTA = "gwt/compute_delta_sc"
DOPAMINE = {"modulator": "dopamine", "delta": 0.1}
EFFECTS: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("get_neuromodulation_state", {}, {"session_id": "kitchen"}, "dopamine"),
    *(
        (tool, {}, {"session_id": "kitchen"}, "meaning")
        for tool in ("get_workspace_status", "get_kuramoto_sync", "get_consciousness_state")
    ),
    ("get_ego_state", {}, {"session_id": "kitchen"}, "trajectory_length"),
    ("adjust_coupling", {"new_K": 2}, {"new_K": 5}, "predicted_r"),
    ("adjust_coupling", {"new_K": 2}, {"session_id": "kitchen"}, "current_r"),
    ("trigger_workspace_broadcast", {"memory_id": TEA}, {"memory_id": CUP}, "memory_id"),
    ("trigger_workspace_broadcast", {"memory_id": TEA}, {"importance": 0.3}, "score"),
    ("trigger_workspace_broadcast", {"memory_id": TEA}, {"alignment": 0.3}, "score"),
    ("trigger_workspace_broadcast", {"memory_id": "law"}, {"force": True}, "success"),
    ("trigger_workspace_broadcast", {"memory_id": "law", "force": True}, {"unpin": True}, "is_broadcasting"),
    ("trigger_workspace_broadcast", {"memory_id": TEA}, {"session_id": "kitchen"}, "new_r"),
    (DELTA, {"vertex_id": TEA}, {"vertex_id": CUP}, "delta_s_per_embedder"),
    (DELTA, {"vertex_id": TEA}, {"content": "The cup is blue, too."}, "delta_s_per_embedder"),
    (DELTA, {"vertex_id": TEA}, {"new_fingerprint": {"content": "The cup is red."}}, "delta_s_per_embedder"),
    (DELTA, {"vertex_id": TEA}, {"old_fingerprint": {"content": "The cup is red."}}, "change"),
    (DELTA, {"vertex_id": TEA}, {"old_fingerprint": {"tx_id": 10_000}}, "change"),
    (DELTA, {"vertex_id": TEA}, {"johari_threshold": 0.65}, "johari_quadrants"),
    (DELTA, {"vertex_id": TEA}, {"include_diagnostics": True}, "diagnostics"),
    ("get_health_status", {"subsystem": "dream"}, {"subsystem": "utl"}, "subsystems"),
    ("trigger_healing", {"subsystem": "gwt"}, {"subsystem": "storage"}, "actions_taken"),
    ("trigger_healing", {"subsystem": "gwt"}, {"severity": "low"}, "actions_taken"),
    ("adjust_neuromodulator", DOPAMINE, {"modulator": "serotonin"}, "new_level"),
    ("adjust_neuromodulator", DOPAMINE, {"delta": -0.1}, "new_level"),
    ("adjust_neuromodulator", DOPAMINE, {"session_id": "kitchen"}, "old_level"),
]
