"""Taking files in: recognised, replaced, parted into sections, kept in history, and whole or not at all."""

import json
import os
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memotheca.admin.erasure import erase
from memotheca.admin.history import undo
from memotheca.admin.upkeep import index_everything, rebuild
from memotheca.jobs import file_access
from memotheca.jobs.ingest_job import IngestJob
from memotheca.jobs.queue import adopt_orphans, bench_of, enqueue, take_next, wait
from memotheca.kernel.handles import resolve
from memotheca.model.clock import SECOND
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import INGEST
from memotheca.model.knowledge import Alias, Entry
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.search.derive import chunk_rows
from memotheca.search.embed import choose_chunk_size
from memotheca.search.passages import passages_of
from memotheca.storage import jobs
from memotheca.vectors.embedders import DEFAULT

PAGES = "# One\n\nAlpha beta.\n\n## Inner\n\nGamma.\n\n# Two\n\nDelta.\n"


def kinds_of(librarian, kind):
    with librarian.kernel.read() as snapshot:
        return [version.thing for version in snapshot.entries((kind,))]


def test_identical_content_is_recognised(librarian):
    first = librarian.add(librarian.write("a.txt"))
    again = librarian.add(librarian.folder / "a.txt")
    elsewhere = librarian.add(librarian.write("b.txt"))
    assert "duplicate" not in first
    for known in (again, elsewhere):
        assert known["duplicate"] is True
        assert (known["document_id"], known["chunks_created"]) == (first["document_id"], first["chunks_created"])
    assert librarian.call("knowledge-show")["total_count"] == 1


def test_what_is_newly_said_about_a_known_file_is_kept(librarian):
    path = librarian.write("a.txt")
    librarian.add(path, metadata={"author": "Ada", "tags": ["kitchen"]})
    librarian.add(path, metadata={"tags": ["drinks"], "title": "On tea"})
    (document,) = kinds_of(librarian, "document")
    assert document.attributes["metadata"] == {"author": "Ada", "tags": ["drinks"], "title": "On tea"}
    assert (document.title, document.tags) == ("On tea", ("drinks",))


def test_a_changed_file_replaces_its_old_version_which_stays_in_history(librarian):
    first = librarian.add(librarian.write("a.txt", "The kettle is red."))
    second = librarian.add(librarian.write("a.txt", "The kettle is blue."))
    assert second["replaced"] is True
    assert second["document_id"] == first["document_id"]
    assert librarian.call("knowledge-show")["total_count"] == 1
    assert [result["chunk_text"] for result in librarian.found("kettle")] == ["The kettle is blue."]
    librarian.call("undo")
    assert [result["chunk_text"] for result in librarian.found("kettle")] == ["The kettle is red."]


def test_sections_can_be_walked_to_and_bear_no_chunks(librarian):
    added = librarian.add(librarian.write("a.md", PAGES))
    sections = kinds_of(librarian, "section")
    assert [section.title for section in sections] == ["One", "Inner", "Two"]
    with librarian.kernel.read() as snapshot:
        document: Any = resolve(snapshot, f"doc:{added['document_id']}", "entry").thing
        inner: Any = resolve(snapshot, f"doc:{added['document_id']}#inner", "entry").thing
        said = inner.attributes
        assert document.body[said["start"] : said["stop"]].startswith("## Inner\n\nGamma.")
        assert resolve(snapshot, f"doc:{added['document_id']}#page=5", "entry").id == document.id
        edges = snapshot.edges_from(document.id)
    assert {(edge.type, edge.predicate) for edge in edges} == {("Hierarchical", "has_section")}
    assert all(chunk_rows(section) == [] for section in sections)
    assert librarian.call("knowledge-status")["knowledge_base"]["total_chunks"] == added["chunks_created"]


def test_sections_are_found_in_the_graph_by_who_asks_for_them(librarian):
    added = librarian.add(librarian.write("a.md", PAGES))
    librarian.call("relate", subject="Inner", predicate="part_of", object="Two")
    document = f"doc:{added['document_id']}"
    for asked, expected in [
        ({}, {"part_of"}),
        ({"subject": "Inner"}, {"part_of"}),
        ({"object": "Two"}, {"part_of"}),
        ({"predicate": "part"}, {"part_of"}),
        ({"predicate": "has_section"}, {"has_section"}),
        ({"subject": document}, {"has_section"}),
        ({"object": f"{document}#inner"}, {"has_section"}),
    ]:
        items = librarian.call("query_graph", **asked)["items"]
        assert {item["predicate"] for item in items} == expected, asked
    assert len(librarian.call("query_graph", predicate="has_section")["items"]) == 3


def test_a_section_that_stays_keeps_its_id(librarian):
    librarian.add(librarian.write("a.md", PAGES))
    before = {section.title: section.id for section in kinds_of(librarian, "section")}
    librarian.add(librarian.write("a.md", "# Two\n\nDelta, moved up.\n\n# Three\n\nNew.\n\n# One\n\nAlpha.\n"))
    after = {section.title: section.id for section in kinds_of(librarian, "section")}
    assert set(after) == {"One", "Two", "Three"}
    assert (after["One"], after["Two"]) == (before["One"], before["Two"])


def test_removing_takes_the_sections_along_and_undo_brings_them_back(librarian):
    added = librarian.add(librarian.write("a.md", PAGES))
    librarian.call("knowledge-remove", document_id=added["document_id"], confirm=True)
    assert kinds_of(librarian, "section") == []
    undo(librarian.kernel, actor="tester")
    assert len(kinds_of(librarian, "section")) == 3


def test_very_many_sections_are_bounded_and_said(librarian):
    text = "".join(f"# Top {n}\n\n" + "".join(f"## Low {n}.{m}\n\nx\n\n" for m in range(9)) for n in range(50))
    librarian.add(librarian.write("a.md", text))
    (document,) = kinds_of(librarian, "document")
    sections = kinds_of(librarian, "section")
    assert (len(sections), document.attributes["sections_omitted"]) == (300, 200)
    assert sum(section.attributes["level"] == 1 for section in sections) == 50


def test_a_document_is_found_by_every_search_with_its_passage_and_place(librarian):
    librarian.add(librarian.write("a.md", PAGES))
    (found,) = librarian.call("query", content="gamma", kinds=["all"])["items"]
    assert (found["kind"], found["source"]) == ("document", "a.md")
    assert found["content"].strip() == "## Inner\n\nGamma."
    assert librarian.call("query", content="gamma")["items"] == []
    (result,) = librarian.found("gamma")
    assert result["metadata"]["headings"] == ["One", "Inner"]


def test_erasing_a_document_leaves_no_word_of_it(librarian):
    added = librarian.add(librarian.write("a.md", "# Zanzibar\n\nQuetzal.\n"))
    librarian.add(librarian.write("a.md", "# Other\n\nQuetzal again.\n"))
    erase(librarian.kernel, added["document_id"], actor="tester")
    data = b"".join(path.read_bytes() for path in librarian.app.data.rglob("*") if path.is_file())
    for word in (b"Zanzibar", b"Quetzal", b"zanzibar", b"a.md"):
        assert word not in data
    assert librarian.call("knowledge-show")["total_count"] == 0


def test_deleting_a_document_as_an_entry_takes_its_sections_along(librarian):
    added = librarian.add(librarian.write("a.md", PAGES))
    librarian.call("delete", id=added["document_id"])
    assert kinds_of(librarian, "section") == []
    librarian.call("undo")
    assert len(kinds_of(librarian, "section")) == 3


def test_the_text_of_a_document_comes_from_its_file(librarian):
    added = librarian.add(librarian.write("a.md", PAGES))
    assert librarian.error("update", id=added["document_id"], content="other")["field"] == "content"
    librarian.call("update", id=added["document_id"], tags=["kept"])
    assert librarian.filenames("gamma", tags=["kept"]) == ["a.md"]


def test_the_same_file_asked_for_twice_at_once_is_stored_once(librarian, workers):
    path = str(librarian.write("a.txt"))
    tasks = [librarian.call("knowledge-add", file_path=path)["task_id"] for _ in range(4)]
    results = [librarian.settled(task)["result"] for task in tasks]
    assert len({result["document_id"] for result in results}) == 1
    assert sum("duplicate" not in result for result in results) == 1
    assert len(librarian.call("history")["items"]) == 1


def test_filters_choose_among_documents(librarian):
    librarian.add(librarian.write("tea.txt", "Water for tea."), metadata={"tags": ["hot"], "author": "Ada"})
    librarian.add(librarian.write("notes.md", "Water for flowers."), metadata={"tags": ["garden"], "year": 2026})
    day = librarian.call("knowledge-show")["documents"][0]["date_added"][:10]
    for filters, expected in [
        ({}, {"tea.txt", "notes.md"}),
        ({"format": "txt"}, {"tea.txt"}),
        ({"format": ["txt", "md"]}, {"tea.txt", "notes.md"}),
        ({"format": "pdf"}, set()),
        ({"filename": "NOTE"}, {"notes.md"}),
        ({"filename": "nowhere"}, set()),
        ({"tags": ["garden", "other"]}, {"notes.md"}),
        ({"metadata": {"author": "Ada"}}, {"tea.txt"}),
        ({"metadata": {"year": 2026}}, {"notes.md"}),
        ({"processing_method": "ocr"}, set()),
        ({"date_range": {"start": day, "end": day}}, {"tea.txt", "notes.md"}),
        ({"date_range": {"end": "2020-01-01"}}, set()),
        ({"document_id": librarian.found("flowers")[0]["document_id"]}, {"notes.md"}),
    ]:
        assert set(librarian.filenames("water", **filters)) == expected, filters


@pytest.mark.parametrize(
    "filters",
    [{"colour": "red"}, {"format": "xyz"}, {"format": 7}, {"date_range": "today"}, {"date_range": {"start": "soon"}},
     {"date_range": {"from": "2020-01-01"}}, {"tags": []}, {"processing_method": "magic"}, {"metadata": "x"}],
)  # fmt: skip
def test_a_wrong_filter_is_named(librarian, filters):
    librarian.add(librarian.write("tea.txt"))
    refused = librarian.refused("knowledge-search", query="tea", filters=filters)
    assert refused["error"] == "invalid_filter"
    assert "date_range" in refused["allowed_filters"]


def test_the_least_relevance_cuts_the_tail(librarian):
    librarian.add(librarian.write("a.txt", "green tea water"))
    librarian.add(librarian.write("b.txt", "water " + "and many other things " * 15))
    scores = [result["relevance_score"] for result in librarian.found("green tea water")]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == 2
    kept = librarian.found("green tea water", min_relevance=scores[0])
    assert [result["relevance_score"] for result in kept] == scores[:1]


def test_content_can_be_sent_instead_of_a_path(librarian):
    added = librarian.add("data:text/html;name=my%20tea.html;base64,PGgxPlRlYTwvaDE+PHA+U3RlZXAgaXQuPC9wPg==")
    assert added["filename"] == "my tea.html"
    assert librarian.found("steep")[0]["filename"] == "my tea.html"
    bench = bench_of(librarian.kernel)
    assert list((bench.sent.folder / bench.drawer).iterdir()) == []


@pytest.mark.parametrize(
    "sent", ["data:text/html,<p>no name</p>", "data:;name=a.html;base64,%%%", "upload:nothing/a.pdf"]
)
def test_content_that_cannot_be_had_is_refused(librarian, sent):
    assert librarian.refused("knowledge-add", file_path=sent)["error"] in ("invalid_parameter", "file_not_found")


@pytest.mark.parametrize("name", ["n" * 300 + ".html", "a%00b.html", "a%0Ab.html"])
def test_a_name_that_no_folder_takes_is_refused_and_leaves_nothing(librarian, name):
    refused = librarian.refused("knowledge-add", file_path=f"data:;name={name},x")
    assert (refused["error"], refused["parameter"]) == ("invalid_parameter", "file_path")
    assert not bench_of(librarian.kernel).sent.folder.exists()


def test_an_upload_closes_its_file_once(librarian):
    """The number of a closed file is soon another's, perhaps that of the database."""
    upload = file_access.Upload(bench_of(librarian.kernel), "empty.html")
    with pytest.raises(Refusal):
        upload.finish()
    with (librarian.folder / "other").open("w") as other:
        upload.discard()
        assert os.fstat(other.fileno())


def test_the_number_of_files_that_wait_is_bounded_too(librarian, monkeypatch):
    monkeypatch.setattr(file_access, "MOST_HELD", 2)
    for number in range(2):
        file_access.Upload(bench_of(librarian.kernel), f"{number}.html").write(b"x")
    assert librarian.refused("knowledge-add", file_path="data:;name=b.html,x")["error"] == "busy"


def test_those_who_send_at_once_do_not_pass_the_limit_together(librarian, monkeypatch):
    monkeypatch.setattr(file_access, "MAX_HELD", 1000)
    bench = bench_of(librarian.kernel)
    sending = [file_access.Upload(bench, f"{number}.html", 100) for number in range(10)]
    with pytest.raises(Refusal, match="Too many files"):
        file_access.Upload(bench, "more.html", 100)
    sending[0].write(b"<p>less than was said</p>")
    sending[0].finish()
    file_access.Upload(bench, "more.html", 70).discard()
    with pytest.raises(Refusal, match="Too many files"):
        file_access.Upload(bench, "unknown.html")


def test_files_that_are_sent_and_never_added_are_bounded(librarian, monkeypatch):
    monkeypatch.setattr(file_access, "MAX_HELD", 10)
    drawer = bench_of(librarian.kernel).drawer
    hoard = bench_of(librarian.kernel).sent.folder / drawer / "hoard"
    hoard.mkdir(parents=True)
    (hoard / "a.html").write_text("x" * 11)
    assert librarian.refused("knowledge-add", file_path="data:;name=b.html,x")["error"] == "busy"
    discard = bench_of(librarian.kernel).sent.drop_stale
    discard(hoard.stat().st_mtime + 3600, set())
    assert hoard.exists()
    discard(hoard.stat().st_mtime + 25 * 3600, {f"{drawer}/hoard/a.html"})
    assert hoard.exists()
    discard(hoard.stat().st_mtime + 25 * 3600, set())
    assert not hoard.exists()


def test_where_nothing_can_be_written_a_sent_file_is_refused(librarian):
    bench_of(librarian.kernel).sent.folder.write_text("in the way")
    assert librarian.refused("knowledge-add", file_path="data:;name=b.html,x")["error"] == "unavailable"


def test_a_file_that_vanishes_before_its_turn_fails_its_task_alone(librarian):
    path = librarian.write("tea.txt")
    gone = librarian.call("knowledge-add", file_path=str(path))["task_id"]
    path.unlink()
    kept = librarian.call("knowledge-add", file_path=str(librarian.write("other.txt", "other")))["task_id"]
    for id in (gone, kept):
        wait(librarian.kernel, id, report=lambda *told: None, cancelled=lambda: False)
    failed = librarian.status(gone)
    assert (failed["success"], failed["status"], failed["error"]) == (False, "failed", "file_not_found")
    assert librarian.status(kept)["status"] == "completed"


def test_a_task_that_is_done_says_what_came_of_it(librarian):
    task = librarian.call("knowledge-add", file_path=str(librarian.write("tea.txt")))["task_id"]
    queued = librarian.status(task)
    assert list(queued) == [
        "success", "task_id", "status", "progress", "current_step", "completed_steps", "total_steps",
        "elapsed_time_seconds", "estimated_remaining_seconds",
    ]  # fmt: skip
    assert (queued["status"], queued["progress"]) == ("queued", 0.0)
    wait(librarian.kernel, task, report=lambda *told: None, cancelled=lambda: False)
    done = librarian.status(task)
    assert list(done) == ["success", "task_id", "status", "progress", "result", "total_time_seconds"]
    assert (done["success"], done["status"], done["progress"]) == (True, "completed", 1.0)
    assert {"document_id", "filename", "chunks_created"} <= set(done["result"])


def listed(librarian, **asked):
    shown = librarian.call("knowledge-show", **asked)
    return shown["total_count"], [(each["filename"], each["processing_status"]) for each in shown["documents"]]


def test_files_that_wait_or_failed_are_listed_among_the_documents(librarian):
    librarian.add(librarian.write("b.txt"))
    waiting = librarian.write("a.txt", "coffee " * 200)
    broken = librarian.write("c.pdf", "no pdf at all")
    task = librarian.call("knowledge-add", file_path=str(waiting))["task_id"]
    assert "error" in librarian.reply("knowledge-add", file_path=str(broken), **{"async": False}).structured
    every = [("c.pdf", "failed"), ("a.txt", "pending"), ("b.txt", "completed")]
    assert listed(librarian) == (3, every)
    by_name = {"sort_by": "filename", "sort_order": "asc"}
    assert listed(librarian, **by_name) == (3, sorted(every))
    assert [listed(librarian, **by_name, limit=1, offset=place)[1][0] for place in range(3)] == sorted(every)
    failed, pending, done = librarian.call("knowledge-show")["documents"]
    assert (pending["task_id"], pending["id"], pending["processing_method"]) == (task, task, None)
    assert (failed["error"], bool(failed["message"])) == ("file_corrupt", True)
    assert "task_id" not in done
    wait(librarian.kernel, task, report=lambda *told: None, cancelled=lambda: False)
    assert sorted(listed(librarian)[1]) == [("a.txt", "completed"), ("b.txt", "completed"), ("c.pdf", "failed")]
    librarian.call("knowledge-clear", confirm=True, confirmation_phrase="DELETE ALL")
    assert librarian.call("knowledge-show")["message"] == "Knowledge base is empty"


def test_where_there_is_nothing_to_recognise_the_answer_says_so(librarian):
    added = librarian.add(librarian.write("tea.txt"), force_ocr=True)
    assert added["warnings"] == ["tea.txt holds no pictures with text: there was nothing to recognise"]
    assert "warnings" not in librarian.add(librarian.write("pot.txt", "A pot."))


def finished(librarian, name, seconds):
    """A file of a megabyte that took so long."""
    asked = IngestJob(path=f"/{name}", size=1_000_000)
    job = enqueue(librarian.kernel, INGEST, asked.to_arguments(), actor="tester")

    def act(session):
        claimed = jobs.claim(session, job.collection, job.id, job.created)
        assert claimed is not None
        jobs.settle(session, claimed, "completed", outcome={}, now=job.created + seconds * SECOND)

    librarian.kernel.store.operate(act)


def test_the_estimate_learns_from_files_of_the_same_sort(librarian):
    for number, seconds in enumerate((1, 1, 1, 2)):
        finished(librarian, f"{number}.txt", seconds)
    for number, seconds in enumerate((30, 40, 900)):
        finished(librarian, f"{number}.pdf", seconds)
    queued = {
        name: librarian.call("knowledge-add", file_path=str(librarian.write(name, start + "x" * 500_000)))
        for name, start in (("note.txt", ""), ("scan.pdf", "%PDF-1.4\n"))
    }
    assert queued["note.txt"]["estimated_time_seconds"] == 1
    # Its own twenty seconds, after the half second of the one before.
    assert queued["scan.pdf"]["estimated_time_seconds"] == 21


def test_a_file_that_could_be_read_in_the_end_is_listed_once(librarian):
    broken = librarian.write("c.html", "x")
    broken.write_bytes(b"\0\1\2" * 100)
    librarian.reply("knowledge-add", file_path=str(broken), **{"async": False})
    librarian.write("c.html", "<p>Tea</p>")
    librarian.add(broken)
    assert listed(librarian) == (1, [("c.html", "completed")])


def test_a_task_that_was_only_just_taken_does_not_wait_any_more(librarian):
    task = librarian.call("knowledge-add", file_path=str(librarian.write("tea.txt")))["task_id"]
    job = take_next(librarian.kernel, ("small", "large"))
    assert job is not None
    taken = librarian.status(task)
    assert (taken["status"], taken["current_step"]) == ("running", "Opening the file")
    adopt_orphans(librarian.kernel)
    left = librarian.status(task)
    assert (left["status"], left["current_step"]) == ("queued", "Waiting in the queue")


def test_another_chunk_size_cuts_what_is_stored_anew(librarian):
    librarian.add(librarian.write("a.txt", "One sentence follows another. " * 100))
    before = librarian.call("knowledge-status")["knowledge_base"]["total_chunks"]
    choose_chunk_size(librarian.kernel.store, librarian.kernel.collection, 200)
    rebuild(librarian.kernel, lambda *told: None)
    after = librarian.call("knowledge-status")
    assert after["knowledge_base"]["total_chunks"] > 2 * before
    assert after["configuration"]["chunk_size"] == 200
    assert all(len(result["chunk_text"]) <= 200 for result in librarian.found("sentence"))
    with pytest.raises(Refusal) as refusal:
        choose_chunk_size(librarian.kernel.store, librarian.kernel.collection, 5)
    assert refusal.value.failure is Failure.INVALID


def test_completed_means_found_by_meaning_too(librarian):
    choose_embedder(librarian.kernel.store, librarian.kernel.collection, DEFAULT)
    librarian.add(librarian.write("tea.txt", "Heat the water for sencha to seventy degrees. " * 60))
    assert librarian.found("temperature of a Japanese infusion")
    assert librarian.call("knowledge-show")["documents"][0]["processing_status"] == "completed"
    choose_embedder(librarian.kernel.store, librarian.kernel.collection, "none")
    choose_embedder(librarian.kernel.store, librarian.kernel.collection, DEFAULT)
    assert index_everything(librarian.kernel, lambda *told: None) == 0
    cleared = librarian.call("knowledge-clear", confirm=True, confirmation_phrase="DELETE ALL")
    assert cleared["embeddings_removed"] > 1


def test_late_vectors_are_those_that_would_have_been_made_at_once(librarian):
    path = librarian.write("a.md", PAGES * 30)
    librarian.add(path)
    choose_embedder(librarian.kernel.store, librarian.kernel.collection, DEFAULT)
    assert librarian.call("knowledge-show")["documents"][0]["processing_status"] == "processing"
    assert index_everything(librarian.kernel, lambda *told: None) > 0
    assert librarian.call("knowledge-show")["documents"][0]["processing_status"] == "completed"


texts = st.lists(st.text(min_size=0, max_size=80), max_size=30).map("\n".join)


@settings(max_examples=60, deadline=None)
@given(text=texts, size=st.integers(20, 400), data=st.data())
def test_chunks_cover_the_text_and_never_cross_a_page(text, size, data):
    offsets = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    marks = [[offset, {"page": number}] for number, offset in enumerate(offsets, start=1)]
    entry = Entry(
        id="0", kind="document", title="t", body=text, attributes={"marks": marks}, aliases=(Alias("doc", "d"),),
        created_at=0, updated_at=0,
    )  # fmt: skip
    passages = passages_of(entry, size)
    assert "".join(text[passage.start : passage.stop] for passage in passages) == text
    for passage in passages:
        assert 0 < passage.stop - passage.start <= size
        assert not any(passage.start < offset < passage.stop for offset in offsets)
        place = json.loads(passage.place or "{}")
        assert place.get("page") == max((n for n, o in enumerate(offsets, 1) if o <= passage.start), default=None)


def test_a_refusal_names_no_folder_that_the_client_did_not_name(librarian):
    sent = f"upload:{uuid.uuid4()}/gone.txt"
    refused = str(librarian.refused("knowledge-add", file_path=sent))
    assert sent in refused
    assert str(librarian.bench.data) not in refused
    allowed = librarian.folder / "allowed"
    allowed.mkdir()
    librarian.kernel = librarian.kernel.having(replace(librarian.bench, roots=(allowed,)))
    refused = str(librarian.refused("knowledge-add", file_path="below/../elsewhere.txt"))
    assert "below/../elsewhere.txt is outside the folders" in refused
    assert str(Path.cwd()) not in refused
    assert str(allowed) not in refused
