"""Filters of the graph's search: whatever is left out takes nobody's place, however much of it there is."""

from dataclasses import replace
from typing import Any

import pytest

from pinakes.engine.entries import blank_entry
from pinakes.model import kinds
from pinakes.storage.store import Writing
from tests.memories.librarian import Librarian

MANY = 1100


def crowd(librarian: Librarian, **attributes: Any) -> None:
    """More memories than any search looks at, all of them nearer to the question."""

    def put(writing: Writing) -> None:
        writing.describe("IMPORT")
        for number in range(MANY):
            entry = blank_entry(writing, "tea", f"Tea tea tea {number}.")
            writing.put(replace(entry, kind=kinds.MEMORY, attributes=attributes))

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


def test_a_flood_that_is_held_back_leaves_the_context_to_the_rest(librarian: Librarian) -> None:
    librarian.remember("Somebody spoke of tea, in passing.", name="passing")
    crowd(librarian, quarantine={"reason": "prompt_injection", "since": 0, "until": None})
    shown = librarian.call("inject_context", query="tea")["nodes_retrieved"]
    assert [node["name"] for node in shown] == ["passing"]
