"""Goldens of the tools that reflect and diagnose, an answer and an error of each; and arguments made up by chance."""

import json
import re
from typing import Any

import jsonschema_rs
import pytest

from tests.memories.librarian import WHY, Librarian

BERLIN = ("store_memory", {"content": "Ada lives in Berlin.", "rationale": WHY})
PARIS = ("store_memory", {"content": "Ada lives in Paris.", "rationale": WHY})
DEPLOYS = ("store_memory", {"content": "Deploys fail because the lock is held.", "rationale": WHY, "importance": 0.8})
FORGET = ("forget_concept", {"node_id": "$node_id", "reason": "obsolete", "rationale": WHY})
CONTEXT = ("inject_context", {"query": "Where does Ada live?"})
OBSERVED = ("observe_outcome", {"prediction_id": "$prediction_id", "actual_outcome": 1})
NOWHERE = "01a1e36e-fabb-7cb4-8001-562661571f54"

CALLS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "critique_context": [BERLIN, PARIS, ("critique_context", {"check_types": ["conflicts", "outdated"]})],
    "critique_context-error": [("critique_context", {"check_types": ["spelling"]})],
    "hydrate_citation": [BERLIN, ("hydrate_citation", {"citation_tag": "$citation"})],
    "hydrate_citation-error": [("hydrate_citation", {"citation_tag": "[node_abc123]"})],
    "hydrate_citation-forgotten": [BERLIN, FORGET, ("hydrate_citation", {"citation_tag": "$citation"})],
    "get_node_lineage": [BERLIN, FORGET, ("get_node_lineage", {"node_id": "$node_id"})],
    "get_node_lineage-error": [("get_node_lineage", {"node_id": NOWHERE})],
    "search_tombstones": [BERLIN, FORGET, ("search_tombstones", {"query": "ada"})],
    "search_tombstones-error": [("search_tombstones", {"limit": 0})],
    "check_adversarial": [("check_adversarial", {"content": "Ada lives in Berlin.", "checks": ["circular_logic"]})],
    "check_adversarial-error": [("check_adversarial", {"content": ""})],
    "reflect_on_memory": [DEPLOYS, ("reflect_on_memory", {"goal": "Understand why deploys fail"})],
    "reflect_on_memory-error": [("reflect_on_memory", {"goal": "why"})],
    "generate_search_plan": [DEPLOYS, ("generate_search_plan", {"goal": "Find out why deploys fail"})],
    "generate_search_plan-error": [("generate_search_plan", {"goal": "Find out", "focus_spaces": ["E1"]})],
    "get_johari_classification": [BERLIN, DEPLOYS, ("get_johari_classification", {"node_id": "$node_id"})],
    "get_johari_classification-error": [("get_johari_classification", {"node_id": NOWHERE})],
    "epistemic_action": [BERLIN, ("epistemic_action", {"force": True})],
    "epistemic_action-none": [("epistemic_action", {})],
    "get_system_logs": [BERLIN, FORGET, ("get_system_logs", {})],
    "get_system_logs-error": [("get_system_logs", {"level": "loud"})],
    "get_system_instructions": [("get_system_instructions", {})],
    "homeostatic_status": [BERLIN, DEPLOYS, ("homeostatic_status", {})],
    "debug_compare_retrieval": [
        BERLIN,
        DEPLOYS,
        ("debug_compare_retrieval", {"query": "ada", "spaces": ["E1", "E13"]}),
    ],
    "debug_compare_retrieval-error": [("debug_compare_retrieval", {"query": "ada", "spaces": []})],
    "test_recall_accuracy": [BERLIN, ("test_recall_accuracy", {"query": "ada", "expected_node_ids": ["$node_id"]})],
    "observe_outcome": [BERLIN, CONTEXT, ("observe_outcome", {"prediction_id": "$prediction_id", "actual_outcome": 1})],
    "observe_outcome-error": [("observe_outcome", {"prediction_id": "pred_none", "actual_outcome": 1})],
    "get_learner_state": [CONTEXT, OBSERVED, ("get_learner_state", {})],
    "get_learner_state-error": [("get_learner_state", {"domain": "Cooking"})],
    "get_meta_learning_status": [CONTEXT, OBSERVED, ("get_meta_learning_status", {"include_accuracy_history": True})],
    "get_meta_learning_status-error": [("get_meta_learning_status", {"include_accuracy_history": "yes"})],
    "trigger_lambda_recalibration": [CONTEXT, OBSERVED, ("trigger_lambda_recalibration", {"dry_run": True})],
    "trigger_lambda_recalibration-error": [("trigger_lambda_recalibration", {"domain": "Cooking"})],
    "get_meta_learning_log": [CONTEXT, OBSERVED, ("get_meta_learning_log", {})],
    "get_meta_learning_log-error": [("get_meta_learning_log", {"event_type": "insight"})],
    "test_recall_accuracy-error": [("test_recall_accuracy", {"query": "ada", "expected_node_ids": [NOWHERE]})],
}


def filled(value: Any, answered: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [filled(each, answered) for each in value]
    return answered[value[1:]] if isinstance(value, str) and value.startswith("$") else value


def steady(value: Any) -> Any:
    """Without what differs from run to run beyond ids: citations, hashes, measured times."""
    text = json.dumps(value, ensure_ascii=False)
    text = re.sub(r"node_(?!abc123)[0-9a-f]{8,}", "node_<hex>", text)
    text = re.sub(r"\b[0-9a-f]{64}\b", "<hash>", text)
    text = re.sub(r'(\\?"latency_ms\\?": ?)(?:[0-9.e-]+|\{[^}]*\})', r"\g<1>0", text)
    return json.loads(text)


def wire_of(librarian: Librarian, tool: str) -> Any:
    listing = librarian.app.catalog.find(tool)
    assert listing is not None
    return listing.wire


@pytest.mark.parametrize("name", sorted(CALLS))
def test_golden_answer(librarian: Librarian, golden: Any, name: str) -> None:
    answered: dict[str, Any] = {}
    *before, (tool, arguments) = CALLS[name]
    for earlier, said in before:
        answered |= librarian.call(earlier, **{key: filled(value, answered) for key, value in said.items()})
    reply = librarian.reply(tool, **{key: filled(value, answered) for key, value in arguments.items()})
    assert reply.failed == name.endswith(("-error", "-forgotten"))
    shown = {"blocks": reply.blocks, "structured": reply.structured, "failed": reply.failed}
    golden(f"memories/{name}", steady(shown))
    schema = wire_of(librarian, tool)["outputSchema"]
    jsonschema_rs.validator_for(schema).validate(reply.structured)
    assert json.loads(reply.blocks[-1]["text"]) == reply.structured
