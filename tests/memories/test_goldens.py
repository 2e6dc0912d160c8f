"""Goldens of curation, navigation and administration: what each tool answers, and how its errors look."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tests.conftest import GOLDENS
from tests.memories.gardens import BAKERY, REACTOR, tell
from tests.memories.librarian import WHY, Librarian

# A time that was measured.
MEASURED = re.compile(r'(\\?"ms\\?": ?)[0-9.e-]+')
CAUSE, EFFECT, TWIN = "stale cache", "wrong prices", "prices wrong"
BOTH = {"target_name": "Prices", "rationale": WHY}

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "merge_concepts": ("merge_concepts", {"source_node_ids": [EFFECT, TWIN], **BOTH}),
    "merge_concepts-forced": ("merge_concepts", {"source_node_ids": [EFFECT, "EU law"], "force_merge": True, **BOTH}),
    "merge_concepts-apart": ("merge_concepts", {"source_node_ids": [EFFECT, "EU law"], **BOTH}),
    "merge_concepts-unexplained": ("merge_concepts", {"source_node_ids": [EFFECT, TWIN], "target_name": "Prices"}),
    "merge_concepts-strategy": (
        "merge_concepts",
        {"source_node_ids": [EFFECT, TWIN], "merge_strategy": "guess", **BOTH},
    ),
    "forget_concept": ("forget_concept", {"node_id": CAUSE, "reason": "obsolete", "rationale": WHY}),
    "forget_concept-for-good": (
        "forget_concept",
        {"node_id": CAUSE, "reason": "user_requested", "soft_delete": False, "rationale": WHY},
    ),
    "forget_concept-refused": (
        "forget_concept",
        {"node_id": CAUSE, "reason": "duplicate", "soft_delete": False, "rationale": WHY},
    ),
    "forget_concept-unknown": ("forget_concept", {"node_id": "nobody", "reason": "obsolete", "rationale": WHY}),
    "restore_from_hash-unknown": ("restore_from_hash", {"reversal_hash": "f" * 64}),
    "annotate_node": (
        "annotate_node",
        {"node_id": CAUSE, "annotations": {"tags": ["ops"], "notes": "seen twice", "related_concepts": [EFFECT, "x"]}},
    ),
    "annotate_node-empty": ("annotate_node", {"node_id": CAUSE, "annotations": {}}),
    "boost_importance": ("boost_importance", {"node_id": CAUSE, "delta": 0.2, "rationale": WHY}),
    "boost_importance-beyond": ("boost_importance", {"node_id": CAUSE, "delta": 0.7, "rationale": WHY}),
    "get_neighborhood": ("get_neighborhood", {"node_id": EFFECT, "edge_types": ["Causal"]}),
    "get_neighborhood-deep": ("get_neighborhood", {"node_id": EFFECT, "depth": 4}),
    "get_recent_context": ("get_recent_context", {"limit": 2}),
    "find_causal_path": ("find_causal_path", {"source_id": CAUSE, "target_id": EFFECT}),
    "find_causal_path-none": ("find_causal_path", {"source_id": CAUSE, "target_id": "EU law"}),
    "get_steering_feedback": ("get_steering_feedback", {"content": "The prices were wrong.", "context": "Ada saw it."}),
    "get_steering_feedback-past": ("get_steering_feedback", {}),
    "omni_infer": ("omni_infer", {"source": EFFECT, "direction": "abduction"}),
    "omni_infer-unknown": ("omni_infer", {"source": EFFECT, "target": "EU law"}),
    "trigger_dream-unknown-phase": ("trigger_dream", {"phase": "lucid"}),
    "get_dream_status": ("get_dream_status", {}),
    "abort_dream": ("abort_dream", {}),
    "get_amortized_shortcuts": ("get_amortized_shortcuts", {}),
    "get_threshold_status": ("get_threshold_status", {"embedder_id": 1}),
    "get_calibration_metrics": ("get_calibration_metrics", {"timeframe": "7d"}),
    "trigger_recalibration": ("trigger_recalibration", {"level": 3}),
    "trigger_recalibration-unknown": ("trigger_recalibration", {"level": 5}),
    "set_threshold_prior": (
        "set_threshold_prior",
        {"threshold_type": "change", "value": 0.8, "domain": "Legal", "rationale": WHY},
    ),
    "set_threshold_prior-beyond": (
        "set_threshold_prior",
        {"threshold_type": "change", "value": 1, "domain": "Legal", "rationale": WHY},
    ),
    "get_threshold_history": ("get_threshold_history", {"threshold_type": "change"}),
    "explain_threshold": ("explain_threshold", {"threshold_type": "about"}),
    "get_pruning_candidates": ("get_pruning_candidates", {"min_staleness_days": 0}),
    "execute_prune": ("execute_prune", {"node_ids": [TWIN, CAUSE, "nobody"], "reason": "redundancy"}),
    "execute_prune-unknown-reason": ("execute_prune", {"node_ids": [TWIN], "reason": "boredom"}),
    "trigger_consolidation": ("trigger_consolidation", {"min_similarity": 0.3}),
    "entailment_query": ("entailment_query", {"node_id": CAUSE, "embedding_space": "E7"}),
    "temporary_scratchpad": ("temporary_scratchpad", {"action": "write", "key": "plan", "value": "Look at the clock."}),
    "temporary_scratchpad-incomplete": ("temporary_scratchpad", {"action": "write", "key": "plan"}),
    "reload_manifest": ("reload_manifest", {}),
    "reload_manifest-outside": ("reload_manifest", {"path": "/etc/passwd"}),
}


def prepare(librarian: Librarian) -> None:
    librarian.remember("The prices were wrong on Tuesday.", name=EFFECT)
    librarian.remember("On Tuesday the prices were wrong. Ada noticed.", name=TWIN)
    more = {"link_to": [EFFECT], "metadata": {"relation": "causal"}}
    librarian.remember("The cache had not been flushed.", name=CAUSE, **more)
    librarian.remember("In the EU, version 2 of the rule holds.", name="EU law", domain="Legal")


def show(librarian: Librarian, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    reply = librarian.reply(tool, **arguments)
    listing = librarian.app.catalog.find(tool)
    assert listing is not None
    jsonschema_rs.validator_for(listing.wire["outputSchema"]).validate(reply.structured)
    shown = {"blocks": reply.blocks, "structured": reply.structured, "failed": reply.failed}
    return json.loads(MEASURED.sub(r"\g<1>0", json.dumps(shown, ensure_ascii=False)))


@pytest.mark.parametrize("name", sorted(CALLS))
def test_golden_answer(librarian: Librarian, golden: Any, name: str) -> None:
    prepare(librarian)
    golden(f"memories/{name}", show(librarian, *CALLS[name]))


def test_golden_restore(librarian: Librarian, golden: Any) -> None:
    prepare(librarian)
    gone = librarian.call("forget_concept", node_id=CAUSE, reason="obsolete", rationale=WHY)
    said = {"reversal_hash": gone["reversal_hash"]}
    golden(
        "memories/forget_concept-again",
        show(librarian, "forget_concept", {"node_id": gone["node_id"], "reason": "obsolete", "rationale": WHY}),
    )
    golden("memories/restore_from_hash", show(librarian, "restore_from_hash", said))
    golden("memories/restore_from_hash-again", show(librarian, "restore_from_hash", said))


SAID = sorted(path for path in (GOLDENS / "memories").glob("*.json") if '"blocks"' in path.read_text("utf-8"))
SEVERAL = "memories|questions|samples|labels|decisions|predictions|tasks|pairs|stores|times|topics|paths|nodes|results"
ONE_OF_MANY = re.compile(rf"(?<![\d.,])1 (?:{SEVERAL})\b")


@pytest.mark.only_sqlite(reason="it reads what is committed")
@pytest.mark.parametrize("path", SAID, ids=[path.stem for path in SAID])
def test_an_answer_says_something_and_counts_as_people_do(path: Path) -> None:
    text = json.loads(path.read_text("utf-8"))["blocks"][0]["text"]
    assert text.strip()
    assert not ONE_OF_MANY.search(text), text


def test_topics_that_are_not_sure_enough_are_told(librarian: Librarian) -> None:
    tell(librarian, REACTOR, BAKERY)
    reply = librarian.reply("discover_sub_goals", min_confidence=1.0)
    assert (reply.structured or {})["discovered_goals"] == []
    assert re.match(r"2 topics, none of the min_confidence asked for; most has 0\.\d{3}\.$", reply.blocks[0]["text"])
    topic = librarian.call("discover_sub_goals", min_confidence=0)["discovered_goals"][0]["goal_id"]
    changed = librarian.reply("discover_sub_goals", topic_id=topic, rename="the works", min_confidence=1.0)
    assert changed.blocks[0]["text"].startswith("the works is kept under this name; restore_from_hash: ")


def test_what_is_taken_back_is_told_as_what_it_is(librarian: Librarian) -> None:
    moved = librarian.call("set_threshold_prior", threshold_type="link", value=0.6, rationale=WHY)
    told = [librarian.reply("restore_from_hash", reversal_hash=moved["reversal_hash"]) for _ in range(2)]
    assert ["as it was before." in each.blocks[0]["text"] for each in told] == [True, True]
    assert [" already " in each.blocks[0]["text"] for each in told] == [False, True]
