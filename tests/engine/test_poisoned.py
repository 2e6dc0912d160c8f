"""One file or entry that something chokes on: it is named, and everything else goes on."""

import logging
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from memotheca.admin.upkeep import index_everything, rebuild_everything
from memotheca.cli.main import main
from memotheca.memory.standing import sample
from memotheca.model.knowledge import Entry
from memotheca.notes import sync, watch
from memotheca.search import derivations, derive
from memotheca.search.chosen_embedder import Embedding, choose_embedder
from memotheca.server.resources import read_resource
from memotheca.vault import note_file
from memotheca.vectors.embedders import DEFAULT
from tests.conftest import Agent, Time, Writer, open_vault
from tests.patience import PATIENCE, until

POISON = "hemlock"


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)


def choking(real: Callable[..., Any]) -> Callable[..., Any]:
    """As the real one, but it cannot take what holds the poison."""

    def choke(*given: Any, **more: Any) -> Any:
        if any(POISON in _text(each) for each in given):
            raise IndexError("the parser has a fault")
        return real(*given, **more)

    return choke


def _text(given: Any) -> str:
    if isinstance(given, Entry):
        return given.title + given.body
    return given.decode("latin-1") if isinstance(given, bytes) else given if isinstance(given, str) else ""


def given_vault(folder: Path, time: Time) -> Writer:
    writer = open_vault(folder, time)
    for name in ("before", "after"):
        writer.save(f"{name}.md", f"# {name}\nA plain note, see [[poison]].")
    writer.save("poison.md", f"---\ntags: [x]\n---\n{POISON} and [[before]]")
    return writer


def warnings(writer: Writer) -> str:
    return str(writer.reply("search", query="plain").blocks)


def test_a_file_that_cannot_be_read_is_kept_as_plain_text(
    tmp_path: Path, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "parse", choking(note_file.parse))
    writer = given_vault(tmp_path, time)
    done = writer.sync()
    assert done.created == 3
    note = writer.ask("get_node", id="poison.md")
    assert f"{POISON} and [[before]]" in note["content"]
    assert "plain text" in str(note)
    assert len(writer.ask("search", query="plain note")) == 2
    assert writer.sync().changed == 0
    writer.kernel.store.close()


@pytest.mark.parametrize("fault", ["to_entry", "to_unread_entry"])
def test_a_file_that_cannot_be_taken_in_is_named_and_the_others_are(
    tmp_path: Path, time: Time, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    def choke(transaction: Any, present: Any, told: Any, *more: Any, **named: Any) -> Any:
        if POISON in getattr(told, "text", "") or told == "poison":
            raise IndexError("the parser has a fault")
        return real(transaction, present, told, *more, **named)

    real = sync.to_entry
    monkeypatch.setattr(sync, "to_entry", choke)
    if fault == "to_unread_entry":
        monkeypatch.setattr(sync, "to_unread_entry", choke)
    writer = given_vault(tmp_path, time)
    done = writer.sync()
    assert done.created == (3 if fault == "to_entry" else 2)
    assert done.skipped
    assert "Not read: poison.md" in warnings(writer)
    assert len(writer.ask("search", query="plain note")) == 2
    writer.kernel.store.close()


def test_a_file_that_becomes_poison_while_it_is_served_stops_nothing(
    tmp_path: Path, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = open_vault(tmp_path, time)
    writer.given(first="the first")
    monkeypatch.setattr(sync, "parse", choking(note_file.parse))
    stop = Event()
    following = Thread(target=watch.follow_vaults, args=(writer.kernel, stop))
    following.start()
    try:
        writer.save("poison.md", POISON)
        writer.save("later.md", "a later note")
        until(lambda: all(writer.ask("get_node", id=f"{name}.md") for name in ("poison", "later")))
        assert POISON in writer.ask("get_node", id="poison.md")["content"]
    finally:
        stop.set()
        following.join(PATIENCE)
    assert not following.is_alive()
    writer.kernel.store.close()


@pytest.mark.parametrize(
    ("module", "name"), [(derive, "passages_of"), (derive, "analyse"), (derive, "digest_of"), (derive, "filters_of")]
)
def test_an_entry_of_which_nothing_can_be_derived_is_kept_and_the_others_are_found(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, module: Any, name: str
) -> None:
    choose_embedder(agent.kernel.store, agent.kernel.collection, "none")
    monkeypatch.setattr(module, name, choking(getattr(module, name)))
    agent.store("one", "a plain fact")
    kept = agent.store("two", POISON)
    agent.store("three", "another plain fact")
    assert POISON in str(read_resource(agent.kernel, f"knowledge://entries/{kept}"))
    assert set(agent.topics(content="plain fact")) == {"one", "three"}
    rebuild_everything(agent.kernel)
    assert set(agent.topics(content="plain fact")) == {"one", "three"}
    monkeypatch.undo()
    rebuild_everything(agent.kernel)
    assert "two" in agent.topics(content=POISON)


def test_doctor_counts_what_cannot_be_searched(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    choose_embedder(agent.kernel.store, agent.kernel.collection, "none")
    monkeypatch.setattr(derive, "passages_of", choking(derive.passages_of))
    agent.store("one", "a plain fact")
    agent.store("two", POISON)
    assert main(["doctor", "--data", str(agent.app.data)]) == 1
    assert "2 entries stored, 1 indexed" in capsys.readouterr().out


def test_a_memory_without_a_fingerprint_is_a_memory(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = writer
    made = agent.kernel.store.derive
    assert isinstance(made, derivations.Derivations)
    monkeypatch.setattr(made, "_represent", choking(made._represent))  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(sample, "represent", choking(sample.represent))
    first = agent.reply("store_memory", content="Plain facts are good.", rationale="it is worth keeping")
    poisoned = agent.reply("store_memory", content=f"Socrates drank {POISON}.", rationale="it is worth keeping")
    later = agent.reply("store_memory", content="Plain words are good.", rationale="it is worth keeping")
    assert not (first.failed)
    assert not (poisoned.failed)
    assert not (later.failed)
    assert POISON in str(agent.reply("search_graph", query="Socrates drank").structured)


def test_a_passage_that_cannot_be_embedded_does_not_stop_the_others(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose_embedder(agent.kernel.store, agent.kernel.collection, "none")
    for topic, said in (("one", "a plain fact"), ("two", POISON), ("three", "another plain fact")):
        agent.store(topic, said)
    choose_embedder(agent.kernel.store, agent.kernel.collection, DEFAULT)
    made = Embedding.vectors_of
    monkeypatch.setattr(Embedding, "vectors_of", choking(made))
    done = index_everything(agent.kernel, lambda done, total, message: None)
    assert done == 3
    assert index_everything(agent.kernel, lambda done, total, message: None) == 0
