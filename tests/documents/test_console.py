"""Documents on a page: found by what they say, and read section by section."""


def test_a_passage_of_a_document_leads_to_it_and_to_its_sections(librarian):
    filler = "The studio opens at nine. " * 120
    librarian.add(
        librarian.write("kiln.md", f"# Kiln\n\n{filler}\n\nThe kiln has three shelves.\n\n# Glaze\n\nGlaze is glass.\n")
    )
    answer = librarian.call("console_search", query="shelves")
    hit = next(each for each in answer["hits"] if each["kind"] == "document")
    assert hit["document"]["id"] == hit["id"]
    assert hit["source"] == "kiln.md"
    document = librarian.call("console_read", handle=hit["handle"])
    assert [section["title"] for section in document["sections"]] == ["Kiln", "Glaze"]
    section = librarian.call("console_read", handle=document["sections"][1]["handle"])
    assert section["document"]["id"] == hit["id"]
    assert "Glaze is glass." in section["body"]


def test_the_queue_says_how_far_each_file_is_why_one_failed_and_what_can_be_cancelled(librarian):
    librarian.add(librarian.write("tea.txt"))
    waiting = librarian.call("knowledge-add", file_path=str(librarian.write("cup.txt", "A cup.")), **{"async": True})
    answer = librarian.call("console_jobs")
    assert [(job["file"], job["state"], job["percent"]) for job in answer["jobs"]] == [
        ("cup.txt", "waiting", 0.0),
        ("tea.txt", "completed", 100.0),
    ]
    assert librarian.call("console_read", handle=answer["jobs"][1]["document"])["kind"] == "document"
    assert librarian.call("console_cancel", id=waiting["task_id"])["cancelled"]
    assert librarian.call("console_jobs")["jobs"][0]["state"] == "cancelled"
