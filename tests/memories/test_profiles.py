"""Profiles: presets of retrieval that are saved, used by their id, and taken back."""

from typing import Any

import pytest

from memotheca.memory.spaces.fusion_weights import METHODS, PAIRS, fuse_weights, group_values, synergy
from memotheca.memory.spaces.space_table import COUNT
from memotheca.model.clock import DAY, SECOND
from tests.conftest import Time
from tests.memories.librarian import Librarian

MANAGE = "manage_teleological_profile"


def create(librarian: Librarian, **more: Any) -> dict[str, Any]:
    return librarian.call(MANAGE, action="create", profile_id="mine", **more)


def test_six_are_built_in_and_cannot_be_changed(librarian: Librarian) -> None:
    found = librarian.call(MANAGE, action="list")["profiles"]
    assert len(found) == 6
    assert all(each["built_in"] for each in found)
    assert librarian.error(MANAGE, action="update", profile_id="research", name="x")["code"] == -32002
    assert librarian.error(MANAGE, action="delete", profile_id="research")["code"] == -32002
    weights = librarian.call(MANAGE, action="read", profile_id="debugging")["profile"]["embedder_weights"]
    assert max(weights) == weights[4] == weights[6]
    assert sum(weights) == pytest.approx(1, abs=1e-3)


def test_one_is_made_changed_deleted_and_each_step_taken_back(librarian: Librarian) -> None:
    made = create(librarian, task_type="research", recency=0.5)
    assert made["profile"]["recency"] == 0.5
    changed = librarian.call(MANAGE, action="update", profile_id="mine", name="Other", recency=0.25)
    assert (changed["profile"]["name"], changed["profile"]["recency"]) == ("Other", 0.25)
    gone = librarian.call(MANAGE, action="delete", profile_id="mine")
    assert gone["deleted"] is True
    assert librarian.error(MANAGE, action="read", profile_id="mine")["code"] == -32012
    librarian.call("restore_from_hash", reversal_hash=gone["reversal_hash"])
    librarian.call("restore_from_hash", reversal_hash=changed["reversal_hash"])
    assert librarian.call(MANAGE, action="read", profile_id="mine")["profile"] == made["profile"]


def test_what_does_not_fit_is_refused(librarian: Librarian) -> None:
    assert librarian.error(MANAGE, action="read")["code"] == -32002
    assert librarian.error(MANAGE, action="read", profile_id="nobody")["code"] == -32012
    assert librarian.error(MANAGE, action="create", profile_id="a", embedder_weights=[1, 2])["code"] == -32002
    create(librarian)
    assert librarian.error(MANAGE, action="create", profile_id="mine")["code"] == -32002
    assert librarian.error("search_graph", query="tea", profile="nobody")["code"] == -32012
    assert librarian.error("inject_context", query="tea", profile="nobody")["code"] == -32012


def test_its_filters_hold_for_a_search_and_for_a_context(librarian: Librarian, time: Time) -> None:
    librarian.remember("The tea is black.", tags=["drink"], importance=0.9, domain="Legal")
    librarian.remember("The tea is green.", importance=0.2)
    time.advance(40 * DAY // SECOND)
    librarian.remember("The tea is white.", tags=["drink"], importance=0.9)
    for filters, left in (
        ({"tags": ["drink"]}, {"black", "white"}),
        ({"min_importance": 0.5}, {"black", "white"}),
        ({"within_days": 30}, {"white"}),
        ({"domain": "Legal"}, {"black"}),
    ):
        librarian.call(MANAGE, action="create", profile_id=str(filters), filters=filters)
        told = librarian.call("search_graph", query="tea", profile=str(filters))
        assert {each["snippet"].split()[-1].rstrip(".") for each in told["results"]} == left
        context = librarian.call("inject_context", query="Which tea is there?", profile=str(filters))["context"]
        assert {word for word in ("black", "green", "white") if word in context} == left


def test_recency_puts_the_old_back(librarian: Librarian, time: Time) -> None:
    old = librarian.remember("The tea kettle boils tea.")
    time.advance(200 * DAY // SECOND)
    new = librarian.remember("Somebody drank some tea and many other things in the garden.")
    create(librarian, recency=1.0)
    assert librarian.found("tea kettle") == [old, new]
    assert librarian.found("tea kettle", profile="mine")[0] == new


def test_weights_move_what_is_first(librarian: Librarian) -> None:
    words = librarian.remember("Why does the upload job fail? Because the upload job has no lock.")
    code = librarian.remember("upload_job() calls take_lock(path) in jobs/upload.py.")
    only = [0.0] * COUNT
    only[6] = 1.0
    librarian.call(MANAGE, action="create", profile_id="code", embedder_weights=only)
    plain = librarian.found("why does upload_job fail")
    coded = librarian.found("why does upload_job fail", profile="code")
    assert plain[0] == words
    assert coded[0] == code


def test_its_use_is_counted_with_how_well_it_helped(librarian: Librarian) -> None:
    librarian.remember("The tea is black.")
    create(librarian)
    asked = librarian.call("search_graph", query="tea", profile="mine")
    librarian.call("inject_context", query="tea", profile="mine")
    use = librarian.call(MANAGE, action="read", profile_id="mine")["profile"]["usage"]
    assert use == {"count": 2, "avg_effectiveness": None}
    librarian.call("observe_outcome", prediction_id=asked["prediction_id"], actual_outcome=0.5)
    use = librarian.call(MANAGE, action="read", profile_id="mine")["profile"]["usage"]
    assert use == {"count": 2, "avg_effectiveness": 0.5}


@pytest.mark.parametrize("method", METHODS)
def test_fused_weights_are_shares_of_what_speaks(method: str) -> None:
    values = [0.9, None, 0.1, *([0.5] * (COUNT - 3))]
    found = fuse_weights(method, (1 / COUNT,) * COUNT, values)
    assert sum(found) == pytest.approx(1)
    assert found[1] == 0
    assert min(found) >= 0
    if method in ("attention", "gated", "tucker"):
        assert found[0] >= found[3] > found[2] or method == "gated"


def test_the_synergy_is_the_same_on_both_sides() -> None:
    found = synergy()
    assert (found == found.T).all()
    assert len(PAIRS) == 78
    assert group_values([1.0] * COUNT) == dict.fromkeys(group_values([None] * COUNT), 1.0)
