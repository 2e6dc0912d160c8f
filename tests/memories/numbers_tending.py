"""The numbers of the tools that curate, reflect and diagnose, each with what moves it."""

from typing import cast

from memotheca.model.clock import DAY, SECOND
from tests.conftest import Time
from tests.memories.librarian import WHY, Librarian
from tests.memories.moving import (
    Scene,
    boosted,
    both,
    called,
    forgotten,
    linked,
    nothing,
    question,
    remembered,
    stranger,
)
from tests.memories.numbers_core import ADA, CACHE, STRANGERS, TEA, TEAS
from tests.memories.numbers_diagnosis import acquainted, hub

PARIS, OSLO = "Ada lives in Paris.", "Ada lives in Oslo."
PAIR = {"source_node_ids": ["first", "second"], "target_name": "Both", "rationale": WHY}


def apart(librarian: Librarian) -> None:
    """Twelve that have nothing to do with each other, each in a session of its own."""
    for text in (*STRANGERS, *TEAS):
        librarian.remember(text, session_id=text[:20])


def cited(librarian: Librarian) -> str:
    return librarian.call("get_neighborhood", node_id="first")["focal_node"]["citation"]


def hash_of(librarian: Librarian) -> str:
    return librarian.call("search_tombstones")["tombstones"][0]["reversal_hash"]


def manifest_edit(librarian: Librarian) -> None:
    """Somebody strikes a bullet out."""
    page = librarian.vault.parent / "data" / "manifest.md"
    lines = page.read_text().splitlines(keepends=True)
    page.write_text("".join(line for line in lines if "first" not in line))


CURATION = (
    Scene(
        tool="boost_importance",
        ask={"node_id": "first", "delta": 0.1, "rationale": WHY},
        prepare=ADA,
        plant=boosted("first", 0.2),
        unrelated=boosted("second", 0.2),
        moves={"previous_importance": "up", "new_importance": "up"},
    ),
    Scene(
        tool="boost_importance",
        ask={"node_id": "hub", "delta": 0, "rationale": WHY},
        prepare=hub,
        plant=acquainted,
        moves={"cancer_check.neighbor_entropy": "down"},
    ),
    Scene(
        tool="boost_importance",
        ask={"node_id": "first", "delta": 0, "rationale": WHY},
        prepare=ADA,
        plant=linked("first", "second"),
        moves={"cancer_check.neighbors": "up"},
    ),
    Scene(
        tool="forget_concept",
        ask={"node_id": "first", "reason": "obsolete", "rationale": WHY},
        prepare=remembered(TEA, "The cup is blue.", "The pot is warm."),
        plant=linked("first", "third"),
        unrelated=linked("second", "third"),
        moves={"edges_removed": "up"},
    ),
    Scene(
        tool="merge_concepts",
        ask=PAIR,
        planted={**PAIR, "source_node_ids": ["first", "second", "third"]},
        prepare=remembered(TEA, "Ada takes tea.", "Ada drinks tea."),
        moves={"nodes_merged": "up"},
    ),
    Scene(
        tool="merge_concepts",
        ask=PAIR,
        prepare=remembered(TEA, "Ada takes tea.", "The pot is warm."),
        plant=linked("third", "first"),
        moves={"edges_redirected": "up"},
    ),
    Scene(
        tool="merge_concepts",
        ask={**PAIR, "force_merge": True},
        prepare=both(
            remembered(TEA, "Ada takes tea.", "The pot is warm."),
            called("annotate_node", node_id="first", annotations={"domain": "Code"}),
        ),
        plant=called("annotate_node", node_id="second", annotations={"domain": "Legal"}),
        unrelated=called("annotate_node", node_id="third", annotations={"domain": "Legal"}),
        moves={"min_prior_similarity": "down"},
    ),
    Scene(
        tool="merge_concepts",
        ask={**PAIR, "source_node_ids": ["first", "pair"]},
        prepare=remembered("The request timeout is 30 seconds."),
        plant=lambda librarian: librarian.remember("The request timeout is 90 seconds.", name="pair"),
        unrelated=nothing,
        moves={"disputed": "up"},
    ),
    Scene(
        tool="restore_from_hash",
        ask={"reversal_hash": hash_of},
        prepare=remembered(TEA, "The cup is blue.", "The pot is warm."),
        plant=both(linked("first", "second"), forgotten("first")),
        before=forgotten("first"),
        unrelated=both(linked("second", "third"), forgotten("first")),
        moves={"restored_edges": "up"},
    ),
    Scene(
        tool="search_tombstones",
        prepare=ADA,
        plant=forgotten("first"),
        moves={"count": "up", "total": "up"},
    ),
    Scene(
        tool="search_tombstones",
        prepare=both(ADA, forgotten("first")),
        plant=lambda librarian: cast(Time, librarian.kernel.store.clock).advance(5 * DAY // SECOND),
        moves={"tombstones[0].days_left": "down"},
    ),
    Scene(
        tool="reload_manifest",
        ask={"preview": True},
        prepare=both(
            remembered(TEA, CACHE, "Bees dance.", "Salt melts ice.", "Roses wilt."), called("reload_manifest")
        ),
        plant=manifest_edit,
        unrelated=question,
        moves={"count": "up"},
    ),
    Scene(tool="reload_manifest", prepare=ADA, plant=stranger, unrelated=question, moves={"concepts": "up"}),
)

REFLECTION = (
    Scene(
        tool="get_johari_classification",
        ask={"node_id": "first"},
        prepare=remembered(PARIS, CACHE),
        plant=both(
            lambda librarian: librarian.remember(OSLO, name="oslo", session_id="elsewhere"),
            linked("oslo", "first", "relational"),
        ),
        unrelated=question,
        moves={"delta_s[5]": "down", "delta_c[10]": "down", "confidence[5]": "changes"},
    ),
    Scene(
        tool="epistemic_action",
        ask={"force": True},
        prepare=apart,
        plant=remembered(PARIS, OSLO),
        unrelated=question,
        moves={"expected_entropy_reduction": "changes", "coherence_before": "changes"},
    ),
    Scene(
        tool="generate_search_plan",
        ask={"goal": "Find out how Ada takes her tea"},
        prepare=ADA,
        plant=called("test_recall_accuracy", query="taking tea black", expected_node_ids=["first"]),
        unrelated=called("search_graph", query="taking tea black"),
        moves={"queries[0].expected_recall": "changes"},
    ),
    Scene(
        tool="generate_search_plan",
        ask={"goal": "Find out how Ada takes her tea"},
        prepare=ADA,
        plant=lambda librarian: librarian.remember("Ada takes her tea with milk on Sundays."),
        moves={"token_estimate": "up"},
    ),
    Scene(
        tool="reflect_on_memory",
        ask={"goal": "Understand how Ada takes her tea"},
        prepare=ADA,
        plant=remembered(CACHE),
        unrelated=question,
        moves={"utl_context.entropy": "up", "utl_context.coherence": "changes"},
    ),
    Scene(
        tool="reflect_on_memory",
        ask={"goal": "Understand how Ada takes her tea"},
        planted={"goal": "Find out why it fails, clean up duplicates and undo what was deleted by mistake"},
        prepare=ADA,
        moves={"count": "up"},
    ),
    Scene(
        tool="critique_context",
        prepare=remembered(PARIS),
        plant=lambda librarian: librarian.remember(OSLO),
        moves={"findings[0].score": "up", "count": "up", "summary.conflicts": "up"},
    ),
    Scene(tool="critique_context", prepare=ADA, plant=stranger, unrelated=question, moves={"checked": "up"}),
    Scene(
        tool="hydrate_citation",
        ask={"citation_tag": cited, "include_neighbors": True},
        prepare=ADA,
        plant=both(boosted("first", 0.2), linked("first", "second", weight=1.0)),
        unrelated=boosted("second", 0.2),
        moves={"importance": "up", "neighbors[0].weight": "up"},
        tolerance=0.001,
    ),
    Scene(
        tool="hydrate_citation",
        ask={"citation_tag": cited},
        before=lambda librarian: librarian.remember("Tea.", name="first"),
        plant=lambda librarian: librarian.remember("Green tea is drunk at noon and at five.", name="first"),
        unrelated=lambda librarian: librarian.remember("Tea.", name="first", importance=0.9),
        moves={"tokens_used": "up"},
    ),
    Scene(
        tool="get_node_lineage",
        ask={"node_id": "first"},
        prepare=ADA,
        plant=boosted("first", 0.1),
        unrelated=boosted("second", 0.1),
        moves={"count": "up"},
    ),
    Scene(
        tool="get_system_logs",
        ask={"component": "curation"},
        prepare=ADA,
        plant=forgotten("first"),
        unrelated=question,
        moves={"count": "up"},
    ),
)


SCENES = (*CURATION, *REFLECTION)
