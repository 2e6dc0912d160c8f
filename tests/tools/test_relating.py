"""relate and query_graph: triples, conflicts and how they are settled."""

import pytest


def triples(agent, **pattern):
    return [(t["subject"], t["predicate"], t["object"]) for t in agent.call("query_graph", **pattern)["items"]]


def test_a_triple_connects_two_names_whatever_their_case_and_blanks(agent):
    first = agent.call("relate", subject="Ada", predicate="works_at", object="Engines Ltd", confidence=0.8)
    assert (first["id"], first["subject"], first["object"]) == ("t-1", "Ada", "Engines Ltd")
    agent.call("relate", subject="  ada ", predicate="likes", object="ENGINES  LTD")
    assert triples(agent) == [("Ada", "works_at", "Engines Ltd"), ("Ada", "likes", "Engines Ltd")]


def test_the_same_triple_twice_is_one_and_new_details_amend_it(agent):
    agent.call("relate", subject="Ada", predicate="works_at", object="X")
    again = agent.call("relate", subject="Ada", predicate="works_at", object="X")
    assert (again["id"], again["tx_id"]) == ("t-1", 1)
    amended = agent.call("relate", subject="Ada", predicate="works_at", object="X", confidence=0.5)
    assert (amended["id"], amended["tx_id"], amended["confidence"]) == ("t-1", 2, 0.5)


def test_another_object_is_a_conflict_that_writes_nothing(agent):
    agent.call("relate", subject="Ada", predicate="works_at", object="X")
    conflict = agent.call("relate", subject="Ada", predicate="works_at", object="Y")
    assert conflict["existing"]["object"] == "X"
    assert conflict["incoming"] == {"subject": "Ada", "predicate": "works_at", "object": "Y"}
    assert conflict["candidate_resolutions"] == ["replace", "retain_both", "reject"]
    assert triples(agent) == [("Ada", "works_at", "X")]
    assert len(agent.call("history")["items"]) == 1


def test_a_predicate_with_many_objects_has_no_conflict(agent):
    agent.call("relate", subject="Ada", predicate="speaks", object="French")
    agent.call("relate", subject="Ada", predicate="speaks", object="English", multi=True)
    assert len(triples(agent, predicate="speaks")) == 2


@pytest.mark.parametrize(
    ("resolution", "left"),
    [
        ("replace", [("Ada", "works_at", "Y", "unspecified")]),
        ("retain_both", [("Ada", "works_at", "X", "bounded"), ("Ada", "works_at", "Y", "unspecified")]),
        ("reject", [("Ada", "works_at", "X", "unspecified")]),
    ],
)
def test_a_second_call_settles_the_conflict_and_undo_takes_it_back(agent, resolution, left):
    triple = {"subject": "Ada", "predicate": "works_at"}
    agent.call("relate", **triple, object="X")
    conflict_id = agent.call("relate", **triple, object="Y")["conflict_id"]
    agent.call("relate", **triple, object="Y", conflict_id=conflict_id, resolution=resolution)
    found = agent.call("query_graph")["items"]
    assert [(t["subject"], t["predicate"], t["object"], t["valid_to_state"]) for t in found] == left
    if resolution != "reject":
        agent.call("undo")
        assert triples(agent) == [("Ada", "works_at", "X")]


def test_after_both_are_retained_only_the_current_one_conflicts(agent):
    triple = {"subject": "Ada", "predicate": "works_at"}
    agent.call("relate", **triple, object="X")
    conflict_id = agent.call("relate", **triple, object="Y")["conflict_id"]
    agent.call("relate", **triple, object="Y", conflict_id=conflict_id, resolution="retain_both")
    assert agent.call("relate", **triple, object="Z")["existing"]["object"] == "Y"


def test_a_conflict_is_settled_once_within_an_hour_and_for_its_own_triple(agent, time):
    triple = {"subject": "Ada", "predicate": "works_at"}
    agent.call("relate", **triple, object="X")
    first = agent.call("relate", **triple, object="Y")["conflict_id"]
    wrong = agent.error("relate", **triple, object="Z", conflict_id=first, resolution="replace")
    assert wrong["field"] == "conflict_id"
    agent.call("relate", **triple, object="Y", conflict_id=first, resolution="reject")
    assert agent.error("relate", **triple, object="Y", conflict_id=first, resolution="reject")["code"] == "not_found"
    second = agent.call("relate", **triple, object="Y")["conflict_id"]
    time.advance(3601)
    late = agent.error("relate", **triple, object="Y", conflict_id=second, resolution="replace")
    assert late["code"] == "validation"
    assert "hour" in late["message"]


def test_conflict_id_and_resolution_belong_together(agent):
    error = agent.error("relate", subject="a", predicate="b", object="c", resolution="replace")
    assert error["field"] == "resolution"


def test_structural_predicates_connect_entries_of_fitting_types(agent):
    claim, rumour = agent.store("claim", "x"), agent.store("rumour", "y", knowledge_type="question")
    error = agent.error("relate", subject=claim, predicate="supported_by", object=rumour)
    assert (error["code"], error["field"]) == ("validation", "object")
    assert agent.error("relate", subject="e-77", predicate="supported_by", object=rumour)["field"] == "subject"
    seen = agent.store("seen", "z", knowledge_type="observation")
    triple = agent.call("relate", subject=claim, predicate="supported_by", object=seen)
    assert (triple["subject"], triple["object"]) == (claim, seen)
    assert triples(agent, subject=claim) == [(claim, "supported_by", seen)]
    assert agent.error("relate", subject=seen, predicate="derived_from", object=seen)["field"] == "object"


def test_query_graph_matches_parts_of_names_literally(agent):
    agent.call("relate", subject="100% sure", predicate="is_a", object="mood")
    agent.call("relate", subject="100 sure", predicate="is_a", object="mood")
    assert triples(agent, subject="0%") == [("100% sure", "is_a", "mood")]
    assert triples(agent, predicate="s_a", object="MOO")[0][0] == "100% sure"
    assert triples(agent, subject="nobody") == []


def test_graph_pages_keep_their_snapshot(agent):
    for number in range(5):
        agent.call("relate", subject=f"s{number}", predicate="p", object="o")
    first = agent.call("query_graph", predicate="p", limit=2)
    agent.call("delete", id="t-4", entity_type="triple")
    agent.call("relate", subject="s9", predicate="p", object="o")
    second = agent.call("query_graph", predicate="p", limit=2, cursor=first["next_cursor"])
    third = agent.call("query_graph", predicate="p", limit=2, cursor=second["next_cursor"])
    seen = [t["id"] for page in (first, second, third) for t in page["items"]]
    assert seen == ["t-1", "t-2", "t-3", "t-4", "t-5"]
    assert third["next_cursor"] is None


def test_a_name_twice_in_one_triple_is_one_entity(agent):
    agent.call("relate", subject="Narcissus", predicate="loves", object="narcissus")
    assert len(agent.call("query", kinds=["entity"])["items"]) == 1
