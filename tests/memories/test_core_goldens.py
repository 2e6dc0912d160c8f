"""Goldens of the core tools: what each answers with something stored and with nothing, and how every error looks."""

import json
import re
from typing import Any

import jsonschema_rs
import pytest

from memotheca.model.clock import DAY, SECOND
from tests.conftest import Time
from tests.memories.librarian import WHY, Librarian

CAUSE, EFFECT = "stale cache", "wrong prices"
STRANGERS = ("Bees dance.", "The lift is slow.", "Tea is hot.", "Prices rose.", "Paris is old.", "Salt melts ice.")

ANSWERS: dict[str, tuple[str, dict[str, Any]]] = {
    "inject_context": ("inject_context", {"query": "Where does Ada live?", "max_tokens": 200}),
    "inject_context-bundled": (
        "inject_context",
        {
            "query": "Why were the prices wrong?",
            "distillation_mode": "structured",
            "include_metadata": ["causal_links", "entailment_cones", "neighborhood", "conflicts"],
        },
    ),
    "get_memetic_status": ("get_memetic_status", {}),
    "query_causal": ("query_causal", {"action": CAUSE, "outcome": EFFECT}),
    "query_causal-observe": (
        "query_causal",
        {"action": CAUSE, "outcome": EFFECT, "intervention_type": "observe"},
    ),
    "query_causal-counterfactual": (
        "query_causal",
        {"action": CAUSE, "outcome": EFFECT, "intervention_type": "counterfactual"},
    ),
    "query_causal-effects": ("query_causal", {"action": CAUSE}),
    "get_graph_manifest": ("get_graph_manifest", {}),
    "store_memory": (
        "store_memory",
        {"content": "Ada lives in Rome. The password: hunter2!x opens it.", "rationale": WHY, "tags": ["people"]},
    ),
    "store_memory-sent": ("store_memory", {"data_uri": "data:text/plain;base64,VGVhIGlzIGhvdC4=", "rationale": WHY}),
    "search_graph": ("search_graph", {"query": "where does Ada live", "include_content": True}),
    "utl_status": ("utl_status", {}),
    "get_neuromodulation": ("get_neuromodulation", {}),
}
EMPTY = ("inject_context", "get_memetic_status", "query_causal", "get_graph_manifest", "search_graph")


def prepare(librarian: Librarian) -> None:
    librarian.remember("Prices were wrong on Tuesday.", name=EFFECT)
    causal = {"relation": "causal"}
    librarian.remember("The cache had not been flushed.", name=CAUSE, link_to=[EFFECT], metadata=causal)
    librarian.remember("Ada lives in Paris.", domain="General")
    librarian.remember("Ada lives in Oslo.", domain="General")


def steady(value: Any) -> Any:
    """Without measured times and the numbers of bytes that ids take."""
    text = json.dumps(value, ensure_ascii=False)
    text = re.sub(r'(\\?"(?:latency_ms|ms|retrieval_ms)\\?": ?)[0-9.e-]+', r"\g<1>0", text)
    return json.loads(text)


def show(librarian: Librarian, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    reply = librarian.reply(tool, **arguments)
    listing = librarian.app.catalog.find(tool)
    assert listing is not None
    jsonschema_rs.validator_for(listing.wire["outputSchema"]).validate(reply.structured)
    if len(reply.blocks) > 1:
        assert json.loads(reply.blocks[-1]["text"]) == reply.structured
    return steady({"blocks": reply.blocks, "structured": reply.structured, "failed": reply.failed})


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_golden_answer(librarian: Librarian, golden: Any, name: str) -> None:
    prepare(librarian)
    golden(f"memories/{name}", show(librarian, *ANSWERS[name]))


@pytest.mark.parametrize("name", EMPTY)
def test_golden_answer_of_an_empty_memory(librarian: Librarian, golden: Any, name: str) -> None:
    golden(f"memories/{name}-empty", show(librarian, *ANSWERS[name]))


def _invalid(librarian: Librarian, time: Time) -> tuple[str, dict[str, Any]]:
    return "search_graph", {"query": "tea", "top_k": 101}


def _unexplained(librarian: Librarian, time: Time) -> tuple[str, dict[str, Any]]:
    return "store_memory", {"content": "Tea is hot."}


def _incompatible(librarian: Librarian, time: Time) -> tuple[str, dict[str, Any]]:
    librarian.remember("In the EU, version 2 of the rule holds.", name="EU law", domain="Legal")
    librarian.remember("In the USA, version 1 of the rule holds.", name="US law", domain="Code")
    return "merge_concepts", {"source_node_ids": ["EU law", "US law"], "target_name": "law", "rationale": WHY}


def _expired(librarian: Librarian, time: Time) -> tuple[str, dict[str, Any]]:
    id = librarian.remember("Tea is hot.")
    gone = librarian.call("forget_concept", node_id=id, reason="obsolete", rationale=WHY)
    time.advance(31 * DAY // SECOND)
    return "restore_from_hash", {"reversal_hash": gone["reversal_hash"]}


def _unknown(librarian: Librarian, time: Time) -> tuple[str, dict[str, Any]]:
    return "get_neighborhood", {"node_id": "00000000-0000-7000-8000-000000000000"}


def _circular(librarian: Librarian, time: Time) -> tuple[str, dict[str, Any]]:
    ids = [librarian.remember(text) for text in ("The lock is held.", "The queue grows.", "The lock is held on.")]
    librarian.link(ids[0], ids[1])
    librarian.link(ids[1], ids[2])
    return "merge_concepts", {"source_node_ids": [ids[0], ids[2]], "target_name": "lock", "rationale": WHY}


def _tombstoned(librarian: Librarian, time: Time) -> tuple[str, dict[str, Any]]:
    id = librarian.remember("Tea is hot.")
    librarian.call("forget_concept", node_id=id, reason="obsolete", rationale=WHY)
    return "annotate_node", {"node_id": id, "annotations": {"tags": ["drinks"]}}


def _cancerous(librarian: Librarian, time: Time) -> tuple[str, dict[str, Any]]:
    around = [librarian.remember(text) for text in STRANGERS]
    middle = librarian.remember("Everything is connected.", importance=0.8)
    for id in around:
        librarian.link(middle, id, "relational")
    return "boost_importance", {"node_id": middle, "delta": 0.15, "rationale": WHY}


ERRORS = {
    -32002: _invalid,
    -32009: _unexplained,
    -32010: _incompatible,
    -32011: _expired,
    -32012: _unknown,
    -32013: _circular,
    -32014: _tombstoned,
    -32015: _cancerous,
}


@pytest.mark.parametrize("code", sorted(ERRORS))
def test_golden_error(librarian: Librarian, golden: Any, time: Time, code: int) -> None:
    shown = show(librarian, *ERRORS[code](librarian, time))
    assert shown["failed"]
    assert shown["structured"]["error"]["code"] == code
    golden(f"memories/error{code}", shown)
