"""Quick tests: what starts a process is not among them, and would be heard of."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.quick import NOT_QUICK, Watch, is_quick, is_quick_place
from tests.storage.postgres_server import needs_postgres

TESTS = Path(__file__).parent


@pytest.mark.starts_process
def test_a_process_that_is_started_is_heard_of() -> None:
    watch = Watch()
    assert watch.take() == []
    subprocess.run([sys.executable, "-c", ""], check=True)
    assert [each.partition(" ")[0] for each in watch.take()] == ["subprocess.Popen"]
    assert watch.take() == []


def test_what_is_left_out_is_there() -> None:
    assert [each for each in NOT_QUICK if not (TESTS / each).exists()] == []
    assert not is_quick_place(Path("server/test_http.py"))
    assert is_quick_place(Path("test_quick.py"))


@pytest.mark.parametrize("marks", [[pytest.mark.slow], [pytest.mark.starts_process], [needs_postgres], []])
def test_what_is_slow_or_needs_another_process_is_not_quick(
    request: pytest.FixtureRequest, marks: list[pytest.MarkDecorator]
) -> None:
    item = pytest.Function.from_parent(request.node.parent, name="test_what_is_left_out_is_there")
    for mark in marks:
        item.add_marker(mark)
    assert is_quick(item) == (marks == [])
