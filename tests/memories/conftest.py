"""A librarian with a fresh memory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Time
from tests.memories.librarian import Librarian, open_librarian


@pytest.fixture
def librarian(tmp_path: Path, time: Time) -> Iterator[Librarian]:
    found = open_librarian(tmp_path, time)
    yield found
    assert found.kernel.bench is not None
    found.kernel.bench.sandbox.close()
    found.kernel.store.close()
