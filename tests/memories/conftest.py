"""A librarian with a fresh memory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memotheca.jobs.queue import bench_of
from tests.conftest import Time
from tests.memories.librarian import Librarian, open_librarian


@pytest.fixture
def librarian(tmp_path: Path, time: Time) -> Iterator[Librarian]:
    found = open_librarian(tmp_path, time)
    yield found
    assert bench_of(found.kernel) is not None
    bench_of(found.kernel).sandbox.close()
    found.kernel.store.close()
