"""Numbers of the instruments by which a session is steered: its knobs, its focus, its health."""

from tests.memories.librarian import Librarian
from tests.memories.moving import Scene, called, question, stranger

SUBSYSTEMS = ("utl", "gwt", "dream", "storage")
MODULATORS = ("dopamine", "serotonin", "noradrenaline", "acetylcholine")
BOUNDS = ("range.min", "range.baseline", "range.max", "half_life.minutes", "half_life.questions")


def recalled_badly(librarian: Librarian) -> None:
    librarian.remember("Ada takes her tea black.", name="tea")
    for _ in range(5):
        librarian.call("test_recall_accuracy", query="zzz", expected_node_ids=["tea"])


def turned(modulator: str, by: float):
    return called("adjust_neuromodulator", modulator=modulator, delta=by)


# What sums up no state.
ECHOES = {
    "adjust_neuromodulator.delta_requested": "what the caller said",
    "adjust_coupling.new_K": "what the caller said",
    **{f"adjust_neuromodulator.{path}": "a bound" for path in BOUNDS},
    **{f"get_neuromodulation_state.{name}.{path}": "a bound" for name in MODULATORS for path in BOUNDS},
    **{f"get_kuramoto_sync.{path}": "of the model" for path in ("natural_freqs[]", "effective_freqs[]")},
    **{f"get_kuramoto_sync.thresholds.{name}": "a bound" for name in ("conscious", "fragmented", "hypersync")},
    **{f"get_ego_state.thresholds.{name}": "a bound" for name in ("healthy", "warning", "degraded")},
    **{f"get_health_status.subsystems.{part}.checks[].limit": "a bound" for part in SUBSYSTEMS},
}
# What takes a session of questions is moved in `test_workspace.py`.
ELSEWHERE = {
    "test_the_better_score_keeps_the_place": ("trigger_workspace_broadcast.score",),
    "test_what_does_not_agree_with_the_focus_is_pinned_by_force_alone": (
        "trigger_workspace_broadcast.new_r",
        "trigger_workspace_broadcast.dopamine_triggered",
    ),
    "test_the_threshold_of_the_workspace_is_the_one_that_holds": (
        "get_workspace_status.coherence_threshold",
        "get_consciousness_state.workspace.coherence_threshold",
    ),
    "test_what_the_last_questions_brought_is_in_focus_and_competes": (
        "get_workspace_status.in_focus",
        "get_workspace_status.competing[].r",
        "get_workspace_status.competing[].score",
    ),
    "test_contexts_contain_what_is_pinned_within_the_budget_until_it_is_replaced_or_taken_off": (
        "get_workspace_status.broadcast_duration_ms",
        "get_workspace_status.history_len",
    ),
    "test_the_spaces_agree_about_one_subject_and_not_about_three": (
        "get_kuramoto_sync.r",
        "get_kuramoto_sync.psi",
        "get_kuramoto_sync.synchronization",
        "get_kuramoto_sync.phases[]",
        "get_consciousness_state.psi",
    ),
    "test_who_is_silent_for_ten_minutes_is_dormant": (
        "get_kuramoto_sync.elapsed_seconds",
        "get_consciousness_state.time_in_state_ms",
        "get_consciousness_state.workspace.time_in_workspace_ms",
    ),
    "test_the_coupling_is_clamped_and_its_model_told": (
        "get_kuramoto_sync.coupling",
        "get_kuramoto_sync.predicted_r",
        "adjust_coupling.predicted_r",
    ),
    "test_adjusting_the_coupling_tells_what_it_would_have_moved": (
        "adjust_coupling.old_K",
        "adjust_coupling.current_r",
        "adjust_coupling.effect.results",
        "adjust_coupling.effect.focus",
        "adjust_coupling.effect.moved[].old_place",
        "adjust_coupling.effect.moved[].new_place",
    ),
    "test_a_page_for_whoever_watches": (
        "get_consciousness_state.r",
        "get_consciousness_state.integration",
        "get_consciousness_state.workspace.competing_count",
    ),
    "test_reflection_is_how_right_it_was_about_what_would_help": (
        "get_consciousness_state.C",
        "get_consciousness_state.meta_score",
        "get_consciousness_state.reflection",
        "get_consciousness_state.differentiation",
    ),
    "test_an_agent_that_turns_to_something_else_is_seen_to": (
        "get_ego_state.purpose_vector[]",
        "get_ego_state.identity_coherence",
        "get_ego_state.trajectory_length",
        "get_ego_state.identity_continuity.ic",
        "get_ego_state.identity_continuity.history_len",
        "get_consciousness_state.identity.coherence",
        "get_consciousness_state.identity.continuity",
        "get_consciousness_state.identity.trajectory_length",
        "get_consciousness_state.identity.purpose_vector[]",
    ),
    "test_it_is_told_which_topics_an_agent_works_on": (
        "get_ego_state.topics[].share_now",
        "get_ego_state.topics[].share_before",
        "get_ego_state.topics_overlap",
    ),
    "test_what_is_stored_agrees_with_what_is_asked_or_not": ("get_ego_state.coherence_with_actions",),
}
DELTA = {
    "test_it_says_what_the_classification_says": ("utl_learning_potential",),
    "test_a_text_that_fits_better_moves_novelty_down_and_fit_up_and_is_not_stored": (
        "delta_s_per_embedder[]",
        "delta_s_aggregate",
        "delta_c",
        "delta_c_per_embedder[]",
        "change.delta_s",
        "change.delta_c",
        "change.utl_learning_potential",
    ),
    "test_it_is_compared_with_its_previous_version_or_one_that_is_named": (
        "diagnostics.spaces[].delta_s_before",
        "diagnostics.spaces[].delta_c_before",
    ),
}
STATE = "get_neuromodulation_state"
SCENES = (
    Scene(
        tool="get_health_status",
        plant=stranger,
        unrelated=question,
        moves={"subsystems.storage.node_count": "up"},
    ),
    Scene(
        tool=STATE,
        plant=turned("dopamine", 0.2),
        unrelated=question,
        moves={"dopamine.level": "up", "derived_parameters.beta": "up"},
    ),
    Scene(
        tool=STATE,
        plant=turned("serotonin", 0.5),
        unrelated=turned("dopamine", 0.2),
        moves={"serotonin.level": "up", "derived_parameters.active_spaces": "up"},
    ),
    Scene(
        tool="get_neuromodulation",
        plant=turned("serotonin", 0.5),
        unrelated=turned("dopamine", 0.2),
        moves={"effects.spaces": "up"},
    ),
    Scene(
        tool=STATE,
        plant=turned("noradrenaline", -0.3),
        unrelated=turned("dopamine", 0.2),
        moves={"noradrenaline.level": "down", "derived_parameters.temperature": "down"},
    ),
    Scene(
        tool=STATE,
        plant=recalled_badly,
        unrelated=question,
        moves={"acetylcholine.level": "up", "derived_parameters.learning_rate": "up"},
    ),
    Scene(
        tool="adjust_neuromodulator",
        ask={"modulator": "dopamine", "delta": 0.5},
        plant=turned("dopamine", 1.8),
        unrelated=question,
        moves={"old_level": "up", "new_level": "up", "delta_applied": "down", "also_moved.serotonin": "up"},
    ),
)
