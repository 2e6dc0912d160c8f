"""What the instruments take, as it is specified: every parameter with its values, bounds and default. What is more than
that is optional, so that whoever knows the specification alone is understood. And what they answer: every number of
it is told."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.memories.librarian import Librarian

# A line a tool: parameters with what they take, required ones with an exclamation mark, defaults after an equals sign.
SPECIFIED = """
get_consciousness_state: session_id
get_kuramoto_sync: session_id
get_workspace_status:
get_ego_state:
trigger_workspace_broadcast: memory_id!, importance 0..1 =0.8, alignment 0..1 =0.8, force =false
adjust_coupling: new_K!
gwt/compute_delta_sc: vertex_id!, old_fingerprint, new_fingerprint, johari_threshold 0.35..0.65 =0.5,
    include_diagnostics =false
get_threshold_status: domain @domains =General, embedder_id 1..13
get_calibration_metrics: timeframe 1h|24h|7d|30d =24h
trigger_recalibration: level! 1..4, domain @domains
set_threshold_prior: threshold_type!, value!, domain @domains =General
get_threshold_history: threshold_type!, since, limit
explain_threshold: threshold_type!, domain @domains
get_neuromodulation_state: session_id
adjust_neuromodulator: modulator! dopamine|serotonin|noradrenaline, delta!
trigger_dream: phase nrem|rem|full+full_cycle =full, duration_minutes 1..10 =5, synthetic_query_count 10..500 =100,
    blocking =false, abort_on_query =true, rationale, force
get_dream_status:
abort_dream: reason
get_amortized_shortcuts: min_confidence 0..1 =0.7, limit 1..100 =20
get_steering_feedback: content, context, domain @domains, lookback_count 1..100 =10, session_id
omni_infer: source!, target, direction forward|backward|bidirectional|bridge|abduction =forward, clamped_nodes,
    max_path 1..10 =5, min_confidence 0..1 =0.5
search_teleological: query_content, query_vector_id, strategy cosine|euclidean|synergy_weighted|group_hierarchical|
    cross_correlation_dominant|tucker_compressed|adaptive =adaptive, scope full|purpose_vector_only|
    cross_correlations_only|group_alignments_only =full, specific_groups, specific_embedder 0..12,
    weight_purpose =0.4, weight_correlations =0.35, weight_groups =0.15, min_similarity =0.3,
    max_results 1..1000 =20, include_breakdown =true
compute_teleological_vector: content!, profile_id, compute_tucker =false, tucker_ranks =[4,4,128],
    include_per_embedder =false
fuse_embeddings: memory_id!, fusion_method linear|attention|gated|hierarchical|tucker =hierarchical, profile_id,
    custom_weights, apply_synergy =true, store_result =true
update_synergy_matrix: query_vector_id!, result_vector_id!, feedback! relevant|not_relevant|partially_relevant,
    relevance_score 0..1, learning_rate 0.001..0.5 =0.01,
    update_scope all_pairs|high_synergy_only|contributing_pairs =contributing_pairs
manage_teleological_profile: action! create|read|update|delete|list, profile_id, name, task_type code_implementation|
    research|creative|analysis|debugging|documentation|custom, embedder_weights, group_priorities, fusion_strategy
auto_bootstrap_north_star: confidence_threshold 0..1 =0.7, max_candidates 1..100 =10
get_alignment_drift: timeframe 1h|24h|7d|30d =24h, include_history =false, memory_ids, strategy
trigger_drift_correction: force =false, target_alignment 0..1
get_pruning_candidates: limit 1..1000 =20, min_staleness_days 0.. =30, min_alignment 0..1 =0.4
trigger_consolidation: max_memories 1..10000 =100, strategy similarity|temporal|semantic =similarity,
    min_similarity 0..1 =0.85
discover_sub_goals: min_confidence 0..1 =0.6, max_goals 1..20 =5, parent_goal_id
get_autonomous_status: include_metrics =false, include_history =false, history_count 1..100 =10
get_drift_history: goal_id, time_range 1h|6h|24h|7d|30d|all =24h, limit 1..100 =50, include_per_embedder =false,
    compute_deltas =true
get_learner_state: domain @domains
observe_outcome: prediction_id!, actual_outcome! 0..1, context
execute_prune: node_ids!, reason! staleness|low_alignment|redundancy|orphan, cascade =false
get_health_status: subsystem utl|gwt|dream|storage|all =all
trigger_healing: subsystem! utl|gwt|dream|storage, severity low|medium|high|critical =medium
get_meta_learning_status: include_accuracy_history =false, include_embedder_breakdown =false
trigger_lambda_recalibration: force_bayesian =false, domain @domains, dry_run =false
get_meta_learning_log: start_time, end_time, event_type lambda_adjustment|bayesian_escalation|accuracy_alert|
    accuracy_recovery|weight_clamped, domain @domains, limit 1..1000 =100, offset
"""
MODEL = Path(__file__).parents[2] / "docs" / "memory-model.md"
DOMAINS = "Code|Medical|Legal|Creative|Research|General"
# What is required besides, with the reason.
MORE_REQUIRED = {"set_threshold_prior": {"rationale"}}  # it changes what a memory decides, and is told in its history
WORDS = {"true": True, "false": False, "[4,4,128]": [4, 4, 128]}
LINES = [line.split(":", 1) for line in re.sub(r"\n +", " ", SPECIFIED).strip().splitlines()]


def rule_of(told: str) -> dict[str, Any]:
    """A parameter as its line tells it, in the words of a schema."""
    rule: dict[str, Any] = {}
    for word in told.split()[1:]:
        if word.startswith("="):
            rule["default"] = WORDS[word[1:]] if word[1:] in WORDS else _number(word[1:])
        elif ".." in word:
            least, most = word.split("..")
            rule |= {"minimum": _number(least)} | ({"maximum": _number(most)} if most else {})
        else:
            values = DOMAINS if word == "@domains" else word
            rule["enum"] = re.split(r"[|+]", values)
    return rule


def _number(word: str) -> Any:
    return float(word) if re.fullmatch(r"[\d.]+", word) else word


def test_the_forty_two_instruments_are_told(librarian: Librarian) -> None:
    named = [name for name, _ in LINES]
    assert len(named) == len(set(named)) == 42
    assert all(librarian.app.catalog.find(name) for name in named)


@pytest.mark.parametrize(("name", "told"), LINES, ids=[name for name, _ in LINES])
def test_an_instrument_takes_what_is_specified(name: str, told: str, librarian: Librarian) -> None:
    listing = librarian.app.catalog.find(name)
    assert listing is not None
    schema = listing.wire["inputSchema"]
    rules: dict[str, Any] = schema["properties"]
    parameters = [each.strip() for each in re.sub(r"\| +", "|", told).split(", ") if each.strip()]
    required = {each.split()[0].removesuffix("!") for each in parameters if each.split()[0].endswith("!")}
    assert set(schema.get("required", ())) == required | MORE_REQUIRED.get(name, set())
    for each in parameters:
        parameter = each.split()[0].removesuffix("!")
        held = rules[parameter]
        for key, wanted in rule_of(each).items():
            assert held.get(key) == wanted, (parameter, key)


def numbers(schema: Any) -> Iterator[str]:
    """The names of all numbers, and lists of numbers, in a schema that does not describe them itself."""
    for name, rule in schema.get("properties", {}).items():
        types, inner = {*_types(rule)}, rule.get("items", {})
        if (types | {*_types(inner)}) & {"number", "integer"} and not rule.get("description"):
            yield name
        yield from numbers(rule)
        yield from numbers(inner)


def _types(rule: dict[str, Any]) -> list[str]:
    told = rule.get("type", [])
    return [told] if isinstance(told, str) else told


def test_every_number_of_an_answer_is_told(librarian: Librarian) -> None:
    model = MODEL.read_text("utf-8")
    named = set(re.findall(r"\w+", model))
    listings = [each for each in librarian.app.catalog.listed() if each.toolset == "memories"]
    assert len(listings) == 75
    for listing in listings:
        assert set(numbers(listing.wire["outputSchema"])) <= named, listing.name
