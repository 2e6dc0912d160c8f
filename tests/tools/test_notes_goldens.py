"""Goldens of the notes family: what each tool answers, word for word, and how each of its errors looks."""

import json

import jsonschema_rs
import pytest

NOTES = {
    "index": "---\ntitle: The Index\ntags: [map, map]\n---\n\n"
    "See [[Machine Learning Basics|the basics]] and [[missing note]].\n",
    "ml-basics": "---\ntitle: Machine Learning Basics\ntags: [ml, tutorial]\n---\nStart with [[index]]. #ml/deep\n",
    "long": "word " * 2500 + "[[index]]",
    "lonely": "Nobody links here.",
}

CALLS = {
    "get_node": ("get_node", {"id": "ml-basics.md"}),
    "get_node-depth": ("get_node", {"id": "index.md", "depth": 1}),
    "get_node-long": ("get_node", {"id": "long.md"}),
    "get_node-missing": ("get_node", {"id": "nowhere.md"}),
    "get_neighbors": ("get_neighbors", {"id": "index.md"}),
    "get_neighbors-in": ("get_neighbors", {"id": "index.md", "direction": "in", "limit": 1}),
    "get_neighbors-missing": ("get_neighbors", {"id": "nowhere.md"}),
    "find_path": ("find_path", {"source": "long.md", "target": "ml-basics.md"}),
    "find_path-none": ("find_path", {"source": "index.md", "target": "lonely.md"}),
    "find_path-same": ("find_path", {"source": "index.md", "target": "index.md"}),
    "get_hubs": ("get_hubs", {"limit": 2}),
    "get_hubs-pagerank": ("get_hubs", {"metric": "pagerank", "limit": 1}),
    "search_by_tags": ("search_by_tags", {"tags": ["ml", "map"]}),
    "search_by_tags-all": ("search_by_tags", {"tags": ["ml", "map"], "mode": "all"}),
    "random_node": ("random_node", {"tags": ["map"]}),
    "random_node-none": ("random_node", {"tags": ["nobody"]}),
    "create_node": (
        "create_node",
        {"title": "Meeting Notes 2024-01-15", "content": "# Hi\n\n[[index]]", "tags": ["a", "a"], "directory": "new/x"},
    ),
    "create_node-dry": ("create_node", {"title": "Plan", "content": "", "dry_run": True}),
    "update_node": ("update_node", {"id": "index.md", "title": "Start Here", "tags": ["map"]}),
    "update_node-dry": ("update_node", {"id": "index.md", "title": "Start Here", "dry_run": True}),
    "delete_node": ("delete_node", {"id": "index.md"}),
    "delete_node-missing": ("delete_node", {"id": "nowhere.md"}),
    "delete_node-dry": ("delete_node", {"id": "lonely.md", "dry_run": True}),
    "error-invalid": ("get_hubs", {"limit": 0}),
    "error-nothing-said": ("update_node", {"id": "index.md"}),
    "error-exists": ("create_node", {"title": "INDEX", "content": ""}),
    "error-missing": ("update_node", {"id": "nowhere.md", "content": "x"}),
    "error-outside": ("create_node", {"title": "x", "content": "", "directory": "../elsewhere"}),
    "error-hidden": ("search", {"query": "x"}),
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_golden_answer(writer, golden, name):
    tool, arguments = CALLS[name]
    writer.given(**NOTES)
    writer.app.catalog.lack("embedder")
    reply = writer.reply(tool, **arguments)
    golden(f"notes/{name}", {"blocks": reply.blocks, "structured": reply.structured, "failed": reply.failed})
    schema = writer.app.catalog.find(tool).wire["outputSchema"]
    jsonschema_rs.validator_for(schema).validate(reply.structured)
    raw = json.loads(reply.blocks[0]["text"])
    assert raw == reply.structured.get("result", reply.structured)
