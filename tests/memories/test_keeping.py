"""Letting go and drawing together: only on grounds, never where something differs, and always to be taken back."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memotheca.memory.claims.protected import protection_of
from memotheca.memory.claims.sameness import differences
from memotheca.model.clock import DAY, SECOND
from memotheca.model.knowledge import Entry
from tests.conftest import Time
from tests.memories.gardens import BAKERY, REACTOR, tell
from tests.memories.librarian import WHY, Librarian, open_librarian

SLIGHT = "The banner of the staging page was blue for a week."


def pass_days(librarian: Librarian, days: int) -> None:
    clock = librarian.kernel.store.clock
    assert isinstance(clock, Time)
    clock.advance(days * DAY // SECOND)


def candidates(librarian: Librarian, **more: Any) -> dict[str, str]:
    found = librarian.call("get_pruning_candidates", **{"min_staleness_days": 0, **more})["candidates"]
    return {each["memory_id"]: each["reason"] for each in found}


def state_of(librarian: Librarian) -> list[tuple[str, Any]]:
    """All that is there, as it is."""
    with librarian.kernel.read() as snapshot:
        entries = [version.thing for version in snapshot.entries(("memory", "entity", "tuning"))]
        edges = [edge for entry in entries for edge in snapshot.edges_of(entry.id)]  # type: ignore[union-attr]
    return sorted(((thing.id, thing) for thing in (*entries, *edges)), key=lambda pair: pair[0])  # type: ignore


def test_what_is_superseded_may_go_and_names_what_stands_in_its_place(librarian: Librarian) -> None:
    old = librarian.remember("The gateway listens on port 8080.", importance=0.9)
    new = librarian.remember("The gateway listens on port 9090.", supersedes=[old])
    (found,) = librarian.call("get_pruning_candidates", min_staleness_days=0)["candidates"]
    assert (found["memory_id"], found["reason"], found["replaced_by"]) == (old, "superseded", new)
    assert candidates(librarian, min_staleness_days=30) == {}
    pass_days(librarian, 31)
    assert candidates(librarian, min_staleness_days=30) == {old: "superseded"}


def test_what_has_ended_may_go(librarian: Librarian) -> None:
    past = librarian.remember("The lift is out of order.", valid_to="2026-03-01")
    assert candidates(librarian) == {}
    pass_days(librarian, 40)
    assert candidates(librarian) == {past: "expired"}


def test_of_two_that_say_the_same_the_slighter_may_go(librarian: Librarian) -> None:
    librarian.remember("The nightly job takes the lock.", importance=0.8)
    twin = librarian.remember("The nightly job takes the lock.", importance=0.4)
    assert candidates(librarian) == {twin: "duplicate"}


def test_what_is_slight_may_go_once_it_was_unread_for_long(librarian: Librarian) -> None:
    slight = librarian.remember(SLIGHT, importance=0.1)
    librarian.remember("The banner of the shop page is kept red.", importance=0.3)
    pass_days(librarian, 89)
    assert candidates(librarian) == {}
    pass_days(librarian, 2)
    assert candidates(librarian) == {slight: "unread"}
    librarian.call("hydrate_citation", citation_tag=librarian.tag(slight))
    assert candidates(librarian) == {}


@pytest.mark.parametrize(
    "content",
    [
        "Mei is allergic to peanuts.",
        "Ask Ingrid about the boiler.",
        "The kettle is dangerous when it is empty.",
        "My tea is taken without sugar.",
        "Never open the vent while it runs.",
        "Bei Gefahr den roten Knopf.",
    ],
)
def test_what_is_about_a_person_or_safety_stays_however_slight_and_unread(librarian: Librarian, content: str) -> None:
    vital = librarian.remember(content, importance=0.05)
    pass_days(librarian, 1000)
    assert candidates(librarian) == {}
    kept = librarian.call("execute_prune", node_ids=[vital], reason="staleness")
    assert kept["pruned_count"] == 0
    assert "no ground" in kept["errors"][0]["error"]
    assert protection_of(SLIGHT) is None


def test_nothing_goes_for_low_alignment_alone(librarian: Librarian) -> None:
    there = librarian.remember("Saucers catch what is spilled.")
    kept = librarian.call("execute_prune", node_ids=[there, "nobody"], reason="low_alignment")
    assert (kept["pruned_count"], kept["reversal_hashes"], kept["tx_id"]) == (0, [], None)
    assert {each["node_id"] for each in kept["errors"]} == {there, "nobody"}


def test_pruning_is_one_transaction_that_its_hash_takes_back(librarian: Librarian) -> None:
    first = librarian.remember("The gateway listens on port 7070.")
    second = librarian.remember("The gateway listens on port 8080.", supersedes=[first])
    third = librarian.remember("The gateway listens on port 9090.", supersedes=[second])
    before = state_of(librarian)
    pruned = librarian.call("execute_prune", node_ids=[second], reason="staleness", cascade=True)
    assert (pruned["pruned_count"], pruned["cascade_pruned"]) == (1, 1)
    assert sorted(pruned["pruned"]) == sorted([first, second])
    assert {each["node_id"] for each in librarian.call("search_tombstones")["tombstones"]} == {second, first}
    librarian.call("restore_from_hash", reversal_hash=pruned["reversal_hashes"][0])
    assert state_of(librarian) == before
    assert third in dict(state_of(librarian))


def test_without_cascade_what_it_superseded_stays(librarian: Librarian) -> None:
    first = librarian.remember("The gateway listens on port 7070.")
    second = librarian.remember("The gateway listens on port 8080.", supersedes=[first])
    librarian.remember("The gateway listens on port 9090.", supersedes=[second])
    pruned = librarian.call("execute_prune", node_ids=[second], reason="staleness")
    assert pruned["pruned"] == [second]


def test_a_reason_must_speak_of_the_ground(librarian: Librarian) -> None:
    old = librarian.remember("The lift is out of order.", valid_to="2026-03-01")
    pass_days(librarian, 40)
    refused = librarian.call("execute_prune", node_ids=[old], reason="redundancy")
    assert "expired" in refused["errors"][0]["error"]
    assert librarian.call("execute_prune", node_ids=[old], reason="orphan")["pruned_count"] == 1


def test_what_is_said_twice_becomes_one_and_comes_back(librarian: Librarian) -> None:
    one = librarian.remember("The nightly job takes the lock.", name="job")
    other = librarian.remember("The nightly job takes the lock.")
    friend = librarian.remember("Deploys wait for it.", link_to=[other])
    before = state_of(librarian)
    done = librarian.call("trigger_consolidation")
    assert done["consolidation_result"]["status"] == "consolidated"
    (merged,) = done["merged"]
    assert sorted(merged["source_ids"]) == sorted([one, other])
    assert friend in {each["id"] for each in librarian.call("get_neighborhood", node_id=merged["node_id"])["neighbors"]}
    assert librarian.call("get_node_lineage", node_id=one)["merged_into"] == merged["node_id"]
    librarian.call("restore_from_hash", reversal_hash=done["reversal_hash"])
    assert state_of(librarian) == before


def test_two_groups_are_merged_in_one_transaction_and_each_source_gets_its_own_edges_back(librarian: Librarian) -> None:
    jobs = [librarian.remember("The nightly job takes the lock.") for _ in range(2)]
    lifts = [librarian.remember("The lift needs new oil in spring.") for _ in range(2)]
    done = librarian.call("trigger_consolidation")
    assert len(done["merged"]) == 2
    made = {tuple(sorted(each["source_ids"])): each["node_id"] for each in done["merged"]}
    late = librarian.remember("Oil for the lift is in the cellar.", link_to=[made[tuple(sorted(lifts))]])
    assert librarian.call("get_node_lineage", node_id=jobs[0])["merged_into"] == made[tuple(sorted(jobs))]
    librarian.call("restore_from_hash", reversal_hash=done["reversal_hash"])
    with librarian.kernel.read() as snapshot:
        (edge,) = [each for each in snapshot.edges_from(late) if each.predicate == "links to"]
    assert edge.target in lifts


PAIRS = [
    ("The pump needs 4 bar at the inlet.", "The pump needs 5 bar at the inlet.", "figure"),
    ("Ada keeps the key of the archive.", "Bea keeps the key of the archive.", "name"),
    ("The valve is closed at night.", "The valve is not closed at night.", "denial"),
    ("The old dog bites the young cat.", "The young cat bites the old dog.", "order"),
    ("The shop opens on Monday at nine.", "The shop opens on Tuesday at nine.", "time"),
]


@pytest.mark.parametrize(("one", "other", "slot"), PAIRS)
def test_what_differs_in_a_figure_name_denial_or_time_is_never_merged(
    librarian: Librarian, one: str, other: str, slot: str
) -> None:
    drawn = [Entry(id=body, kind="memory", title="", body=body, created_at=0, updated_at=0) for body in (one, other)]
    assert slot in differences(*drawn)
    for content in (one, other):
        librarian.remember(content)
    assert librarian.call("trigger_consolidation", min_similarity=0)["merged"] == []


def test_what_is_alike_but_not_surely_is_put_on_the_list(librarian: Librarian) -> None:
    librarian.remember("The nightly backup job takes the big lock first.")
    librarian.remember("The nightly backup job first takes the big lock, says the log.")
    done = librarian.call("trigger_consolidation", min_similarity=0.3)
    assert done["consolidation_result"] == {
        "status": "candidates_found",
        "candidate_count": 1,
        "action_required": True,
    }
    assert "order" in done["candidates_sample"][0]["hindrance"]
    assert [each["kind"] for each in librarian.call("get_memetic_status")["curation_tasks"]] == ["duplicate"]


SAID = st.sampled_from(
    [
        "The nightly job takes the lock.",
        "The lift needs new oil in spring.",
        "The gateway listens on port 8080.",
        "The gateway listens on port 9090.",
        SLIGHT,
    ]
)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(said=st.lists(SAID, min_size=2, max_size=6), linked=st.booleans(), days=st.sampled_from([0, 100]))
def test_whatever_was_pruned_or_consolidated_undone_gives_the_state_before(
    tmp_path_factory: pytest.TempPathFactory, said: list[str], linked: bool, days: int
) -> None:
    librarian = open_librarian(tmp_path_factory.mktemp("keeping"), Time())
    ids: list[str] = []
    for place, content in enumerate(said):
        beside = {"link_to": ids[-1:]} if linked and ids else {}
        replaced = {"supersedes": ids[:1]} if place == len(said) - 1 and "port" in content else {}
        ids.append(librarian.remember(content, importance=0.1, **{**beside, **replaced}))
    pass_days(librarian, days)
    before = state_of(librarian)
    done = librarian.call("trigger_consolidation", min_similarity=0.5)
    if done["reversal_hash"]:
        librarian.call("restore_from_hash", reversal_hash=done["reversal_hash"])
    assert state_of(librarian) == before
    pruned = librarian.call("execute_prune", node_ids=list(candidates(librarian)) or ids[:1], reason="staleness")
    for reversal in pruned["reversal_hashes"]:
        librarian.call("restore_from_hash", reversal_hash=reversal)
    assert state_of(librarian) == before
    librarian.kernel.store.close()


def test_a_rationale_is_kept(librarian: Librarian) -> None:
    old = librarian.remember("The gateway listens on port 8080.")
    librarian.remember("The gateway listens on port 9090.", supersedes=[old])
    librarian.call("execute_prune", node_ids=[old], reason="staleness", rationale=WHY)
    assert librarian.call("search_tombstones")["tombstones"][0]["rationale"] == WHY


def test_what_is_unread_but_serves_what_the_memory_is_about_stays(librarian: Librarian) -> None:
    tell(librarian, REACTOR, BAKERY)
    near = librarian.remember("The reactor pump was checked twice by the control crew.", importance=0.1)
    far = librarian.remember(SLIGHT, importance=0.1)
    for id in (near, far):
        with librarian.kernel.read() as snapshot:
            assert len(snapshot.edges_of(id)) < 6
    pass_days(librarian, 100)
    found = librarian.call("get_pruning_candidates")["candidates"]
    assert far in {each["memory_id"] for each in found}
    assert {each["alignment"] for each in found} == {None}
    refused = librarian.call("execute_prune", node_ids=[far], reason="low_alignment")
    assert "not known yet" in refused["errors"][0]["error"]
    librarian.call("discover_sub_goals")
    told = librarian.call("get_pruning_candidates", min_alignment=1)["candidates"]
    found = {each["memory_id"]: each["alignment"] for each in told}
    assert found[far] < 0.4 < found.get(near, 1.0)
    kept = {each["memory_id"] for each in librarian.call("get_pruning_candidates", min_alignment=0.4)["candidates"]}
    assert far in kept
    assert near not in kept
    assert librarian.call("get_pruning_candidates", min_alignment=0)["candidates"] == []
    assert librarian.call("execute_prune", node_ids=[far], reason="low_alignment")["pruned_count"] == 1
