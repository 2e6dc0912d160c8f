"""What a process remembers stays right where a write is refused or a look breaks off in the middle."""

from typing import Any

import pytest

from memotheca.memory.care import homeostasis
from memotheca.memory.care.homeostasis import read_ledger
from memotheca.memory.spaces.fingerprint import POSITION
from memotheca.memory.standing import sample
from memotheca.memory.standing.sample import reference_of
from memotheca.search.index import live
from memotheca.storage.store import Transaction
from tests.conftest import open_vault


def remember(agent: Any, content: str) -> dict[str, Any]:
    return agent.call("store_memory", content=content, rationale="it was said")


def break_once(monkeypatch, module, name):
    """Let a function fail the next time it has done its work."""
    whole, broken = getattr(module, name), iter([True])

    def break_off(*told, **more):
        done = whole(*told, **more)
        if next(broken, False):
            raise MemoryError
        return done

    monkeypatch.setattr(module, name, break_off)


def positions(writer):
    with writer.kernel.read() as snapshot:
        found = [version.thing.attributes[POSITION] for version in snapshot.entries(("memory",))]
    return sorted(found)


def test_a_memory_that_was_not_stored_takes_no_place_in_its_session(writer, monkeypatch):
    remember(writer, "Ada drinks tea.")
    with monkeypatch.context() as broken:
        broken.setattr(Transaction, "put", lambda self, thing: 1 / 0)
        assert writer.reply("store_memory", content="Ada drinks coffee.", rationale="it was said").failed
    remember(writer, "The engine weaves.")
    assert positions(writer) == [1, 2]


def test_the_sample_is_drawn_again_where_drawing_broke_off(writer, monkeypatch):
    for text in ("Ada drinks tea.", "The engine weaves.", "Rain falls on the roof."):
        remember(writer, text)
    break_once(monkeypatch, sample, "hang")
    with writer.kernel.read() as snapshot:
        with pytest.raises(MemoryError):
            reference_of(writer.kernel, snapshot)
        assert len(reference_of(writer.kernel, snapshot).gallery.ids) == 3


def test_the_ledger_counts_nothing_twice_where_reading_broke_off(writer, monkeypatch):
    for text in ("Ada drinks tea.", "The engine weaves."):
        remember(writer, text)
    read = homeostasis._read
    broken = iter([True])

    def break_off(*told):
        for found in read(*told):
            yield found
            if next(broken, False):
                raise MemoryError

    monkeypatch.setattr(homeostasis, "_read", break_off)
    with writer.kernel.read() as snapshot:
        with pytest.raises(MemoryError):
            read_ledger(writer.kernel, snapshot)
        assert read_ledger(writer.kernel, snapshot) == homeostasis._Ledgers().balance(snapshot)


def test_the_index_reads_again_what_it_could_not_merge(tmp_path, time, monkeypatch):
    writer = open_vault(tmp_path, time)
    for number in range(5):
        writer.store(f"tea {number}", "hot")
        assert len(writer.topics(content="hot")) == number + 1
        if number == 3:
            break_once(monkeypatch, live, "merge_text")
            writer.store("tea again", "hot")
            assert writer.reply("query", content="hot").failed
            break
    assert len(writer.topics(content="hot")) == 5
    writer.kernel.store.close()
