"""Whatever is followed by the journal is, at every snapshot, what would be loaded there from nothing."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memotheca.kernel.projection import Projection
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import KINDS
from memotheca.model.knowledge import Entry
from memotheca.search.prepared import LATER
from memotheca.storage import sqlite
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Store, Transaction
from tests.conftest import open_store
from tests.storage.players import CHANGES, Move, Player, fresh_kernel

Titles = Counter[str]
Turn = tuple[list[str], list[str]]

PICKS = st.integers(0, 5)
MOVES = st.tuples(st.sampled_from((*CHANGES, "undo", "erase")), PICKS, PICKS, PICKS)
LOOKS = st.sampled_from(["", "", "load", "read", "apply", "open", "older", "uncommitted"])
HISTORIES = st.lists(st.tuples(MOVES, LOOKS), max_size=16)


class Broken(Exception):
    """What was under way broke off."""


class Follower(Projection[Titles, list[Turn]]):
    """How many entries of a collection have a title; counted in place, and broken off in the middle where wanted."""

    most: ClassVar[int] = 3

    def __init__(self) -> None:
        super().__init__()
        self.breaking = ""
        self.loaded = 0

    def load(self, snapshot: Snapshot) -> Titles:
        self.loaded += 1
        self._break_off("load")
        return Counter(title for version in snapshot.entries(KINDS) for title in _titles(version))

    def read(self, snapshot: Snapshot, after: int, held: Titles) -> list[Turn] | None:
        changed = [id for id, subject, _ in snapshot.changed_after(after) if subject == "entry"]
        self._break_off("read")
        before, now = snapshot.versions_at(changed, after), snapshot.versions_at(changed, snapshot.tx)
        if len(changed) > 3 or any(version.erased for version in now.values()):
            return None
        return [(_titles(before.get(id)), _titles(now.get(id))) for id in changed]

    def apply(self, held: Titles, changes: list[Turn]) -> Titles:
        for before, now in changes:
            held.subtract(before)
            self._break_off("apply")
            held.update(now)
        return held

    def _break_off(self, where: str) -> None:
        if self.breaking == where:
            self.breaking = ""
            raise Broken


def _titles(version: Version | None) -> list[str]:
    thing = None if version is None else version.thing
    return [thing.title] if isinstance(thing, Entry) else []


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, database: str) -> Iterator[Store]:
    """One for each database."""
    assert database
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite, "_SETTINGS", (*sqlite._SETTINGS, "PRAGMA synchronous=OFF"))
        store = open_store(tmp_path_factory.mktemp("data"))
        patch.setattr(type(store.database), "forget_log", lambda self: True)
        yield store
        store.close()


def agrees(follower: Follower, snapshot: Snapshot) -> None:
    with follower.guard:
        assert +follower.at(snapshot) == Follower().load(snapshot)


def look_uncommitted(player: Player, follower: Follower) -> None:
    """Change something, look, and let nothing of it be kept."""

    def act(transaction: Transaction) -> None:
        for entry in list(transaction.living(player.entries).values())[:1]:
            transaction.put(replace(entry, title="never"), LATER)
        agrees(follower, transaction)
        raise Refusal(Failure.INVALID, "No.")

    with suppress(Refusal):
        player.kernel.write(act, actor="test")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(HISTORIES)
def test_what_is_followed_is_what_would_be_loaded(store: Store, history: list[tuple[Move, str]]) -> None:
    player, follower = Player(fresh_kernel(store)), Follower()
    with ExitStack() as stack:
        past: list[Snapshot] = []
        for move, look in history:
            player.play([move])
            if look == "open":
                past.append(stack.enter_context(player.kernel.read()))
            elif look == "older":
                for snapshot in past:
                    agrees(follower, snapshot)
            elif look == "uncommitted":
                look_uncommitted(player, follower)
            elif look:
                follower.breaking = look
                with player.kernel.read() as snapshot, suppress(Broken):
                    follower.at(snapshot)
                follower.breaking = ""
            if look != "open":
                with player.kernel.read() as snapshot:
                    agrees(follower, snapshot)
        for snapshot in past:
            agrees(follower, snapshot)


def test_what_breaks_off_before_anything_changed_leaves_what_was_held(store: Store) -> None:
    player, follower = Player(fresh_kernel(store)), Follower()
    player.play([("store", 0, 0, 0)])
    with player.kernel.read() as snapshot:
        agrees(follower, snapshot)
    player.play([("store", 1, 0, 0)])
    follower.breaking = "read"
    with player.kernel.read() as snapshot:
        with pytest.raises(Broken):
            follower.at(snapshot)
        agrees(follower, snapshot)
    assert follower.loaded == 1


def test_half_a_change_leaves_nothing(store: Store) -> None:
    player, follower = Player(fresh_kernel(store)), Follower()
    player.play([("store", 0, 0, 0)])
    with player.kernel.read() as snapshot:
        agrees(follower, snapshot)
    player.play([("update", 0, 1, 0)])
    follower.breaking = "apply"
    with player.kernel.read() as snapshot:
        with pytest.raises(Broken):
            follower.at(snapshot)
        agrees(follower, snapshot)


def test_an_older_snapshot_does_not_disturb_what_is_held(store: Store) -> None:
    player, follower = Player(fresh_kernel(store)), Follower()
    player.play([("store", 0, 0, 0)])
    with player.kernel.read() as older:
        player.play([("store", 1, 0, 0)])
        with player.kernel.read() as newer:
            held = follower.at(newer)
            agrees(follower, older)
            assert follower.at(newer) is held


@pytest.mark.parametrize(("stored", "loaded"), [(1, 1), (3, 1), (4, 2)])
def test_after_many_transactions_everything_is_loaded_anew(store: Store, stored: int, loaded: int) -> None:
    player, follower = Player(fresh_kernel(store)), Follower()
    player.play([("store", 0, 0, 0)])
    with player.kernel.read() as snapshot:
        follower.at(snapshot)
    player.play([("store", 1, 0, 0)] * stored)
    with player.kernel.read() as snapshot:
        agrees(follower, snapshot)
    assert follower.loaded == loaded
