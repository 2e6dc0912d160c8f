"""Goldens of the documents family: each tool's answer, as it goes to the client."""

import pytest

TEA = "data:text/html;name=tea.html,<h1>Tea</h1><p>Green tea wants water of seventy degrees.</p>"
ADD = ("knowledge-add", {"file_path": TEA, "metadata": {"author": "Ada", "tags": ["kitchen"]}, "async": False})

CALLS = {
    "add": [ADD],
    "add-async": [("knowledge-add", {"file_path": TEA})],
    "add-duplicate": [ADD, ADD],
    "add-unsupported": [("knowledge-add", {"file_path": "/test/doc.xyz"})],
    "add-missing": [("knowledge-add", {})],
    "search": [ADD, ("knowledge-search", {"query": "How hot is the water?", "filters": {"format": "html"}})],
    "search-nothing": [ADD, ("knowledge-search", {"query": "helicopter"})],
    "search-empty": [("knowledge-search", {"query": "tea"})],
    "search-wrong-filter": [ADD, ("knowledge-search", {"query": "tea", "filters": {"colour": "green"}})],
    "remove": [ADD, ("knowledge-remove", {"document_id": "$document_id", "confirm": True})],
    "remove-unconfirmed": [ADD, ("knowledge-remove", {"document_id": "$document_id"})],
    "remove-unknown": [("knowledge-remove", {"document_id": "nothing", "confirm": True})],
    "show": [ADD, ("knowledge-show", {})],
    "show-empty": [("knowledge-show", {})],
    "clear": [ADD, ("knowledge-clear", {"confirm": True, "confirmation_phrase": "DELETE ALL"})],
    "clear-unconfirmed": [ADD, ("knowledge-clear", {})],
    "task-queued": [("knowledge-add", {"file_path": TEA}), ("knowledge-task-status", {"task_id": "$task_id"})],
    "task-unknown": [("knowledge-task-status", {"task_id": "5f0c3a52-8f0e-4d1b-9c1e-2a7b6d4e8f10"})],
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_golden_answer(librarian, golden, name):
    answered, reply = {}, None
    for tool, arguments in CALLS[name]:
        filled = {
            key: answered[value[1:]] if isinstance(value, str) and value.startswith("$") else value
            for key, value in arguments.items()
        }
        reply = librarian.reply(tool, **filled)
        answered = reply.structured
    assert reply is not None
    golden(f"documents/{name}", {"blocks": reply.blocks, "structured": reply.structured, "failed": reply.failed})
