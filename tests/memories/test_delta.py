"""Novelty and fit of a memory, and how an edit changes them, tried before it is made."""

from typing import Any

from memotheca.search.chosen_embedder import choose_embedder
from memotheca.vectors.embedders import DEFAULT
from tests.memories.librarian import WHY, Librarian

TOOL = "gwt/compute_delta_sc"


def fill(librarian: Librarian) -> str:
    for number in range(12):
        librarian.remember(f"The nightly job {number} holds the migration lock while backup {number} runs.")
    return librarian.remember("Penguins huddle against the polar wind on the ice.", name="odd")


def delta(librarian: Librarian, **said: Any) -> dict[str, Any]:
    return librarian.call(TOOL, vertex_id="odd", **said)


def test_it_says_what_the_classification_says(librarian: Librarian) -> None:
    fill(librarian)
    told, known = delta(librarian), librarian.call("get_johari_classification", node_id="odd")
    assert told["delta_s_per_embedder"] == known["delta_s"]
    assert told["delta_c_per_embedder"] == known["delta_c"]
    assert told["johari_quadrants"] == known["quadrants"]
    assert told["johari_aggregate"] == known["aggregate"]
    assert told["utl_learning_potential"] == round(told["delta_s_aggregate"] * told["delta_c"], 4)
    assert told["change"] is None
    assert "always said the same" in told["meaning"]


def test_a_text_that_fits_better_moves_novelty_down_and_fit_up_and_is_not_stored(librarian: Librarian) -> None:
    choose_embedder(librarian.kernel.store, librarian.kernel.collection, DEFAULT)
    id = fill(librarian)
    text = "The nightly job 12 holds the migration lock while backup 12 runs."
    before = delta(librarian)
    told = delta(librarian, content=text, old_fingerprint={"content": "Penguins huddle against the polar wind."})
    assert told["delta_s_aggregate"] < before["delta_s_aggregate"]
    assert told["delta_c"] > before["delta_c"]
    assert told["change"]["delta_s"] < 0 < told["change"]["delta_c"]
    assert told["change"]["quadrant_before"] == "Blind"
    assert told["delta_s_per_embedder"][0] < before["delta_s_per_embedder"][0]
    assert told["change"]["utl_learning_potential"] != 0
    assert delta(librarian, new_fingerprint={"content": text})["delta_c"] == told["delta_c"]
    with librarian.kernel.read() as snapshot:
        entry = snapshot.entry(id)
    assert entry is not None
    assert "Penguins" in entry.body


def test_it_is_compared_with_its_previous_version_or_one_that_is_named(librarian: Librarian) -> None:
    id = fill(librarian)
    with librarian.kernel.read() as snapshot:
        stored = snapshot.tx
    librarian.call("update", id=id, content="The nightly job 12 holds the migration lock while backup 12 runs.")
    told = delta(librarian, include_diagnostics=True)
    assert told["change"]["delta_s"] < 0
    assert "previous version" in told["diagnostics"]["compared_with"]
    named = delta(librarian, old_fingerprint={"tx_id": stored}, include_diagnostics=True)
    assert named["change"] == told["change"]
    assert named["diagnostics"]["compared_with"] == f"transaction {stored}"
    spaces = told["diagnostics"]["spaces"]
    assert len(spaces) == 13
    assert spaces[0]["delta_s_before"] > told["delta_s_per_embedder"][0]
    assert [each["delta_c_before"] for each in spaces] != told["delta_c_per_embedder"]
    assert spaces[6]["method"].startswith("abstains")
    gone = librarian.reply(TOOL, vertex_id="odd", old_fingerprint={"tx_id": 1})
    assert (gone.structured or {})["error"]["code"] == -32012


def test_the_threshold_parts_the_quadrants(librarian: Librarian) -> None:
    fill(librarian)
    low, high = delta(librarian, johari_threshold=0.35), delta(librarian, johari_threshold=0.65)
    assert low["johari_quadrants"] != high["johari_quadrants"]
    assert low["delta_c"] == high["delta_c"]
    beyond = librarian.reply(TOOL, vertex_id="odd", johari_threshold=0.7)
    assert (beyond.structured or {})["error"]["code"] == -32002


def test_it_answers_to_both_names_and_is_listed_by_one(librarian: Librarian) -> None:
    fill(librarian)
    assert librarian.call("compute_delta_sc", vertex_id="odd") == delta(librarian)
    names = [listing.name for listing in librarian.app.catalog.listed()]
    assert TOOL in names
    assert "compute_delta_sc" not in names


def test_two_new_texts_are_refused_and_so_is_what_is_not_there(librarian: Librarian) -> None:
    fill(librarian)
    both = librarian.reply(TOOL, vertex_id="odd", content="a", new_fingerprint={"content": "b"})
    assert (both.structured or {})["error"]["code"] == -32002
    missing = librarian.reply(TOOL, vertex_id="nobody")
    assert (missing.structured or {})["error"]["code"] == -32012
    librarian.call("forget_concept", node_id="odd", reason="obsolete", rationale=WHY)
    assert (librarian.reply(TOOL, vertex_id="odd").structured or {})["error"]["code"] in (-32012, -32014)
