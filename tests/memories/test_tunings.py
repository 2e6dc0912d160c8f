"""Tunings: what the memory has learned about itself is in the journal, and nowhere among what it knows."""

import pytest

from memotheca.admin.health import examine
from memotheca.admin.history import undo
from memotheca.memory.curation.restore import restore
from memotheca.memory.curation.reversal import hash_of
from memotheca.memory.tuning.tunings import change_tunings, read_tuning, read_tunings, tuning_versions
from memotheca.memory.verbs import Verb
from memotheca.model.commits import Commit
from tests.memories.librarian import Librarian

NAME = "threshold:duplicate:General"


def tune(librarian: Librarian, value: float | None, name: str = NAME) -> Commit | None:
    changes = {name: None if value is None else {"value": value}}
    return change_tunings(librarian.kernel, changes, verb=Verb.TUNE, actor="cli", rationale="measured")


def value_of(librarian: Librarian, name: str = NAME) -> object:
    with librarian.kernel.read() as snapshot:
        found = read_tuning(snapshot, name)
    return None if found is None else found.value["value"]


def test_a_tuning_is_read_as_it_was_left(librarian: Librarian) -> None:
    tune(librarian, 0.9)
    tune(librarian, 0.95)
    tune(librarian, 0.4, "profile:debugging")
    assert value_of(librarian) == 0.95
    with librarian.kernel.read() as snapshot:
        assert list(read_tunings(snapshot, "threshold:")) == [NAME]
        assert len(read_tunings(snapshot)) == 2


def test_setting_what_is_so_already_makes_no_transaction(librarian: Librarian) -> None:
    tune(librarian, 0.9)
    assert tune(librarian, 0.9) is None


def test_undo_gives_the_value_before(librarian: Librarian) -> None:
    tune(librarian, 0.9)
    tune(librarian, 0.95)
    undo(librarian.kernel, actor="cli")
    assert value_of(librarian) == 0.9
    undo(librarian.kernel, actor="cli")
    assert value_of(librarian) is None


def test_its_reversal_hash_takes_it_back(librarian: Librarian) -> None:
    tune(librarian, 0.9)
    commit = tune(librarian, 0.95)
    assert commit is not None
    assert not restore(librarian.kernel, hash_of(commit), actor="cli").was_restored
    assert value_of(librarian) == 0.9
    assert restore(librarian.kernel, hash_of(commit), actor="cli").was_restored


def test_its_history_goes_on_when_it_comes_back(librarian: Librarian) -> None:
    for value in (0.9, None, 0.8):
        tune(librarian, value)
    with librarian.kernel.read() as snapshot:
        said = [version.thing is not None for version in tuning_versions(snapshot, NAME)]
    assert said == [True, False, True]


def test_it_is_neither_found_nor_counted_nor_missed_in_the_index(librarian: Librarian) -> None:
    librarian.remember("Ada takes her tea black.")
    before = librarian.call("get_graph_manifest")["counts"]["total"]
    tune(librarian, 0.9, "profile:tea without milk")
    assert librarian.call("get_graph_manifest")["counts"]["total"] == before
    found = librarian.call("search_graph", query="profile tea without milk")["results"]
    assert [each["kind"] for each in found] == ["memory"]
    assert all(finding.well for finding in examine(librarian.kernel) if finding.name.startswith("search"))


@pytest.mark.parametrize("name", ["retrieval", "retrieved", "co_retrieval", "traversal", "gate_decision", "work_event"])
def test_the_tables_of_the_instruments_are_there(librarian: Librarian, name: str) -> None:
    with librarian.kernel.store.database.read() as session:
        assert session.rows(f"SELECT count(*) FROM {name}") == [(0,)]
