"""The numbers of topics, goals, presets and purposes, each with the test that moves it."""

ELSEWHERE: dict[str, str] = {
    **{
        f"{tool}.{path}": f"memories/test_topics.py::{test}"
        for test, tool, paths in (
            (
                "test_the_numbers_of_topics_move_with_what_is_stored",
                "discover_sub_goals",
                (
                    *(
                        f"discovered_goals[].{part}"
                        for part in ("confidence", "member_count", "stored_last_4_weeks", "stored_4_weeks_before")
                    ),
                    "hierarchy_relationships[].share",
                    "cluster_analysis.noise",
                    *(f"discovery_metadata.{part}" for part in ("memories", "sampled", "counted", "unsorted")),
                ),
            ),
            (
                "test_topics_that_are_less_apart_are_told_so",
                "discover_sub_goals",
                ("cluster_analysis.silhouette", "cluster_analysis.k", "discovery_metadata.topics"),
            ),
            (
                "test_members_that_are_less_alike_make_a_topic_less_coherent",
                "discover_sub_goals",
                ("discovered_goals[].coherence",),
            ),
            (
                "test_members_that_are_less_alike_make_a_topic_less_coherent",
                "auto_bootstrap_north_star",
                tuple(f"candidates[].{part}" for part in ("confidence", "coherence_score", "member_count", "share")),
            ),
            (
                "test_the_goal_is_told_with_its_numbers",
                "auto_bootstrap_north_star",
                tuple(
                    f"bootstrap_result.{part}" for part in ("confidence", "coherence_score", "member_count", "share")
                ),
            ),
            (
                "test_the_numbers_of_topics_move_with_what_is_stored",
                "auto_bootstrap_north_star",
                tuple(
                    f"discovery_metadata.{part}" for part in ("memories", "sampled", "counted", "topics", "unsorted")
                ),
            ),
            (
                "test_the_goal_is_told_with_its_numbers",
                "get_autonomous_status",
                ("north_star.share", "north_star.member_count"),
            ),
            (
                "test_a_job_that_is_late_is_told",
                "get_autonomous_status",
                (
                    "overall_health.score",
                    *(f"metrics.{part}" for part in ("pending", "topics", "memories", "unsorted", "drift_checks")),
                ),
            ),
            ("test_they_are_found_between_the_calls_and_then_daily", "get_autonomous_status", ("history[].told",)),
            ("test_a_rejected_topic_is_told_no_more_until_that_is_taken_back", "discover_sub_goals", ("left_out",)),
        )
        for path in paths
    },
    **{
        f"{tool}.{path}": f"memories/test_drift.py::{test}"
        for test, tool, paths in (
            (
                "test_an_off_topic_cluster_raises_it_and_its_removal_lowers_it",
                "get_alignment_drift",
                ("overall_drift.similarity", "overall_drift.drift_score"),
            ),
            ("test_what_has_grown_is_named_first", "get_alignment_drift", ("topics[].recent", "topics[].usual")),
            (
                "test_questions_count_by_what_they_were_shown",
                "get_alignment_drift",
                ("analyzed_count", "question_count"),
            ),
            (
                "test_spaces_tell_where_they_can",
                "get_alignment_drift",
                ("per_embedder_drift[].similarity", "per_embedder_drift[].drift_score"),
            ),
            *(
                (
                    "test_every_check_is_kept_and_shows_where_it_leads",
                    tool,
                    (
                        *(f"history[].{part}" for part in ("overall", "analyzed_count", "delta", "per_embedder")),
                        *(f"trend.{part}" for part in ("velocity", "samples", "projected_critical_in")),
                    ),
                )
                for tool in ("get_alignment_drift", "get_drift_history")
            ),
            (
                "test_every_check_is_kept_and_shows_where_it_leads",
                "get_drift_history",
                tuple(f"summary.{part}" for part in ("count", "mean", "lowest", "highest")),
            ),
            (
                "test_a_target_raises_what_serves_the_goal_and_is_taken_back",
                "trigger_drift_correction",
                (
                    *(
                        f"correction_result.{part}"
                        for part in ("alignment_before", "alignment_after", "improvement", "change_count")
                    ),
                    "correction_result.changes[].before",
                    "correction_result.changes[].after",
                    "before_state.alignment",
                    "after_state.alignment",
                ),
            ),
            (
                "test_a_correction_is_proposed_and_then_carried_out_and_taken_back",
                "trigger_drift_correction",
                ("before_state.goal_topics", "after_state.goal_topics"),
            ),
        )
        for path in paths
    },
    **{
        f"manage_teleological_profile.{shape}.{part}": f"memories/test_profiles.py::{test}"
        for shape in ("profile", "profiles[]")
        for part, test in (
            ("embedder_weights[]", "test_six_are_built_in_and_cannot_be_changed"),
            ("recency", "test_one_is_made_changed_deleted_and_each_step_taken_back"),
            ("usage.count", "test_its_use_is_counted_with_how_well_it_helped"),
            ("usage.avg_effectiveness", "test_its_use_is_counted_with_how_well_it_helped"),
        )
    },
    **{
        f"{tool}.{path}": f"memories/test_purpose.py::{test}"
        for test, tool, paths in (
            (
                "test_a_text_serves_the_topics_it_is_about",
                "compute_teleological_vector",
                (
                    "topics[].alignment",
                    "purpose_vector[]",
                    "cross_correlations[]",
                    "group_alignments",
                    "confidence",
                    "coverage",
                    "coherence",
                    "tucker[]",
                    "per_embedder",
                ),
            ),
            (
                "test_what_the_spaces_say_is_fused_by_weights",
                "fuse_embeddings",
                (
                    "weights[]",
                    "fused.purpose_vector[]",
                    "fused.cross_correlations[]",
                    "fused.groups",
                    "confidence",
                ),
            ),
        )
        for path in paths
    },
    **{
        f"{tool}.{path}": f"memories/test_purpose_search.py::{test}"
        for test, tool, paths in (
            (
                "test_what_serves_the_same_topic_comes_first",
                "search_teleological",
                (
                    "results[].similarity",
                    *(f"results[].breakdown.{part}" for part in ("purpose", "correlations", "groups", "confidence")),
                    "count",
                    "compared",
                ),
            ),
            (
                "test_feedback_is_not_in_force_before_there_is_enough_of_it",
                "update_synergy_matrix",
                (
                    "pairs_updated",
                    "max_delta",
                    "mean_delta",
                    "events_accumulated",
                    "weights",
                    "top_changes[].before",
                    "top_changes[].after",
                ),
            ),
            (
                "test_what_is_in_force_moves_what_is_compared",
                "update_synergy_matrix",
                ("matrix_version", "held_out.count", "held_out.before", "held_out.after"),
            ),
        )
        for path in paths
    },
}
