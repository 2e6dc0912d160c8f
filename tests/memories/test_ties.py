"""Links between what is stored already: made, taken away, and undone."""

from typing import Any

import pytest

from tests.memories.librarian import Librarian


@pytest.fixture
def nodes(librarian: Librarian) -> dict[str, str]:
    texts = {"ice": "The lake is frozen.", "boat": "The boat stays in its shed.", "fish": "Nobody sells fish."}
    return {name: librarian.remember(text, name=name) for name, text in texts.items()}


def tie(librarian: Librarian, node: str, **said: Any) -> dict[str, Any]:
    return librarian.call("annotate_node", node_id=node, **said)


def edges(librarian: Librarian, node: str) -> set[tuple[str, str, str]]:
    found = librarian.call("get_neighborhood", node_id=node, min_weight=0)["edges"]
    return {(each["source"], each["target"], each["predicate"]) for each in found if each["predicate"] != "precedes"}


def test_two_memories_are_linked_by_a_word_and_it_can_be_undone(librarian: Librarian, nodes: dict[str, str]) -> None:
    before = edges(librarian, nodes["boat"])
    told = tie(librarian, "boat", link_to=["ice"], relation="caused by", weight=0.5)
    link = {"source": nodes["ice"], "target": nodes["boat"], "type": "Causal", "predicate": "causes", "weight": 0.5}
    assert (told["linked"], told["unlinked"], told["changed_fields"]) == ([link], [], ["link_to"])
    assert edges(librarian, nodes["boat"]) - before == {(nodes["ice"], nodes["boat"], "causes")}
    assert [each["node_id"] for each in librarian.call("query_causal", outcome="boat")["causes"]] == [nodes["ice"]]
    again = tie(librarian, "boat", link_to=["ice"], relation="due to", weight=0.5)
    assert (again["linked"], again["changed_fields"]) == ([], [])
    librarian.call("undo")
    assert edges(librarian, nodes["boat"]) == before


def test_a_wrong_link_is_taken_away_and_comes_back_by_undo(librarian: Librarian, nodes: dict[str, str]) -> None:
    tie(librarian, "boat", link_to=["ice"], relation="caused by")
    tie(librarian, "boat", link_to=["ice"], relation="mentions")
    told = tie(librarian, "boat", unlink=["ice"], relation="causes")
    assert [each["predicate"] for each in told["unlinked"]] == ["causes"]
    assert (nodes["boat"], nodes["ice"], "mentions") in edges(librarian, nodes["boat"])
    assert librarian.call("query_causal", outcome="boat")["causes"] == []
    assert librarian.error("annotate_node", node_id="boat", unlink=["ice"], relation="causes")["code"] == -32012
    librarian.call("undo")
    assert (nodes["ice"], nodes["boat"], "causes") in edges(librarian, nodes["boat"])
    tie(librarian, "boat", unlink=["ice"])
    assert not [each for each in edges(librarian, nodes["boat"]) if nodes["ice"] in each]


def test_a_circle_of_causes_is_told_and_found(librarian: Librarian, nodes: dict[str, str]) -> None:
    tie(librarian, "ice", link_to=["boat"], relation="causes")
    tie(librarian, "boat", link_to=["fish"], relation="leads to")
    told = tie(librarian, "fish", link_to=["ice"], relation="causes")
    assert told["cycle"] == [nodes["fish"], nodes["ice"], nodes["boat"], nodes["fish"]]
    found = librarian.call("find_causal_path", source_id=nodes["ice"], target_id=nodes["ice"])
    assert found["cycle_detected"]
    assert found["cycle"] == [nodes["ice"], nodes["boat"], nodes["fish"], nodes["ice"]]


def test_nothing_becomes_a_part_of_itself(librarian: Librarian, nodes: dict[str, str]) -> None:
    tie(librarian, "ice", link_to=["boat"], relation="part of")
    refused = librarian.error("annotate_node", node_id="boat", link_to=["ice"], relation="part of")
    assert refused["code"] == -32013
    assert librarian.error("annotate_node", node_id="boat", link_to=["boat"])["code"] == -32002
    assert librarian.error("annotate_node", node_id="boat", relation="causes")["code"] == -32002
    assert librarian.error("annotate_node", node_id="boat", link_to=["nobody knows"])["code"] == -32012


@pytest.mark.parametrize(
    "said",
    [
        {"node_id": "fish", "supersedes": ["ice"]},
        {"node_id": "fish", "link_to": ["ice"], "relation": "replaces"},
        {"node_id": "ice", "link_to": ["fish"], "relation": "superseded by"},
    ],
)
def test_nothing_supersedes_what_supersedes_it(
    librarian: Librarian, nodes: dict[str, str], said: dict[str, Any]
) -> None:
    tie(librarian, "ice", supersedes=["boat"])
    assert librarian.error("annotate_node", node_id="boat", supersedes=["ice"])["code"] == -32013
    tie(librarian, "boat", link_to=["fish"], relation="supersedes")
    before = edges(librarian, "fish")
    refused = librarian.error("annotate_node", **said)
    assert refused["code"] == -32013
    assert refused["data"]["cycle"] == [nodes[name] for name in ("fish", "ice", "boat", "fish")]
    assert edges(librarian, "fish") == before
    tie(librarian, "boat", unlink=["fish"], relation="supersedes")
    tie(librarian, **{"node": said["node_id"], **{name: value for name, value in said.items() if name != "node_id"}})
    assert (nodes["fish"], nodes["ice"], "supersedes") in edges(librarian, "fish")


def test_nothing_that_is_stored_or_merged_supersedes_itself(librarian: Librarian, nodes: dict[str, str]) -> None:
    tie(librarian, "ice", supersedes=["boat"])
    tie(librarian, "boat", supersedes=["fish"])
    why = {"rationale": "Somebody will need it later."}
    ends = {"supersedes": ["ice"], "link_to": ["fish"], "metadata": {"relation": "superseded by"}}
    assert librarian.error("store_memory", content="The bay is frozen.", **why, **ends)["code"] == -32013
    merged = {"source_node_ids": [nodes["ice"], nodes["fish"]], "target_name": "Both", "force_merge": True}
    assert librarian.error("merge_concepts", **merged, **why)["code"] == -32013


def test_a_pair_that_is_said_to_be_fine_alarms_no_more(librarian: Librarian) -> None:
    one = librarian.remember("The ferry to Kall is not running.", name="ferry off")
    other = librarian.remember("The ferry to Kall is running.", name="ferry on")

    def conflicts() -> list[Any]:
        return librarian.call("critique_context", check_types=["conflicts"])["findings"]

    assert conflicts()
    tie(librarian, one, link_to=[other], relation="consistent with")
    assert not conflicts()
    librarian.call("undo")
    assert conflicts()
