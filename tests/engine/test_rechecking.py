"""What a verb saw before its transaction is looked at again inside it: no edge is left without an end."""

import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memotheca import settings as options
from memotheca.admin.erasure import purge
from memotheca.admin.health import examine, repair
from memotheca.admin.history import undo
from memotheca.app import App, build
from memotheca.entries.edges import Claim, ClaimConflict, relate, settle
from memotheca.entries.entries import delete_entry
from memotheca.memory.curation.merge import forget
from memotheca.memory.curation.remember import NewMemory, store_memory
from memotheca.memory.curation.restore import restore
from memotheca.model.clock import DAY, SECOND, system_clock
from memotheca.model.errors import Failure, Refusal
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.toolkit.tool import Call
from tests.conftest import Agent, Time

WHY = "Worth keeping for later."


def open_app(folder: Path, clock: Any) -> App:
    app = build(options.load({"data": str(folder), "toolsets": "all"}, {}), clock=clock)
    choose_embedder(app.kernel.store, app.kernel.collection, "none")
    return app


@pytest.fixture
def pair(tmp_path: Path, time: Time) -> Iterator[tuple[App, App]]:
    """Two programs that share a directory."""
    apps = open_app(tmp_path, time), open_app(tmp_path, time)
    yield apps
    for app in apps:
        app.kernel.store.close()


def meanwhile(app: App, act: Callable[[], object]) -> None:
    """Let another program act after this one has looked and before its next transaction begins."""
    store = app.kernel.store
    ordinary = store.write

    def write(*given: Any, **named: Any) -> Any:
        store.write = ordinary
        act()
        return ordinary(*given, **named)

    store.write = write


def remember(app: App, content: str, *links: str, name: str = "") -> str:
    draft = NewMemory(content=content, rationale=WHY, metadata={}, link_to=links, name=name)
    return store_memory(app.kernel, draft, actor="tester").version.id


def lose(app: App, id: str) -> str:
    return forget(app.kernel, id, reason="outdated", rationale=WHY, actor="other").reversal_hash


def loose(app: App) -> list[tuple[Any, ...]]:
    """Edges that live and lack an end."""
    with app.kernel.store.database.read() as session:
        return session.rows(
            "SELECT id FROM edge_head h WHERE NOT EXISTS (SELECT 1 FROM entry_head e WHERE e.collection = h.collection "
            "AND e.id = h.source) OR NOT EXISTS (SELECT 1 FROM entry_head e WHERE e.collection = h.collection "
            "AND e.id = h.target)"
        )


def test_a_memory_is_not_linked_to_what_was_forgotten_since_it_looked_around(pair: tuple[App, App]) -> None:
    one, other = pair
    near = remember(one, "The nightly job holds the migration lock.", name="nightly job")
    meanwhile(one, lambda: lose(other, near))
    made = remember(one, "The release was late because of the nightly job.", name="late release")
    assert loose(one) == []
    with one.kernel.read() as snapshot:
        assert snapshot.edges_of(made) == []


def test_a_memory_that_was_to_be_linked_to_what_is_forgotten_meanwhile_is_refused(pair: tuple[App, App]) -> None:
    one, other = pair
    wanted = remember(one, "Ada takes her tea black.")
    meanwhile(one, lambda: lose(other, wanted))
    with pytest.raises(Refusal) as refused:
        remember(one, "Ada drinks two cups before noon.", wanted)
    assert (refused.value.failure, refused.value.field) == (Failure.TOMBSTONED, "link_to")
    assert loose(one) == []


def test_a_duplicate_is_not_named_that_was_forgotten_meanwhile(pair: tuple[App, App]) -> None:
    one, other = pair
    first = remember(one, "Bob reviews every change on Monday.")
    meanwhile(one, lambda: lose(other, first))
    draft = NewMemory(content="Bob reviews every change on Monday.", rationale=WHY, metadata={})
    stored = store_memory(one.kernel, draft, actor="tester")
    assert (stored.edges, stored.compared) == ((), ())


def test_what_two_programs_restore_at_once_comes_back_once(pair: tuple[App, App]) -> None:
    one, other = pair
    id = remember(one, "Ada takes her tea black.")
    seal = lose(one, id)

    def restored_and_changed() -> None:
        restore(other.kernel, seal, actor="other")
        remember(other, "Bob takes it with milk.", id)

    meanwhile(one, restored_and_changed)
    again = restore(one.kernel, seal, actor="tester")
    assert again.was_restored
    with one.kernel.read() as snapshot:
        reverts = [found for found in snapshot.commits() if found.operation == "REVERT"]
        assert len(reverts) == 1
    assert loose(one) == []


def test_a_conflict_is_settled_once(pair: tuple[App, App]) -> None:
    one, other = pair
    relate(one.kernel, Claim(subject="Ada", predicate="lives in", object="Paris"), actor="tester")
    claim = Claim(subject="Ada", predicate="lives in", object="London")
    clash = relate(one.kernel, claim, actor="tester")
    assert isinstance(clash, ClaimConflict)
    meanwhile(one, lambda: settle(other.kernel, clash.conflict_id, "retain_both", claim, actor="other"))
    with pytest.raises(Refusal) as refused:
        settle(one.kernel, clash.conflict_id, "retain_both", claim, actor="tester")
    assert refused.value.failure is Failure.NOT_FOUND
    with one.kernel.read() as snapshot:
        assert snapshot.count("edge") == 2


def test_the_hash_of_a_forgetting_is_that_of_the_forgetting_though_it_was_taken_back_at_once(
    pair: tuple[App, App],
) -> None:
    one, other = pair
    id = remember(one, "Ada takes her tea black.")
    store = one.kernel.store
    ordinary = store.write

    def write(*given: Any, **named: Any) -> Any:
        store.write = ordinary
        answer = ordinary(*given, **named)
        undo(other.kernel, actor="other")
        return answer

    store.write = write
    forgotten = forget(one.kernel, id, reason="outdated", rationale=WHY, actor="tester")
    assert forgotten.commit.operation == "DELETE"


def test_a_merge_is_of_what_the_memories_say_now(pair: tuple[App, App]) -> None:
    one, other = pair
    ids = [remember(one, "The job runs at two."), remember(one, "The job runs at two every night.")]

    def call(app: App, name: str, **arguments: Any) -> Any:
        return app.dispatcher.run(name, arguments, Call(kernel=app.kernel, actor="tester"))

    meanwhile(one, lambda: call(other, "update", id=ids[0], content="The job runs at three."))
    merged = call(
        one,
        "merge_concepts",
        source_node_ids=ids,
        target_name="The job",
        merge_strategy="concatenate",
        rationale="Both are about the same job.",
    )
    assert not merged.failed, merged.structured
    with one.kernel.read() as snapshot:
        entry = snapshot.entry(merged.structured["merged_node_id"])
    assert entry is not None
    assert "at three" in entry.body


def test_what_is_restored_while_old_tombstones_are_let_go_stays(pair: tuple[App, App], time: Time) -> None:
    one, other = Agent(pair[0]), Agent(pair[1])
    for topic in ("tea", "milk"):
        delete_entry(one.kernel, one.store(topic, f"All about {topic}."), actor="tester")
    time.advance(31 * DAY // SECOND)
    meanwhile(one.app, lambda: undo(other.kernel, tx=2, actor="other"))
    purged = purge(one.kernel, actor="tester")
    assert purged is not None
    assert purged.things == 1
    assert one.topics() == ["tea"]


def test_no_transaction_commits_an_edge_without_an_end(pair: tuple[App, App]) -> None:
    one, _ = pair
    a, b = remember(one, "The cache went stale."), remember(one, "Ada takes her tea black.")
    with one.kernel.read() as snapshot:
        doomed = snapshot.entry(b)
    assert doomed is not None
    remember(one, "Both matter.", a, b)
    with pytest.raises(Refusal) as refused:
        one.kernel.write(lambda transaction: transaction.remove(doomed), actor="tester")
    assert refused.value.failure is Failure.CONFLICT
    assert loose(one) == []


def test_the_doctor_mends_edges_that_have_lost_an_end(pair: tuple[App, App]) -> None:
    one, _ = pair
    a, b = remember(one, "The cache went stale."), remember(one, "Ada takes her tea black.")
    remember(one, "Both matter.", a, b)
    # As a program before this one could leave it: the end went, the edge stayed.
    with one.kernel.store.database.write() as session:
        (tx,) = session.rows("UPDATE collection SET tx = tx + 1 WHERE name = 'default' RETURNING tx")[0]
        session.run(
            "INSERT INTO tx (collection, tx, time, actor, operation, subject_id) "
            "VALUES ('default', ?, 1, 'x', 'DELETE', ?)",
            tx,
            b,
        )
        session.run(
            "INSERT INTO version (collection, id, tx, subject, kind, image) "
            "VALUES ('default', ?, ?, 'entry', 'memory', NULL)",
            b,
            tx,
        )
        session.run("DELETE FROM entry_head WHERE id = ?", b)
    assert loose(one) != []
    assert any("lost an end" in finding.detail for finding in examine(one.kernel) if not finding.well)
    assert repair(one.kernel) == ["default"]
    assert loose(one) == []
    assert [finding for finding in examine(one.kernel) if not finding.well and "journal" in finding.name] == []


class Crowd:
    """Several programs on one directory that link, forget, merge and restore the same memories at once."""

    def __init__(self, folder: Path) -> None:
        self.apps = [open_app(folder, system_clock) for _ in range(3)]
        told = [f"Fact {number} is about the nightly job." for number in range(8)]
        self.ids = [remember(self.apps[0], text, name=text[:6]) for text in told]
        self.seals: list[str] = []
        self.unforeseen: list[BaseException] = []

    def run(self, app: App, seed: int) -> None:
        chance = random.Random(seed)
        dawdle(app, chance)
        for _ in range(25):
            try:
                chance.choice((self.link, self.link, self.lose, self.merge, self.restore))(app, chance)
            except Refusal as refusal:
                if refusal.failure is Failure.INTERNAL or "without an end" in refusal.message:
                    self.unforeseen.append(refusal)
            except BaseException as error:
                self.unforeseen.append(error)

    def link(self, app: App, chance: random.Random) -> None:
        text = f"Seen again {chance.random()} because of fact {chance.randrange(8)}."
        self.ids.append(remember(app, text, *chance.sample(self.ids, 2)))

    def lose(self, app: App, chance: random.Random) -> None:
        self.seals.append(lose(app, chance.choice(self.ids)))

    def merge(self, app: App, chance: random.Random) -> None:
        said = {"target_name": "Both", "merge_strategy": "concatenate", "rationale": WHY, "force_merge": True}
        arguments = {"source_node_ids": chance.sample(self.ids, 2), **said}
        reply = app.dispatcher.run("merge_concepts", arguments, Call(kernel=app.kernel, actor="tester"))
        if not reply.failed and reply.structured is not None:
            self.ids.append(reply.structured["merged_node_id"])
            self.seals.append(reply.structured["reversal_hash"])

    def restore(self, app: App, chance: random.Random) -> None:
        if self.seals:
            restore(app.kernel, chance.choice(self.seals), actor="tester")


def dawdle(app: App, chance: random.Random) -> None:
    """Leave the others time between a look and the transaction that follows from it."""
    ordinary = app.kernel.store.write

    def write(*given: Any, **named: Any) -> Any:
        threading.Event().wait(chance.random() / 50)
        return ordinary(*given, **named)

    app.kernel.store.write = write


def test_programs_that_link_forget_merge_and_restore_at_once_leave_no_edge_without_an_end(tmp_path: Path) -> None:
    crowd = Crowd(tmp_path)
    threads = [threading.Thread(target=crowd.run, args=(app, seed)) for seed, app in enumerate(crowd.apps)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert crowd.unforeseen == []
    assert loose(crowd.apps[0]) == []
    assert all(finding.well for finding in examine(crowd.apps[0].kernel) if "journal" in finding.name)
    for app in crowd.apps:
        app.kernel.store.close()
