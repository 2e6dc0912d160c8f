"""A write that is run again, as after a lost connection, does what it does when it is run once."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import HealthCheck

from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import from_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.database import Session, TryAgain
from memotheca.storage.postgres.postgres_database import PostgresDatabase
from memotheca.storage.sqlite import SQLiteDatabase
from memotheca.storage.store import Store
from tests.conftest import open_store
from tests.storage.players import CHANGES, Move, Player, fresh_kernel, moves, retold

NOW = from_iso("2026-02-10T14:30:00Z")


def run_twice(store: Store) -> None:
    """Let the first attempt of every write be lost when it is done."""
    run: Callable[..., Any] = store._run

    def again(act: Callable[[Session], Any], begin: Callable[[], AbstractContextManager[Session]]) -> Any:
        attempts: list[bool] = []

        def lost(session: Session) -> Any:
            result = act(session)
            attempts.append(True)
            if len(attempts) == 1:
                raise TryAgain(Refusal(Failure.UNAVAILABLE, "lost"))
            return result

        return run(lost, begin)

    store._run = again


@hypothesis.settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@hypothesis.given(done=moves(*CHANGES, "undo", "erase"))
def test_what_is_run_again_is_done_once(done: list[Move], tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for database in (SQLiteDatabase, PostgresDatabase):
            patch.setattr(database, "forget_log", lambda self: True)
        folder: Path = tmp_path_factory.mktemp("again")
        once, twice = (open_store(folder / name, clock=lambda: NOW) for name in ("once", "twice"))
        run_twice(twice)
        one = fresh_kernel(once)
        other = Kernel(twice, one.collection)
        Player(one).play(done)
        Player(other).play(done)
        assert retold(other) == retold(one)
        once.close()
        twice.close()
