"""What is known to lie near an entry is what a search would find, whatever is stored or forgotten meanwhile."""

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from memotheca.admin.erasure import erase
from memotheca.admin.history import undo
from memotheca.entries.entries import EntryChange, delete_entry, update_entry
from memotheca.memory.standing import nearest
from memotheca.memory.standing.nearest import Vicinity, vicinity_of
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import ENTITY
from memotheca.model.knowledge import Entry
from memotheca.search.prepared import LATER
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction
from memotheca.vectors.embedders import DEFAULT
from tests.engine.desk import Desk

WORDS = "tea cup salt ice door lamp cloud river stone bread".split()


def said(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=6))


def around(desk: Desk, fresh: bool = False) -> dict[str, list[tuple[str, float]]]:
    """The nearest of the five oldest, as they are known or as they are found anew."""
    with desk.kernel.read() as snapshot:
        known = vicinity_of(desk.kernel, snapshot)
        used = Vicinity(known.model) if fresh else known
        entries = [version.thing for version in snapshot.entries(("entry",), limit=5)]
        found = used.around(desk.kernel, snapshot, [each for each in entries if isinstance(each, Entry)], None)
    return {id: [(other.id, value or 0.0) for other, value in near] for id, near in found.items()}


@pytest.mark.parametrize("seed", range(4))
def test_what_is_followed_is_what_is_found(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    desk = Desk(tmp_path, DEFAULT)
    ids = [desk.put(said(chance)) for _ in range(30)]
    for _ in range(40):
        turn = chance.random()
        if turn < 0.5:
            ids.append(desk.put(said(chance)))
        elif turn < 0.8:
            update_entry(desk.kernel, chance.choice(ids), EntryChange(body=said(chance)), actor="test")
        else:
            delete_entry(desk.kernel, ids.pop(chance.randrange(len(ids))), actor="test")
        known, found = around(desk), around(desk, fresh=True)
        assert known.keys() == found.keys()
        for id, near in known.items():
            assert [value for _, value in near] == pytest.approx([value for _, value in found[id]], abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_another_process_does_is_seen(tmp_path: Path, seed: int) -> None:
    """Both make, change, delete, undo, erase, seal and change the embedder, and look now and then."""
    chance = random.Random(seed)
    desks = [Desk(tmp_path, DEFAULT), Desk(tmp_path, DEFAULT)]
    ids = [desks[0].put(said(chance)) for _ in range(20)]
    deeds: list[Callable[[Desk], object]] = [
        lambda desk: ids.append(desk.put(said(chance))),
        lambda desk: update_entry(desk.kernel, chance.choice(ids), EntryChange(body=said(chance)), actor="test"),
        lambda desk: delete_entry(desk.kernel, chance.choice(ids), actor="test"),
        lambda desk: undo(desk.kernel, count=chance.choice([1, 1, 3]), actor="test"),
        lambda desk: erase(desk.kernel, chance.choice(ids), actor="test"),
        lambda desk: desk.seal(),
        lambda desk: (desk.choose(chance.choice(["none", DEFAULT])), desk.embed()),
    ]
    for _ in range(40):
        with suppress(Refusal):
            chance.choices(deeds, weights=(6, 4, 4, 5, 1, 1, 1))[0](chance.choice(desks))
        for desk in chance.sample(desks, chance.randint(0, 2)):
            with desk.kernel.read() as snapshot:
                assert vicinity_of(desk.kernel, snapshot).read(snapshot, ids) == snapshot.living(ids)
            known, found = around(desk), around(desk, fresh=True)
            assert known.keys() == found.keys()
            for id, near in known.items():
                assert [value for _, value in near] == pytest.approx([value for _, value in found[id]], abs=1e-3)


def test_what_was_not_searched_for_is_left_out(tmp_path: Path) -> None:
    desk = Desk(tmp_path, DEFAULT)
    for number in range(5):
        desk.put(f"tea {number}")
    with desk.kernel.read() as snapshot:
        entries = [version.thing for version in snapshot.entries(("entry",)) if isinstance(version.thing, Entry)]
        known = vicinity_of(desk.kernel, snapshot)
        assert len(known.around(desk.kernel, snapshot, entries, 2)) == 2
        assert len(known.around(desk.kernel, snapshot, entries, 2)) == 4
        assert len(known.around(desk.kernel, snapshot, entries, 2)) == 5


def test_so_much_that_is_new_is_searched_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "FOLLOWED", 3)
    desk = Desk(tmp_path, DEFAULT)
    for number in range(20):
        desk.put(f"tea cup {number}")
    around(desk)
    for number in range(5):
        desk.put(f"tea cup salt {number}")
    assert around(desk) == around(desk, fresh=True)


def test_what_no_memory_tool_works_on_comes_no_nearer_by_being_new(tmp_path: Path) -> None:
    desk, chance = Desk(tmp_path, DEFAULT), random.Random(1)
    said_first = [said(chance) for _ in range(20)]
    for words in said_first:
        desk.put(words)
    around(desk)

    def name_something(transaction: Transaction) -> None:
        transaction.describe("CREATE")
        now = transaction.time
        for name in said_first[:5]:
            transaction.put(
                Entry(id=transaction.new_id(), kind=ENTITY, title=name, created_at=now, updated_at=now), LATER
            )

    desk.kernel.write(name_something, actor="test")
    assert desk.embed()
    assert around(desk) == around(desk, fresh=True)


def test_what_lives_is_told_as_each_snapshot_has_it(tmp_path: Path) -> None:
    desk = Desk(tmp_path, DEFAULT)
    kept, changed, gone = (desk.put(f"tea {number}") for number in range(3))
    known: list[Vicinity] = []

    def read(snapshot: Snapshot) -> dict[str, str]:
        known[:] = known or [vicinity_of(desk.kernel, snapshot)]
        return {id: entry.body for id, entry in known[0].read(snapshot, [kept, changed, gone]).items()}

    def change(transaction: Transaction) -> None:
        entry = transaction.entry(kept)
        assert entry is not None
        transaction.put(replace(entry, body="never"), LATER)
        assert read(transaction)[kept] == "never"
        raise Refusal(Failure.INVALID, "No.")

    with desk.kernel.read() as before:
        assert read(before) == {kept: "tea 0", changed: "tea 1", gone: "tea 2"}
        update_entry(desk.kernel, changed, EntryChange(body="salt"), actor="test")
        delete_entry(desk.kernel, gone, actor="test")
        with suppress(Refusal):
            desk.kernel.write(change, actor="test")
        update_entry(desk.kernel, kept, EntryChange(body="ice"), actor="test")
        with desk.kernel.read() as after:
            assert read(after) == {kept: "ice", changed: "salt"}
            assert read(before) == {kept: "tea 0", changed: "tea 1", gone: "tea 2"}
            assert read(after) == {kept: "ice", changed: "salt"}
