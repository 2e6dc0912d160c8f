"""Causes found in texts: only what names another memory by identifier, name or title, and says so."""

from typing import Any

import pytest

from memotheca.memory.claims.stated_causes import stated_causes
from memotheca.memory.curation.mentions import NAMED
from tests.memories.librarian import WHY, Librarian


def found(librarian: Librarian, content: str, **more: Any) -> set[tuple[str, str, str]]:
    """Type, source and target of what storing it made by itself, `new` being the new memory."""
    stored = librarian.call("store_memory", **{"content": content, "rationale": WHY, **more})
    types = ("Causal", "Hierarchical", "Relational")
    edges = [each for each in stored["edges"] if each["type"] in types and each["weight"] != NAMED]
    names: dict[Any, Any] = {stored["node_id"]: "new"}
    ends = [[names.get(each[end], each[end]) for end in ("source", "target")] for each in edges]
    return {(each["type"], source, target) for each, (source, target) in zip(edges, ends, strict=True)}


@pytest.mark.parametrize(
    "text",
    [
        "The ferry was cancelled because of OPS-31.",
        "Because of OPS-31 the ferry was cancelled on Friday.",
        "The ferry was cancelled due to incident OPS-31, which nobody had expected.",
        "Die Fähre fiel wegen OPS-31 aus.",
        "Le ferry a été annulé en raison de OPS-31.",
        "O barco foi cancelado por causa de OPS-31.",
        "De boot viel uit vanwege OPS-31.",
        "OPS-31 led to the cancelled ferry.",
    ],
)
def test_a_cause_that_is_named_by_its_identifier_is_linked(librarian: Librarian, text: str) -> None:
    cause = librarian.remember("A crane fell on the quay.", name="OPS-31 fallen crane")
    assert found(librarian, text) == {("Causal", cause, "new")}


@pytest.mark.parametrize(
    "text",
    [
        "OPS-31 happened because nobody had locked the brake.",
        "The damage of OPS-31 was caused by an unlocked brake.",
        "An unlocked brake was the root cause of OPS-31.",
        "OPS-31 passierte, weil die Bremse offen war.",
    ],
)
def test_an_effect_that_is_named_by_its_identifier_is_linked(librarian: Librarian, text: str) -> None:
    effect = librarian.remember("A crane fell on the quay.", name="OPS-31 fallen crane")
    assert found(librarian, text) == {("Causal", "new", effect)}


def test_the_rationale_counts_as_what_is_said(librarian: Librarian) -> None:
    effect = librarian.remember("A crane fell on the quay.", name="OPS-31 fallen crane")
    assert found(librarian, "Nobody had locked the brake.", rationale="Root cause of OPS-31.") == {
        ("Causal", "new", effect)
    }


def test_what_settles_another_is_linked_as_such(librarian: Librarian) -> None:
    problem = librarian.remember("A crane fell on the quay.", name="OPS-31 fallen crane")
    assert found(librarian, "Every brake now has a sensor.", rationale="Fix for OPS-31, ordered at once.") == {
        ("Relational", "new", problem)
    }


@pytest.mark.parametrize(
    "text",
    [
        "The ferry was cancelled because of OPS-310.",
        "The ferry was not cancelled because of OPS-31.",
        "Was the ferry cancelled because of OPS-31?",
        "Perhaps the ferry was cancelled because of OPS-31.",
        "The ferry was late because the man who reported OPS-31 was asleep.",
        "We closed the quay because the insurer of OPS-31 asked for it.",
        "OPS-31 is on the agenda because it is Monday.",
    ],
)
def test_what_is_not_said_of_it_is_not_linked(librarian: Librarian, text: str) -> None:
    librarian.remember("A crane fell on the quay.", name="OPS-31 fallen crane")
    assert found(librarian, text) == set()


def test_a_title_counts_whole_and_between_borders(librarian: Librarian) -> None:
    librarian.remember("Harbour is our booking system for berths.", name="Harbour")
    librarian.remember("The gate stood open all night.", name="open gate")
    gate = librarian.remember("The night watch was ill.", name="missing watch")
    assert found(librarian, "harbour-web shows the wrong berth because the clock is local.") == set()
    assert found(librarian, "Cows walked in because of the open gateway.") == set()
    assert found(librarian, "The gate stood open because of the missing watch.") == {("Causal", gate, "new")}


def test_a_name_counts_where_a_memory_begins_with_it(librarian: Librarian) -> None:
    feast = librarian.remember("Midsummer Eve is on 19 June; everything is closed and the ferry is full.")
    stored = found(librarian, "Everything is closed and the ferry is full because of Midsummer Eve.")
    assert ("Causal", feast, "new") in stored


def test_reading_a_long_text_for_causes_stops_at_a_bound() -> None:
    assert len(stated_causes("It broke because of OPS-31. " * 5000)) <= 33
