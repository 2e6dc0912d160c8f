"""Files of the index may be taken away by whoever erases, while somebody else reads: then it is read again."""

from collections.abc import Callable
from typing import Any

import pytest

from memotheca.memory.curation import remember
from memotheca.memory.standing import nearest
from memotheca.model.retry import MissingSegmentError
from tests.memories.librarian import WHY, Librarian


def missing(find: Callable[..., Any], times: int) -> Callable[..., Any]:
    """Misses a file so many times before it finds anything."""
    missed: list[None] = []

    def look(*asked: Any, **more: Any) -> Any:
        if len(missed) < times:
            missed.append(None)
            raise MissingSegmentError("a segment is gone")
        return find(*asked, **more)

    return look


def test_a_memory_is_stored_once_though_a_file_was_missed(
    librarian: Librarian, monkeypatch: pytest.MonkeyPatch
) -> None:
    librarian.remember("The harbour bridge opens at nine.")
    monkeypatch.setattr(remember, "find_near", missing(remember.find_near, 2))
    stored = librarian.remember("The harbour bridge closes at five.")
    assert stored in librarian.found("harbour bridge")
    assert librarian.call("get_memetic_status")["node_count"] == 2


def test_nothing_is_stored_where_the_file_stays_away(librarian: Librarian, monkeypatch: pytest.MonkeyPatch) -> None:
    librarian.remember("The harbour bridge opens at nine.")
    monkeypatch.setattr(remember, "find_near", missing(remember.find_near, 99))
    reply = librarian.reply("store_memory", content="The harbour bridge closes at five.", rationale=WHY)
    assert reply.failed
    assert "memotheca reindex" in str(reply.structured)
    monkeypatch.undo()
    assert librarian.call("get_memetic_status")["node_count"] == 1


def test_what_only_reads_reads_again(librarian: Librarian, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("harbour", "station"):
        librarian.remember(f"The {place} bridge opens at nine.")
    expected = librarian.call("get_memetic_status")["node_count"]
    monkeypatch.setattr(nearest, "find_near", missing(nearest.find_near, 1))
    librarian.remember("The market bridge opens at ten.")
    assert librarian.call("critique_context")["checked"] >= 1
    assert librarian.call("get_memetic_status")["node_count"] == expected + 1


def test_another_file_that_is_missing_is_not_taken_for_one_of_the_index(
    librarian: Librarian, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*asked: Any, **more: Any) -> None:
        raise FileNotFoundError("somewhere else")

    librarian.remember("The harbour bridge opens at nine.")
    monkeypatch.setattr(remember, "find_near", fail)
    reply = librarian.reply("store_memory", content="The harbour bridge closes at five.", rationale=WHY)
    assert reply.failed
    assert "reindex" not in str(reply.structured)
