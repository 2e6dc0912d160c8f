"""Entities: identifiers and names are nodes that memories mention, and everything about one is one call."""

from typing import Any

import pytest

from memotheca.memory.claims.proper_names import proper_names
from tests.memories.librarian import Librarian


def about(librarian: Librarian, name: str) -> set[str]:
    """What mentions something by that name."""
    found = librarian.call("get_neighborhood", node_id=name, edge_types=["Relational"])
    return {each["id"] for each in found["neighbors"] if each["predicate"] == "mentions"}


def test_everything_about_an_identifier_is_one_call(librarian: Librarian) -> None:
    one = librarian.remember("The pump broke down, see QA-204.")
    other = librarian.remember("A new gasket was ordered.", rationale="It closes QA-204 for good.")
    librarian.remember("The canteen serves soup.", rationale="QA-2040 is another one, which nobody minds.")
    assert about(librarian, "QA-204") == {one, other}
    assert about(librarian, "qa-204") == {one, other}


def test_a_name_needs_two_memories_and_its_capital_within_a_sentence(librarian: Librarian) -> None:
    first = librarian.remember("Yesterday the roof was mended by Ingrid Solberg with tiles.")
    assert librarian.error("get_neighborhood", node_id="Ingrid Solberg")["code"] == -32012
    second = librarian.remember("The tiles of the roof were chosen by Ingrid Solberg on Monday.")
    assert about(librarian, "Ingrid Solberg") == {first, second}
    assert librarian.error("get_neighborhood", node_id="Monday")["code"] == -32012
    third = librarian.remember("An invoice for the fence came from Ingrid Solberg as well.")
    assert about(librarian, "Ingrid Solberg") == {first, second, third}


def test_what_was_related_is_mentioned_by_its_name(librarian: Librarian) -> None:
    librarian.call("relate", subject="berth-planner", predicate="written in", object="Rust")
    node = librarian.remember("The berth-planner is slow on Mondays.")
    assert about(librarian, "berth-planner") == {node}


@pytest.mark.parametrize(
    "text",
    [
        "Pumpen laufen. Die neue Pumpe steht im Keller neben der Heizung und dem Kessel.",
        "On Friday we met. In March it rained. The pump is the Pump of the year.",
        "Nothing here has a name.",
    ],
)
def test_capitals_that_name_nobody_make_no_names(text: str) -> None:
    assert proper_names(text) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We met with Ola's aunt and then Nils Holm came.", ["Ola", "Nils Holm"]),
        ("The shop opens on Fridays and on Black Friday, says Ola.", ["Ola"]),
        ("Nils Holm asked the whole house about it, and so did Ola Berg.", ["Ola Berg"]),
    ],
)
def test_a_name_is_taken_whole_or_not_at_all(text: str, names: list[str]) -> None:
    assert proper_names(text) == names


def test_undoing_a_store_takes_its_mentions_and_leaves_those_of_others(librarian: Librarian) -> None:
    first = librarian.remember("The pump broke down, see QA-204.", session_id="one")
    with librarian.kernel.read() as snapshot:
        tx = snapshot.tx
    other = librarian.remember("Soup is served at noon, says QA-204.", session_id="two")
    assert about(librarian, "QA-204") == {first, other}
    librarian.call("undo", tx_id=tx)
    assert about(librarian, "QA-204") == {other}
    librarian.call("undo", tx_id=tx + 1)
    assert about(librarian, "QA-204") == set()


def test_mentions_are_no_numbers_of_memories(librarian: Librarian) -> None:
    librarian.remember("The pump broke down, see QA-204.")
    before = librarian.call("get_memetic_status")["node_count"]
    for number in range(30):
        librarian.remember(f"Gasket {number} belongs to QA-204 and QA-{300 + number}.")
    assert librarian.call("get_memetic_status")["node_count"] == before + 30
    assert all(each["kind"] == "memory" for each in librarian.call("search_graph", query="QA-204")["results"])


def test_what_is_erased_leaves_no_entity_that_it_alone_named(librarian: Librarian) -> None:
    node = librarian.remember("The safe is listed as ZK-7741.", name="safe")
    librarian.call(
        "forget_concept", node_id=node, reason="user_requested", rationale="Asked to be forgotten.", soft_delete=False
    )
    assert librarian.error("get_neighborhood", node_id="ZK-7741")["code"] != 0
    assert librarian.held("ZK-7741") == []


@pytest.mark.parametrize("spelled", ["inc 107", "Inc107", "INC_107", "inc-107"])
def test_an_identifier_is_known_however_it_is_written(librarian: Librarian, spelled: str) -> None:
    one = librarian.remember("The pump broke down, see INC-107.")
    other = librarian.remember(f"The gasket was changed for {spelled} on the same day.")
    librarian.remember("Page 107 of the handbook has a picture.")
    assert about(librarian, "INC-107") == {one, other}


def test_who_is_named_in_full_and_then_by_one_name_is_one(librarian: Librarian) -> None:
    first = librarian.remember("Yesterday the roof was mended by Ingrid Solberg, and then Ingrid went home.")
    second = librarian.remember("The tiles of the roof were chosen by Ingrid Solberg, whom everybody likes.")
    third = librarian.remember("The fence is for Ingrid to paint.")
    assert about(librarian, "Ingrid") == about(librarian, "Ingrid Solberg") == {first, second, third}


def test_one_word_of_two_names_is_neither(librarian: Librarian) -> None:
    for what in ("roof", "fence"):
        librarian.remember(f"The {what} was seen by Ingrid Solberg and Ingrid Holm, and Ingrid liked it.")
    assert about(librarian, "Ingrid Solberg") != set()
    assert librarian.error("get_neighborhood", node_id="Ingr")["code"] == -32012


def test_a_part_of_a_name_means_the_only_one_that_begins_so(librarian: Librarian) -> None:
    stored = {librarian.remember(f"The {what} was mended by Ingrid Solberg today.") for what in ("roof", "wall")}
    assert about(librarian, "ingrid") == stored


def test_undoing_stores_takes_another_name_back(librarian: Librarian) -> None:
    texts = (
        "The roof was mended by Ingrid Solberg today.",
        "The roof tiles were chosen by Ingrid Solberg, and then Ingrid went home.",
        "The roof is for Ingrid to paint.",
    )
    for _ in range(2):
        stored = [librarian.remember(text) for text in texts]
        assert about(librarian, "Ingrid") == set(stored)
        librarian.call("undo", count=3)
        assert librarian.found("roof") == []


def test_entities_that_turn_out_the_same_become_one_that_all_their_names_find(librarian: Librarian) -> None:
    librarian.call("relate", subject="Ulla Brandt", predicate="runs", object="the foundry")
    librarian.call("relate", subject="U. Brandt", predicate="owns", object="the press")
    merged = merge_names(librarian, "Ulla Brandt", "U. Brandt")
    assert (merged["kind"], merged["nodes_merged"]) == ("entity", 2)
    assert (
        names_beside(librarian, "Ulla Brandt") == names_beside(librarian, "u. brandt") == {"the foundry", "the press"}
    )
    later = librarian.remember("U. Brandt has asked for new moulds.")
    assert later in {each["id"] for each in librarian.call("get_neighborhood", node_id="Ulla Brandt")["neighbors"]}
    librarian.call("restore_from_hash", reversal_hash=merged["reversal_hash"])
    assert names_beside(librarian, "Ulla Brandt") == {"the foundry"}
    assert names_beside(librarian, "U. Brandt") >= {"the press"}


def test_undoing_a_merge_of_entities_gives_each_its_name_back(librarian: Librarian) -> None:
    librarian.call("relate", subject="Kestrel", predicate="is moored at", object="pier nine")
    librarian.call("relate", subject="the old boat", predicate="was built in", object="Bergen")
    merge_names(librarian, "Kestrel", "the old boat", called="MV Kestrel")
    assert names_beside(librarian, "MV Kestrel") == {"pier nine", "Bergen"}
    librarian.call("undo")
    assert names_beside(librarian, "Kestrel") == {"pier nine"}
    assert names_beside(librarian, "the old boat") == {"Bergen"}
    assert librarian.error("get_neighborhood", node_id="MV Kestrel")["code"] == -32014


def test_an_entity_is_merged_with_nothing_else_and_takes_nobodys_name(librarian: Librarian) -> None:
    librarian.call("relate", subject="Kestrel", predicate="is moored at", object="pier nine")
    librarian.call("relate", subject="the old boat", predicate="was built in", object="Bergen")
    memory = librarian.remember("The old boat leaks.")
    given = {"target_name": "Kestrel", "rationale": "They are one."}
    mixed = librarian.error("merge_concepts", source_node_ids=["Kestrel", memory], **given)
    assert "only with other entities" in mixed["message"]
    taken = librarian.error(
        "merge_concepts", source_node_ids=["Kestrel", "the old boat"], **{**given, "target_name": "Bergen"}
    )
    assert "another entity" in taken["message"]
    assert names_beside(librarian, "Kestrel") == {"pier nine"}


def merge_names(librarian: Librarian, *names: str, called: str = "") -> dict[str, Any]:
    return librarian.call(
        "merge_concepts", source_node_ids=list(names), target_name=called or names[0], rationale="They are one."
    )


def names_beside(librarian: Librarian, name: str) -> set[str]:
    return {each["name"] for each in librarian.call("get_neighborhood", node_id=name)["neighbors"]}
