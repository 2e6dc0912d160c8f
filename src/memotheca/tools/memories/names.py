"""Which tool does what a room of the memory proposes, or has done."""

from collections.abc import Mapping

from memotheca.memory.verbs import Verb

TOOLS: Mapping[str, str] = {
    Verb.STORE: "store_memory",
    Verb.MERGE: "merge_concepts",
    Verb.FORGET: "forget_concept",
    Verb.RESTORE: "restore_from_hash",
    Verb.ANNOTATE: "annotate_node",
    Verb.BOOST: "boost_importance",
    Verb.UNDO: "undo",
    Verb.SEARCH: "search_graph",
    Verb.CITE: "inject_context",
    Verb.PLAN: "generate_search_plan",
    Verb.SURROUND: "get_neighborhood",
    Verb.PREDICT: "query_causal",
    Verb.EXPLAIN: "query_causal",
    Verb.TRACE: "find_causal_path",
    Verb.CLASSIFY: "entailment_query",
    Verb.UNEARTH: "search_tombstones",
    Verb.CRITICISE: "critique_context",
    Verb.TEND: "get_memetic_status",
    Verb.BALANCE: "homeostatic_status",
    Verb.CHECK: "check_adversarial",
    Verb.LOOK_BACK: "get_system_logs",
    Verb.ASK: "epistemic_action",
    Verb.REFLECT: "reflect_on_memory",
    Verb.LEARN: "trigger_lambda_recalibration",
    Verb.PRUNE: "execute_prune",
    Verb.CONSOLIDATE: "trigger_consolidation",
    Verb.DREAM: "trigger_dream",
}


def name_of_act(verb: str) -> str:
    """What clients are told of something done: the tool that does it, or the word itself where none does."""
    return TOOLS.get(verb, verb)
