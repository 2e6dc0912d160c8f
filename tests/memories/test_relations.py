"""Words for relations: what somebody says of two memories is stored the way they said it."""

from typing import Any

import pytest

from memotheca.memory.graph.causes import causes_of
from memotheca.memory.graph.relations import read_relation
from memotheca.model.kinds import CAUSAL, HIERARCHICAL, RELATIONAL, TEMPORAL
from tests.memories.librarian import Librarian


def linked(librarian: Librarian, relation: str, **more: Any) -> tuple[str, str, dict[str, Any]]:
    """An older memory, a newer one that is said to stand so to it, and the edge that was stored."""
    older = librarian.remember("The pump ran dry.", name="dry pump")
    metadata = {"relation": relation, **more}
    stored = librarian.call(
        "store_memory",
        content="The greenhouse lost its tomatoes.",
        rationale="They were for the market.",
        link_to=["dry pump"],
        metadata=metadata,
    )
    (edge,) = [each for each in stored["edges"] if each["type"] != TEMPORAL or relation in ("after", "before")]
    return older, stored["node_id"], edge


@pytest.mark.parametrize("word", ["caused by", "caused_by", "Caused-By", "was caused by", "because of", "DUE TO"])
def test_what_was_caused_by_another_is_its_effect(librarian: Librarian, word: str) -> None:
    older, newer, edge = linked(librarian, word)
    assert (edge["source"], edge["target"], edge["type"]) == (older, newer, CAUSAL)
    assert [each["node_id"] for each in librarian.call("query_causal", action="dry pump")["effects"]] == [newer]
    assert librarian.call("find_causal_path", source_id=older, target_id=newer)["path_found"]


@pytest.mark.parametrize("word", ["causes", "led to", "Results_In", "triggers", "root cause of", "causal"])
def test_what_causes_another_is_its_cause(librarian: Librarian, word: str) -> None:
    older, newer, edge = linked(librarian, word)
    assert (edge["source"], edge["target"], edge["type"]) == (newer, older, CAUSAL)


@pytest.mark.parametrize(
    ("word", "type", "is_turned", "predicate"),
    [
        ("part of", HIERARCHICAL, False, "part of"),
        ("has-part", HIERARCHICAL, True, "part of"),
        ("contains", HIERARCHICAL, True, "part of"),
        ("is a", HIERARCHICAL, False, "is a"),
        ("kind_of", HIERARCHICAL, False, "is a"),
        ("belongs to", HIERARCHICAL, False, "part of"),
        ("replaces", RELATIONAL, False, "supersedes"),
        ("superseded by", RELATIONAL, True, "supersedes"),
        ("fixes", RELATIONAL, False, "resolves"),
        ("resolved by", RELATIONAL, True, "resolves"),
        ("contradicts", RELATIONAL, False, "contradicts"),
        ("before", TEMPORAL, False, "precedes"),
        ("follows", TEMPORAL, True, "precedes"),
        ("depends_on", RELATIONAL, False, "depends on"),
        ("prevents", CAUSAL, False, "prevents"),
        ("prevented by", CAUSAL, True, "prevents"),
        ("reminds me of", RELATIONAL, False, "reminds me of"),
    ],
)
def test_each_word_has_its_type_and_direction(word: str, type: str, is_turned: bool, predicate: str) -> None:
    found = read_relation(word)
    assert (found.type, found.is_turned, found.predicate) == (type, is_turned, predicate)


def test_a_stated_parthood_is_a_hierarchy(librarian: Librarian) -> None:
    older, newer, _ = linked(librarian, "part of")
    found = librarian.call("entailment_query", node_id=newer, direction="ancestors")
    assert [(each["id"], each["via"]) for each in found["ancestors"]] == [(older, "explicit")]


def test_weight_and_confidence_of_a_link_are_kept_within_bounds(librarian: Librarian) -> None:
    older, newer, edge = linked(librarian, "caused by", weight=0.4, confidence=0.5)
    assert edge["weight"] == 0.4
    hop = librarian.call("find_causal_path", source_id=older, target_id=newer)["path"][1]
    assert (hop["edge_weight"], hop["confidence"]) == (0.4, 0.5)
    assert librarian.call("query_causal", action=older)["effects"][0]["probability"] == 0.2
    third = librarian.call(
        "store_memory", content="Nobody came.", rationale="For the record.", link_to=[newer], metadata={"weight": 7}
    )
    assert max(each["weight"] for each in third["edges"]) == 1


def test_causes_are_traced_back_nearest_first(librarian: Librarian) -> None:
    frost = librarian.remember("There was frost.", name="frost")
    by = {"relation": "caused by"}
    pipe = librarian.remember("The pipe burst.", name="pipe", link_to=[frost], metadata=by)
    worn = librarian.remember("The valve was worn.", name="valve")
    librarian.remember("The road was closed.", link_to=[pipe], metadata=by)
    flood = librarian.remember(
        "The cellar was flooded.", link_to=[pipe, worn], metadata={**by, "confidence": 0.8}, name="flood"
    )
    librarian.link(flood, frost)
    with librarian.kernel.read() as snapshot:
        found = causes_of(snapshot, [flood])
        assert [(each.entry.id, each.effect, each.hops) for each in found] == [
            (pipe, flood, 1),
            (worn, flood, 1),
            (frost, pipe, 2),
        ]
        assert [round(each.probability, 2) for each in found] == [0.8, 0.8, 0.72]
        assert [each.entry.id for each in causes_of(snapshot, [flood], depth=1)] == [pipe, worn]
        assert [each.entry.id for each in causes_of(snapshot, [flood], limit=1)] == [pipe]
        assert pipe in [each.entry.id for each in causes_of(snapshot, [flood, pipe])]
