"""An export comes into a collection that holds something: what is new once, the rest is listed."""

import io
import json
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings

from memotheca.admin import export_merge
from memotheca.admin.corpus import Moved
from memotheca.admin.history import new_batch, undo
from memotheca.admin.imports.bring_in import Rehearsal
from memotheca.admin.transfer import export_collection, import_lines
from memotheca.conversations.keep import KeepConversation, keep_conversation
from memotheca.conversations.turns import Utterance
from memotheca.entries.edges import Claim, relate
from memotheca.entries.entries import EntryChange, NewEntry, delete_entry, store_entry, update_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import ENTITY, TRIPLE
from memotheca.model.knowledge import Edge, Entry, Thing, handle_of
from memotheca.storage import sqlite
from memotheca.storage.journal import compare_heads
from tests.conftest import open_store
from tests.storage.players import CHANGES, Player, fresh_kernel, moves, newest, things

often = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])

NAMING = ("renamed", "name_taken")


@pytest.fixture(scope="module")
def store(tmp_path_factory, database):
    """Without syncing: nobody pulls the plug here, and a property wants many writes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite, "_SETTINGS", (*sqlite._SETTINGS, "PRAGMA synchronous=OFF"))
        store = open_store(tmp_path_factory.mktemp("data"))
        yield store
        store.close()


def exported(kernel: Kernel) -> str:
    written = io.StringIO()
    export_collection(kernel, written, lambda *_: None)
    return written.getvalue()


def brought_in(kernel: Kernel, text: str, keep=lambda moved: None) -> Moved:
    together = replace(kernel, batch=new_batch(kernel))
    return import_lines(together, io.StringIO(text), actor="test", report=lambda *_: None, keep=keep)


def two_houses(store, shared, there, here) -> tuple[Player, Player]:
    """Two collections that went their own ways after a common beginning."""
    one = Player(fresh_kernel(store))
    one.play([("store", 0, 0, 0), *shared])
    other = Player(fresh_kernel(store), [*one.entries], [*one.edges])
    brought_in(other.kernel, exported(one.kernel))
    one.play(there)
    other.play([("store", 1, 1, 1), *here])
    return one, other


def strangers(store, there, here) -> tuple[Player, Player]:
    one, other = Player(fresh_kernel(store)), Player(fresh_kernel(store))
    one.play([("store", 0, 0, 0), *there])
    other.play([("store", 1, 1, 1), *here])
    return one, other


def bare(thing: Thing) -> Thing:
    """What it says, whatever it is called and whenever it was made."""
    return replace(thing, aliases=(), created_at=0, updated_at=0)


def has_its_like(thing: Thing, present: dict[str, Thing], moved: dict[str, str]) -> bool:
    """Whether it is there, by its id or, where names say who is meant, as who has its name."""
    if isinstance(thing, Edge):
        thing = replace(
            thing, source=moved.get(thing.source, thing.source), target=moved.get(thing.target, thing.target)
        )
        ends = (thing.source, thing.target, thing.predicate)
        edges = (each for each in present.values() if isinstance(each, Edge))
        return any(ends == (each.source, each.target, each.predicate) for each in edges)
    return (thing.id in present and bare(present[thing.id]) == bare(thing)) or moved.get(thing.id) in present


def joined(there: dict[str, Thing], here: dict[str, Thing]) -> dict[str, str]:
    """Entities that were made in both, by their names."""
    named = {handle_of(each).casefold(): id for id, each in here.items() if getattr(each, "kind", "") == ENTITY}
    return {
        id: named[handle_of(each).casefold()]
        for id, each in there.items()
        if getattr(each, "kind", "") == ENTITY and id not in here and handle_of(each).casefold() in named
    }


def assert_merges(one: Player, other: Player) -> None:
    text, there, before = exported(one.kernel), things(one.kernel), things(other.kernel)
    moved = brought_in(other.kernel, text)
    after = things(other.kernel)
    assert moved.listed is not None
    listed = {each.id for each in moved.listed if each.reason not in NAMING}
    assert {id: after[id] for id in before} == before
    assert len(after) == len(before) + moved.entries + moved.edges
    twins = joined(there, before)
    for id, thing in there.items():
        assert id in listed or has_its_like(thing, after, twins), thing
    with other.kernel.read() as snapshot:
        assert compare_heads(snapshot.session, other.kernel.collection) == []
    known = newest(other.kernel)
    again = brought_in(other.kernel, text)
    assert (again.transactions, again.entries, again.edges, newest(other.kernel)) == (0, 0, 0, known)
    assert {each.id for each in again.listed or ()} == listed
    assert again.skipped + len(listed & set(there)) == len(there)
    if moved.transactions:
        undo(other.kernel, count=1, actor="test")
        assert things(other.kernel) == before
        brought_in(other.kernel, text)
        assert things(other.kernel).keys() == after.keys()


@often
@given(shared=moves(*CHANGES), there=moves(*CHANGES), here=moves(*CHANGES))
@example(shared=[("relate", 0, 2, 0)], there=[("delete", 0, 0, 0)], here=[("relate", 0, 1, 0)])
def test_of_two_houses_that_were_one_everything_is_there_or_listed(store, shared, there, here):
    assert_merges(*two_houses(store, shared, there, here))


@often
@given(there=moves(*CHANGES), here=moves(*CHANGES))
@example(there=[("relate", 0, 2, 0)], here=[("relate", 0, 2, 0)])
def test_of_strangers_everything_is_there_or_listed(store, there, here):
    assert_merges(*strangers(store, there, here))


@often
@given(shared=moves(*CHANGES, "erase"), there=moves(*CHANGES, "erase"), here=moves(*CHANGES, "erase"))
def test_what_was_deleted_or_erased_here_does_not_come_back(store, shared, there, here):
    one, other = two_houses(store, shared, there, here)
    before = things(other.kernel)
    gone = {id for state in other.states.values() for id in state} - before.keys()
    brought_in(other.kernel, exported(one.kernel))
    assert not gone & things(other.kernel).keys()


@often
@given(there=moves(*CHANGES), here=moves(*CHANGES), cut=moves("store", most=3).map(len))
def test_a_merge_that_was_broken_off_goes_on_when_it_is_run_again(store, there, here, cut):
    one, other = strangers(store, there, here)
    whole = Player(fresh_kernel(store))
    brought_in(whole.kernel, exported(other.kernel))
    text, left = exported(one.kernel), [cut]

    def stop(moved: Moved) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export_merge, "BATCH", 2)
        with suppress(KeyboardInterrupt):
            brought_in(other.kernel, text, keep=stop)
        brought_in(other.kernel, text)
        brought_in(whole.kernel, text)
    assert {id: bare(each) for id, each in things(other.kernel).items()} == {
        id: bare(each) for id, each in things(whole.kernel).items()
    }


@often
@given(there=moves(*CHANGES), here=moves(*CHANGES))
def test_a_trial_says_what_the_merge_comes_to_and_leaves_nothing(store, there, here):
    one, other = strangers(store, there, here)
    text, before = exported(one.kernel), things(other.kernel)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export_merge, "BATCH", 2)
        trial = replace(other.kernel, once=Rehearsal(other.kernel.collection))
        tried = brought_in(trial, text)
        assert things(other.kernel) == before
        assert brought_in(other.kernel, text) == tried


def told(kernel: Kernel, text: str, title: str = "Tea") -> str:
    return store_entry(kernel, NewEntry(title=title, body=text), actor="test").version.id


def reasons(moved: Moved) -> list[tuple[str, str, str]]:
    return [(each.reason, each.handle, each.detail) for each in moved.listed or ()]


def test_what_is_not_alike_is_listed_with_where_it_changed(store):
    one, other = fresh_kernel(store), fresh_kernel(store)
    for text in ("changed there", "changed here", "changed in both", "gone there", "gone here"):
        told(one, text)
    brought_in(other, exported(one))
    for kernel, body, handles in ((one, "x", ("e-1", "e-3")), (other, "y", ("e-2", "e-3"))):
        for handle in handles:
            update_entry(kernel, handle, EntryChange(body=body), actor="test")
    delete_entry(one, "e-4", actor="test")
    delete_entry(other, "e-5", actor="test")
    moved = brought_in(other, exported(one))
    assert reasons(moved) == [
        ("changed_there", "e-1", "body"),
        ("changed_here", "e-2", "body"),
        ("changed_both", "e-3", "body"),
        ("deleted_here", "e-5", ""),
        ("deleted_there", "e-4", ""),
    ]
    assert (moved.transactions, moved.entries) == (0, 0)


def test_a_handle_that_is_taken_is_counted_on_and_what_comes_later_goes_on_after_it(store):
    one, other = fresh_kernel(store), fresh_kernel(store)
    first = told(one, "from there")
    told(one, "from there too")
    told(other, "from here")
    moved = brought_in(other, exported(one))
    assert reasons(moved) == [("renamed", "e-1", "e-3")]
    present = things(other)
    assert handle_of(present[first]) == "e-3"
    later = told(other, "later")
    assert handle_of(things(other)[later]) == "e-4"


def test_times_are_kept_and_the_commit_says_that_it_was_an_import(store):
    one, other = fresh_kernel(store), fresh_kernel(store)
    id = told(one, "old")
    told(other, "new")
    brought_in(other, exported(one))
    with other.read() as snapshot:
        version = snapshot.head(id)
        assert version is not None
        commit = snapshot.commit(version.tx)
    assert commit is not None
    assert commit.operation == "IMPORT"
    assert replace(things(one)[id], aliases=()) == replace(things(other)[id], aliases=())


def test_entities_and_relations_of_the_same_names_are_one(store):
    one, other = fresh_kernel(store), fresh_kernel(store)
    for kernel, objects in ((one, ("tea", "milk")), (other, ("tea",))):
        for object in objects:
            relate(kernel, Claim(subject="Ada", predicate="drinks", object=object, multi=True), actor="test")
    moved = brought_in(other, exported(one))
    assert (moved.entries, moved.edges, moved.skipped) == (1, 1, 3)
    present = things(other).values()
    assert sorted(each.title for each in present if isinstance(each, Entry)) == ["Ada", "milk", "tea"]
    assert len({each.source for each in present if isinstance(each, Edge)}) == 1


def test_a_conversation_of_both_is_one(store):
    one, other = fresh_kernel(store), fresh_kernel(store)
    for kernel, said in ((one, ("Hello", "Good day", "Tea?")), (other, ("Hello", "Good day"))):
        turns = tuple(Utterance(speaker="user", text=text) for text in said)
        keep_conversation(kernel, KeepConversation(client="chat", session="s", turns=turns), actor="test")
    moved = brought_in(other, exported(one))
    assert reasons(moved) == [("differs", "c-1", "body")]
    assert len(things(other)) == 1


def test_a_relation_whose_end_was_deleted_here_is_listed(store):
    one, other = fresh_kernel(store), fresh_kernel(store)
    relate(one, Claim(subject="Ada", predicate="knows", object="Bob"), actor="test")
    brought_in(other, exported(one))
    delete_entry(other, "entity:Ada", actor="test")
    relate(one, Claim(subject="Ada", predicate="drinks", object="tea"), actor="test")
    moved = brought_in(other, exported(one))
    assert (moved.entries, moved.edges) == (1, 0)
    assert [(each.reason, each.kind, each.name) for each in moved.listed or ()] == [
        ("deleted_here", ENTITY, "Ada"),
        ("deleted_here", TRIPLE, "knows"),
        ("end_missing", TRIPLE, "drinks"),
    ]


@pytest.mark.parametrize("damage", ["cut", "id", "kind", "title", "serial", "surrogate", "end", "header"])
def test_a_bad_export_leaves_nothing_behind(store, damage):
    one, other = fresh_kernel(store), fresh_kernel(store)
    for number in range(3):
        told(one, f"text {number}")
    told(other, "here")
    lines = [json.loads(line) for line in exported(one).splitlines()]
    bad = lines[3]["versions"][0]
    if damage == "cut":
        lines = lines[:-1]
    elif damage == "id":
        bad["id"] = "../../etc"
    elif damage == "kind":
        bad["image"]["kind"] = "nonsense"
    elif damage == "title":
        bad["image"]["title"] = 5
    elif damage == "serial":
        lines[0]["serials"]["entry"] = 2**63
    elif damage == "surrogate":
        bad["image"]["body"] = "\ud800"
    elif damage == "end":
        bad["subject"] = "nothing"
    else:
        del lines[0]["serials"]
    before, known = things(other), newest(other)
    with pytest.raises(Refusal) as refused:
        import_lines(other, map(json.dumps, lines), actor="test", report=lambda *_: None)
    assert refused.value.failure in (Failure.INVALID, Failure.CORRUPT)
    assert (things(other), newest(other)) == (before, known)
