"""What a person reads: names of things instead of ids, the file and the page, and one graph of everything."""

import json
import re

import pytest


@pytest.fixture
def run(run, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    run("reindex", "--embedder", "none", "--json")
    return run


@pytest.fixture
def full(run, tmp_path):
    """A collection with something of every family."""
    folder, vault = tmp_path / "papers", tmp_path / "vault"
    folder.mkdir()
    vault.mkdir()
    (folder / "handbook.html").write_text("<title>General Handbook</title><h1>Badges</h1><p>Ask at the lodge.</p>")
    (vault / "index.md").write_text("[[tea]] [[nowhere]]")
    (vault / "tea.md").write_text("Green.")
    run("call", "store", "topic=tea", "content=Ada takes it black.")
    run("call", "relate", "subject=Ada", "predicate=works_at", "object=Analytical Engines")
    assert run("add", folder)[0] == 0
    assert run("vault", "--vault", vault)[0] == 0
    memory = '{"content": "The lift is out of order.", "rationale": "The porter said so."}'
    assert run("call", "store_memory", memory, "--toolsets", "all")[0] == 0
    return run


def told(run, *arguments):
    code, out, err = run(*arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def test_history_names_what_each_transaction_is_about(full):
    out = full("history")[1]
    for words in (
        "CREATE  entry    tea: Ada takes it black.",
        "CREATE  triple   Ada works_at Analytical Engines",
        "CREATE  document handbook.html “General Handbook”",
        "CREATE  memory   The lift is out of order.",
    ):
        assert words in out
    document = told(full, "documents")["documents"][0]
    assert document["handle"] not in out
    assert f"({document['handle'][:8]})" in out
    names = [item["name"] for item in told(full, "history")["items"]]
    assert "Ada works_at Analytical Engines" in names


def test_what_begins_with_its_topic_is_told_once(full):
    full("remember", "Bob has the key. It hangs in the hall.")
    assert "entry    Bob has the key. It hangs in the hall.  by cli" in full("history")[1]


def test_one_is_said_in_the_singular(full, tmp_path):
    (tmp_path / "mem0.json").write_text(
        '{"results": [{"id": "1", "memory": "Ada likes pears."}, {"id": "2", "memory": ""}]}'
    )
    said = full("import", tmp_path / "mem0.json")[1]
    assert "Not read: memories without text (1)." in said
    for command in (("doctor",), ("status",), ("vault",), ("memory",), ("collections",)):
        said += full(*command)[1]
    assert not re.findall(r"\b1 (?:[a-z]+ies|[a-z]*[^s\W]s)\b", said), said


def test_history_of_a_kind_that_is_none_is_refused_with_those_there_are(full):
    code, _, err = full("history", "--type", "nonsense")
    assert (code, "triple" in err, "document" in err) == (2, True, True)
    assert full("history", "--limit", "0")[0] == 2
    assert "handbook.html" in full("history", "--type", "document")[1]


def test_undo_says_by_name_what_it_took_back(full):
    full("undo")
    out = full("undo", "--tx", "1")[1]
    assert "entry tea: Ada takes it black." in out
    assert told(full, "undo", "--tx", "2")["reverted"][0]["name"] == "Ada works_at Analytical Engines"


def test_search_says_in_which_file_and_where(full, tmp_path):
    out = full("search", "where do I get badges", "--kind", "document")[1]
    assert "General Handbook" in out
    assert str(tmp_path / "papers" / "handbook.html") in out
    assert "headings Badges" in out
    (found,) = told(full, "search", "lodge badges", "--kind", "document")["items"]
    assert (found["filename"], found["path"]) == ("handbook.html", str(tmp_path / "papers" / "handbook.html"))
    note = told(full, "search", "green", "--kind", "note")["items"][0]
    assert (note["filename"], note["path"]) == ("tea.md", "tea.md")


def test_what_has_no_text_of_its_own_leaves_no_empty_line(full):
    out = full("search", "Analytical Engines", "--kind", "entity")[1]
    assert "Analytical Engines" in out
    assert all(line.strip() for line in out.splitlines())


def test_documents_are_listed_with_their_folders(full, tmp_path):
    out = full("documents")[1]
    assert out.splitlines()[0] == "handbook.html"
    assert str(tmp_path / "papers") in out
    assert told(full, "documents")["documents"][0]["folder"] == str(tmp_path / "papers")
    assert "1 document.\n" in out


def handles(run):
    document = told(run, "documents")["documents"][0]["handle"]
    memory = told(run, "search", "lift", "--kind", "memory")["items"][0]["handle"]
    return {
        "e-1": "tea",
        "Ada": "Ada",
        "entity:Ada": "Ada",
        "t-1": "Ada",
        "handbook.html": "General Handbook",
        document: "General Handbook",
        document[:8]: "General Handbook",
        f"doc:{document}": "General Handbook",
        f"{document[:8]}#badges": "Badges",
        "index.md": "Index",
        "index": "Index",
        "note:tea.md": "Tea",
        memory: "The lift is out of order.",
        f"[{memory}]": "The lift is out of order.",
    }


def test_the_graph_around_any_handle_of_any_family_is_drawn(full):
    for handle, title in handles(full).items():
        code, out, err = full("graph", handle)
        assert (code, out.startswith(title)) == (0, True), (handle, out, err)
    assert full("graph", "Ada")[1].splitlines() == ["Ada", "└─> works_at: Analytical Engines"]
    assert full("graph", "Analytical Engines")[1].splitlines()[1] == "└─< works_at: Ada"
    assert "└─> has_section: Badges" in full("graph", "handbook.html")[1]
    assert '-->|"works_at"| n1' in full("graph", "Ada", "--format", "mermaid")[1]
    assert 'n0 -> n1 [label="works_at"]' in full("graph", "Ada", "--format", "dot")[1]
    drawn = told(full, "graph", "t-1")
    assert drawn["edges"] == [{"source": "Ada", "target": "Analytical Engines", "predicate": "works_at"}]
    code, _, err = full("graph", "nobody")
    assert (code, "There is nothing under 'nobody'" in err) == (1, True)


def test_any_thing_can_be_shown_in_full(full, tmp_path):
    for handle in handles(full):
        assert full("show", handle)[0] == 0, handle
    out = full("show", "e-1")[1]
    assert "Ada takes it black." in out
    out = full("show", "handbook.html")[1]
    assert str(tmp_path / "papers" / "handbook.html") in out
    assert "Ask at the lodge." in out
    shown = told(full, "show", "t-1")
    assert (shown["subject"], shown["predicate"], shown["object"]) == ("Ada", "works_at", "Analytical Engines")
    full("undo", "--tx", "1")
    out = full("show", "e-1")[1]
    assert "memotheca undo --tx" in out
    assert "Ada takes it black." in out


def test_a_name_of_several_things_lists_them(full, tmp_path):
    (tmp_path / "papers" / "sub").mkdir()
    (tmp_path / "papers" / "sub" / "handbook.html").write_text("<p>Another one.</p>")
    full("add", tmp_path / "papers" / "sub")
    for command in (("show",), ("erase", "--yes"), ("remove", "--yes")):
        code, _, err = full(*command, "handbook.html")
        assert code == 1
        assert err.count("handbook.html") >= 3


def test_what_is_removed_or_erased_can_be_named_by_its_file(full):
    document = told(full, "documents")["documents"][0]
    assert full("remove", document["handle"][:8], "--yes")[0] == 0
    full("undo")
    code, out, err = full("erase", "handbook.html", "--yes")
    assert code == 0, err
    assert "Erased " in out
    assert told(full, "documents")["total"] == 0


def test_documents_are_no_memories_and_are_not_to_be_merged(full, tmp_path):
    for name in ("one", "two"):
        (tmp_path / "papers" / f"{name}.html").write_text(
            f"<h1>Contents</h1><p>The very same words.</p><!-- {name} -->"
        )
    full("add", tmp_path / "papers")
    state = told(full, "memory")
    assert {node["kind"] for node in state["recent"]} <= {"memory", "entry", "note"}
    assert "The lift is out of order." in {node["name"] for node in state["recent"]}
    assert state["tasks"] == []


def test_status_is_said_as_people_say_it(full):
    out = full("status")[1]
    assert "1 entry, 2 entities, 2 notes, 1 document, 1 memory" in out
    assert "2 edges, 2 links in notes" in out
    assert told(full, "status")["links"] == 2
    out = full("status", "--collection", "nosuch")[1]
    assert "nosuch (does not exist yet)" in out
    assert "default" in out
    assert told(full, "status", "--collection", "nosuch")["exists"] is False


def test_collections_are_listed(full):
    full("call", "store", "topic=a", "content=b", "--collection", "team")
    assert [each["collection"] for each in told(full, "collections")] == ["default", "team"]
    assert "team     1 entry, 1 transaction" in full("collections")[1]
