"""No answer is larger than 24 KB unless more was asked for, however much there is to tell: every reading tool of every
family, and every resource."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memotheca.jobs.queue import bench_of
from memotheca.patterns.import_catalogue import import_catalogue
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.server.resources import RESOURCES, read_resource
from memotheca.toolkit.contract import Reply
from memotheca.vectors.embedders import DEFAULT
from scripts.catalogue import find_tools
from tests.conftest import Time, Writer, open_vault

MOST = 24_576
LONG = " ".join(f"The reactor number {number} failed at noon in Oslo." for number in range(250))
NOTES = 60
FIRST, SECOND = "plant/reactor 0.md", "plant/reactor 1.md"
ASKED = {"query": "reactor failed"}

# How each reading tool is asked about the plant: with what it must be told, and nothing that asks for more.
CALLS: dict[str, list[dict[str, Any]]] = {
    "check_adversarial": [{"content": LONG[:3000]}],
    "compute_teleological_vector": [{"content": LONG[:3000], "include_per_embedder": True, "compute_tucker": True}],
    "fuse_embeddings": [{"memory_id": "$memory"}],
    "search_teleological": [{"query_content": LONG[:3000], "min_similarity": 0}, {"query_vector_id": "$memory"}],
    "chatgpt/fetch": [{"id": FIRST}, {"id": "$memory"}, {"id": "reactor"}],
    "chatgpt/search_all": [ASKED],
    "console_health": [{"url": "http://127.0.0.1:3000/mcp", "with_token": True, "thorough": True}],
    "console_history": [{}],
    "console_jobs": [{}],
    "console_map": [{"wait": 20}],
    "console_map_nodes": [{"map": "$map", "numbers": [0, 1], "handle": FIRST, "query": "reactor"}],
    "console_memory": [{}],
    "console_notes": [{}],
    "console_neighbourhood": [{"handle": "reactor"}, {"handle": FIRST}],
    "console_page": [{"handle": "lamp.svg"}],
    "console_preview": [{"tx": 1}],
    "console_read": [{"handle": FIRST}, {"handle": "$memory"}, {"handle": "reactor"}],
    "console_search": [{}, ASKED],
    "console_tasks": [{}],
    "critique_context": [{}, {"check_types": ["conflicts", "duplicates", "outdated"]}],
    "debug_compare_retrieval": [{**ASKED, "spaces": ["E1", "E5", "E7", "E13"]}],
    "entailment_query": [{"node_id": "$memory"}],
    "epistemic_action": [{}, {"force": True}],
    "find_causal_path": [{"source_id": "$memory", "target_id": "reactor"}],
    "find_path": [{"source": FIRST, "target": SECOND}],
    "generate_search_plan": [{"goal": LONG[:1000]}],
    "get_consciousness_state": [{}],
    "get_ego_state": [{}],
    "get_alignment_drift": [{"include_history": True}],
    "get_autonomous_status": [{"include_metrics": True, "include_history": True}],
    "get_drift_history": [{"time_range": "all", "include_per_embedder": True}],
    "get_amortized_shortcuts": [{"min_confidence": 0, "limit": 100}],
    "get_dream_status": [{}],
    "get_graph_manifest": [{}],
    "get_health_status": [{}],
    "get_hubs": [{}, {"metric": "out_degree"}],
    "get_learner_state": [{}, {"domain": "Code"}],
    "get_meta_learning_log": [{}],
    "get_meta_learning_status": [{"include_accuracy_history": True, "include_embedder_breakdown": True}],
    "get_johari_classification": [{"node_id": "$memory"}],
    "get_kuramoto_sync": [{}],
    "get_memetic_status": [{}],
    "get_neighborhood": [{"node_id": "reactor"}, {"node_id": "reactor", "depth": 3}, {"node_id": "$memory"}],
    "get_neighbors": [{"id": FIRST}],
    "get_neuromodulation": [{}],
    "get_neuromodulation_state": [{}],
    "get_node": [{"id": FIRST}, {"id": FIRST, "depth": 1}],
    "get_node_lineage": [{"node_id": "$memory"}],
    "get_pattern": [{"id": "retry-with-backoff"}],
    "explain_threshold": [{"threshold_type": "about"}, {"threshold_type": "johari"}],
    "get_calibration_metrics": [{"timeframe": "30d"}],
    "get_threshold_history": [{"threshold_type": "link"}],
    "get_threshold_status": [{}, {"domain": "Code"}],
    "get_pruning_candidates": [{}, {"min_staleness_days": 0, "limit": 1000}],
    "get_recent_context": [{}],
    "get_skill": [{"slug": "curate-memory"}],
    "get_steering_feedback": [{"content": LONG[:3000]}, {"lookback_count": 100}],
    "get_system_instructions": [{}],
    "get_system_logs": [{}],
    "get_workspace_status": [{}],
    "gwt/compute_delta_sc": [{"vertex_id": "$memory", "include_diagnostics": True}],
    "history": [{}],
    "homeostatic_status": [{}],
    "hydrate_citation": [{"citation_tag": "$citation"}, {"citation_tag": "$citation", "include_neighbors": True}],
    "inject_context": [ASKED],
    "knowledge-search": [ASKED],
    "knowledge-show": [{}],
    "knowledge-status": [{}],
    "knowledge-task-status": [{"task_id": "$task"}],
    "list_pattern_categories": [{}],
    "list_skills": [{}],
    "query": [
        {},
        {"content": "reactor failed"},
        {"topic": "reactor"},
        {"tags": ["tag1"]},
        {"content": "reactor failed", "kinds": ["all"]},
        {"content": "reactor", "kinds": ["triple"]},
    ],
    "omni_infer": [{"source": "reactor", "min_confidence": 0}, {"source": "reactor", "direction": "abduction"}],
    "query_causal": [{"action": "reactor"}, {"action": "reactor", "intervention_type": "counterfactual"}],
    "query_graph": [{}, {"subject": "reactor"}],
    "random_node": [{}],
    "reflect_on_memory": [{"goal": "reactor failed"}],
    "search": [ASKED],
    "search_by_tags": [{"tags": ["tag1"]}],
    "search_graph": [ASKED],
    "search_patterns": [{"q": "reactor"}, {"q": "reactor", "category": "plant"}],
    "search_tombstones": [{}],
    "test_recall_accuracy": [{**ASKED, "expected_node_ids": ["$memory"]}],
    "utl_status": [{}],
}

# What a contract says is larger, and how large that can be.
LARGER = {
    # "limit: Max documents to return. Default: 100": a hundred filenames of 255 bytes.
    "knowledge-show": 100 * 700,
    # "Primary node (get_node, single result): 10,000 chars", and "up to 20 neighbors" beside it.
    "get_node": MOST + 10_000,
    # "patterns[] in search results contains ALL matching patterns", each with its full description.
    "search_patterns": 1024 * 1024,
}


def size_of(reply: Reply) -> int:
    """The bytes of what a client shows of a reply: the blocks, or the structured content."""
    return max(len(json.dumps(part, ensure_ascii=False).encode()) for part in (reply.blocks, reply.structured))


def fill(writer: Writer) -> dict[str, str]:
    """Much of everything, and what some of it is called."""
    links = " ".join(f"[[plant/reactor {number}]]" for number in range(NOTES))
    tags = ", ".join(f"tag{number}" for number in range(30))
    for number in range(NOTES):
        writer.save(f"plant/reactor {number}.md", f"---\ntags: [{tags}]\n---\n{links}\n\n{LONG}")
    writer.sync()
    for number in range(40):
        writer.store(f"reactor {number}", f"{number}. {LONG}"[:4000], tags=[f"tag{n}" for n in range(20)])
    told = [
        writer.call(
            "store_memory",
            content=f"The reactor {number} {'fails' if number % 2 else 'runs'} because of a valve. {LONG[:3000]}",
            rationale="Somebody said so. " * 20,
        )
        for number in range(60)
    ]
    for memory in told[50:]:
        writer.call("forget_concept", node_id=memory["node_id"], reason="obsolete", rationale="Not so. " * 20)
    for number in range(60):
        objects = {"object": f"valve {number} {'of steel ' * 20}".strip(), "multi": True}
        writer.call("relate", subject="reactor", predicate="leads to", **objects)
    writer.call("auto_bootstrap_north_star", confidence_threshold=0)
    task, *_ = [file_of(writer, number) for number in range(6)]
    lamp = "<svg xmlns='http://www.w3.org/2000/svg'><text y='9'>The lamp on the pier</text></svg>"
    writer.call("knowledge-add", file_path=f"data:;name=lamp.svg,{lamp}", **{"async": False})
    map = writer.call("console_map", wait=20)["map"]
    return {"$memory": told[0]["node_id"], "$citation": told[0]["citation"], "$task": task, "$map": map}


def file_of(writer: Writer, number: int) -> str:
    parts = "".join(f"<h2>Part {part}</h2><p>{LONG[:2000]}</p>" for part in range(10))
    file = writer.vault.parent / f"{'reactor ' * 25}{number}.html"
    file.write_text(f"<h1>The reactor {number}</h1>{parts}")
    writer.call("knowledge-add", file_path=str(file), **{"async": False})
    return writer.call("knowledge-add", file_path=str(file))["task_id"]


def write_patterns(folder: Path) -> Path:
    """A catalogue of patterns and skills with long descriptions."""
    folder.mkdir()
    for number in range(30):
        said = f"title: Reactor {number}\ncategory: plant\ndescription: {LONG[:400]}\ntags: [reactor]"
        (folder / f"reactor-{number}.md").write_text(
            f"---\n{said}\n---\n\n## Example\n\n```python\n{LONG[:2000]}\n```\n"
        )
        skill = folder / "skills" / f"mend-{number}"
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text(f"---\nname: mend-{number}\ndescription: {LONG[:1000]}\n---\n\n{LONG[:2000]}\n")
    return folder


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Writer, dict[str, str]]]:
    folder = tmp_path_factory.mktemp("plant")
    writer = open_vault(folder, Time())
    names = fill(writer)
    patterns = write_patterns(folder / "patterns")
    import_catalogue(writer.kernel, patterns, actor="tester", report=lambda *said: None)
    choose_embedder(writer.kernel.store, writer.kernel.collection, DEFAULT)
    yield writer, names
    assert bench_of(writer.kernel) is not None
    bench_of(writer.kernel).sandbox.close()
    writer.kernel.store.close()


READING = [tool.name for tool, _, _ in find_tools()[1] if tool.effect == "read"]


@pytest.mark.parametrize("name", READING)
def test_no_reading_tool_answers_with_more_than_24_kilobytes(plant: tuple[Writer, dict[str, str]], name: str) -> None:
    writer, names = plant
    for asked in CALLS[name]:
        arguments = json.loads(json.dumps(asked))
        for argument, said in asked.items():
            arguments[argument] = [names.get(each, each) for each in said] if isinstance(said, list) else said
            if isinstance(said, str):
                arguments[argument] = names.get(said, said)
        reply = writer.reply(name, **arguments)
        assert not reply.failed, reply.structured
        assert size_of(reply) <= LARGER.get(name, MOST), (name, asked, size_of(reply))


def test_the_pages_of_every_resource_stay_within_24_kilobytes_and_leave_nothing_out(
    plant: tuple[Writer, dict[str, str]],
) -> None:
    writer, _ = plant
    for resource in RESOURCES:
        paged, whole, cursor = [], [], ""
        while cursor is not None:
            text = read_resource(writer.kernel, f"{resource.uri}{'?cursor=' if cursor else ''}{cursor}")["text"]
            assert len(text.encode()) <= MOST, resource.uri
            page = json.loads(text)
            paged, cursor = [*paged, *page["items"]], page["next_cursor"]
        cursor = ""
        while cursor is not None:
            more = f"&cursor={cursor}" if cursor else ""
            page = json.loads(read_resource(writer.kernel, f"{resource.uri}?limit=200{more}")["text"])
            whole, cursor = [*whole, *page["items"]], page["next_cursor"]
        named = [each.get("id", each["tx_id"]) for each in paged]
        assert named == [each.get("id", each["tx_id"]) for each in whole]
        assert len(set(named)) == len(named)
