"""How the memory stands: each number moves with what it tells about, and with nothing else."""

from typing import Any

import pytest

from memotheca.memory.care.look_through import look_through
from memotheca.memory.session.state import activity_of
from tests.memories.librarian import Librarian


def status(librarian: Librarian, **more: Any) -> dict[str, Any]:
    return librarian.call("get_memetic_status", **more)


def set_mood(librarian: Librarian, **values: float) -> None:
    with librarian.kernel.read() as snapshot:
        mood = activity_of(librarian.kernel).mood(snapshot.session, librarian.kernel.collection, librarian.session)
    for name, value in values.items():
        setattr(mood, name, value)


def test_an_empty_memory_is_ready(librarian: Librarian) -> None:
    found = status(librarian)
    assert (found["node_count"], found["suggested_action"], found["curation_tasks"]) == (0, "ready", [])
    assert found["quadrant_counts"] == {"Open": 0, "Blind": 0, "Hidden": 0, "Unknown": 0}
    assert found["layers"]["memory"] == {"status": "empty", "nodes": 0, "edges": 0}
    assert set(found["layers"]) == {"sensing", "reflex", "memory", "learning", "coherence"}
    assert found["dream_available"] is True
    assert found["dream_reason"]


def test_nodes_of_every_kind_are_counted_and_questions_are_not(librarian: Librarian) -> None:
    librarian.remember("Ada drinks tea.")
    librarian.given(pot="A pot.")
    before = status(librarian)
    assert before["node_count"] == 2
    librarian.found("tea")
    assert status(librarian)["node_count"] == 2
    assert sum(before["quadrant_counts"].values()) == before["quadrants_judged"] == 1
    librarian.remember("Penguins huddle.")
    assert sum(status(librarian)["quadrant_counts"].values()) == 2


def test_what_is_looked_at_most_is_most_active(librarian: Librarian) -> None:
    tea, cup = librarian.remember("Ada drinks tea."), librarian.remember("The cup is blue.")
    librarian.found("tea", top_k=1)
    librarian.found("tea", top_k=1)
    librarian.found("cup", top_k=1)
    active = status(librarian)["top_active_concepts"]
    assert [each["node_id"] for each in active] == [tea, cup]
    assert active[0]["looks"] > active[1]["looks"]
    assert status(librarian)["top_active_concepts"] == active
    for number in range(6):
        librarian.found("cup", top_k=1, min_similarity=number / 100)
    assert status(librarian)["top_active_concepts"][0]["node_id"] == cup


def test_a_contradiction_is_a_task_that_comes_first(librarian: Librarian) -> None:
    old = librarian.remember("Ada lives in Paris.")
    assert status(librarian)["curation_tasks"] == []
    librarian.remember("Penguins huddle.")
    assert status(librarian)["curation_tasks"] == []
    new = librarian.remember("Ada lives in Oslo.")
    found = status(librarian)
    (task,) = found["curation_tasks"]
    assert (task["task_type"], task["priority"], task["suggested_tool"]) == (
        "ambiguity_detected",
        "high",
        "epistemic_action",
    )
    assert set(task["target_nodes"]) == {old, new}
    assert (found["suggested_action"], found["curation_task_count"]) == ("curate", 1)
    librarian.call("forget_concept", node_id=old, reason="obsolete", rationale="She has moved.")
    assert status(librarian)["suggested_action"] == "ready"


def test_two_that_say_the_same_may_be_merged(librarian: Librarian) -> None:
    twins = {librarian.remember("Deploys wait for the lock.") for _ in range(2)}
    (task,) = status(librarian)["curation_tasks"]
    assert (task["task_type"], task["suggested_tool"], set(task["target_nodes"])) == (
        "potential_merge",
        "merge_concepts",
        twins,
    )


@pytest.mark.parametrize(
    ("entropy", "coherence", "action"),
    [
        (0.8, 0.3, "consolidate"),
        (0.8, 0.6, "clarify"),
        (0.8, 0.45, "ready"),
        (0.3, 0.3, "explore"),
        (0.3, 0.6, "ready"),
        (0.5, 0.3, "ready"),
    ],
)
def test_what_to_do_follows_from_novelty_and_fit(
    librarian: Librarian, entropy: float, coherence: float, action: str
) -> None:
    set_mood(librarian, entropy=entropy, coherence=coherence)
    found = status(librarian)
    assert (found["entropy_level"], found["coherence_score"], found["suggested_action"]) == (entropy, coherence, action)
    assert status(librarian, session_id="another")["entropy_level"] == 0.5


def test_learning_moves_with_what_is_stored(librarian: Librarian) -> None:
    before = status(librarian)
    assert (before["learning_score"], before["layers"]["learning"]["status"]) == (0, "idle")
    librarian.found("nothing")
    assert status(librarian)["learning_score"] == 0
    for text in ("Ada drinks tea.", "Ada drinks tea in the morning.", "In the morning there is tea."):
        librarian.remember(text)
    after = status(librarian)
    assert after["layers"]["learning"]["status"] == ("learning" if after["learning_score"] else "idle")
    assert after["layers"]["learning"]["stored_in_session"] == 3
    assert after["entropy_level"] != before["entropy_level"]


def test_the_phase_moves_with_exchanges(librarian: Librarian) -> None:
    assert status(librarian)["phase"] == "Infancy"
    activity_of(librarian.kernel).add(librarian.kernel.collection, "interactions", 60)
    assert status(librarian)["phase"] == "Growth"


def test_a_name_that_is_too_long_is_refused(librarian: Librarian) -> None:
    assert librarian.error("get_memetic_status", session_id="x" * 257)["code"] == -32002


def test_what_is_still_to_be_looked_through_is_counted(librarian: Librarian) -> None:
    """A memory is compared when it is stored; what else is stored is looked through between the calls."""
    for number in range(5):
        librarian.call("store", topic=f"cup {number}", content=f"The cup holds {number} teas.")
    assert status(librarian)["not_yet_compared"] == 5
    look_through(librarian.kernel, lambda: False)
    assert status(librarian)["not_yet_compared"] == 0
    librarian.remember("The lamp is lit.")
    assert status(librarian)["not_yet_compared"] == 0
