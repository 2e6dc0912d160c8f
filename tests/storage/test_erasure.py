"""Erasing is real: afterwards no file of the data directory, and no row of PostgreSQL, holds the text, and history says
so without it."""

import random
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from functools import partial
from pathlib import Path

import pytest

from memotheca.admin.erasure import RETENTION, Erased, backup_files, erase, purge
from memotheca.admin.history import list_history, undo
from memotheca.app import BACKUPS, DATABASE, backup_path, open_copy
from memotheca.entries.edge_ends import EdgeWithEnds
from memotheca.entries.edges import Claim, ClaimConflict, delete_edge, relate
from memotheca.entries.entries import EntryChange, NewEntry, delete_entry, get_entry, store_entry, update_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import DAY, SECOND
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.journal import compare_heads
from memotheca.storage.migrations import open_migrated
from memotheca.storage.snapshot import EdgePattern
from memotheca.storage.sqlite import SQLiteDatabase
from memotheca.storage.store import Transaction
from tests.conftest import open_store
from tests.storage.postgres_server import Chosen, shared_server

SECRET = "xyzzy-plugh-0451"
LONG = f"{SECRET} " * 2000
SEARCH = """
import pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*")):
    content = path.read_bytes() if path.is_file() else b""
    for text in sys.argv[2:]:
        if text.encode() in content:
            print(path.name)
"""


class Moment:
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = 1_800_000_000 * SECOND

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock():
    return Moment()


@pytest.fixture
def kernel(tmp_path, clock):
    store = open_store(tmp_path, clock=clock)
    yield Kernel(store, "default")
    store.close()


def put(kernel: Kernel, content: str, topic: str = "tea") -> str:
    return store_entry(kernel, NewEntry(title=topic, body=content), actor="test").version.id


def say(kernel: Kernel, subject: str, predicate: str, object: str) -> EdgeWithEnds | ClaimConflict:
    return relate(kernel, Claim(subject=subject, predicate=predicate, object=object), actor="test")


def holders(data: Path, *texts: str) -> list[str]:
    """Which of the texts (the secret, if none is given) are in which files of the directory, or in which tables."""
    if Chosen.database == "postgres":
        return tables_with(shared_server().for_data(data), texts or (SECRET,))
    # In a process of its own, because closing a file drops all locks that this process has on it.
    command = [sys.executable, "-S", "-c", SEARCH, str(data), *(texts or (SECRET,))]
    found = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return found.splitlines()


def tables_with(address: str, texts: Sequence[str]) -> list[str]:
    """What is on a page without being in a row, test_postgres.py looks for."""
    import psycopg

    listed = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1"
    wanted = [each for text in texts for each in (text, text.encode().hex())]
    with psycopg.connect(address, autocommit=True) as connection:
        tables = [str(name) for (name,) in connection.execute(listed.encode()).fetchall()]
        found: list[str] = []
        for table in tables:
            sql = f"SELECT count(*) FROM {table} one, unnest(%s::text[]) wanted WHERE position(wanted in one::text) > 0"
            ((count,),) = connection.execute(sql.encode(), (wanted,)).fetchall()
            found += [table] if count else []
    return found


def back_up(kernel: Kernel, data: Path, clock: Moment) -> None:
    clock.now += SECOND
    kernel.store.database.copy_to(backup_path(data, clock.now, "asked"))


def erase_everywhere(kernel: Kernel, data: Path, handle: str) -> Erased:
    with ExitStack() as stack:
        copies = [open_copy(path) for path in backup_files(data / BACKUPS)]
        for copy in copies:
            stack.callback(copy.close)
        return erase(kernel, handle, actor="test", backups=copies)


def damage(kernel: Kernel) -> list[str]:
    with kernel.read() as snapshot:
        return [*kernel.store.database.check(), *compare_heads(snapshot.session, kernel.collection)]


@pytest.mark.parametrize("content", [SECRET, LONG], ids=["short", "over many pages"])
def test_no_file_holds_what_was_erased(tmp_path, kernel, content):
    put(kernel, "Something else.")
    id = put(kernel, content)
    update_entry(kernel, id, EntryChange(body=f"changed: {content}"), actor="test")
    update_entry(kernel, id, EntryChange(body="harmless now"), actor="test")
    assert holders(tmp_path) != []
    erased = erase_everywhere(kernel, tmp_path, id)
    assert (erased.things, erased.versions) == (1, 3)
    assert holders(tmp_path) == []
    assert damage(kernel) == []


@pytest.mark.only_sqlite(reason="elsewhere the backups are PostgreSQL's own")
def test_no_backup_holds_what_was_erased(tmp_path, kernel, clock):
    id = put(kernel, LONG)
    back_up(kernel, tmp_path, clock)
    update_entry(kernel, id, EntryChange(body=f"still {SECRET}"), actor="test")
    back_up(kernel, tmp_path, clock)
    kept = put(kernel, "kept")
    back_up(kernel, tmp_path, clock)
    assert len([name for name in holders(tmp_path) if name.startswith("memotheca-")]) == 3
    assert erase_everywhere(kernel, tmp_path, id).backups == 3
    assert holders(tmp_path) == []
    for path in backup_files(tmp_path / BACKUPS):
        copy = open_copy(path)
        assert copy.database.check() == []
        with copy.read("default") as snapshot:
            assert compare_heads(snapshot.session, "default") == []
        copy.close()
    assert get_entry(kernel, kept).thing is not None


def test_the_names_and_edges_of_what_was_erased_are_gone_too(tmp_path, kernel):
    said = say(kernel, f"{SECRET} person", "knows", "Grace")
    assert isinstance(said, EdgeWithEnds)
    say(kernel, "Grace", "knows", f"{SECRET} person")
    clash = say(kernel, f"{SECRET} person", "knows", "Somebody")
    assert isinstance(clash, ClaimConflict)
    assert said.source is not None
    assert erase_everywhere(kernel, tmp_path, said.source.id).things == 3
    assert holders(tmp_path) == []
    assert damage(kernel) == []
    assert get_entry(kernel, "Grace").thing is not None


def test_what_was_deleted_can_still_be_erased(tmp_path, kernel):
    id = put(kernel, SECRET)
    say(kernel, "Ada", "wrote", SECRET)
    delete_entry(kernel, id, actor="test")
    delete_entry(kernel, SECRET, actor="test")
    assert erase_everywhere(kernel, tmp_path, id).things == 1
    assert erase_everywhere(kernel, tmp_path, SECRET).things == 2
    assert holders(tmp_path) == []


@pytest.mark.only_sqlite(reason="it is of SQLite's pages")
@pytest.mark.parametrize("seed", [1, 3, 8, 11])
def test_text_that_moved_between_pages_is_erased_as_well(tmp_path, kernel, seed):
    """SQLite overwrites a deleted row, but not what the row left behind on a page that was split before."""
    rng = random.Random(seed)
    ids, doomed = dict[str, str](), dict[str, str]()
    for number in range(400):
        if ids and rng.random() < 0.35:
            word = rng.choice(list(ids))
            doomed[word] = ids.pop(word)
            kernel.write(partial(erase_rows, id=doomed[word]), actor="test")
        else:
            word = f"{rng.choice('abcdefgh')}{number}-{rng.randbytes(6).hex()}"
            said = say(kernel, word + "n" * rng.randrange(300), "is", "here")
            assert isinstance(said, EdgeWithEnds)
            assert said.source is not None
            ids[word] = said.source.id
    assert kernel.store.database.forget_log()
    assert holders(tmp_path, *doomed) == []
    assert kernel.store.database.check() == []


def erase_rows(transaction: Transaction, id: str) -> None:
    transaction.describe("ERASE")
    for each in (id, *transaction.edges_ever_at(id)):
        transaction.erase(each)


def test_history_still_lists_what_was_erased_without_its_content(tmp_path, kernel):
    id = put(kernel, SECRET, topic=SECRET)
    update_entry(kernel, id, EntryChange(body="other"), actor="test")
    erased = erase_everywhere(kernel, tmp_path, id)
    listed = list_history(kernel, limit=10).happenings
    operations = [(each.commit.tx, each.commit.operation) for each in listed]
    assert operations == [(3, "ERASE"), (2, "UPDATE"), (1, "CREATE")]
    assert erased.tx == 3
    assert {each.commit.subject_id for each in listed} == {id}
    assert all(each.about.erased and each.about.thing is None for each in listed)
    assert SECRET not in repr(listed)
    with kernel.read() as snapshot:
        assert snapshot.entries(("entry",), as_of=1) == []


def test_a_transaction_that_touched_what_was_erased_cannot_be_undone(tmp_path, kernel):
    id = put(kernel, SECRET)
    update_entry(kernel, id, EntryChange(body="other"), actor="test")
    delete_entry(kernel, id, actor="test")
    erase_everywhere(kernel, tmp_path, id)
    for tx in (1, 2, 3, 4):
        with pytest.raises(Refusal) as refused:
            undo(kernel, tx=tx, actor="test")
        assert refused.value.failure is Failure.ERASED
    assert damage(kernel) == []


def test_what_was_erased_is_not_found_again_and_its_name_is_free(tmp_path, kernel):
    say(kernel, "Ada", "drinks", "tea")
    erase_everywhere(kernel, tmp_path, "entity:Ada")
    with pytest.raises(Refusal):
        get_entry(kernel, "entity:Ada")
    assert isinstance(say(kernel, "Ada", "drinks", "milk"), EdgeWithEnds)


@pytest.mark.only_sqlite(reason="elsewhere the log is PostgreSQL's own")
def test_a_reader_that_holds_the_log_makes_erasing_say_so_and_the_same_again_completes_it(tmp_path, kernel, clock):
    impatient = Kernel(open_migrated(SQLiteDatabase(tmp_path / DATABASE, patience=0.05), clock=clock), "default")
    first, second = put(kernel, SECRET), put(kernel, SECRET)
    delete_entry(kernel, second, actor="test")
    clock.now += RETENTION + DAY
    attempts = (lambda: erase(impatient, first, actor="test"), lambda: purge(impatient, actor="test"))
    for attempt in attempts:
        with kernel.read() as snapshot:
            assert len(snapshot.commits()) >= 3
            with pytest.raises(Refusal) as refused:
                attempt()
            assert refused.value.failure is Failure.BUSY
            assert "run the same command again" in refused.value.message
        with pytest.raises(Refusal) if attempt is attempts[0] else nullcontext():
            assert attempt() is None
    assert holders(tmp_path) == []
    impatient.store.close()


@pytest.mark.only_sqlite(reason="elsewhere the backups are PostgreSQL's own")
def test_erasing_stopped_by_a_broken_backup_can_be_done_again(tmp_path, kernel, clock):
    id = put(kernel, SECRET)
    back_up(kernel, tmp_path, clock)
    (path,) = backup_files(tmp_path / BACKUPS)
    broken = open_copy(path)
    broken.known_format += 1
    with pytest.raises(Refusal):
        erase(kernel, id, actor="test", backups=[broken])
    broken.close()
    assert get_entry(kernel, id).thing is not None
    assert erase_everywhere(kernel, tmp_path, id).backups == 1
    assert holders(tmp_path) == []


def test_purging_erases_only_what_was_deleted_longer_ago_than_the_retention(tmp_path, kernel, clock):
    old, recent, living = (put(kernel, f"{SECRET} {name}") for name in ("old", "recent", "living"))
    began = clock.now
    delete_entry(kernel, old, actor="test")
    clock.now = began + 10 * DAY
    delete_entry(kernel, recent, actor="test")

    clock.now = began + RETENTION
    assert purge(kernel, actor="test") is None
    clock.now = began + RETENTION + SECOND
    purged = purge(kernel, actor="test")
    assert purged is not None
    assert purged.things == 1
    assert holders(tmp_path, f"{SECRET} old") == []
    assert holders(tmp_path, f"{SECRET} recent") != []
    assert purge(kernel, actor="test") is None

    (undone,) = undo(kernel, tx=5, actor="test").done
    assert undone.happening.about.id == recent
    clock.now = began + 100 * DAY
    assert purge(kernel, actor="test") is None, "what came back is no tombstone"
    assert get_entry(kernel, living).thing is not None
    assert damage(kernel) == []


def test_purging_takes_the_edges_that_died_with_an_entry(tmp_path, kernel, clock):
    say(kernel, "Ada", f"{SECRET}-likes", "tea")
    delete_entry(kernel, "entity:Ada", actor="test")
    clock.now += RETENTION + DAY
    purged = purge(kernel, actor="test")
    assert purged is not None
    assert purged.things == 2
    assert holders(tmp_path) == []
    assert damage(kernel) == []


def test_erasing_in_one_collection_leaves_another_alone(tmp_path, kernel):
    other = Kernel(kernel.store, "other")
    id, kept = put(kernel, SECRET), put(other, "kept")
    erase_everywhere(kernel, tmp_path, id)
    assert holders(tmp_path) == []
    assert get_entry(other, kept).thing is not None
    assert damage(other) == []


def test_an_edge_that_ended_there_once_goes_too_though_it_was_deleted_before(kernel):
    one = store_entry(kernel, NewEntry(title="one", body="1"), actor="test").version
    two = store_entry(kernel, NewEntry(title="two", body="2", knowledge_type="observation"), actor="test").version
    claim = Claim(subject=one.id, predicate="derived_from", object=two.id)
    related = relate(kernel, claim, actor="test")
    assert isinstance(related, EdgeWithEnds)
    delete_edge(kernel, related.version.id, actor="test")
    erase(kernel, two.id, actor="test")
    with kernel.read() as snapshot:
        assert all(version.erased for version in snapshot.versions(related.version.id))
        assert snapshot.edges(EdgePattern(), as_of=related.version.tx) == []
