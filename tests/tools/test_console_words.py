"""The console's words: what a person reads of a thing is whole words and times, not what is kept."""

from tests.tools.test_console import ask


def test_what_has_no_title_is_named_by_its_beginning_cut_between_words(agent):
    agent.app.catalog.choose(["all"])
    text = "The lamp above the third bench flickers whenever the large kiln is switched on, says Ada, who sits there."
    first = ask(agent, "store_memory", content=text, rationale="It was seen there.")["node_id"]
    other = ask(agent, "store_memory", content="o" * 300, rationale="It was seen there.")["node_id"]
    title = ask(agent, "console_read", handle=first)["title"]
    assert title == "The lamp above the third bench flickers whenever the large kiln is switched…"
    assert ask(agent, "console_read", handle=other)["title"] == f"{'o' * 79}…"


def test_a_moment_beside_a_thing_is_told_as_a_time(agent):
    agent.app.catalog.choose(["all"])
    given = {"content": "The kiln was fired.", "rationale": "It was seen there.", "occurred_at": "2026-01-05T08:00:00Z"}
    id = ask(agent, "store_memory", **given)["node_id"]
    read = ask(agent, "console_read", handle=id)
    assert read["attributes"]["occurred_at"] == "2026-01-05T08:00:00Z"
    assert ["occurred at", "2026-01-05T08:00:00Z"] in [
        [change["field"], change["after"]] for change in read["versions"][0]["changes"]
    ]


def test_what_stands_in_the_way_of_an_undo_is_named_as_people_name_it(agent):
    agent.app.catalog.choose(["all"])
    node = ask(agent, "store_memory", content="The kiln stands in the yard.", rationale="It was seen there.")["node_id"]
    first = ask(agent, "console_history")["newest"]["tx"]
    ask(agent, "console_change", handle=node, action="edit", content="The kiln stands in the shed.")
    last = ask(agent, "console_history")["newest"]["tx"]
    found = ask(agent, "console_preview", tx=first)
    assert (found["possible"], found["blocked_by"]) == (False, last)
    assert f"transaction {last} changed “The kiln stands in the shed.” since" in found["reason"]
    ask(agent, "console_change", handle=node, action="forget")
    gone = ask(agent, "console_preview", tx=last)
    assert "Undo that one first" in gone["reason"]
