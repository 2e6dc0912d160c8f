"""The journal says everything: undo, replay, export and reading the past are all readings of it."""

import io
import json
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings

from memotheca.admin.history import undo
from memotheca.admin.transfer import export_collection, import_lines
from memotheca.entries.entries import NewEntry, store_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import KINDS
from memotheca.model.knowledge import Edge, Entry, fold
from memotheca.search.prepared import LATER
from memotheca.storage import sqlite
from memotheca.storage.journal import _HEADS, compare_heads, describe, dump, rebuild_heads
from memotheca.storage.snapshot import EdgePattern
from tests.conftest import open_store
from tests.storage.players import CHANGES, Player, fresh_kernel, heads, moves, newest, things

EVERYTHING = (*CHANGES, "undo", "erase")

CLASHES = [[("relate", 0, 1, 0), ("settle", 0, resolution, 3), ("rename", 3, 1, 0)] for resolution in range(3)]

often = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def store(tmp_path_factory, database):
    """Without syncing and scrubbing: nobody pulls the plug here, and a property wants many writes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite, "_SETTINGS", (*sqlite._SETTINGS, "PRAGMA synchronous=OFF"))
        store = open_store(tmp_path_factory.mktemp("data"))
        patch.setattr(type(store.database), "forget_log", lambda self: True)
        yield store
        store.close()


def played(store, *rounds) -> Player:
    player = Player(fresh_kernel(store))
    for each in rounds:
        player.play(each)
    return player


def journal(kernel: Kernel) -> list[dict[str, Any]]:
    with kernel.read() as snapshot:
        return list(dump(snapshot.session, kernel.collection, snapshot.tx))


def complaints(kernel: Kernel) -> list[str]:
    with kernel.read() as snapshot:
        return compare_heads(snapshot.session, kernel.collection)


def nothing_to_report(done: float, total: float | None, message: str) -> None: ...


def exported(kernel: Kernel) -> str:
    written = io.StringIO()
    export_collection(kernel, written, nothing_to_report)
    return written.getvalue()


def imported(kernel: Kernel, text: str) -> Kernel:
    """The same in a collection of its own."""
    target = fresh_kernel(kernel.store)
    import_lines(target, io.StringIO(text), actor="test", report=nothing_to_report)
    return target


@often
@given(before=moves(*CHANGES), since=moves(*CHANGES))
@example(before=[], since=CLASHES[0])
@example(before=CLASHES[0][:1], since=CLASHES[1][1:])
@example(before=CLASHES[0][:1], since=CLASHES[2][1:])
def test_undoing_each_transaction_newest_first_returns_to_the_start(store, before, since):
    player = played(store, before)
    start, began = things(player.kernel), newest(player.kernel)
    player.play(since)
    for tx in range(newest(player.kernel), began, -1):
        (undone,) = undo(player.kernel, tx=tx, actor="test").done
        assert undone.happening.commit.tx == tx
    assert things(player.kernel) == start
    assert complaints(player.kernel) == []


@often
@given(before=moves(*CHANGES), since=moves(*CHANGES))
@example(before=[], since=CLASHES[0])
@example(before=CLASHES[0][:1], since=CLASHES[1][1:])
@example(before=CLASHES[0][:1], since=CLASHES[2][1:])
def test_undoing_several_at_once_is_undoing_each(store, before, since):
    player = played(store, before)
    start, began = things(player.kernel), newest(player.kernel)
    player.play(since)
    count = newest(player.kernel) - began
    if count:
        undone = undo(player.kernel, count=count, actor="test").done
        assert [each.happening.commit.tx for each in undone] == list(range(began + count, began, -1))
    assert things(player.kernel) == start


@often
@given(done=moves(*CHANGES))
def test_undoing_an_undo_brings_everything_back(store, done):
    player = played(store, done)
    there = things(player.kernel)
    reverts = [undo(player.kernel, tx=tx, actor="test").done[0].revert_tx for tx in range(newest(player.kernel), 0, -1)]
    assert things(player.kernel) == {}
    for tx in reversed(reverts):
        undo(player.kernel, tx=tx, actor="test")
    assert things(player.kernel) == there
    assert complaints(player.kernel) == []


@often
@given(done=moves(*EVERYTHING, most=25))
def test_heads_are_what_replaying_the_journal_gives(store, done):
    kernel = played(store, done).kernel
    assert complaints(kernel) == []
    with kernel.read() as snapshot:
        rows = {table: snapshot.session.rows(sql, kernel.collection) for table, sql in _HEADS.items()}
    kernel.store.operate(lambda session: rebuild_heads(session, kernel.collection))
    with kernel.read() as snapshot:
        again = {table: snapshot.session.rows(sql, kernel.collection) for table, sql in _HEADS.items()}
    live = {row[0] for table in ("entry_head", "edge_head") for row in rows[table]}
    for each in (rows, again):
        each["alias"] = [row for row in each["alias"] if row[2] in live]
    assert again == rows


@often
@given(done=moves(*EVERYTHING, most=25))
def test_numbers_have_no_gaps_and_times_only_grow(store, done):
    kernel = played(store, done).kernel
    lines = journal(kernel)
    assert [line["tx"] for line in lines] == list(range(1, newest(kernel) + 1))
    times = [line["time"] for line in lines]
    assert times == sorted(set(times))
    assert all(line["versions"] for line in lines)


@often
@given(done=moves(*EVERYTHING, most=25))
def test_an_import_of_an_export_is_the_same_history(store, done):
    kernel = played(store, done, [("store", 0, 0, 0)]).kernel
    text = exported(kernel)
    other = imported(kernel, text)
    assert journal(other) == journal(kernel)
    assert heads(other) == heads(kernel)
    assert exported(other).splitlines()[1:] == text.splitlines()[1:]
    with kernel.read() as snapshot, other.read() as copied:
        mine, theirs = (describe(each.session, each.collection) for each in (snapshot, copied))
    assert mine == theirs
    assert complaints(other) == []


@often
@given(done=moves(*CHANGES), later=moves(*EVERYTHING))
def test_an_imported_history_goes_on_as_the_original_would(store, done, later):
    original = played(store, done, [("store", 0, 0, 0)])
    copy = Player(imported(original.kernel, exported(original.kernel)), [*original.entries], [*original.edges])
    original.clashes.clear()
    for player in (original, copy):
        player.play([move for move in later if move[0] != "settle"])
    shapes = [
        [(line["tx"], line["operation"], line["undoes"], len(line["versions"])) for line in journal(player.kernel)]
        for player in (original, copy)
    ]
    assert shapes[0] == shapes[1]


@often
@given(done=moves(*EVERYTHING, most=25))
def test_reading_as_of_a_transaction_is_the_state_that_was_recorded_then(store, done):
    player = played(store, done)
    erased = {v["id"] for line in journal(player.kernel) for v in line["versions"] if v["erased"]}
    for tx, state in player.states.items():
        expected = {id: found for id, found in state.items() if id not in erased}
        assert heads(player.kernel, as_of=tx) == expected


@often
@given(done=moves(*EVERYTHING))
def test_versions_read_together_are_those_read_one_by_one(store, done):
    player = played(store, done)
    ids = sorted({v["id"] for line in journal(player.kernel) for v in line["versions"]})
    with player.kernel.read() as snapshot:
        for tx in range(snapshot.tx + 1):
            alone = {id: found for id in ids if (found := snapshot.version(id, tx)) is not None}
            assert snapshot.versions_at([*ids, "nobody"], tx) == alone


@often
@given(done=moves(*EVERYTHING, most=25), size=moves("store", most=3).map(lambda listed: len(listed) + 1))
def test_pages_of_the_past_add_up_to_the_whole(store, done, size):
    player = played(store, done)
    with player.kernel.read() as snapshot:
        for tx in player.states:
            whole = snapshot.entries(KINDS, as_of=tx)
            pages, last = [], ""
            while page := snapshot.entries(KINDS, as_of=tx, after=last, limit=size):
                assert len(page) <= size
                pages += page
                last = page[-1].id
            assert pages == whole


@often
@given(done=moves("relate", "relate", "rename", "rename", "delete", "settle", "undo", most=15))
@example(done=[("relate", 0, 2, 0), ("rename", 0, 5, 0)])
def test_edges_are_found_in_the_past_by_the_names_their_ends_had_then(store, done):
    player = played(store, done)
    for tx, state in player.states.items():
        titles = {id: fold(thing.title) for id, (_, thing) in state.items() if not isinstance(thing, Edge)}
        edges = {id: thing for id, (_, thing) in state.items() if isinstance(thing, Edge)}
        for text in ("ada", "name"):
            with player.kernel.read() as snapshot:
                found = snapshot.edges(EdgePattern(source_text=text), as_of=tx)
            assert {v.id for v in found} == {id for id, edge in edges.items() if text in titles[edge.source]}


def test_an_import_refuses_what_is_cut_off_and_leaves_nothing(store):
    kernel = played(store, [("store", n, n, n) for n in range(3)]).kernel
    lines = exported(kernel).splitlines()
    for kept in range(1, len(lines)):
        target = fresh_kernel(store)
        with pytest.raises(Refusal) as refused:
            import_lines(target, lines[:kept], actor="test", report=nothing_to_report)
        assert refused.value.failure is Failure.CORRUPT
        assert journal(target) == []
        assert newest(target) == 0


def test_heads_that_differ_from_the_journal_are_noticed_and_mended(store):
    kernel = played(store, [("store", 0, 0, 0), ("relate", 0, 2, 0)]).kernel
    there = heads(kernel)
    kernel.store.operate(lambda s: s.run("DELETE FROM entry_head WHERE collection = ?", kernel.collection))
    assert complaints(kernel)
    kernel.store.operate(lambda s: rebuild_heads(s, kernel.collection))
    assert complaints(kernel) == []
    assert heads(kernel) == there


def test_an_export_keeps_every_letter(store):
    kernel = fresh_kernel(store)
    content = "tab\t, zero-width \u200b, emoji 🫖, line\u2028separator, \u0000 nothing, “quotes” \\ \r\n end"
    store_entry(kernel, NewEntry(title=content.strip(), body=content), actor="Åsa")
    other = imported(kernel, exported(kernel))
    assert heads(other) == heads(kernel)
    assert json.loads(exported(kernel).split("\n")[1])["actor"] == "Åsa"


def test_edges_put_together_are_those_put_one_by_one(store):
    def act(transaction, together):
        ends = [transaction.new_id() for _ in range(3)]
        for id in ends:
            transaction.put(
                Entry(id=id, kind="entry", title="An end", created_at=transaction.time, updated_at=transaction.time),
                LATER,
            )
        made = [
            Edge(
                id=transaction.new_id(),
                source=ends[0],
                target=end,
                predicate="Leads To",
                created_at=transaction.time,
                updated_at=transaction.time,
            )
            for end in ends[1:]
        ]
        if together:
            transaction.link(made)
        else:
            for edge in made:
                transaction.put(edge)
        return made

    for together in (False, True):
        kernel = fresh_kernel(store)
        made = kernel.write(partial(act, together=together), actor="test")
        with kernel.read() as snapshot:
            assert [snapshot.edge(edge.id) for edge in made] == made
            assert snapshot.edges_from(made[0].source, "leads to") == made
        assert complaints(kernel) == []
        assert [len(line["versions"]) for line in journal(kernel)] == [5]
