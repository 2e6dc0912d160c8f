"""What the memory is made of: five layers, thirteen spaces, and counts that move with what is stored."""

from typing import Any

from tests.memories.librarian import Librarian


def manifest(librarian: Librarian) -> dict[str, Any]:
    return librarian.call("get_graph_manifest")


def test_layers_and_spaces_are_all_there(librarian: Librarian) -> None:
    found = manifest(librarian)
    assert [layer["id"] for layer in found["architecture"]["layers"]] == ["L1", "L2", "L3", "L4", "L5"]
    assert [space["id"] for space in found["spaces"]] == [f"E{number}" for number in range(1, 14)]


def test_every_tool_it_names_is_listed(librarian: Librarian) -> None:
    guidance = manifest(librarian)["layer_guidance"]
    for name in {name for names in guidance.values() for name in names}:
        assert librarian.app.catalog.find(name) is not None, name


def test_counts_move_with_what_is_stored_and_not_with_questions(librarian: Librarian) -> None:
    empty = manifest(librarian)
    assert (empty["counts"]["total"], empty["counts"]["edges_total"]) == (0, 0)
    tea, cup = librarian.remember("Ada drinks tea."), librarian.remember("Penguins huddle.")
    librarian.given(pot="A pot.")
    stored = manifest(librarian)
    assert (stored["counts"]["nodes"]["memory"], stored["counts"]["nodes"]["note"]) == (2, 1)
    assert stored["current_state_summary"] != empty["current_state_summary"]
    librarian.found("tea")
    assert manifest(librarian)["counts"] == stored["counts"]
    librarian.link(tea, cup)
    linked = manifest(librarian)["counts"]
    assert linked["edges"]["Causal"] == stored["counts"]["edges"]["Causal"] + 1
    assert linked["edges_total"] == stored["counts"]["edges_total"] + 1
    assert linked["total"] == stored["counts"]["total"]


def test_a_layer_says_how_it_stands(librarian: Librarian) -> None:
    def statuses() -> dict[str, str]:
        return {layer["name"]: layer["status"] for layer in manifest(librarian)["architecture"]["layers"]}

    assert (statuses()["Memory"], statuses()["Coherence"]) == ("empty", "settled")
    librarian.remember("Ada lives in Paris.")
    assert statuses()["Memory"] == "active"
    librarian.remember("Ada lives in Oslo.")
    librarian.call("inject_context", query="Where does Ada live?")
    assert statuses()["Coherence"] == "contested"


def test_it_takes_no_arguments(librarian: Librarian) -> None:
    assert librarian.error("get_graph_manifest", depth=1)["code"] == -32002
