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
