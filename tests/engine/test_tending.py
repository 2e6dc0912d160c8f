"""Tending: what comes up for a decision, in which order, and what makes it go away."""

import pytest

from memotheca import settings
from memotheca.admin.history import undo
from memotheca.app import build
from memotheca.memory.care.look_through import look_through
from memotheca.memory.care.tasks import curation_tasks, examine_health, keep_as_it_is, reconsider, standing_tasks
from memotheca.memory.curation.annotate import Annotation, annotate
from memotheca.memory.curation.links import StatedRelation
from memotheca.memory.curation.merge import forget
from memotheca.memory.curation.remember import NewMemory, store_memory
from memotheca.memory.curation.ties import TieRequest
from memotheca.model.clock import DAY, SECOND
from memotheca.search.chosen_embedder import choose_embedder
from tests.patience import PATIENCE

WHY = "Somebody said so in the meeting."


@pytest.fixture
def kernel(tmp_path, time):
    app = build(settings.load({"data": str(tmp_path), "toolsets": "all"}, {}), clock=time)
    choose_embedder(app.kernel.store, app.kernel.collection, "none")
    yield app.kernel
    app.kernel.store.close()


@pytest.fixture
def store(kernel):
    def put(content, **more):
        return store_memory(
            kernel, NewMemory(content=content, rationale=WHY, metadata={}, **more), actor="tester"
        ).version.id

    return put


def tasks(kernel):
    # The whole of it, however much of a processor that takes on a machine that does much else.
    look_through(kernel, lambda: False, anew=True, seconds=PATIENCE)
    with kernel.read() as snapshot:
        return [(each.type, {entry.id for entry in each.entries}) for each in curation_tasks(kernel, snapshot)]


def first_task(kernel):
    with kernel.read() as snapshot:
        return curation_tasks(kernel, snapshot)[0]


def health(kernel):
    with kernel.read() as snapshot:
        return examine_health(kernel, snapshot)


def drop(kernel, id):
    forget(kernel, id, reason="obsolete", rationale=WHY, actor="tester")


def test_nothing_is_to_decide_where_nothing_is_stored(kernel):
    assert tasks(kernel) == []
    assert health(kernel).mean_importance is None


def test_what_contradicts_comes_before_what_repeats_and_forgetting_settles_both(kernel, store):
    one = store("The deployment runs on Tuesday evenings after the backup.")
    same = store("The deployment runs on Tuesday evenings after the backup!")
    yes, no = store("The lift in the north hall works."), store("The lift in the north hall does not work.")
    found = tasks(kernel)
    assert {type for type, ids in found if ids == {yes, no}} <= {"ambiguity_detected", "obsolete_info"}
    assert [ids for _, ids in found] == [{yes, no}, {one, same}]
    assert found[1][0] == "potential_merge"
    drop(kernel, yes)
    drop(kernel, same)
    assert tasks(kernel) == []


def test_what_nothing_is_linked_to_comes_up_after_thirty_days(kernel, store, time):
    alone = store("Xylophones are tuned in the cellar.")
    assert tasks(kernel) == []
    time.advance(31 * DAY // SECOND)
    assert tasks(kernel) == [("obsolete_info", {alone})]
    store("Quarks have flavours.", link_to=(alone,))
    assert tasks(kernel) == []


def test_what_is_kept_stays_away_until_it_changes_or_is_reconsidered(kernel, store, time):
    alone = store("Xylophones are tuned in the cellar.")
    time.advance(31 * DAY // SECOND)
    assert tasks(kernel) == [("obsolete_info", {alone})]
    task = first_task(kernel)
    keep_as_it_is(kernel, task)
    assert tasks(kernel) == []
    reconsider(kernel, task)
    assert len(tasks(kernel)) == 1
    keep_as_it_is(kernel, task)
    annotate(kernel, alone, Annotation(tags=("music",)), actor="tester")
    assert len(tasks(kernel)) == 1


def test_two_that_are_fine_stay_away_until_that_is_taken_back(kernel, store):
    one = store("The deployment runs on Tuesday evenings after the backup.")
    other = store("The deployment runs on Tuesday evenings after the backup!")
    assert tasks(kernel) == [("potential_merge", {one, other})]
    ties = TieRequest(link_to=(other,), relation=StatedRelation(word="consistent with"))
    linked = annotate(kernel, one, Annotation(ties=ties), actor="tester")
    assert tasks(kernel) == []
    with kernel.read() as snapshot:
        (kept,) = standing_tasks(kernel, snapshot, ("kept",))
    assert {kept.one, kept.other} == {one, other}
    undo(kernel, tx=linked.version.tx, actor="tester")
    assert tasks(kernel) == [("potential_merge", {one, other})]


def test_every_number_of_the_health_moves_with_what_it_counts_and_with_nothing_else(kernel, store):
    first = store("Ada takes her tea black.", importance=0.2)
    one = health(kernel)
    assert (one.memories, one.unlinked, one.mean_importance, one.tombstones) == (1, 1, 0.2, 0)
    second = store("Quarks have flavours.", importance=0.6, link_to=(first,))
    two = health(kernel)
    assert (two.memories, two.unlinked, two.mean_importance, two.tombstones) == (2, 0, 0.4, 0)
    assert two.edges > one.edges
    drop(kernel, second)
    three = health(kernel)
    assert (three.memories, three.unlinked, three.edges, three.tombstones) == (1, 1, one.edges, 1)
    assert three.mean_importance == one.mean_importance


def test_a_memory_that_glues_unrelated_things_together_comes_up_first(kernel, store):
    topics = ("tea", "quarks", "ships", "violins", "tax", "moss", "chess", "glass", "rain", "bread", "maps", "snow")
    parts = tuple(store(f"{topic.capitalize()} number {place}.") for place, topic in enumerate(topics))
    assert tasks(kernel) == []
    hub = store("Everything is one.", importance=0.95, link_to=parts)
    assert tasks(kernel)[0] == ("semantic_cancer", {hub})
