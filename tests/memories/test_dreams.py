"""Dreams: they tend what is stored, propose and never decide, wake at once, and can be taken back."""

import threading
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memotheca.memory.curation.links import new_link
from memotheca.memory.dream.dream_log import WORK
from memotheca.memory.dream.sleeper import Sleeper, sleeper_of
from memotheca.memory.session.state import activity_of
from memotheca.model.kinds import SEMANTIC
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.storage.instruments.retrievals import RetrievalRow, ShownEntry
from memotheca.storage.instruments.work_events import read_work_events
from memotheca.vectors.embedders import DEFAULT
from tests.conftest import Time
from tests.memories.librarian import WHY, Librarian, open_librarian
from tests.memories.test_keeping import pass_days, state_of
from tests.patience import PATIENCE

# A busy machine may let a thread wait; what is asserted is that it comes.
CHAIN = ("worn fuse", "stalled pump", "cool boiler", "cold rooms")


def chained(librarian: Librarian, *, weight: float = 0.9) -> list[str]:
    """A chain of causes, each stated."""
    ids = [librarian.remember(f"There was a {name}.", name=name, session_id=name) for name in CHAIN]
    for one, other in pairwise(CHAIN):
        librarian.call("annotate_node", node_id=one, link_to=[other], relation="causes", weight=weight)
    return ids


def walk(librarian: Librarian, times: int) -> None:
    for _ in range(times):
        librarian.call("find_causal_path", source_id=CHAIN[0], target_id=CHAIN[-1])


def dream(librarian: Librarian, **more: Any) -> dict[str, Any]:
    return librarian.call("trigger_dream", blocking=True, force=True, **more)


def resembling(librarian: Librarian, weight: float = 0.6, confidence: float | None = None) -> str:
    """Two memories that the memory itself took to be alike, or that somebody says are."""
    ids = [librarian.remember(text, session_id=text) for text in ("Tea is brewed at noon.", "Cups are kept in rows.")]

    def put(transaction: Any) -> str:
        transaction.describe("CREATE")
        edge = new_link(transaction, (ids[0], ids[1]), SEMANTIC, weight=weight, predicate="resembles")
        edge = replace(edge, confidence=weight if confidence is None else confidence)
        transaction.put(edge)
        return edge.id

    return librarian.kernel.write(put, actor="tester")


def shown_together(librarian: Librarian, edge_id: str, times: int) -> None:
    with librarian.kernel.read() as snapshot:
        edge = snapshot.edge(edge_id)
    assert edge is not None
    for number in range(times):
        row = RetrievalRow(
            id=f"{edge_id}{number}",
            time=librarian.kernel.now(),
            session="",
            way="search",
            query="?",
            shown=(ShownEntry(entry_id=edge.source, score=1.0), ShownEntry(entry_id=edge.target, score=1.0)),
        )
        activity_of(librarian.kernel).retrievals.keep(librarian.kernel.collection, row)


def strength(librarian: Librarian, edge_id: str) -> float | None:
    with librarian.kernel.read() as snapshot:
        edge = snapshot.edge(edge_id)
    if edge is None:
        return None
    nt = edge.attributes.get("nt") or {}
    return edge.weight * (1 + nt.get("excitatory", 0.0) - nt.get("inhibitory", 0.0))


def test_five_walks_of_three_steps_make_one_shortcut_with_the_product_of_its_weights(librarian: Librarian) -> None:
    ids = chained(librarian)
    walk(librarian, 4)
    assert dream(librarian)["shortcuts_created"] == 0
    walk(librarian, 1)
    (candidate,) = librarian.call("get_amortized_shortcuts")["shortcuts"]
    assert (candidate["traversal_count"], candidate["created"], candidate["path"]) == (5, None, ids)
    before = state_of(librarian)
    done = dream(librarian)
    assert done["shortcuts_created"] == 1
    (made,) = librarian.call("get_amortized_shortcuts")["shortcuts"]
    assert made["combined_weight"] == pytest.approx(0.9**3)
    assert (made["path_length"], made["hop_count"]) == (1, 3)
    assert made["created"]
    assert done["report"]["path_length_before"] == 3
    assert done["report"]["path_length_after"] == 1
    (edge,) = [each for each in librarian.call("get_neighborhood", node_id=ids[0])["neighbors"] if each["is_shortcut"]]
    assert edge["weight"] == pytest.approx(0.9**3)
    librarian.call("undo", count=1)
    assert state_of(librarian) == before


def test_a_shortcut_that_was_taken_back_stays_away_until_the_path_is_walked_as_often_again(
    librarian: Librarian,
) -> None:
    chained(librarian)
    walk(librarian, 5)
    done = dream(librarian)
    librarian.call("restore_from_hash", reversal_hash=done["report"]["reversal_hashes"][0])
    assert dream(librarian)["shortcuts_created"] == 0
    walk(librarian, 5)
    assert dream(librarian)["shortcuts_created"] == 1


def test_a_shortcut_goes_with_the_evidence_under_it(librarian: Librarian) -> None:
    chained(librarian)
    walk(librarian, 5)
    dream(librarian)
    librarian.call("annotate_node", node_id=CHAIN[1], unlink=[CHAIN[2]])
    done = dream(librarian, phase="nrem")
    assert done["edges_pruned"] == 1
    assert librarian.call("get_amortized_shortcuts")["shortcuts"] == []


def test_what_merely_resembles_or_follows_gives_no_shortcut(librarian: Librarian) -> None:
    ids = [librarian.remember(f"There was a {name}.", name=name) for name in CHAIN]
    for _ in range(6):
        librarian.call("get_neighborhood", node_id=ids[0], depth=3)
    assert librarian.call("get_amortized_shortcuts", min_confidence=0)["total_candidates"] == 0
    assert dream(librarian)["shortcuts_created"] == 0


def test_other_tools_walk_too(librarian: Librarian) -> None:
    ids = chained(librarian)
    for _ in range(3):
        librarian.call("omni_infer", source=ids[-1], target=ids[0], direction="backward", min_confidence=0)
    for _ in range(2):
        librarian.call("get_neighborhood", node_id=ids[0], depth=3, edge_types=["Causal"])
    (found,) = librarian.call("get_amortized_shortcuts")["shortcuts"]
    assert found["traversal_count"] == 5


def test_edges_that_the_memory_found_are_stronger_by_use_and_weaker_without(librarian: Librarian) -> None:
    edge = resembling(librarian)
    shown_together(librarian, edge, 12)
    done = dream(librarian, phase="nrem")
    assert done["edges_strengthened"] == 1
    lively = strength(librarian, edge)
    assert lively is not None
    assert lively > 0.6
    assert dream(librarian, phase="nrem")["edges_strengthened"] == 0
    pass_days(librarian, 180)
    assert dream(librarian, phase="nrem")["report"]["nrem"]["edges_weakened"] == 1
    faded = strength(librarian, edge)
    assert faded is not None
    assert faded < lively
    pass_days(librarian, 3000)
    assert dream(librarian, phase="nrem")["edges_pruned"] == 1
    assert strength(librarian, edge) is None


def test_what_somebody_stated_is_never_moved(librarian: Librarian) -> None:
    chained(librarian)
    stated = resembling(librarian, 0.6, 1.0)
    shown_together(librarian, stated, 20)
    before = state_of(librarian)
    pass_days(librarian, 3000)
    done = dream(librarian, phase="nrem")
    assert (done["edges_strengthened"], done["edges_pruned"]) == (0, 0)
    assert state_of(librarian) == before


def test_a_link_that_a_text_names_and_that_came_too_early_is_found(librarian: Librarian) -> None:
    effect = librarian.remember("The outage of Monday was caused by INC-7.", session_id="one")
    cause = librarian.remember("INC-7: a worn cable.", name="INC-7", session_id="two")
    done = dream(librarian, phase="nrem")
    assert done["new_edges_created"] == 1
    path = librarian.call("find_causal_path", source_id=cause, target_id=effect)
    assert path["path_found"]


def test_blind_spots_are_proposed_and_nothing_is_joined(librarian: Librarian) -> None:
    ids = [
        librarian.remember("INC-7 was seen by the night shift.", session_id="one"),
        librarian.remember("The invoice quotes INC-7 in its footer.", session_id="two"),
    ]
    before = state_of(librarian)
    done = dream(librarian, phase="rem")
    (spot,) = done["blind_spots_discovered"]
    assert done["report"]["rem"]["queries_generated"] == done["report"]["rem"]["unique_nodes_visited"] == 2
    assert (done["report"]["rem"]["exploration_coverage"], done["report"]["tasks_opened"]) == (1, 1)
    assert sorted(spot["nodes"]) == sorted(ids)
    assert "INC-7" in spot["shared"]
    assert done["new_edges_created"] == 0
    assert state_of(librarian) == before
    (task,) = librarian.call("get_memetic_status")["curation_tasks"]
    assert (task["kind"], task["priority"], task["suggested_tool"]) == ("blind_spot", "low", "annotate_node")
    assert dream(librarian, phase="rem")["blind_spots_discovered"] == []
    librarian.call("annotate_node", node_id=ids[0], link_to=[ids[1]])
    assert librarian.call("get_memetic_status")["curation_tasks"] == []


def test_a_dry_run_changes_nothing_and_tells_what_would_be(librarian: Librarian) -> None:
    chained(librarian)
    walk(librarian, 5)
    before = state_of(librarian)
    would = dream(librarian, dry_run=True)
    assert state_of(librarian) == before
    assert would["report"]["reversal_hashes"] == []
    assert librarian.call("get_memetic_status")["curation_tasks"] == []
    assert dream(librarian)["shortcuts_created"] == would["shortcuts_created"] == 1


def test_duplicates_and_newer_values_become_tasks(librarian: Librarian) -> None:
    librarian.remember("The nightly job takes the lock.", session_id="one")
    librarian.remember("The nightly job takes the lock.", session_id="two")
    librarian.remember("The gateway listens on port 8080.", session_id="one")
    librarian.remember("The gateway now listens on port 9090.", session_id="two")
    report = dream(librarian, phase="nrem")["report"]
    assert dream(librarian, phase="nrem")["report"]["tasks_opened"] == 0
    nrem = report["nrem"]
    assert nrem["duplicates_found"] >= 1
    assert nrem["updates_found"] + nrem["disputes_found"] >= 1
    assert nrem["memories_replayed"] >= 4


def test_the_whole_of_a_dream_is_taken_back_by_its_name(librarian: Librarian) -> None:
    chained(librarian)
    walk(librarian, 5)
    edge = resembling(librarian)
    shown_together(librarian, edge, 12)
    before = state_of(librarian)
    done = dream(librarian)
    assert len(done["report"]["reversal_hashes"]) == 2
    late = librarian.remember("Something came later.", session_id="later")
    librarian.call("restore_from_hash", reversal_hash=done["dream_id"])
    after = [pair for pair in state_of(librarian) if pair[0] != late]
    assert after == before
    assert librarian.call("restore_from_hash", reversal_hash=done["dream_id"])["already_restored"]
    assert librarian.error("restore_from_hash", reversal_hash="dream_0")["code"] == -32012


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    walks=st.integers(0, 7),
    together=st.integers(0, 15),
    days=st.sampled_from([0, 90, 2000]),
    phase=st.sampled_from(["nrem", "rem", "full", "full_cycle"]),
)
def test_any_dream_undone_gives_the_state_before(
    tmp_path_factory: pytest.TempPathFactory, walks: int, together: int, days: int, phase: str
) -> None:
    librarian = open_librarian(tmp_path_factory.mktemp("dreams"), Time())
    chained(librarian)
    walk(librarian, walks)
    librarian.remember("The outage was caused by INC-9.", session_id="one")
    librarian.remember("INC-9: a worn cable.", name="INC-9", session_id="two")
    shown_together(librarian, resembling(librarian), together)
    pass_days(librarian, days)
    before = state_of(librarian)
    done = dream(librarian, phase=phase)
    if done["report"]["reversal_hashes"]:
        librarian.call("restore_from_hash", reversal_hash=done["dream_id"])
    assert state_of(librarian) == before
    librarian.app.close()


def test_within_a_minute_it_does_not_dream_again_unless_forced(librarian: Librarian) -> None:
    librarian.remember("The nightly job takes the lock.")
    dream(librarian)
    refused = librarian.call("trigger_dream", blocking=True)
    assert not refused["triggered"]
    assert "force" in refused["trigger_reason"]
    assert librarian.call("get_dream_status")["scheduler"]["cooldown_remaining"] > 0
    clock = librarian.kernel.store.clock
    assert isinstance(clock, Time)
    clock.advance(61)
    assert librarian.call("trigger_dream", blocking=True)["triggered"]


class Asleep:
    """A dream that goes on until it is woken: it rests between any two slices."""

    def __init__(self, librarian: Librarian, monkeypatch: pytest.MonkeyPatch, **more: Any) -> None:
        self.resting, self.librarian = threading.Event(), librarian
        go_on = threading.Event()

        def rest(_: Any) -> None:
            self.resting.set()
            go_on.wait(0.005)

        monkeypatch.setattr("memotheca.kernel.precedence.Precedence.give_way", rest)
        monkeypatch.setattr("memotheca.memory.dream.night.TOLD", 0.05)
        monkeypatch.setattr("memotheca.memory.dream.night.ids_beyond", lambda *said, **more: [self.first])
        with librarian.kernel.read() as snapshot:
            self.first = snapshot.entries(("memory",))[0].id
        self.begun = librarian.call("trigger_dream", force=True, phase="nrem", **more)
        assert self.begun["triggered"]
        assert self.resting.wait(PATIENCE)

    def wait_for_progress(self) -> None:
        """Until an event tells how far it is: events of a phase are a second apart."""
        seen: set[int] = set()
        for _ in range(500):
            progress = self.librarian.call("get_dream_status")["progress"]
            seen.add(progress["event"])
            if progress["done"]:
                assert progress["total"] == 1
                assert len(seen) > 1
                return
            self.resting.clear()
            self.resting.wait(1)
        raise AssertionError("nothing was told")

    def wait(self) -> dict[str, Any]:
        sleep = sleeper_of(self.librarian.kernel).sleep
        assert sleep is None or sleep.ended.wait(PATIENCE)
        return self.librarian.call("get_dream_status")


def test_a_question_wakes_it_at_once(librarian: Librarian, monkeypatch: pytest.MonkeyPatch) -> None:
    librarian.remember("The nightly job takes the lock.")
    asleep = Asleep(librarian, monkeypatch)
    status = librarian.call("get_dream_status")
    assert status["is_dreaming"]
    asleep.wait_for_progress()
    assert status["progress"]["dream_id"] == asleep.begun["dream_id"]
    librarian.call("search_graph", query="lock")
    last = asleep.wait()
    assert not last["is_dreaming"]
    assert last["last_report"]["wake_reason"] == "external_query"
    assert 0 <= last["last_report"]["wake_latency_ms"] < PATIENCE * 1000


def test_it_dreams_on_where_questions_shall_not_wake_it(librarian: Librarian, monkeypatch: pytest.MonkeyPatch) -> None:
    librarian.remember("The nightly job takes the lock.")
    asleep = Asleep(librarian, monkeypatch, abort_on_query=False)
    librarian.call("search_graph", query="lock")
    asleep.resting.clear()
    assert asleep.resting.wait(PATIENCE)
    assert librarian.call("get_dream_status")["is_dreaming"]
    aborted = librarian.call("abort_dream", reason="enough")
    assert (aborted["aborted"], aborted["previous_state"]) == (True, "NREM")
    assert aborted["partial_report"]["wake_reason"] == "manual_abort"
    assert aborted["abort_latency_ms"] > 0


def test_two_programs_on_one_directory_dream_once(
    librarian: Librarian, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    librarian.remember("The nightly job takes the lock.")
    Asleep(librarian, monkeypatch, abort_on_query=False)
    other = Sleeper()
    assert other.fall_asleep(librarian.kernel, "dream_x", 1, wakes_on_query=False) is None
    refused = librarian.call("trigger_dream", force=True)
    assert not refused["triggered"]
    assert librarian.call("abort_dream")["aborted"]


def test_nothing_to_abort(librarian: Librarian) -> None:
    assert librarian.call("abort_dream") == {
        **librarian.call("abort_dream"),
        "aborted": False,
        "abort_latency_ms": None,
        "previous_state": "Awake",
    }


def test_events_tell_the_phases_in_their_order(librarian: Librarian) -> None:
    chained(librarian)
    walk(librarian, 5)
    done = dream(librarian)
    with librarian.kernel.read() as snapshot:
        events = read_work_events(snapshot.session, snapshot.collection, WORK, after=0, limit=100)
    assert {event.run for event in events} == {done["dream_id"]}
    assert list(dict.fromkeys(event.phase for event in events)) == ["started", "nrem", "rem", "ended"]
    assert [event.facts["tx"] for event in events if "tx" in event.facts]


def test_an_agent_that_is_unsettled_is_advised_to_let_it_dream(librarian: Librarian) -> None:
    def unsettle() -> None:
        with librarian.kernel.read() as snapshot:
            mood = activity_of(librarian.kernel).mood(snapshot.session, librarian.kernel.collection, "")
        mood.entropy, mood.coherence, mood.empty_since, mood.has_conflict = 0.9, 0.1, None, False

    librarian.remember("The nightly job takes the lock.")
    unsettle()
    assert librarian.call("get_system_logs")["pulse"]["suggested"] == "trigger_dream"
    dream(librarian)
    unsettle()
    assert librarian.call("get_system_logs")["pulse"]["suggested"] == "critique_context"
    assert not librarian.call("get_memetic_status")["dream_available"]


def test_a_dream_goes_on_where_the_last_one_stood(librarian: Librarian, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [librarian.remember(f"Fact number {number} of the house.", session_id=str(number)) for number in range(4)]
    seen: list[str] = []
    from memotheca.memory.dream import night, work_order

    monkeypatch.setattr(work_order, "FIRST", 0)
    tend = night.tend_entry

    def tended(kernel: Any, id: str, pause: Any) -> Any:
        seen.append(id)
        if len(seen) == 2:
            sleep = sleeper_of(kernel).sleep
            assert sleep is not None
            sleep.wake("manual_abort")
        return tend(kernel, id, pause)

    monkeypatch.setattr(night, "tend_entry", tended)
    assert dream(librarian, phase="nrem")["was_interrupted"]
    dream(librarian, phase="nrem")
    assert seen == [ids[0], ids[1], ids[1], ids[2], ids[3], ids[0]]


def test_a_rationale_is_kept_with_each_change(librarian: Librarian) -> None:
    chained(librarian)
    walk(librarian, 5)
    done = dream(librarian, rationale=WHY)
    with librarian.kernel.read() as snapshot:
        commit = snapshot.commits(limit=1)[0]
    assert str(commit.note["rationale"]).startswith(WHY)
    assert commit.batch is not None
    assert commit.batch.id == done["dream_id"]


def test_probes_tell_whether_questions_find_what_was_of_use(librarian: Librarian) -> None:
    ids = [librarian.remember(text, session_id=text) for text in ("The kiln is fired on Fridays.", "Glaze is mixed.")]
    row = RetrievalRow(
        id="asked",
        time=librarian.kernel.now(),
        session="",
        way="search",
        query="When is the kiln fired?",
        shown=(ShownEntry(entry_id=ids[0], score=1.0, used=0.9), ShownEntry(entry_id=ids[1], score=0.5, used=0.9)),
    )
    activity_of(librarian.kernel).retrievals.keep(librarian.kernel.collection, row)
    report = dream(librarian, phase="rem")["report"]
    assert (report["probes"], report["recall_before"], report["recall_after"]) == (1, 0.5, 0.5)
    librarian.call("forget_concept", node_id=ids[1], reason="obsolete", rationale=WHY)
    assert dream(librarian, phase="rem")["report"]["recall_after"] == 1


def test_how_far_apart_a_blind_spot_is_moves_with_what_it_says(tmp_path: Path) -> None:
    leaps: list[float] = []
    for place, text in enumerate(("INC-7 stopped the pumps at night.", "The invoice quotes INC-7 in its footer.")):
        librarian = open_librarian(tmp_path / str(place), Time())
        choose_embedder(librarian.kernel.store, librarian.kernel.collection, DEFAULT)
        librarian.remember("INC-7 stopped the pumps of the plant in the evening.", session_id="one")
        librarian.remember(text, session_id="two")
        done = dream(librarian, phase="rem")
        leaps += [each["semantic_leap"] for each in done["blind_spots_discovered"]] or [0.0]
        assert done["report"]["rem"]["average_semantic_leap"] in (None, leaps[-1])
        librarian.app.close()
    assert leaps[0] < leaps[1]


def test_how_busy_it_is_moves_with_calls_and_time(librarian: Librarian, monkeypatch: pytest.MonkeyPatch) -> None:
    before = librarian.call("get_dream_status")
    assert (before["completed_cycles"], before["time_since_last_dream_secs"]) == (0, None)
    for _ in range(5):
        librarian.remember("The nightly job takes the lock.")
    busy = librarian.call("get_dream_status")
    assert busy["activity_level"] > before["activity_level"]
    assert busy["scheduler"]["average_activity"] > before["scheduler"]["average_activity"]
    assert before["scheduler"]["trigger_conditions"][0] == {"condition": "low_activity", "holds": True}
    assert busy["scheduler"]["trigger_conditions"][0] == {"condition": "low_activity", "holds": False}
    dream(librarian)
    after = librarian.call("get_dream_status")
    assert after["completed_cycles"] == 1
    assert after["scheduler"]["cooldown_remaining"] > 0
    pass_days(librarian, 1)
    monkeypatch.setattr("memotheca.memory.session.call_meter.monotonic", lambda: monotonic() + 3600)
    later = librarian.call("get_dream_status")
    assert later["time_since_last_dream_secs"] > after["time_since_last_dream_secs"]
    assert later["scheduler"]["cooldown_remaining"] == 0
    assert later["activity_level"] < busy["activity_level"]
