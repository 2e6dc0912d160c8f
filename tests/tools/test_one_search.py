"""One search: query answers with triples too, says what other families have, and never answers with more than asked."""

import json

import pytest

from memotheca import settings
from memotheca.app import build
from tests.conftest import Agent

KILOBYTES_24 = 24_576


def size_of(reply):
    """The bytes of a reply in what a client shows of it: the blocks, or the structured content."""
    return max(len(json.dumps(part, ensure_ascii=False).encode()) for part in (reply.blocks, reply.structured))


def sentence(agent: Agent, **question):
    return agent.reply("query", **question).blocks[0]["text"]


@pytest.fixture
def agent(tmp_path, time):
    app = build(settings.load({"data": str(tmp_path / "data"), "toolsets": "all"}, {}), clock=time)
    yield Agent(app)
    app.kernel.store.close()


@pytest.fixture
def people(agent):
    agent.call("relate", subject="Ada", predicate="works_at", object="Analytical Engines")
    agent.call("relate", subject="Grace", predicate="works_at", object="Harvard")
    agent.call("relate", subject="Ada", predicate="drinks", object="tea")
    agent.store("weather", "It rains on Mondays.")
    return agent


@pytest.mark.parametrize(
    ("content", "first"),
    [
        ("who works at analytical engines", "Ada works at Analytical Engines"),
        ("Where does Ada work?", "Ada works at Analytical Engines"),
        ("who drinks?", "Ada drinks tea"),
        ("Grace", "Grace works at Harvard"),
    ],
)
def test_a_question_about_a_relation_is_answered_with_the_triple(people, content, first):
    answer = people.call("query", content=content)
    assert answer["triples"][0]["sentence"] == first
    assert answer["triples"][0]["id"].startswith("t-")
    assert first in people.reply("query", content=content).blocks[-1]["text"]


def test_triples_are_counted_in_the_sentence(people):
    assert sentence(people, content="who works at analytical engines").startswith("Found 0 entries and ")
    assert "triples" not in people.call("query", content="quantum chromodynamics")
    assert "triples" not in people.call("query", topic="tea")
    assert people.call("query", content="who works at Harvard", kinds=["triple"])["triples"][0]["object"] == "Harvard"
    assert "triples" not in people.call("query", content="who works at Harvard", kinds=["entry"])


def test_a_triple_that_was_deleted_or_is_over_is_no_answer(people):
    ended = {"valid_from": "1939-09-04", "valid_to": "1945-12-31"}
    people.call("relate", subject="Alan", predicate="works_at", object="Bletchley", **ended)
    assert people.call("query", content="who works at Bletchley")["triples"]
    late = people.call("query", content="who works at Bletchley", as_of="1950-01-01")
    assert "Alan works at Bletchley" not in [each["sentence"] for each in late.get("triples", [])]
    (triple,) = people.call("query_graph", subject="Grace")["items"]
    people.call("delete", id=triple["id"], entity_type="triple")
    assert "triples" not in people.call("query", content="Grace Harvard")


def test_where_little_is_found_the_answer_says_what_other_families_have(writer):
    writer.given(one="The graph view shows notes.", two="Open the graph view with a key.")
    answer = writer.call("query", content="graph view")
    assert answer["items"] == []
    assert answer["elsewhere"] == {"note": 2}
    assert sentence(writer, content="graph view") == (
        'Found 0 entries matching "graph view". Elsewhere: 2 notes; pass kinds ["all"].'
    )
    assert len(writer.call("query", content="graph view", kinds=["all"])["items"]) == 2


def test_where_enough_is_found_or_kinds_are_named_nothing_else_is_counted(writer):
    writer.given(one="The graph view shows notes.")
    for number in range(4):
        writer.store(f"graph {number}", "A view.")
    assert "elsewhere" not in writer.call("query", content="graph view")
    assert "elsewhere" not in writer.call("query", content="nothing of it", kinds=["entry"])


def test_whole_notes_are_not_returned_but_their_passages(writer):
    for number in range(30):
        filler = "\n\n".join(f"Paragraph {place} of other matters." * 20 for place in range(30))
        writer.save(f"note{number}.md", f"{filler}\n\nThe graph view is here.\n\n{filler}")
    writer.sync()
    reply = writer.reply("query", content="graph view", kinds=["all"])
    assert size_of(reply) <= KILOBYTES_24
    items = reply.structured["items"]
    assert len(items) >= 8
    assert all("graph view" in item["content"] and item["truncated"] for item in items)
    assert reply.structured["next_cursor"] is not None


def test_large_entries_come_within_24_kilobytes_and_pages_leave_nothing_out(agent):
    for number in range(12):
        agent.store(f"report {number}", f"The reactor failed at noon {number}. " * 300)
    asked, found = {"content": "reactor failed"}, []
    reply = agent.reply("query", **asked)
    while True:
        assert size_of(reply) <= KILOBYTES_24
        found += [item["topic"] for item in reply.structured["items"]]
        if reply.structured["next_cursor"] is None:
            break
        reply = agent.reply("query", **asked, cursor=reply.structured["next_cursor"])
    assert sorted(found) == sorted(f"report {number}" for number in range(12))
    assert "What is long is cut" in sentence(agent, **asked)


def test_short_entries_come_whole(agent):
    agent.store("tea", "Ada takes it black. " * 100)
    (item,) = agent.call("query", topic="tea")["items"]
    assert item["content"] == "Ada takes it black. " * 100
    assert "truncated" not in item


def test_who_reads_nothing_but_text_reads_the_content(agent):
    agent.store("tea", "Ada takes it black.")
    agent.call("relate", subject="Ada", predicate="drinks", object="tea")
    assert agent.reply("query", topic="tea").blocks[-1] == {"type": "text", "text": "e-1 tea: Ada takes it black."}
    assert agent.reply("query_graph", subject="Ada").blocks[-1]["text"] == "t-1: Ada drinks tea"
    lines = agent.reply("history").blocks[-1]["text"].splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("1: CREATE entry e-1 by tester at ")


def test_a_page_of_triples_stays_within_24_kilobytes(agent):
    for number in range(60):
        agent.call("relate", subject=f"Ada {number}", predicate="works_at", object=f"Analytical Engines {number}")
    seen, cursor = [], {}
    while True:
        reply = agent.reply("query_graph", predicate="works_at", **cursor)
        assert size_of(reply) <= KILOBYTES_24
        seen += [item["id"] for item in reply.structured["items"]]
        if reply.structured["next_cursor"] is None:
            break
        cursor = {"cursor": reply.structured["next_cursor"]}
    assert len(seen) == len(set(seen)) == 60
    assert len(agent.call("query_graph", predicate="works_at", limit=55)["items"]) == 55


def test_documents_that_are_not_there_point_to_the_notes_that_are(writer):
    writer.given(one="The graph view shows notes.", two="Open the graph view with a key.")
    reply = writer.reply("knowledge-search", query="graph view")
    assert reply.failed
    assert reply.structured["message"] == "Knowledge base is empty. Add documents with knowledge-add first"
    assert reply.structured["elsewhere"] == 'No document matches. Elsewhere: 2 notes; query with kinds ["all"].'
    assert "elsewhere" not in writer.reply("knowledge-search", query="quantum chromodynamics").structured


def test_notes_that_do_not_match_point_to_what_does(agent, tmp_path):
    agent.store("kettle", "The kettle boils at noon.")
    reply = agent.reply("search", query="kettle boils")
    assert reply.structured["result"] == []
    assert reply.structured["_warnings"] == ['No note matches. Elsewhere: 1 entry; query with kinds ["all"].']
    assert json.loads(reply.blocks[0]["text"]) == []


def test_no_tool_is_advised_that_is_not_shown(writer):
    writer.given(one="The graph view shows notes.")
    advised = {
        "documents,entries": '; query with kinds ["all"]',
        "documents,memories": "; search_graph finds it",
        "documents": "",
    }
    for toolsets, advice in advised.items():
        writer.app.catalog.choose(toolsets.split(","))
        told = writer.reply("knowledge-search", query="graph view").structured["elsewhere"]
        assert told == f"No document matches. Elsewhere: 1 note{advice}."


def test_a_context_has_the_triple_with_a_citation_that_opens(people):
    made = people.call("inject_context", query="who works at analytical engines")
    assert "Ada works at Analytical Engines" in made["context"]
    (node,) = [each for each in made["nodes_retrieved"] if each["name"] == "Ada works at Analytical Engines"]
    opened = people.call("hydrate_citation", citation_tag=node["citation"])
    assert opened["raw_content"] == "Ada works at Analytical Engines."
    assert opened["kind"] == "triple"
