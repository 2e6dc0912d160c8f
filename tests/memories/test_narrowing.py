"""Filters of the graph's search: whatever is left out takes nobody's place, however much of it there is."""

from dataclasses import replace
from typing import Any

import pytest

from memotheca.entries.entries import blank_entry
from memotheca.memory.standing.judge import judge, judge_all
from memotheca.model import kinds
from memotheca.search.prepared import LATER
from memotheca.search.search import Question, find_entries, rank_entries
from memotheca.storage.store import Transaction
from tests.memories.librarian import Librarian

# A fifth of what a search looks at is as good a bound as the whole, and is sooner exceeded.
DEEP = 200
MANY = 2 * DEEP + 20


@pytest.fixture(autouse=True)
def shallow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memotheca.memory.recall.recall.DEEP", DEEP)


def crowd(librarian: Librarian, **attributes: Any) -> None:
    """More memories than any search looks at, all of them nearer to the question."""

    def put(transaction: Transaction) -> None:
        transaction.describe("IMPORT")
        for number in range(MANY):
            entry = blank_entry(transaction, "tea", f"Tea tea tea {number}.")
            transaction.put(replace(entry, kind=kinds.MEMORY, attributes=attributes), LATER)

    librarian.kernel.write(put, actor="test")


@pytest.mark.parametrize(
    ("crowd_has", "wanted_has", "asked"),
    [
        ({"agent_id": "waiter"}, {"agent_id": "cook"}, {"perspective_lock": {"agent_ids": ["cook", "nobody"]}}),
        ({"agent_id": "waiter"}, {}, {"perspective_lock": {"exclude_agent_ids": ["waiter"]}}),
        ({}, {"domain": "Legal"}, {"perspective_lock": {"domain": "Legal"}}),
        ({"domain": "Legal"}, {}, {"perspective_lock": {"domain": "General"}}),
        ({}, {"modality": "code"}, {"modality": "code"}),
        ({"modality": "code"}, {}, {"modality": "text"}),
        ({"quarantine": {"reason": "prompt_injection", "since": 0, "until": None}}, {}, {}),
    ],
)
def test_what_is_left_out_takes_nobody_s_place(
    librarian: Librarian, crowd_has: dict[str, Any], wanted_has: dict[str, Any], asked: dict[str, Any]
) -> None:
    wanted = librarian.remember("Somebody spoke of tea, in passing.", **wanted_has)
    crowd(librarian, **crowd_has)
    assert librarian.found("tea", top_k=1, **asked) == [wanted]


def test_a_quarantine_that_is_over_holds_nothing_back(librarian: Librarian) -> None:
    crowd(librarian, quarantine={"reason": "prompt_injection", "since": 0, "until": 1})
    assert len(librarian.found("tea", top_k=100)) == 100


@pytest.mark.parametrize("until", [None, 1])
@pytest.mark.parametrize("query", ["tea", "tea spoke of passing", "???"])
def test_what_is_found_is_ranked_alike_whether_or_not_it_is_read(
    librarian: Librarian, query: str, until: int | None
) -> None:
    gone, *_ = [librarian.remember(f"Somebody spoke of tea, {number} in passing.") for number in range(5)]
    librarian.call("forget_concept", node_id=gone, reason="obsolete", rationale="Nobody drinks it any more.")
    crowd(librarian, quarantine={"reason": "prompt_injection", "since": 0, "until": until})
    question = Question(content=query, kinds=(kinds.MEMORY,))
    read = [hit.version.id for hit in find_entries(librarian.kernel, question, limit=50).hits]
    assert rank_entries(librarian.kernel, question, limit=50) == read
    assert gone not in read
    assert bool(read) == (query != "???")


def test_a_flood_that_is_held_back_leaves_the_context_to_the_rest(librarian: Librarian) -> None:
    librarian.remember("Somebody spoke of tea, in passing.", name="passing")
    crowd(librarian, quarantine={"reason": "prompt_injection", "since": 0, "until": None})
    shown = librarian.call("inject_context", query="tea")["nodes_retrieved"]
    assert [node["name"] for node in shown] == ["passing"]


def test_quadrants_that_were_not_looked_for_far_enough_are_said_to_be_partial(
    librarian: Librarian, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        librarian.remember(f"Tea tea tea {number}.")
    asked = {"query": "tea", "filters": {"johari_quadrants": ["Open", "Blind", "Hidden", "Unknown"]}}
    assert "partial" not in librarian.call("search_graph", top_k=12, **asked)
    monkeypatch.setattr("memotheca.memory.recall.recall.DEEP", 5)
    monkeypatch.setattr("memotheca.memory.recall.recall.CANDIDATES", 5)
    assert "were judged" in librarian.call("search_graph", top_k=12, **asked)["partial"]


def test_a_least_similarity_looks_at_all_that_was_found(librarian: Librarian) -> None:
    """By words alone the crowd is better; the one that is near in words and meaning must not be lost behind it."""
    wanted = librarian.remember("Somebody spoke of tea, in passing.")
    least = librarian.call("search_graph", query="Somebody spoke of tea, in passing.")["results"][0]["similarity"]
    crowd(librarian)
    found = librarian.found("Somebody spoke of tea, in passing.", top_k=1, min_similarity=round(least - 0.01, 2))
    assert found == [wanted]


def test_judged_together_or_one_by_one_is_the_same(librarian: Librarian) -> None:
    ids = [librarian.remember(f"The {what} is {how}.") for what in ("tea", "cup") for how in ("hot", "cold", "blue")]
    with librarian.kernel.read() as snapshot:
        entries = list(snapshot.living(ids).values())
        together = judge_all(librarian.kernel, snapshot, entries)
        assert [each.standings for each in together] == [
            judge(librarian.kernel, snapshot, entry).standings for entry in entries
        ]
