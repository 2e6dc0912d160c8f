"""Navigation: neighbours, recent context, chains of causes, cones."""

import itertools
from typing import Any

import pytest

from tests.conftest import Time
from tests.memories.librarian import Librarian


@pytest.fixture
def chain(librarian: Librarian) -> list[str]:
    """Four nodes, each the cause of the next."""
    names = ("UserAuth", "JWT", "Middleware", "RateLimiting")
    texts = ("Users log in.", "A token is made.", "Every request is looked at.", "Some requests wait.")
    ids = [librarian.remember(text, name=name) for name, text in zip(names, texts, strict=True)]
    for one, other in itertools.pairwise(ids):
        librarian.link(one, other)
    return ids


def around(librarian: Librarian, id: str, **more: Any) -> dict[str, int]:
    said = {"edge_types": ["Causal", "Relational"], **more}
    return {each["id"]: each["hop"] for each in librarian.call("get_neighborhood", node_id=id, **said)["neighbors"]}


def path(librarian: Librarian, source: str, target: str, **more: Any) -> dict[str, Any]:
    return librarian.call("find_causal_path", source_id=source, target_id=target, **more)


def test_direct_neighbours_come_with_their_edges(librarian: Librarian, chain: list[str]) -> None:
    found = librarian.call("get_neighborhood", node_id=chain[1], edge_types=["Causal"])
    shown = {each["id"]: (each["edge_type"], each["weight"], each["direction"]) for each in found["neighbors"]}
    assert shown == {chain[0]: ("Causal", 0.8, "in"), chain[2]: ("Causal", 0.8, "out")}
    assert found["focal_node"]["id"] == chain[1]
    assert found["count"] == len(found["edges"]) == 2


def test_three_hops_reach_further_than_one(librarian: Librarian, chain: list[str]) -> None:
    assert around(librarian, chain[0]) == {chain[1]: 1}
    assert around(librarian, chain[0], depth=3) == {chain[1]: 1, chain[2]: 2, chain[3]: 3}


def test_weak_edges_are_left_out(librarian: Librarian, chain: list[str]) -> None:
    assert around(librarian, chain[0], min_weight=0.81) == {}


def test_only_the_strongest_fifty_are_shown(librarian: Librarian) -> None:
    middle = librarian.remember("The middle.")
    leaves = [librarian.remember(f"Leaf number {number}.") for number in range(51)]
    for leaf in leaves:
        librarian.link(middle, leaf)
    found = librarian.call("get_neighborhood", node_id=middle, edge_types=["Causal"])
    assert (found["count"], found["truncated"]) == (50, True)


def test_the_links_of_notes_are_edges_too(librarian: Librarian) -> None:
    librarian.given(tea="Warm the pot, see [[pot]] and [[nowhere]].", pot="A pot.")
    with librarian.kernel.read() as snapshot:
        tea, pot = (str(snapshot.find_alias("note", f"{name}.md")) for name in ("tea", "pot"))
    assert around(librarian, tea) == {pot: 1}
    assert around(librarian, pot) == {tea: 1}
    memory = librarian.remember("Ada broke it.", link_to=[pot])
    assert around(librarian, tea, depth=2) == {pot: 1, memory: 2}


def test_a_chain_is_found_and_told(librarian: Librarian, chain: list[str]) -> None:
    found = path(librarian, chain[0], chain[3])
    assert (found["path_found"], found["hop_count"], found["cycle_detected"]) == (True, 3, False)
    assert found["narrative"] == "UserAuth→JWT→Middleware→RateLimiting"
    assert [each["node_id"] for each in found["path"]] == chain
    assert found["path_confidence"] == round((0.8 * 0.8) ** 3, 4)


def test_a_chain_has_a_direction(librarian: Librarian, chain: list[str]) -> None:
    assert path(librarian, chain[3], chain[0])["path_found"] is False
    back = path(librarian, chain[3], chain[0], direction="backward")
    assert back["narrative"] == "RateLimiting←Middleware←JWT←UserAuth"
    assert path(librarian, chain[3], chain[0], direction="bidirectional")["direction"] == "backward"


def test_no_chain_is_an_empty_answer(librarian: Librarian, chain: list[str]) -> None:
    other = librarian.remember("Penguins huddle.")
    found = path(librarian, chain[0], other)
    assert (found["path_found"], found["path"], found["path_confidence"]) == (False, [], None)
    assert path(librarian, chain[0], chain[3], max_hops=2)["path_found"] is False


def test_the_surer_of_two_chains_comes_first(librarian: Librarian, chain: list[str]) -> None:
    librarian.link(chain[0], chain[2])
    found = path(librarian, chain[0], chain[3])
    assert found["hop_count"] == 2
    assert [each["hop_count"] for each in found["alternative_paths"]] == [3]


def test_a_circle_is_noticed_and_the_way_up_to_it_shown(librarian: Librarian, chain: list[str]) -> None:
    other = librarian.remember("Penguins huddle.")
    librarian.link(chain[2], chain[0])
    found = path(librarian, chain[0], other)
    assert (found["path_found"], found["cycle_detected"]) == (False, True)
    assert [each["node_id"] for each in found["path"]] == chain[:3]
    assert found["cycle"] == [*chain[:3], chain[0]]
    assert path(librarian, chain[0], chain[2])["cycle_detected"] is True
    assert path(librarian, chain[0], chain[0])["cycle_detected"] is True
    assert path(librarian, chain[0], chain[0])["path_found"] is False


def test_confidence_moves_with_the_edges_on_the_way_alone(librarian: Librarian, chain: list[str]) -> None:
    before = path(librarian, chain[0], chain[1])["path_confidence"]
    librarian.link(chain[2], librarian.remember("Something else."))
    assert path(librarian, chain[0], chain[1])["path_confidence"] == before
    assert path(librarian, chain[0], chain[2])["path_confidence"] < before


def recent(librarian: Librarian, **said: Any) -> list[str]:
    return [each["id"] for each in librarian.call("get_recent_context", **said)["nodes"]]


def test_what_was_looked_at_last_comes_first(librarian: Librarian) -> None:
    tea, cup, pot = (librarian.remember(text) for text in ("Tea is hot.", "The cup is blue.", "A pot."))
    assert recent(librarian) == [pot, cup, tea]
    librarian.found("tea")
    assert recent(librarian) == [tea, pot, cup]
    assert recent(librarian) == [tea, pot, cup]
    assert recent(librarian, limit=1) == [tea]


def test_only_what_is_newer_than_a_moment_is_recent(librarian: Librarian, time: Time) -> None:
    librarian.remember("Tea is hot.")
    time.advance(3600)
    cup = librarian.remember("The cup is blue.")
    assert recent(librarian, since="2026-02-10T15:00:00Z") == [cup]
    assert librarian.error("get_recent_context", since="yesterday")["code"] == -32002


def test_a_session_has_its_own(librarian: Librarian) -> None:
    librarian.session = "morning"
    tea = librarian.remember("Tea is hot.")
    librarian.session = "evening"
    cup = librarian.remember("The cup is blue.")
    librarian.found("tea")
    assert recent(librarian, session_only=True) == [cup]
    assert set(recent(librarian)) == {tea, cup}
    librarian.session = "night"
    assert recent(librarian, session_only=True) == []


def test_a_note_is_recent_too_and_a_forgotten_node_is_not(librarian: Librarian) -> None:
    tea = librarian.remember("Tea is hot.")
    librarian.given(pot="A pot.")
    librarian.call("forget_concept", node_id=tea, reason="obsolete", rationale="It has gone cold.")
    shown = librarian.call("get_recent_context")["nodes"]
    assert [(each["kind"], each["name"]) for each in shown] == [("note", "Pot")]


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("get_neighborhood", {"node_id": "x"}, -32012),
        ("get_neighborhood", {"node_id": "x", "depth": 4}, -32002),
        ("get_neighborhood", {"node_id": "x", "edge_types": ["Friendly"]}, -32002),
        ("find_causal_path", {"source_id": "x", "target_id": "y"}, -32012),
        ("find_causal_path", {"source_id": "x", "target_id": "y", "max_hops": 11}, -32002),
        ("find_causal_path", {"source_id": "x", "target_id": "y", "direction": "sideways"}, -32002),
        ("get_recent_context", {"limit": 0}, -32002),
        ("get_recent_context", {"limit": 101}, -32002),
    ],
)
def test_errors_have_their_numbers(librarian: Librarian, tool: str, arguments: dict[str, Any], code: int) -> None:
    assert librarian.error(tool, **arguments)["code"] == code


@pytest.fixture
def kinds_of_tea(librarian: Librarian) -> dict[str, str]:
    """Assam is a black tea, a black tea is a tea."""
    tea = librarian.remember("Tea is a drink.", name="tea")
    more = {"metadata": {"relation": "hierarchical"}}
    black = librarian.remember("Leaves that were left to turn.", name="black tea", link_to=[tea], **more)
    assam = librarian.remember("It grows in a valley.", name="Assam", link_to=[black], **more)
    return {"tea": tea, "black": black, "assam": assam}


def kin(librarian: Librarian, id: str, side: str, **more: Any) -> dict[str, tuple[int, str]]:
    found = librarian.call("entailment_query", node_id=id, **more)[side]
    return {each["id"]: (each["depth"], each["via"]) for each in found}


def test_ancestors_and_descendants_are_what_was_said(librarian: Librarian, kinds_of_tea: dict[str, str]) -> None:
    tea, black, assam = kinds_of_tea.values()
    assert kin(librarian, assam, "ancestors") == {black: (1, "explicit"), tea: (2, "explicit")}
    assert kin(librarian, tea, "descendants") == {black: (1, "explicit"), assam: (2, "explicit")}
    assert kin(librarian, black, "ancestors", direction="descendants") == {}
    assert set(kin(librarian, black, "descendants", direction="descendants")) == {assam}


def test_the_cone_is_narrower_further_down(librarian: Librarian, kinds_of_tea: dict[str, str]) -> None:
    cones = [librarian.call("entailment_query", node_id=id)["cone"] for id in kinds_of_tea.values()]
    assert [cone["depth"] for cone in cones] == [0, 1, 2]
    assert cones[0]["aperture"] > cones[1]["aperture"] > cones[2]["aperture"]
    assert all(0.15 <= cone["radius"] < 1 for cone in cones)


@pytest.mark.parametrize("space", ["E1", "E5", "E7"])
def test_what_is_only_alike_is_no_case_and_the_reason_is_told(librarian: Librarian, space: str) -> None:
    pool = librarian.remember("The pool of the ledger has 20 connections.")
    librarian.remember("The pool of the ledger has 40 connections.")
    librarian.remember("The pool of the ledger has 60 connections, and the pool of the ledger is busy.")
    found = librarian.call("entailment_query", node_id=pool, embedding_space=space)
    assert (found["ancestors"], found["descendants"]) == ([], [])
    assert "stated" in found["inferred_reason"]


def test_what_says_more_of_the_same_lies_in_the_cone_of_what_says_less(librarian: Librarian) -> None:
    for text in ("Ada likes chess.", "Prices rose.", "Paris is old.", "Penguins huddle.", "The lock is held."):
        librarian.remember(text)
    general = librarian.remember("Water boils in kettles.")
    special = librarian.remember("Water boils in kettles. In kettles, water boils. " * 20)
    found = librarian.call("entailment_query", node_id=general)
    inferred = {each["id"]: each for each in found["descendants"]}
    assert inferred[special]["via"] == "inferred"
    assert 0.7 <= inferred[special]["membership"] <= 1
    assert general not in {each["id"] for each in librarian.call("entailment_query", node_id=special)["descendants"]}


def test_sections_are_parts_of_their_document(librarian: Librarian) -> None:
    page = "data:text/html;name=tea.html,<h1>Tea</h1><p>Steep it.</p><h2>Pot</h2><p>Warm it.</p>"
    document = librarian.call("knowledge-add", file_path=page, **{"async": False})["document_id"]
    with librarian.kernel.read() as snapshot:
        sections = {version.id for version in snapshot.entries(("section",))}
    assert set(kin(librarian, document, "descendants")) == sections


def test_a_space_without_evidence_says_so(librarian: Librarian, kinds_of_tea: dict[str, str]) -> None:
    found = librarian.call("entailment_query", node_id=kinds_of_tea["assam"], embedding_space="E7")
    assert found["cone"]["radius"] is None
    assert "E7" in found["cone"]["reason"]
    assert len(found["ancestors"]) == 2
    assert librarian.error("entailment_query", node_id=kinds_of_tea["tea"], embedding_space="E2")["code"] == -32002
    assert librarian.error("entailment_query", node_id="x")["code"] == -32012


def test_confidence_moves_with_the_hierarchy_alone(librarian: Librarian, kinds_of_tea: dict[str, str]) -> None:
    def confidence() -> float:
        said = {"node_id": kinds_of_tea["assam"], "direction": "ancestors", "embedding_space": "E7"}
        return librarian.call("entailment_query", **said)["entailment_confidence"]

    before = confidence()
    librarian.remember("Penguins huddle.")
    assert confidence() == before
    librarian.link(kinds_of_tea["assam"], librarian.remember("Plants.", name="plant"), "hierarchical")
    assert confidence() < before


def test_what_is_gone_takes_nobodys_place_among_the_recent(librarian: Librarian) -> None:
    oldest = librarian.remember("Zebras have stripes.")
    gone = [librarian.call("store", topic="gone", content=f"Kettle {number} boils.")["id"] for number in range(30)]
    for number in range(30):
        librarian.call("store", topic="later", content=f"Lamp {number} shines.")
    assert librarian.found("zebras") == [oldest]
    librarian.call("search_graph", query="kettle", top_k=100)
    for id in gone:
        librarian.call("delete", id=id)
    assert recent(librarian, limit=1) == [oldest]


def test_the_text_of_a_neighbourhood_tells_nodes_and_leaves_numbers_to_programs(librarian: Librarian) -> None:
    lock = librarian.remember("The lock is held.", name="the lock")
    wait = librarian.remember("Deploys wait.", name="deploys", link_to=[lock], metadata={"relation": "caused by"})
    (block,) = librarian.reply("get_neighborhood", node_id=lock).blocks
    assert block["text"].splitlines()[1] == f"→ causes: deploys {librarian.tag(wait)}"
    assert librarian.call("get_neighborhood", node_id=lock)["neighbors"][0]["id"] == wait
