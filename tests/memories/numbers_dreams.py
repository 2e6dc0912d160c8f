"""The numbers of the tools that dream, let go and draw together, each with what moves it."""

from memotheca.model.clock import DAY, SECOND
from tests.conftest import Time
from tests.memories.librarian import Librarian
from tests.memories.moving import Act, Scene, both, linked, nothing, remembered

PORT, PORTS = "The gateway listens on port 8080.", "The gateway listens on port 9090."
JOB = "The nightly job takes the lock."
SLIGHT = "The banner of the staging page was blue for a week."


def elsewhere(librarian: Librarian) -> None:
    """Something that has to do with nothing else, and that nobody can let go."""
    librarian.remember("Penguins huddle against the polar wind.", session_id="elsewhere")


def later(days: int) -> Act:
    """So many days pass."""

    def act(librarian: Librarian) -> None:
        clock = librarian.kernel.store.clock
        assert isinstance(clock, Time)
        clock.advance(days * DAY // SECOND)

    return act


def said_twice(librarian: Librarian) -> None:
    for session in ("here", "there"):
        librarian.remember(JOB, session_id=session)


def replaced(librarian: Librarian) -> None:
    """The first is superseded."""
    librarian.remember(PORTS, name="newer", supersedes=["first"], session_id="elsewhere")


NONE = {"min_staleness_days": 0}
SCENES = (
    Scene(
        tool="get_pruning_candidates",
        ask=NONE,
        prepare=remembered(PORT),
        plant=replaced,
        unrelated=elsewhere,
        moves={"summary.total_candidates": "up", "summary.by_reason.superseded": "up"},
    ),
    Scene(
        tool="get_pruning_candidates",
        ask=NONE,
        prepare=both(remembered(PORT), replaced),
        plant=later(40),
        unrelated=nothing,
        moves={
            "candidates[0].age_days": "up",
            "candidates[0].staleness_days": "up",
            "candidates[0].priority_score": "up",
        },
    ),
    Scene(
        tool="get_pruning_candidates",
        ask=NONE,
        prepare=both(remembered(PORT), replaced),
        plant=linked("first", "newer"),
        unrelated=elsewhere,
        moves={"candidates[0].connections": "up"},
        tolerance=0.01,
    ),
    Scene(
        tool="get_pruning_candidates",
        ask=NONE,
        before=both(remembered(PORT), replaced),
        unrelated=both(both(remembered(PORT), replaced), elsewhere),
        plant=both(remembered(f"{PORT} It is the one of the old house.", importance=0.8), replaced),
        moves={"candidates[0].byte_size": "up", "candidates[0].importance": "up"},
    ),
    Scene(
        tool="get_pruning_candidates",
        ask=NONE,
        prepare=remembered(PORT),
        plant=elsewhere,
        unrelated=nothing,
        moves={"summary.fingerprints_analyzed": "up"},
    ),
    Scene(
        tool="execute_prune",
        ask={"node_ids": ["first"], "reason": "staleness", "cascade": True},
        prepare=remembered(PORT),
        plant=replaced,
        unrelated=elsewhere,
        moves={"pruned_count": "up"},
    ),
    Scene(
        tool="execute_prune",
        ask={"node_ids": ["second"], "reason": "staleness"},
        planted={"node_ids": ["second"], "reason": "staleness", "cascade": True},
        prepare=both(
            remembered(PORT),
            lambda librarian: [
                librarian.remember(PORTS, name="second", supersedes=["first"]),
                librarian.remember("The gateway listens on port 7070.", supersedes=["second"]),
            ],
        ),
        moves={"cascade_pruned": "up"},
        unrelated=elsewhere,
    ),
    Scene(
        tool="trigger_consolidation",
        prepare=remembered(JOB),
        plant=remembered(JOB),
        unrelated=nothing,
        moves={
            "consolidation_result.candidate_count": "up",
            "statistics.pairs_evaluated": "up",
            "statistics.pairs_consolidated": "up",
            "statistics.fingerprints_analyzed": "up",
        },
    ),
    Scene(
        tool="trigger_consolidation",
        ask={"min_similarity": 0.2},
        prepare=remembered("The nightly backup job takes the big lock first."),
        before=remembered("The nightly backup job first takes the big lock, says the log."),
        unrelated=remembered("The nightly backup job first takes the big lock, says the log."),
        plant=remembered("The nightly backup job takes the big lock first, says it."),
        moves={"candidates_sample[0].similarity": "up"},
    ),
    Scene(
        tool="trigger_consolidation",
        prepare=said_twice,
        plant=lambda librarian: librarian.remember("Deploys wait for it.", link_to=[librarian.found(JOB)[0]]),
        unrelated=nothing,
        moves={"merged[0].edges_redirected": "up"},
    ),
)


_DREAMS = "memories/test_dreams.py::"
_EDGES = "test_edges_that_the_memory_found_are_stronger_by_use_and_weaker_without"
_WALKS = "test_five_walks_of_three_steps_make_one_shortcut_with_the_product_of_its_weights"
_TASKS = "test_duplicates_and_newer_values_become_tasks"
_SPOTS = "test_blind_spots_are_proposed_and_nothing_is_joined"
_LINKS = "test_a_link_that_a_text_names_and_that_came_too_early_is_found"
_PROBES = "test_probes_tell_whether_questions_find_what_was_of_use"
_LEAPS = "test_how_far_apart_a_blind_spot_is_moves_with_what_it_says"
_BUSY = "test_how_busy_it_is_moves_with_calls_and_time"
_ORDER = "test_what_it_tends_first_is_ordered_by_what_outcomes_taught"
_GOING = "test_a_question_wakes_it_at_once"
_ELSEWHERE = {_ORDER: "memories/test_dream_order.py::"}
# Of a report, by which test each number is moved.
_REPORT = {
    _TASKS: ("nrem.memories_replayed", "nrem.duplicates_found", "nrem.updates_found", "nrem.disputes_found"),
    _EDGES: ("nrem.edges_strengthened", "nrem.edges_weakened", "nrem.edges_pruned", "nrem.average_weight_delta"),
    _LINKS: ("nrem.links_found",),
    _WALKS: ("nrem.shortcut_candidates", "shortcuts_created", "ways", "path_length_before", "path_length_after"),
    _SPOTS: (
        "rem.queries_generated",
        "rem.blind_spots_found",
        "rem.exploration_coverage",
        "rem.unique_nodes_visited",
        "tasks_opened",
    ),
    _LEAPS: ("rem.average_semantic_leap",),
    _ORDER: ("nrem.order.lambda_s", "nrem.order.newest", "nrem.order.most_shown"),
    _PROBES: ("probes", "recall_before", "recall_after"),
}
_TOLD = {f"report.{path}": test for test, paths in _REPORT.items() for path in paths}
MOVED_ELSEWHERE: dict[str, str] = {
    "get_pruning_candidates.candidates[].alignment": "memories/test_keeping.py"
    "::test_what_is_unread_but_serves_what_the_memory_is_about_stays",
    **{f"trigger_dream.{path}": f"{_ELSEWHERE.get(test, _DREAMS)}{test}" for path, test in _TOLD.items()},
    "trigger_dream.edges_strengthened": _DREAMS + _EDGES,
    "trigger_dream.edges_pruned": _DREAMS + _EDGES,
    "trigger_dream.new_edges_created": _DREAMS + _LINKS,
    "trigger_dream.shortcuts_created": _DREAMS + _WALKS,
    "trigger_dream.blind_spots_discovered[].semantic_leap": _DREAMS + _LEAPS,
    **{
        f"get_amortized_shortcuts.{path}": _DREAMS + _WALKS
        for path in (
            *(f"shortcuts[].{name}" for name in ("hop_count", "path_length", "traversal_count")),
            *("shortcuts[].combined_weight", "shortcuts[].min_confidence", "total_candidates", "returned_count"),
        )
    },
    **{
        f"get_dream_status.{path}": _DREAMS + _BUSY
        for path in (
            "activity_level",
            "completed_cycles",
            "time_since_last_dream_secs",
            "scheduler.average_activity",
            "scheduler.cooldown_remaining",
        )
    },
    **{f"get_dream_status.progress.{name}": _DREAMS + _GOING for name in ("done", "total", "event")},
}
_TIMED = ("duration_ms", "nrem.duration_ms", "rem.duration_ms", "slices", "slices_over_budget", "longest_slice_ms")
_REPORTS = ("trigger_dream.report", "get_dream_status.last_report", "abort_dream.partial_report")
# How long it took, and what another tool tells in the same words.
SAID_AS_IT_IS: dict[str, str] = {
    "get_pruning_candidates.summary.thresholds_used": "bounds, and what the caller said",
    "trigger_consolidation.statistics.similarity_threshold": "what the caller said",
    "trigger_dream.duration_ms": "how long it took",
    "get_amortized_shortcuts.quality_thresholds": "bounds, and what the caller said",
    **{f"{where}.{name}": "how long it took" for where in _REPORTS for name in _TIMED},
    **{
        f"{where}.{path.removeprefix('report.')}": "as trigger_dream told it"
        for where in _REPORTS[1:]
        for path in _TOLD
    },
}
