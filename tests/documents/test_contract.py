"""The seven tools as the contract has them: parameters, shapes, confirmations and every error."""

import json
import uuid
from dataclasses import replace
from typing import Any

import jsonschema_rs
import pytest

from memotheca.documents.condition import examine_documents
from memotheca.parsing.isolation.sandbox import Sandbox
from memotheca.toolkit.ask import Dialogue, Response, Unanswered, key_of
from memotheca.toolkit.tool import Call

TOOLS = {
    "knowledge-add": ({"file_path", "metadata", "force_ocr", "async"}, ["file_path"]),
    "knowledge-search": ({"query", "top_k", "min_relevance", "filters"}, ["query"]),
    "knowledge-remove": ({"document_id", "confirm"}, ["document_id"]),
    "knowledge-show": ({"limit", "offset", "sort_by", "sort_order"}, []),
    "knowledge-clear": ({"confirm", "confirmation_phrase"}, ["confirm", "confirmation_phrase"]),
    "knowledge-status": (set(), []),
    "knowledge-task-status": ({"task_id"}, ["task_id"]),
}
EIGHT = ["pdf", "docx", "pptx", "xlsx", "html", "jpg", "png", "svg"]


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_parameters_are_the_contract_s(librarian, name):
    parameters, required = TOOLS[name]
    schema = librarian.app.catalog.find(name).wire["inputSchema"]
    assert set(schema["properties"]) == parameters
    assert schema.get("required", []) == required


@pytest.mark.parametrize(
    ("name", "parameter", "default"),
    [
        ("knowledge-add", "force_ocr", False),
        ("knowledge-add", "async", True),
        ("knowledge-search", "top_k", 10),
        ("knowledge-search", "min_relevance", 0.0),
        ("knowledge-remove", "confirm", False),
        ("knowledge-show", "limit", 100),
        ("knowledge-show", "offset", 0),
        ("knowledge-show", "sort_order", "desc"),
    ],
)
def test_defaults_are_the_contract_s(librarian, name, parameter, default):
    properties = librarian.app.catalog.find(name).wire["inputSchema"]["properties"]
    assert properties[parameter]["default"] == default


def test_the_answer_is_one_text_block_of_json_and_the_same_structured(librarian):
    reply = librarian.reply("knowledge-add", file_path=str(librarian.write("tea.txt")))
    (block,) = reply.blocks
    assert block["type"] == "text"
    assert json.loads(block["text"]) == reply.structured
    assert list(reply.structured) == ["success", "task_id", "message", "estimated_time_seconds"]
    assert reply.structured["message"] == "Document queued for processing"
    assert uuid.UUID(reply.structured["task_id"]).version == 4
    assert reply.structured["estimated_time_seconds"] >= 1


def test_a_file_added_at_once_is_answered_with_its_document(librarian):
    added = librarian.add(librarian.write("tea.txt"))
    assert list(added) == [
        "success",
        "document_id",
        "filename",
        "chunks_created",
        "processing_method",
        "processing_time_seconds",
    ]
    assert uuid.UUID(added["document_id"]).version == 4
    assert (added["filename"], added["chunks_created"]) == ("tea.txt", 1)
    assert added["processing_method"] == "text_extraction"
    assert added["processing_time_seconds"] > 0


@pytest.mark.parametrize(
    ("name", "arguments", "code", "parameter"),
    [
        ("knowledge-add", {}, "missing_required_parameter", "file_path"),
        ("knowledge-add", {"file_path": 7}, "invalid_parameter", "file_path"),
        ("knowledge-add", {"file_path": ""}, "invalid_parameter", "file_path"),
        ("knowledge-add", {"file_path": "a.pdf", "metadata": []}, "invalid_parameter", "metadata"),
        ("knowledge-add", {"file_path": "a.pdf", "async": "no"}, "invalid_parameter", "async"),
        ("knowledge-add", {"file_path": "a.pdf", "ocr": True}, "invalid_parameter", "ocr"),
        ("knowledge-search", {}, "missing_required_parameter", "query"),
        ("knowledge-search", {"query": ""}, "invalid_parameter", "query"),
        ("knowledge-search", {"query": "   "}, "invalid_parameter", "query"),
        ("knowledge-search", {"query": "x" * 501}, "invalid_parameter", "query"),
        ("knowledge-search", {"query": "x", "top_k": 0}, "invalid_parameter", "top_k"),
        ("knowledge-search", {"query": "x", "top_k": 51}, "invalid_parameter", "top_k"),
        ("knowledge-search", {"query": "x", "min_relevance": 1.1}, "invalid_parameter", "min_relevance"),
        ("knowledge-remove", {}, "missing_required_parameter", "document_id"),
        ("knowledge-show", {"limit": 1001}, "invalid_parameter", "limit"),
        ("knowledge-show", {"offset": -1}, "invalid_parameter", "offset"),
        ("knowledge-show", {"sort_by": "colour"}, "invalid_parameter", "sort_by"),
        ("knowledge-show", {"sort_order": "up"}, "invalid_parameter", "sort_order"),
        ("knowledge-status", {"verbose": True}, "invalid_parameter", "verbose"),
        ("knowledge-task-status", {}, "missing_required_parameter", "task_id"),
    ],
)
def test_wrong_parameters_are_named(librarian, name, arguments, code, parameter):
    refused = librarian.refused(name, **arguments)
    assert refused["success"] is False
    assert (refused["error"], refused["parameter"]) == (code, parameter)
    assert refused["message"]


@pytest.mark.parametrize("given", ["/test/doc.xyz", "notes", "archive.tar.gz", "data:;name=run.exe,MZ"])
def test_the_extension_is_looked_at_first(librarian, given):
    refused = librarian.refused("knowledge-add", file_path=given)
    assert refused["error"] == "unsupported_format"
    assert refused["supported_formats"][:8] == EIGHT
    assert "Use PDF, DOCX, PPTX, XLSX, HTML, JPG, PNG, or SVG" in refused["message"]


def test_an_unknown_extension_is_unsupported_whatever_the_file_holds(librarian):
    path = librarian.folder / "really-a-pdf.xyz"
    path.write_bytes(b"%PDF-1.4\n")
    refused = librarian.refused("knowledge-add", file_path=str(path))
    assert refused["error"] == "unsupported_format"
    assert refused["message"].startswith("Unsupported file format: .xyz.")


@pytest.mark.parametrize("at_once", [True, False])
def test_files_are_checked_before_anything_is_queued(librarian, at_once):
    def error_of(path):
        return librarian.refused("knowledge-add", file_path=str(path), **{"async": at_once})["error"]

    assert error_of("/nowhere/doc.pdf") == "file_not_found"
    (librarian.folder / "folder.pdf").mkdir()
    assert error_of(librarian.folder / "folder.pdf") == "invalid_parameter"
    (librarian.folder / "link.txt").symlink_to(librarian.write("tea.txt"))
    assert error_of(librarian.folder / "link.txt") == "access_denied"
    assert error_of(librarian.write("empty.txt", "")) == "file_corrupt"
    large = librarian.folder / "large.pdf"
    with large.open("wb") as file:
        file.truncate(150 * 1024 * 1024)
    assert librarian.refused("knowledge-add", file_path=str(large), **{"async": at_once}) == {
        "success": False,
        "error": "file_too_large",
        "message": "File size (150 MB) exceeds maximum allowed size (100 MB)",
        "max_size_mb": 100,
    }
    assert librarian.call("knowledge-show")["total_count"] == 0


def test_an_empty_knowledge_base_says_so(librarian):
    assert librarian.refused("knowledge-search", query="anything") == {
        "success": False,
        "error": "empty_knowledge_base",
        "message": "Knowledge base is empty. Add documents with knowledge-add first",
        "document_count": 0,
    }
    assert librarian.call("knowledge-show") == {
        "success": True,
        "documents": [],
        "total_count": 0,
        "message": "Knowledge base is empty",
    }


def test_a_search_without_matches_succeeds_with_a_message(librarian):
    librarian.add(librarian.write("tea.txt"))
    answer = librarian.call("knowledge-search", query="helicopter")
    assert list(answer) == ["success", "query", "results", "total_results", "message", "search_time_ms"]
    assert answer["message"] == "No documents found matching your query"
    assert (answer["results"], answer["total_results"]) == ([], 0)


def test_a_result_names_document_chunk_and_place(librarian):
    added = librarian.add(librarian.write("tea.txt"))
    answer = librarian.call("knowledge-search", query="how hot is water for tea?")
    (result,) = answer["results"]
    assert answer["total_results"] == 1
    assert list(result) == ["document_id", "chunk_id", "filename", "chunk_text", "relevance_score", "metadata"]
    assert result["document_id"] == added["document_id"]
    assert uuid.UUID(result["chunk_id"]).version == 4
    assert result["chunk_text"] == "Green tea wants water of seventy degrees."
    assert 0 < result["relevance_score"] <= 1
    assert {"format": "txt", "page_num": None}.items() <= result["metadata"].items()
    assert result["metadata"]["date_added"].endswith("Z")


@pytest.mark.parametrize("confirm", [{}, {"confirm": False}, {"confirm": None}, {"confirm": "true"}, {"confirm": 1}])
def test_removing_wants_to_be_confirmed(librarian, confirm):
    added = librarian.add(librarian.write("tea.txt"))
    assert librarian.refused("knowledge-remove", document_id=added["document_id"], **confirm) == {
        "success": False,
        "error": "confirmation_required",
        "message": "Set confirm=true to remove this document",
        "document": {"id": added["document_id"], "filename": "tea.txt", "chunks": 1},
    }
    assert librarian.call("knowledge-show")["total_count"] == 1


def test_a_removed_document_is_gone_until_it_is_undone(librarian):
    added = librarian.add(librarian.write("tea.txt"))
    assert librarian.call("knowledge-remove", document_id=added["document_id"], confirm=True) == {
        "success": True,
        "document_id": added["document_id"],
        "filename": "tea.txt",
        "chunks_removed": 1,
        "message": "Document removed successfully",
    }
    for again in (True, False):
        refused = librarian.refused("knowledge-remove", document_id=added["document_id"], confirm=again)
        assert refused == {
            "success": False,
            "error": "document_not_found",
            "message": f"Document with ID '{added['document_id']}' not found",
            "document_id": added["document_id"],
        }
    librarian.call("undo")
    assert librarian.found("green tea")[0]["document_id"] == added["document_id"]


def test_an_entry_is_no_document(librarian):
    entry = librarian.store("tea", "green")
    assert librarian.refused("knowledge-remove", document_id=entry, confirm=True)["error"] == "document_not_found"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"confirm": True},
        {"confirmation_phrase": "DELETE ALL"},
        {"confirm": True, "confirmation_phrase": "delete all"},
        {"confirm": False, "confirmation_phrase": "DELETE ALL"},
        {"confirm": "yes", "confirmation_phrase": "DELETE ALL"},
        {"confirm": True, "confirmation_phrase": 7},
        {"confirm": True, "confirmation_phrase": None},
    ],
)
def test_clearing_wants_the_very_phrase(librarian, given):
    librarian.add(librarian.write("tea.txt"))
    assert librarian.refused("knowledge-clear", **given) == {
        "success": False,
        "error": "confirmation_required",
        "message": "This action will delete ALL documents. "
        "Set confirm=true and confirmation_phrase='DELETE ALL' to proceed",
        "current_document_count": 1,
    }


def test_clearing_says_what_it_took_and_can_be_undone(librarian):
    for name in ("a", "b"):
        librarian.add(librarian.write(f"{name}.txt", f"{name} tea " * 500))
    cleared = librarian.call("knowledge-clear", confirm=True, confirmation_phrase="DELETE ALL")
    assert list(cleared) == ["success", "documents_removed", "embeddings_removed", "storage_freed_mb", "message"]
    assert (cleared["documents_removed"], cleared["message"]) == (2, "Knowledge base cleared successfully")
    # What can be undone is still there.
    assert cleared["storage_freed_mb"] == 0
    assert librarian.call("knowledge-show")["total_count"] == 0
    librarian.call("undo")
    assert librarian.call("knowledge-show")["total_count"] == 2


def test_the_list_can_be_sorted_and_paged(librarian):
    for name, size in (("b.txt", 3), ("a.txt", 2), ("c.txt", 1)):
        librarian.add(librarian.write(name, f"{name} tea " * size))

    def names(**given):
        return [document["filename"] for document in librarian.call("knowledge-show", **given)["documents"]]

    assert names() == ["c.txt", "a.txt", "b.txt"]
    assert names(sort_order="asc") == ["b.txt", "a.txt", "c.txt"]
    assert names(sort_by="filename", sort_order="asc") == ["a.txt", "b.txt", "c.txt"]
    assert names(sort_by="size") == ["b.txt", "a.txt", "c.txt"]
    assert names(limit=1, offset=1) == ["a.txt"]
    answer = librarian.call("knowledge-show", limit=2, offset=2)
    assert (answer["total_count"], answer["limit"], answer["offset"]) == (3, 2, 2)
    assert list(answer["documents"][0]) == [
        "id",
        "filename",
        "format",
        "size_bytes",
        "date_added",
        "chunk_count",
        "processing_status",
        "processing_method",
    ]


def test_the_status_counts_what_is_there(librarian):
    empty = librarian.call("knowledge-status")
    assert empty["knowledge_base"]["document_count"] == 0
    assert empty["last_updated"] is None
    librarian.add(librarian.write("tea.txt", "tea " * 600))
    status = librarian.call("knowledge-status")
    documents = librarian.call("knowledge-show")["documents"]
    assert status["knowledge_base"] == {
        "name": "default",
        "document_count": 1,
        "total_chunks": documents[0]["chunk_count"],
        "total_size_bytes": 2400,
        "total_size_mb": round(2400 / 1024 / 1024, 4),
        "average_chunks_per_document": float(documents[0]["chunk_count"]),
        "storage_path": str(librarian.app.data),
        "vector_db_path": str(librarian.app.data / "segments"),
    }
    assert status["configuration"] == {"embedding_model": "none", "chunk_size": 500, "max_file_size_mb": 100}
    assert status["health"]["status"] == "degraded"
    assert status["health"]["embedding_model_loaded"] is False
    assert status["health"]["issues"]


def test_an_unknown_task_is_not_found(librarian):
    id = str(uuid.uuid4())
    refused = librarian.refused("knowledge-task-status", task_id=id)
    assert (refused["error"], refused["task_id"]) == ("task_not_found", id)


def test_every_answer_fits_the_published_schema(librarian):
    calls = [
        ("knowledge-add", {"file_path": str(librarian.write("tea.txt")), "async": False}),
        ("knowledge-add", {"file_path": str(librarian.write("new.txt", "new"))}),
        ("knowledge-search", {"query": "tea"}),
        ("knowledge-show", {}),
        ("knowledge-status", {}),
        ("knowledge-clear", {}),
    ]
    for name, arguments in calls:
        schema = librarian.app.catalog.find(name).wire["outputSchema"]
        jsonschema_rs.validator_for(schema).validate(librarian.reply(name, **arguments).structured)


@pytest.mark.parametrize(
    ("response", "is_removed"),
    [
        (Response("accepted", {"confirm": True}), True),
        (Response("accepted", {"confirm": False}), False),
        (Response("declined"), False),
        (Response("cancelled"), False),
    ],
)
def test_whoever_can_be_asked_confirms_in_person(librarian, response, is_removed):
    named = librarian.add(librarian.write("tea.txt"))["document_id"]

    def remove(answers):
        conversation = Dialogue(frozenset({"person"}), answers)
        call = Call(kernel=librarian.kernel, actor="tester", conversation=conversation)
        return librarian.app.dispatcher.run("knowledge-remove", {"document_id": named}, call).structured

    with pytest.raises(Unanswered) as asked:
        remove({})
    question: Any = asked.value.question
    assert question.message == f"Remove tea.txt ({named}) with its 1 passage? It can be undone for 30 days."
    answer = remove({key_of(question): response})
    assert answer.get("error") == (None if is_removed else "confirmation_required")
    assert librarian.call("knowledge-show")["total_count"] == (0 if is_removed else 1)


@pytest.mark.parametrize("depth", [300, 5000])
def test_metadata_that_is_nested_without_end_is_refused(librarian, depth):
    nested: Any = "tea"
    for _ in range(depth):
        nested = [nested]
    refused = librarian.refused("knowledge-add", file_path=str(librarian.write("a.txt")), metadata={"deep": nested})
    assert (refused["error"], refused["message"]) == ("invalid_parameter", "The arguments are nested too deeply.")


def test_a_page_far_behind_the_last_is_empty(librarian):
    librarian.add(librarian.write("a.txt"))
    shown = librarian.call("knowledge-show", offset=2**63 - 1)
    assert (shown["documents"], shown["total_count"], shown["offset"]) == ([], 1, 2**63 - 1)


def test_clearing_says_what_is_still_queued(librarian):
    librarian.add(librarian.write("a.txt", "tea " * 50))
    librarian.call("knowledge-add", file_path=str(librarian.write("b.txt", "coffee " * 50)))
    cleared = librarian.call("knowledge-clear", confirm=True, confirmation_phrase="DELETE ALL")
    assert cleared["tasks_still_queued"] == 1
    assert cleared["note"].startswith("1 file is still being read and will be added. Clear again once knowledge-task-")
    assert "the protocol request tools/cancel" in cleared["note"]


def test_health_tells_what_is_wrong_with_the_storage(librarian, tmp_path):
    gone = librarian.kernel.having(replace(librarian.bench, data=tmp_path / "gone"))
    assert "Storage directory not accessible: No such file or directory" in examine_documents(gone).issues


def test_health_tells_that_tesseract_is_missing(librarian, tmp_path):
    sandbox = Sandbox(languages="eng", tesseract=str(tmp_path / "no-tesseract"), tessdata="")
    without = librarian.kernel.having(replace(librarian.bench, sandbox=sandbox))
    assert any("no-tesseract" in issue for issue in examine_documents(without).issues)
    assert not any(str(tmp_path) in issue for issue in examine_documents(without).issues)
    assert not any("OCR" in issue for issue in examine_documents(librarian.kernel).issues)
    sandbox.close()


def test_health_neither_writes_nor_waits_for_a_writer(librarian):
    with librarian.kernel.store.database.write():
        assert not any("Storage" in issue for issue in examine_documents(librarian.kernel).issues)


def test_a_folder_is_called_a_folder(librarian):
    (librarian.folder / "files").mkdir()
    refused = librarian.refused("knowledge-add", file_path=str(librarian.folder / "files"))
    assert "is a directory. Name one file in it" in refused["message"]


def test_a_refused_path_names_the_setting_that_would_allow_it(librarian):
    path = librarian.write("a.txt")
    for roots in ((), (librarian.folder / "elsewhere",)):
        bench = replace(librarian.bench, roots=roots)
        call = Call(kernel=librarian.kernel.having(bench), actor="tester")
        reply = librarian.app.dispatcher.run("knowledge-add", {"file_path": str(path)}, call)
        assert reply.structured["error"] == "access_denied"
        assert "--roots" in reply.structured["message"]
