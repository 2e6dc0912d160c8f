"""The scratchpad: kept for an hour in one session, and nowhere else."""

from typing import Any

import pytest

from memotheca.memory.session.state import activity_of
from tests.conftest import Time
from tests.memories.librarian import Librarian

SECRET = "xyzzymarker"


def pad(librarian: Librarian, action: str, **more: Any) -> dict[str, Any]:
    return librarian.call("temporary_scratchpad", action=action, **more)


def test_what_is_written_is_read_and_listed(librarian: Librarian) -> None:
    written = pad(librarian, "write", key="plan", value="Zuerst größer.")
    assert (written["bytes"], written["count"]) == (16, 1)
    assert pad(librarian, "read", key="plan")["value"] == "Zuerst größer."
    pad(librarian, "write", key="other", value="")
    assert [each["key"] for each in pad(librarian, "read")["entries"]] == ["plan", "other"]
    assert pad(librarian, "read", key="nothing")["value"] is None


def test_one_key_is_cleared_or_all(librarian: Librarian) -> None:
    for key in ("a", "b", "c"):
        pad(librarian, "write", key=key, value="x")
    assert pad(librarian, "clear", key="a")["cleared"] == 1
    assert pad(librarian, "clear", key="a")["cleared"] == 0
    assert pad(librarian, "clear")["cleared"] == 2
    assert pad(librarian, "read")["entries"] == []


def test_it_is_kept_for_an_hour(librarian: Librarian, time: Time) -> None:
    pad(librarian, "write", key="plan", value="x")
    time.advance(3500)
    assert pad(librarian, "read", key="plan")["value"] == "x"
    time.advance(200)
    assert pad(librarian, "read", key="plan")["value"] is None


def test_another_session_has_another(librarian: Librarian) -> None:
    librarian.session = "one"
    pad(librarian, "write", key="plan", value=SECRET)
    librarian.session = "other"
    assert pad(librarian, "read")["entries"] == []
    assert pad(librarian, "clear")["cleared"] == 0
    librarian.session = "one"
    assert pad(librarian, "read", key="plan")["value"] == SECRET


def test_nothing_of_it_is_found_logged_or_written(librarian: Librarian) -> None:
    with librarian.kernel.read() as snapshot:
        before = snapshot.tx
    pad(librarian, "write", key=SECRET, value=f"about {SECRET}")
    pad(librarian, "read", key=SECRET)
    librarian.error("temporary_scratchpad", action="write", key=SECRET, value=SECRET * 1000)
    activity_of(librarian.kernel).flush(librarian.kernel.store)
    assert librarian.held(SECRET) == []
    assert librarian.found(SECRET) == []
    with librarian.kernel.read() as snapshot:
        assert snapshot.tx == before


def test_it_is_small(librarian: Librarian) -> None:
    error = librarian.error("temporary_scratchpad", action="write", key="a", value="x" * 4097)
    assert (error["code"], error["data"]["bounds"]) == (-32002, {"maxLength": 4096})
    for number in range(100):
        pad(librarian, "write", key=str(number), value="x")
    assert librarian.error("temporary_scratchpad", action="write", key="one more", value="x")["code"] == -32002
    pad(librarian, "write", key="7", value="another value")
    pad(librarian, "clear")
    for number in range(15):
        pad(librarian, "write", key=str(number), value="x" * 4096)
    assert librarian.error("temporary_scratchpad", action="write", key="z", value="x" * 4096)["code"] == -32002


@pytest.mark.parametrize(
    "arguments",
    [{}, {"action": "erase"}, {"action": "write"}, {"action": "write", "key": "a"}, {"action": "write", "value": "a"}],
)
def test_what_is_missing_or_wrong_is_told(librarian: Librarian, arguments: dict[str, Any]) -> None:
    assert librarian.error("temporary_scratchpad", **arguments)["code"] == -32002
