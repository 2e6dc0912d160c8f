"""The numbers of the core and navigation tools, each with what moves it."""

from typing import Any

from memotheca.memory.session.state import INTERACTIONS, activity_of
from tests.memories.librarian import WHY, Librarian
from tests.memories.moving import Scene, boosted, both, called, linked, nothing, question, remembered, stranger

TEA, CACHE = "Ada takes her tea black.", "The cache is flushed every night at two."
ADA = remembered("Ada takes her tea black.", "The cup is blue.")
STRANGERS = ("Bees dance.", "The lift is slow.", "Tea is hot.", "Prices rose.", "Paris is old.", "Salt melts ice.")
TEAS = (
    "Green tea from Uji is steamed right after the harvest and tastes of the sea.",
    "The gaiwan is a lidded bowl in which oolong tea is brewed many times over.",
    "Milk was poured before the tea so that thin porcelain cups did not crack.",
    "Smoked tea owes its scent to pine fires in the mountains of Wuyi.",
    "Caravans carried bricks of tea over the passes to trade them for horses.",
    "A samovar keeps water hot all day for a strong essence of tea on top.",
)
CHAIN = both(
    remembered("The clock is wrong.", "The cache is stale.", "Prices are wrong."),
    linked("first", "second"),
    linked("second", "third"),
)
CAUSE = {"action": "first", "outcome": "third"}
PATH = {"source_id": "first", "target_id": "third"}


def later(count: int) -> Any:
    return lambda librarian: activity_of(librarian.kernel).add(librarian.kernel.collection, INTERACTIONS, count)


def mood(**values: float) -> Any:
    def act(librarian: Librarian) -> None:
        with librarian.kernel.read() as snapshot:
            found = activity_of(librarian.kernel).mood(snapshot.session, librarian.kernel.collection, librarian.session)
        for name, value in values.items():
            setattr(found, name, value)

    return act


def store(content: str, **more: Any) -> dict[str, Any]:
    return {"content": content, "rationale": WHY, **more}


STORE = (
    Scene(
        tool="store_memory",
        ask=store("The request timeout is 90 seconds."),
        prepare=remembered(TEA),
        plant=lambda librarian: librarian.remember("The request timeout is 30 seconds.", session_id="elsewhere"),
        unrelated=nothing,
        moves={
            "utl.delta_s": "down",
            "utl.delta_c": "down",
            "utl.learning_score": "changes",
            "utl.phi": "changes",
            "conflicts[0].score": "up",
            "steering_reward.curator": "changes",
        },
    ),
    Scene(
        tool="store_memory",
        ask=store("Tea is hot."),
        planted=store("It is critical, and never to be forgotten: tea is hot!"),
        moves={"utl.w_e": "up"},
    ),
    Scene(
        tool="store_memory",
        ask=store(CACHE),
        plant=remembered(CACHE),
        unrelated=question,
        moves={
            "duplicates[0].similarity": "up",
            "edges_created": "up",
            "edges[0].weight": "up",
            "steering_reward.reward": "down",
            "steering_reward.dopamine_signal": "down",
        },
    ),
    Scene(
        tool="store_memory",
        ask=store("The key is here."),
        planted=store("The password: hunter2!x and the password: swordfish!9 are here."),
        moves={"redactions[0].count": "up"},
    ),
    Scene(
        tool="store_memory",
        ask={"data_uri": "data:,Tea", "rationale": WHY},
        planted={"data_uri": "data:,Green%20tea", "rationale": WHY},
        moves={"media.bytes": "up"},
    ),
    Scene(
        tool="store_memory",
        ask=store("Salt melts ice.", session_id="alone"),
        prepare=lambda librarian: [
            librarian.remember(text, name=text, session_id=text) for text in ("Bees dance.", "Roses wilt.")
        ],
        plant=linked("Bees dance.", "Roses wilt."),
        unrelated=question,
        moves={"steering_reward.gardener": "up"},
    ),
    Scene(
        tool="store_memory",
        ask=store("Salt melts ice."),
        prepare=ADA,
        plant=called("test_recall_accuracy", query="tea", expected_node_ids=["first"]),
        unrelated=called("search_graph", query="tea"),
        moves={"steering_reward.assessor": "up"},
    ),
)

STATUS = (
    Scene(
        tool="get_memetic_status",
        prepare=ADA,
        plant=remembered(CACHE),
        unrelated=question,
        moves={
            "coherence_score": "changes",
            "entropy_level": "up",
            "learning_score": "up",
            "node_count": "up",
            "quadrants_judged": "up",
            "quadrant_counts.Blind": "up",
            "layers.memory.nodes": "up",
        },
    ),
    Scene(
        tool="get_memetic_status",
        prepare=ADA,
        plant=called("search_graph", query="tea"),
        unrelated=question,
        moves={"top_active_concepts[0].looks": "up"},
    ),
    Scene(
        tool="get_memetic_status",
        prepare=ADA,
        plant=remembered("Ada lives in Paris.", "Ada lives in Oslo."),
        moves={"curation_task_count": "up"},
    ),
    Scene(
        tool="get_graph_manifest",
        prepare=ADA,
        plant=remembered(CACHE),
        unrelated=question,
        moves={"counts.total": "up", "counts.edges_total": "up", "architecture.layers[2].counts.nodes": "up"},
    ),
    Scene(
        tool="utl_status",
        prepare=ADA,
        plant=remembered(CACHE),
        unrelated=nothing,
        moves={
            "interaction_count": "up",
            "entropy": "up",
            "coherence": "changes",
            "learning_score": "up",
            "phase_angle": "changes",
        },
    ),
    Scene(
        tool="utl_status",
        plant=later(600),
        unrelated=question,
        moves={
            "lambda.s": "down",
            "lambda.c": "up",
            "thresholds.entropy_trigger": "down",
            "thresholds.coherence_trigger": "up",
            "thresholds.min_importance_store": "up",
            "thresholds.consolidation_threshold": "up",
        },
    ),
)

RETRIEVAL = (
    Scene(
        tool="search_graph",
        ask={"query": "black tea"},
        prepare=ADA,
        plant=boosted("first", 0.3),
        unrelated=boosted("second", 0.3),
        moves={"results[0].importance": "up"},
    ),
    Scene(
        tool="search_graph",
        ask={"query": "black tea"},
        prepare=ADA,
        plant=lambda librarian: librarian.remember("Green tea is drunk at noon."),
        moves={"count": "up", "stages[0].out": "up", "results[1].score": "up", "results[1].similarity": "up"},
    ),
    Scene(
        tool="search_graph",
        ask={"query": "tea"},
        prepare=ADA,
        plant=stranger,
        unrelated=question,
        moves={"stages[0].in": "up"},
    ),
    Scene(
        tool="inject_context",
        ask={"query": "black tea"},
        prepare=ADA,
        plant=lambda librarian: librarian.remember("Green tea is drunk at noon, and never black."),
        moves={
            "tokens_used": "up",
            "tokens_before_distillation": "up",
            "nodes_considered": "up",
            "nodes_retrieved[1].score": "up",
            "nodes_retrieved[1].similarity": "up",
        },
    ),
    Scene(
        tool="inject_context",
        ask={"query": "tea", "max_tokens": 100},
        prepare=ADA,
        plant=lambda librarian: [librarian.remember(text) for text in TEAS],
        moves={"compression_ratio": "down"},
    ),
    Scene(
        tool="inject_context",
        ask={"query": "tea", "verbosity_level": 2},
        prepare=ADA,
        plant=mood(coherence=0.3, entropy=0.9, learning=0.7),
        moves={
            "utl_metrics.coherence": "down",
            "utl_metrics.entropy": "up",
            "utl_metrics.learning_score": "up",
            "tool_gating_warning.entropy_score": "up",
            "verbosity_applied": "up",
        },
    ),
    Scene(
        tool="inject_context",
        ask={"query": "tea", "verbosity_level": 2},
        prepare=both(ADA, mood(coherence=0.3)),
        plant=both(boosted("first", 0.2), mood(coherence=0.3)),
        unrelated=both(boosted("second", 0.2), mood(coherence=0.3)),
        moves={"nodes_retrieved[0].importance": "up"},
    ),
)

CAUSES = (
    Scene(
        tool="query_causal",
        ask=CAUSE,
        prepare=CHAIN,
        plant=both(
            lambda librarian: librarian.remember("The operator slept.", name="other", importance=0.9),
            linked("other", "third", weight=0.9),
        ),
        moves={"effect.probability": "up", "effect.baseline": "up", "effect.lift": "down"},
    ),
    Scene(
        tool="query_causal",
        ask={**CAUSE, "intervention_type": "counterfactual"},
        prepare=CHAIN,
        plant=both(
            lambda librarian: librarian.remember("The operator slept.", name="other", importance=0.9),
            linked("other", "third", weight=0.9),
        ),
        moves={"effect.necessity": "down"},
    ),
    Scene(
        tool="query_causal",
        ask={**CAUSE, "intervention_type": "observe"},
        prepare=CHAIN,
        plant=both(
            lambda librarian: librarian.remember("The power failed.", name="power"),
            linked("power", "first", weight=0.7),
            linked("power", "third", weight=0.6),
        ),
        moves={"confounders[0].strength_to_action": "up", "confounders[0].strength_to_outcome": "up"},
    ),
    Scene(
        tool="query_causal",
        ask=CAUSE,
        prepare=both(remembered("The clock is wrong.", "The cache is stale.", "Prices are wrong.")),
        plant=both(linked("first", "third", weight=0.9)),
        moves={"paths[0].strength": "up", "evidence[0].weight": "up", "evidence[0].confidence": "up"},
    ),
    Scene(
        tool="query_causal",
        ask={"action": "first"},
        prepare=CHAIN,
        plant=linked("first", "third", weight=0.9),
        moves={"effects[0].probability": "up", "effects[0].chains": "up"},
    ),
    Scene(
        tool="query_causal",
        ask={"outcome": "third"},
        prepare=CHAIN,
        plant=linked("first", "third", weight=0.9),
        moves={"causes[0].probability": "up"},
    ),
    Scene(
        tool="query_causal",
        ask={"outcome": "second"},
        prepare=CHAIN,
        plant=both(
            lambda librarian: librarian.remember("The power failed.", name="power"),
            linked("power", "first", weight=0.9),
        ),
        moves={"causes[1].hops": "up"},
        unrelated=question,
    ),
    Scene(
        tool="query_causal",
        ask={"action": "first"},
        prepare=both(remembered("The clock is wrong.", "The cache is stale."), linked("first", "second", weight=0.5)),
        plant=both(
            lambda librarian: librarian.remember("Prices are wrong.", name="prices"),
            lambda librarian: librarian.remember("Customers call.", name="calls"),
            linked("second", "prices"),
            linked("prices", "calls", weight=0.5),
        ),
        moves={"effects[2].hops": "up"},
        unrelated=question,
    ),
    Scene(
        tool="omni_infer",
        ask={"source": "first", "min_confidence": 0.1},
        prepare=CHAIN,
        plant=linked("first", "third", weight=0.9),
        moves={
            "results[0].strength": "up",
            "results[0].confidence": "up",
            "overall_confidence": "up",
        },
    ),
    Scene(
        tool="omni_infer",
        ask={"source": "first", "min_confidence": 0.1, "max_path": 3},
        prepare=CHAIN,
        plant=both(
            lambda librarian: librarian.remember("Customers call.", name="calls"),
            linked("third", "calls", weight=0.9),
        ),
        moves={"count": "up", "results[2].path_length": "up"},
        unrelated=question,
    ),
    Scene(
        tool="find_causal_path",
        ask=PATH,
        prepare=CHAIN,
        plant=linked("first", "third", weight=0.9),
        moves={
            "hop_count": "down",
            "path_confidence": "up",
            "path[1].edge_weight": "up",
            "path[1].confidence": "up",
            "alternative_paths[0].hop_count": "up",
            "alternative_paths[0].path_confidence": "up",
        },
    ),
)

AROUND = (
    Scene(
        tool="get_neighborhood",
        ask={"node_id": "first", "edge_types": ["Causal"]},
        prepare=both(ADA, linked("first", "second", weight=0.5)),
        plant=both(
            lambda librarian: librarian.remember("The pot is warm.", name="pot"),
            linked("first", "pot", weight=0.9, nt={"excitatory": 0.1}),
        ),
        moves={
            "count": "up",
            "neighbors[0].weight": "up",
            "neighbors[0].effective_weight": "up",
            "neighbors[0].confidence": "up",
            "edges[0].weight": "up",
            "edges[0].confidence": "up",
        },
    ),
    Scene(
        tool="get_neighborhood",
        ask={"node_id": "first", "edge_types": ["Causal"], "depth": 2},
        prepare=both(remembered(TEA, "The cup is blue.", "The pot is warm."), linked("first", "second")),
        plant=linked("second", "third"),
        moves={"neighbors[1].hop": "up"},
    ),
    Scene(
        tool="get_neighborhood",
        ask={"node_id": "first"},
        prepare=ADA,
        plant=boosted("first", 0.3),
        unrelated=boosted("second", 0.3),
        moves={"focal_node.importance": "up"},
    ),
    Scene(
        tool="entailment_query",
        ask={"node_id": "first"},
        prepare=remembered("A teapot.", "A vessel.", "A thing."),
        plant=both(
            linked("first", "second", "hierarchical", weight=0.9), linked("second", "third", "hierarchical", weight=0.9)
        ),
        moves={
            "count": "up",
            "ancestors[0].membership": "up",
            "ancestors[1].depth": "up",
            "cone.depth": "up",
            "cone.aperture": "down",
            "entailment_confidence": "up",
        },
    ),
    Scene(
        tool="entailment_query",
        ask={"node_id": "third"},
        prepare=remembered("A teapot.", "A vessel.", "A thing."),
        plant=both(
            linked("first", "second", "hierarchical", weight=0.9), linked("second", "third", "hierarchical", weight=0.9)
        ),
        moves={"descendants[0].membership": "up", "descendants[1].depth": "up"},
    ),
    Scene(
        tool="entailment_query",
        ask={"node_id": "first"},
        prepare=remembered("A teapot.", "A vessel of the finest Chinese porcelain with a lid."),
        plant=linked("first", "second", "hierarchical", weight=0.9),
        unrelated=question,
        moves={"cone.radius": "up"},
    ),
    Scene(
        tool="get_recent_context",
        prepare=ADA,
        plant=stranger,
        unrelated=question,
        moves={"count": "up"},
    ),
    Scene(
        tool="get_recent_context",
        prepare=ADA,
        plant=boosted("second", 0.3),
        unrelated=boosted("first", 0.3),
        moves={"nodes[0].importance": "up"},
    ),
)

SCENES = (*STORE, *STATUS, *RETRIEVAL, *CAUSES, *AROUND)
