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
