"""Formats: a directory is brought to the newest one safely, and an older program notices that it was."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from memotheca import app
from memotheca.app import BACKUPS, DATABASE, open_copy, open_store, prepare_directory
from memotheca.entries.edges import Claim, ClaimConflict, relate
from memotheca.entries.entries import NewEntry, store_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import system_clock
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.storage.database import Session
from memotheca.storage.migrations import STEPS, Step, open_migrated
from memotheca.storage.sqlite import SQLiteDatabase
from memotheca.storage.store import Store, recorded_format
from tests.durability.accounts import find_damage
from tests.durability.processes import ask, hear
from tests.storage.opener import add_colour
from tests.storage.openers import opener

NEWER = (*STEPS, add_colour)
PROCESSES = 8


def open_with(data: Path, steps: tuple[Step, ...] = STEPS, **more) -> Store:
    return open_migrated(SQLiteDatabase(prepare_directory(data)), clock=system_clock, steps=steps, **more)


def put(store: Store, topic: str = "tea") -> int:
    return store_entry(Kernel(store, "default"), NewEntry(title=topic, body="It is so."), actor="test").version.tx


def topics(store: Store) -> list[str]:
    with store.read("default") as snapshot:
        things = [version.thing for version in snapshot.entries(("entry",))]
    return [thing.title for thing in things if isinstance(thing, Entry)]


def format_in(store: Store) -> int:
    with store.database.read() as session:
        return recorded_format(session)


@pytest.fixture
def data(tmp_path):
    """A directory of this program's format with something in it."""
    store = open_with(tmp_path)
    put(store)
    store.close()
    return tmp_path


def test_a_fresh_directory_reaches_the_newest_format_without_a_backup(tmp_path):
    store = open_store(tmp_path)
    assert format_in(store) == store.known_format == len(STEPS)
    assert store.newer_format() is None
    assert find_damage(store) == []
    store.close()
    assert not (tmp_path / BACKUPS).exists()


def test_opening_again_changes_nothing(data):
    store = open_with(data, before_migration=lambda found: pytest.fail("there was nothing to migrate"))
    assert topics(store) == ["tea"]
    store.close()


def test_a_migration_makes_a_backup_first_and_keeps_the_data(data):
    backups = list[Path]()

    def back_up(found: int) -> None:
        backups.append(data / f"before-{found + 1}.db")
        database.copy_to(backups[-1])

    database = SQLiteDatabase(data / DATABASE)
    store = open_migrated(database, clock=system_clock, steps=NEWER, before_migration=back_up)
    assert format_in(store) == len(NEWER)
    assert put(store, "coffee") == 2
    assert topics(store) == ["tea", "coffee"]
    store.close()

    assert [path.name for path in backups] == [f"before-{len(NEWER)}.db"]
    copy = open_copy(backups[0])
    assert format_in(copy) == len(STEPS)
    assert topics(copy) == ["tea"]
    assert find_damage(copy) == []
    copy.close()


def test_the_program_makes_its_backup_in_the_data_directory(data, monkeypatch):
    monkeypatch.setattr(app, "open_migrated", partial(open_migrated, steps=NEWER))
    store = open_store(data)
    store.close()
    (backup,) = (data / BACKUPS).iterdir()
    assert f"before-format-{len(NEWER)}" in backup.name
    copy = open_migrated(SQLiteDatabase(backup), clock=system_clock, steps=STEPS)
    assert format_in(copy) == len(STEPS)
    assert topics(copy) == ["tea"]
    copy.close()


def test_a_writer_of_the_older_program_waits_for_the_migration_and_is_told_to_restart(data):
    with opener(data) as child:

        def let_the_other_try(found: int) -> None:
            child.tell("write coffee")

        store = open_with(data, NEWER, before_migration=let_the_other_try)
        answer = hear(child)
        assert answer.startswith("refused incompatible")
        assert "Restart this client" in answer
        assert topics(store) == ["tea"]
        assert put(store, "milk") == 2
        assert ask(child, "read") == "sees 2"
        store.close()


def test_a_migration_waits_for_a_writer_of_another_process(data):
    with opener(data) as child, ThreadPoolExecutor(1) as threads:
        assert ask(child, "hold") == "holding"
        migrating = threads.submit(open_with, data, NEWER)
        assert not migrating.done()
        assert ask(child, "go on") == "let go"
        store = migrating.result(5)
        assert format_in(store) == len(NEWER)
        store.close()


def test_two_programs_that_migrate_at_once_run_each_step_once(data):
    with ExitStack() as stack:
        children = [stack.enter_context(opener()) for _ in range(4)]
        for child in children:
            child.tell(f"open {data} newer")
        assert [hear(child) for child in children] == ["opened"] * 4
        assert sorted(ask(child, "write milk") for child in children) == [f"stored {n}" for n in (2, 3, 4, 5)]


def rename_the_counter(session: Session) -> None:
    session.run("ALTER TABLE collection RENAME COLUMN tx TO newest")


@pytest.mark.parametrize("step", [add_colour, rename_the_counter])
def test_an_older_program_writes_nothing_to_a_newer_format(data, step):
    old = open_with(data)
    new = open_with(data, (*STEPS, step))
    new.close()
    again = open_with(data)
    for store in (old, again):
        assert store.newer_format() == len(STEPS) + 1
        for collection in ("default", "another"):
            with pytest.raises(Refusal) as refused:
                store.write(collection, lambda transaction: None, actor="test")
            assert refused.value.failure is Failure.INCOMPATIBLE
            assert "Restart this client" in refused.value.message
        assert store.collections() == ["default"]
        store.close()


def test_an_older_program_still_reads_a_newer_format(data):
    new = open_with(data, NEWER)
    put(new, "coffee")
    old = open_with(data)
    assert topics(old) == ["tea", "coffee"]
    put(new, "milk")
    assert topics(old) == ["tea", "coffee", "milk"]
    assert find_damage(old) == []
    with pytest.raises(Refusal, match="Restart"):
        old.operate(lambda session: session.run("DELETE FROM pending_conflict"))
    old.close()
    new.close()


def test_an_older_program_does_not_remember_a_conflict_in_a_newer_format(data):
    old = open_with(data)
    kernel = Kernel(old, "default")
    relate(kernel, Claim(subject="Ada", predicate="drinks", object="tea"), actor="test")
    clash = relate(kernel, Claim(subject="Ada", predicate="drinks", object="milk"), actor="test")
    assert isinstance(clash, ClaimConflict)
    open_with(data, NEWER).close()
    with pytest.raises(Refusal, match="Restart"):
        relate(kernel, Claim(subject="Ada", predicate="drinks", object="rum"), actor="test")
    old.close()


def break_in_the_middle(session: Session) -> None:
    session.run("ALTER TABLE entry_head ADD COLUMN colour TEXT")
    session.run("UPDATE version SET image = 'garbage'")
    session.run("INSERT INTO no_such_table VALUES (1)")


def raise_at_the_end(session: Session) -> None:
    session.run("DELETE FROM version")
    raise ValueError("a bug in a step")


@pytest.mark.parametrize("step", [break_in_the_middle, raise_at_the_end])
def test_a_step_that_fails_leaves_the_old_format_and_the_data(data, step):
    with pytest.raises((Refusal, ValueError)):
        open_with(data, (*STEPS, add_colour, step))
    store = open_with(data)
    assert format_in(store) == len(STEPS)
    assert find_damage(store) == []
    assert topics(store) == ["tea"]
    assert put(store, "coffee") == 2
    store.close()
    later = open_with(data, NEWER)
    assert topics(later) == ["tea", "coffee"]
    later.close()


def test_a_backup_that_fails_stops_the_migration(data):
    def fail(found: int) -> None:
        raise Refusal(Failure.DISK_FULL, "no space")

    with pytest.raises(Refusal, match="no space"):
        open_with(data, NEWER, before_migration=fail)
    store = open_with(data)
    assert store.newer_format() is None
    assert put(store) == 2
    store.close()


def test_a_program_that_is_killed_while_it_migrates_leaves_the_old_format(data):
    with opener() as child:
        assert ask(child, f"open {data} hanging") == "migrating"
        child.kill()
    store = open_with(data)
    assert store.newer_format() is None
    assert find_damage(store) == []
    assert put(store) == 2
    store.close()


def test_eight_processes_can_open_a_fresh_directory_at_once(tmp_path):
    with ExitStack() as stack:
        children = [stack.enter_context(opener()) for _ in range(PROCESSES)]
        for round in range(5):
            data = tmp_path / f"round-{round}"
            for child in children:
                child.tell(f"open {data}")
            assert [hear(child) for child in children] == ["opened"] * PROCESSES
            for child in children:
                child.tell("write tea")
            stored = sorted(hear(child) for child in children)
            assert stored == [f"stored {number}" for number in range(1, PROCESSES + 1)]
            for child in children:
                assert ask(child, "close") == "closed"
            store = open_store(data)
            assert find_damage(store) == []
            store.close()
