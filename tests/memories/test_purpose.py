"""Purpose: which topics a text serves, and how what the spaces say of it is fused."""

from typing import Any

import pytest

from memotheca.memory.spaces.space_table import COUNT
from tests.memories.gardens import BAKERY, REACTOR, tell
from tests.memories.librarian import Librarian


@pytest.fixture
def ids(librarian: Librarian) -> list[str]:
    found = tell(librarian, REACTOR, BAKERY)
    librarian.call("auto_bootstrap_north_star", confidence_threshold=0.5)
    return found


def vector(librarian: Librarian, content: str, **more: Any) -> dict[str, Any]:
    return librarian.call("compute_teleological_vector", content=content, **more)


@pytest.mark.usefixtures("ids")
def test_a_text_serves_the_topics_it_is_about(librarian: Librarian) -> None:
    asked = {"include_per_embedder": True, "compute_tucker": True}
    near = vector(librarian, "The reactor pump was painted by the control crew.", **asked)
    far = vector(librarian, "The bakery bread needs salt and flour for the oven.", **asked)
    assert near["topics"][0]["serves_goal"] is True
    assert far["topics"][0]["serves_goal"] is False
    assert near["topics"][0]["alignment"] > 0.5
    assert (near["purpose_vector"][5] or 0) > (far["purpose_vector"][5] or 0)
    assert near["purpose_vector"][1] is None
    assert (len(near["purpose_vector"]), len(near["cross_correlations"])) == (13, 78)
    assert sum(near["cross_correlations"]) > sum(far["cross_correlations"])
    assert near["group_alignments"]["factual"] > far["group_alignments"]["factual"]
    assert near["group_alignments"]["temporal"] is None
    assert near["confidence"] > far["confidence"]
    assert near["coverage"] > far["coverage"]
    assert near["coherence"] != far["coherence"]
    assert len(near["tucker"]) == 4
    assert near["tucker"][0] > far["tucker"][0]
    assert near["per_embedder"]["E6"] == near["purpose_vector"][5]
    assert vector(librarian, "Penguins huddle.")["topics"] == []


def test_without_a_goal_there_is_no_purpose(librarian: Librarian) -> None:
    error = librarian.error("compute_teleological_vector", content="Tea.")
    assert error["code"] == -32002
    assert "insufficient_data" in error["message"]


def test_what_the_spaces_say_is_fused_by_weights(librarian: Librarian, ids: list[str]) -> None:
    only = [0.0] * COUNT
    only[5] = 1.0
    plain = librarian.call("fuse_embeddings", memory_id=ids[0], fusion_method="linear")
    alone = librarian.call("fuse_embeddings", memory_id=ids[0], fusion_method="linear", custom_weights=only)
    assert sum(plain["weights"]) == pytest.approx(1, abs=0.01)
    assert alone["weights"][5] == 1
    assert plain["weights"][1] == 0
    assert alone["fused"]["purpose_vector"][5] > plain["fused"]["purpose_vector"][5]
    assert sum(alone["fused"]["cross_correlations"]) == 0 < sum(plain["fused"]["cross_correlations"])
    assert alone["fused"]["groups"]["implementation"] > plain["fused"]["groups"]["implementation"]
    other = librarian.call("fuse_embeddings", memory_id=ids[-1], store_result=False)
    assert other["confidence"] < plain["confidence"]
    assert (plain["stored"], other["stored"], other["vector_id"]) == (True, False, None)


def test_what_does_not_fit_is_refused(librarian: Librarian, ids: list[str]) -> None:
    assert librarian.error("fuse_embeddings", memory_id=ids[0], custom_weights=[1])["code"] == -32002
    assert librarian.error("fuse_embeddings", memory_id="nobody")["code"] == -32012
    assert librarian.error("compute_teleological_vector", content="x", profile_id="nobody")["code"] == -32012
    wrong = {"content": "x", "compute_tucker": True, "tucker_ranks": [0]}
    assert librarian.error("compute_teleological_vector", **wrong)["code"] == -32002


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("compute_teleological_vector", {"content": "Uploads fail when the disk is full."}),
        ("search_teleological", {"query_content": "Uploads fail when the disk is full."}),
    ],
)
def test_without_a_goal_it_is_said_which_tool_finds_one(
    librarian: Librarian, tool: str, arguments: dict[str, str]
) -> None:
    librarian.remember("Uploads fail when the disk is full.")
    error = librarian.error(tool, **arguments)
    assert error["code"] == -32002
    assert error["message"].startswith("insufficient_data")
    assert "auto_bootstrap_north_star" in error["data"]["recovery"]


def test_a_tool_without_parameters_says_so(librarian: Librarian) -> None:
    assert librarian.error("homeostatic_status", colour=1)["message"].endswith("there are none.")
