"""What `--quick` runs: tests that start no process and are soon done; it is watched that they start none."""

import sys
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test

from tests.storage.postgres_server import needs_postgres

# Left out, besides property tests, those that are marked as slow or as starting a process, and those that need
# PostgreSQL.
NOT_QUICK = (
    "cli",
    "documents",
    "durability",
    "engine",
    "hooks",
    "linear",
    "memories",
    "packaging",
    "page",
    "server",
    "reading/test_hostile.py",
    "reading/test_sandbox.py",
    "reading/test_texts.py",
    "storage/test_erasure.py",
    "storage/test_migrations.py",
    "storage/test_presence.py",
    "storage/test_roles.py",
    "storage/test_sqlite.py",
    "test_name.py",
    "test_numbers_table.py",
    "test_pages.py",
    "toolkit/test_bounds.py",
    "toolkit/test_large_numbers.py",
    "toolkit/test_nulls.py",
    "tools/test_paging.py",
    "tools/test_repeating.py",
    "tools/test_sizes.py",
    "vault/test_ignoring.py",
    "vault/test_watcher.py",
)
# How Python tells that a process is started.
_STARTS = frozenset({"subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system"})


def is_quick_place(place: Path) -> bool:
    return not any(place.is_relative_to(each) for each in NOT_QUICK)


def is_quick(item: pytest.Item) -> bool:
    marked = any(item.get_closest_marker(name) for name in ("slow", "starts_process"))
    elsewhere = any(mark == needs_postgres.mark for mark in item.iter_markers("skipif"))
    return not (marked or elsewhere or is_hypothesis_test(getattr(item, "obj", None)))


class Watch:
    """Hears of every process that is started from now on; Python lets nobody stop listening, so there is one."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if event in _STARTS:
            self.heard.append(f"{event} {arguments[:2]}")

    def take(self) -> list[str]:
        """What was started since this was asked last."""
        heard, self.heard = self.heard, []
        return heard
