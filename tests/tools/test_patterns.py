"""The patterns family as its contract has it: gating, markers, discriminators, asking back, errors."""

import json
import re

import jsonschema_rs
import pytest

from memotheca import settings
from memotheca.app import CONTRACTS, build
from memotheca.model.errors import Failure, Refusal
from memotheca.patterns import pattern_search
from memotheca.patterns.read_patterns import all_cards
from memotheca.toolkit.ask import Dialogue, Form, Response, Unanswered, key_of
from memotheca.toolkit.fields import object_schema
from memotheca.toolkit.tool import Call
from memotheca.tools.patterns.contract import TOOL_ERROR_SCHEMA
from memotheca.tools.patterns.pages import CARD_MARKER, INDEX_MARKER
from memotheca.tools.patterns.shapes import Details, NeedsInput, SearchResults
from tests.conftest import Agent, Time
from tests.engine.desk import FakeEmbedder
from tests.engine.patterns.catalogues import bring_in, by_words_alone, write, write_many

FORMATS = ("markdown", "json", "both")
SCHEMAS = [*(object_schema(model) for model in (SearchResults, Details, NeedsInput)), TOOL_ERROR_SCHEMA]
UNION = [(schema["properties"]["kind"]["enum"][0], jsonschema_rs.validator_for(schema)) for schema in SCHEMAS]


@pytest.fixture
def agent(agent):
    by_words_alone(agent.kernel)
    return agent


@pytest.fixture(scope="module")
def shop(database, tmp_path_factory):
    """Somebody with thirty patterns about gadgets beside the shipped ones; nothing of it changes."""
    folder = tmp_path_factory.mktemp("shop")
    app = build(settings.load({"data": str(folder / "data")}, {}), clock=Time())
    by_words_alone(app.kernel)
    all_cards(app.kernel)
    write_many(folder / "gadgets", 30)
    bring_in(app.kernel, folder / "gadgets")
    yield Agent(app)
    app.kernel.store.close()


def extract(reply):
    """The last JSON block that is one of the four kinds: what a client should rely on."""
    for block in reversed(reply.blocks):
        try:
            payload = json.loads(block["text"])
        except ValueError:
            continue
        for kind, validator in UNION:
            if payload.get("kind") == kind and validator.is_valid(payload):
                return payload
    raise AssertionError("there is no structured JSON block")


CASES = {
    "search": ("search_patterns", {"q": "retry backoff", "limit": 5}),
    "nothing": ("search_patterns", {"q": "xylophone quartet"}),
    "provenance": ("search_patterns", {"q": "circuit breaker", "includeProvenancePanel": True, "limitCards": 1}),
    "details": ("get_pattern", {"id": "circuit-breaker"}),
    "needs-words": ("search_patterns", {"q": "  "}),
    "needs-narrowing": ("search_patterns", {"q": "gadget", "limit": 2}),
    "needs-id": ("get_pattern", {"id": "circut-braker"}),
    "error": ("search_patterns", {"q": "x", "limit": 0}),
    "categories": ("list_pattern_categories", {}),
    "skills": ("list_skills", {"q": "curate memory"}),
    "skill": ("get_skill", {"slug": "harden-a-service"}),
    "needs-skill": ("get_skill", {"slug": "harden-service"}),
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", CASES)
def test_golden_patterns(shop, golden, name, format):
    tool, arguments = CASES[name]
    reply = shop.reply(tool, **arguments, format=format)
    golden(
        f"patterns/{name}-{format}", {"blocks": reply.blocks, "structured": reply.structured, "isError": reply.failed}
    )


@pytest.mark.parametrize("name", CASES)
def test_the_format_decides_which_blocks_there_are(shop, name):
    tool, arguments = CASES[name]
    replies = {format: shop.reply(tool, **arguments, format=format) for format in FORMATS}
    words = "text/plain" if replies["json"].failed else "text/markdown"
    types = {format: [block["mimeType"] for block in reply.blocks] for format, reply in replies.items()}
    assert set(types["markdown"]) == {words}
    assert types["json"] == ["application/json"]
    assert types["both"] == [*types["markdown"], "application/json"]
    for format in ("json", "both"):
        assert json.loads(replies[format].blocks[-1]["text"]) == replies[format].structured
    assert shop.reply(tool, **arguments).blocks == replies["markdown"].blocks
    assert all(reply.structured["kind"] == replies["json"].structured["kind"] for reply in replies.values())


@pytest.mark.parametrize("format", ["json", "both"])
def test_search_results_are_extracted_from_the_last_json_block(shop, format):
    assert extract(shop.reply("search_patterns", q="error", format=format))["kind"] == "patternSearchResults:v1"
    assert extract(shop.reply("get_pattern", id="outbox", format=format))["kind"] == "patternDetails:v1"
    asked = extract(shop.reply("search_patterns", q="", format=format))
    assert (asked["kind"], asked["type"], asked["needsInput"]["fields"]) == ("needsInput:v1", "elicitation", ["q"])
    refused = shop.reply("search_patterns", q="error", difficulty="heroic", format=format)
    assert refused.failed
    assert extract(refused)["code"] == "CLIENT_ERROR"


@pytest.mark.parametrize("cards", [1, 2, 3, 10])
@pytest.mark.parametrize("format", FORMATS)
def test_markers_are_placed_and_counted(shop, cards, format):
    reply = shop.reply("search_patterns", q="memory", format=format, limitCards=cards)
    text = "\n".join(block["text"] for block in reply.blocks if block["mimeType"] == "text/markdown")
    metadata = reply.structured["metadata"]
    markers = metadata["contractMarkers"]
    shown = metadata["renderedCardIds"]
    assert markers == {"index": text.count(INDEX_MARKER), "cards": text.count(CARD_MARKER), "version": "v1"}
    assert markers["index"] == (0 if format == "json" else 1)
    assert markers["cards"] == len(shown) == metadata["renderedCards"]
    assert shown == [pattern["id"] for pattern in reply.structured["patterns"]][: metadata["renderedCards"]]
    for marker in (INDEX_MARKER, CARD_MARKER):
        assert len(re.findall(rf"\n\n{marker}\n\n", text)) == text.count(marker)


def test_markdown_has_no_json_and_no_narration(shop):
    for tool, arguments in (("search_patterns", {"q": "retry"}), ("get_pattern", {"id": "outbox"})):
        text = "\n".join(block["text"] for block in shop.reply(tool, **arguments).blocks)
        assert CARD_MARKER in text
        assert '"kind"' not in text
        assert not re.search(
            r"\b(I will|I have|I found|Let me|Here are|Calling|tool)\b", re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        )


def test_text_of_a_catalogue_cannot_forge_a_marker(agent, tmp_path):
    forged = f"{CARD_MARKER}\n\n{INDEX_MARKER}"
    write_many(tmp_path / "f", 1, "forgery")
    file = tmp_path / "f" / "forgery-0.md"
    text = file.read_text().replace("turns slowly", f"turns\n\n{forged}\n\n")
    write(tmp_path / "f", "forgery-0.md", text.replace("assert 0 == 0", f"print('{CARD_MARKER}')\n{INDEX_MARKER}"))
    bring_in(agent.kernel, tmp_path / "f")
    reply = agent.reply("search_patterns", q=f"forgery {INDEX_MARKER}")
    assert reply.structured["metadata"]["contractMarkers"] == {"index": 1, "cards": 1, "version": "v1"}
    text = "\n".join(block["text"] for block in agent.reply("get_pattern", id="forgery-0").blocks)
    assert (text.count(CARD_MARKER), text.count(INDEX_MARKER)) == (1, 0)


def test_the_query_is_echoed_without_what_was_not_said(shop):
    assert shop.call("search_patterns", q="retry")["query"] == {"q": "retry", "format": "markdown"}
    said = {"q": "retry", "category": "reliability", "difficulty": "beginner", "limit": 3, "format": "both"}
    assert shop.call("search_patterns", **said)["query"] == said


def test_results_carry_all_matches_and_counts_before_the_limit(shop):
    every = shop.call("search_patterns", q="memory")
    assert len(every["patterns"]) == every["metadata"]["totalCount"] > 3
    assert sum(every["metadata"]["categories"].values()) == every["metadata"]["totalCount"]
    assert sum(every["metadata"]["difficulties"].values()) == every["metadata"]["totalCount"]
    assert set(every["patterns"][0]) == {"id", "title", "category", "difficulty", "description", "tags"}
    some = shop.call("search_patterns", q="memory", limit=2)
    for name in ("totalCount", "categories", "difficulties"):
        assert some["metadata"][name] == every["metadata"][name]
    assert some["metadata"]["renderedCards"] == 2
    assert some["patterns"] == every["patterns"][:2]
    assert "patterns" not in shop.call("search_patterns", q="memory", includeStructuredPatterns=False)


def test_filters_narrow(shop):
    found = shop.call("search_patterns", q="memory", category="Agent Memory", difficulty="beginner")
    assert found["metadata"]["categories"].keys() == {"agent-memory"}
    assert found["metadata"]["difficulties"].keys() == {"beginner"}
    assert found["query"]["category"] == "Agent Memory"


@pytest.mark.parametrize("limit", [None, 1, 100])
def test_more_than_twenty_matches_ask_for_a_filter_whatever_the_limit(shop, limit):
    said = {} if limit is None else {"limit": limit}
    asked = shop.call("search_patterns", q="gadget", **said)
    assert asked["kind"] == "needsInput:v1"
    assert asked["message"] == "Found 30 patterns. Would you like to narrow your search by category or difficulty?"
    assert asked["needsInput"]["suggestions"] == {
        "category": ["assembly", "paint", "wiring"],
        "difficulty": ["beginner", "intermediate", "advanced"],
    }
    assert {option["field"] for option in asked["options"]} == {"category", "difficulty"}
    assert shop.call("search_patterns", q="gadget", category="assembly", **said)["metadata"]["totalCount"] == 16
    assert shop.call("search_patterns", q="gadget", difficulty="advanced", **said)["metadata"]["totalCount"] == 12


def test_twenty_matches_are_answered(agent, tmp_path):
    write_many(tmp_path / "g", 20)
    bring_in(agent.kernel, tmp_path / "g")
    assert agent.call("search_patterns", q="gadget")["metadata"]["totalCount"] == 20


def test_only_what_has_the_most_words_counts(shop):
    assert shop.call("search_patterns", q="gadget 17")["patterns"][0]["id"] == "gadget-17"
    found = shop.call("search_patterns", q="circuit breaker gadget")
    assert [pattern["id"] for pattern in found["patterns"]] == ["circuit-breaker"]


@pytest.mark.parametrize(
    ("id", "near"),
    [("circut-breaker", "circuit-breaker"), ("Circuit Breaker", "circuit-breaker"), ("retry", "retry-with-backoff")],
)
def test_an_unknown_id_is_answered_with_near_ones(shop, id, near):
    asked = shop.call("get_pattern", id=id)
    assert asked["message"] == f'Pattern "{id}" not found. Please provide a valid pattern ID.'
    assert asked["needsInput"]["suggestions"]["id"][0] == near
    assert 1 <= len(asked["options"]) <= 5


@pytest.mark.parametrize("said", [{}, {"id": ""}, {"id": "   "}, {"id": "qqqqqq"}])
def test_an_id_that_nothing_resembles_has_no_suggestions(shop, said):
    asked = shop.call("get_pattern", **said)
    assert asked["needsInput"]["suggestions"] == {"id": []}
    assert asked["options"] == []


@pytest.mark.parametrize("handle", ["outbox", "pattern:outbox", " OUTBOX "])
def test_every_handle_finds_its_pattern(shop, handle):
    details = shop.call("get_pattern", id=handle)
    assert details["id"] == "outbox"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", details["provenance"]["timestamp"])
    assert details["provenance"]["source"] == "starter/reliability/outbox.md"


def test_no_local_path_leaves(shop, tmp_path):
    for tool, arguments in (
        ("get_pattern", {"id": "gadget-3"}),
        ("search_patterns", {"q": "gadget 3", "includeProvenancePanel": True}),
    ):
        assert str(tmp_path) not in json.dumps(shop.reply(tool, **arguments, format="both").blocks)


def test_what_is_too_large_is_an_error_of_its_own(agent, tmp_path):
    write_many(tmp_path / "g", 12)
    for number in range(12):
        file = tmp_path / "g" / f"gadget-{number}.md"
        file.write_text(file.read_text().replace("turns slowly", "turns " + "slowly " * 15_000))
    bring_in(agent.kernel, tmp_path / "g")
    reply = agent.reply("search_patterns", q="gadget", format="json")
    assert reply.failed
    assert extract(reply) == reply.structured
    assert (reply.structured["code"], reply.structured["retryable"]) == ("SERVER_ERROR", False)
    assert "with limit or a filter" in reply.structured["message"]
    assert not agent.reply("search_patterns", q="gadget", limit=5, format="both").failed


def test_whatever_can_be_imported_can_be_shown(agent, tmp_path):
    write_many(tmp_path / "g", 2)
    lines = '"\\n' * 42_000
    for number, code in ((0, lines), (1, lines * 2)):
        file = tmp_path / "g" / f"gadget-{number}.md"
        file.write_text(file.read_text().replace(f"assert {number} == {number}", code))
    account = bring_in(agent.kernel, tmp_path / "g")
    assert [line.status for line in account.lines] == ["read", "not read"]
    assert "128 KB" in account.lines[1].notes[0]
    for format in ("markdown", "json", "both"):
        reply = agent.reply("get_pattern", id="gadget-0", format=format)
        assert not reply.failed, reply.structured


def test_no_query_is_asked_for_like_an_empty_one(agent):
    assert agent.call("search_patterns", q=None) == agent.call("search_patterns")


def test_all_categories_are_offered_to_narrow_by(agent, tmp_path):
    write_many(tmp_path / "g", 30)
    for number in range(30):
        file = tmp_path / "g" / f"gadget-{number}.md"
        file.write_text(re.sub("category: .*", f"category: shelf-{number}", file.read_text()))
    bring_in(agent.kernel, tmp_path / "g")
    assert len(agent.call("search_patterns", q="gadget")["needsInput"]["suggestions"]["category"]) == 30


def test_what_is_asked_for_has_the_bounds_of_the_argument(agent):
    call = Call(kernel=agent.kernel, actor="t", conversation=Dialogue(frozenset({"person"}), {}))
    with pytest.raises(Unanswered) as asked:
        agent.app.dispatcher.run("search_patterns", {}, call)
    most = agent.app.catalog.find("search_patterns").wire["inputSchema"]["properties"]["q"]["maxLength"]
    assert isinstance(asked.value.question, Form)
    assert asked.value.question.fields["q"]["maxLength"] == most


def test_failures_are_gated_and_retryable_only_where_the_contract_says():
    contract = CONTRACTS["patterns"]
    for failure in Failure:
        refusal = Refusal(failure, "no")
        refusal.arguments = {"format": "both"}
        plain, machine = contract.failure(refusal).blocks
        assert (plain["mimeType"], machine["mimeType"]) == ("text/plain", "application/json")
        error = json.loads(machine["text"])
        assert not error["retryable"] or error["code"] in ("NETWORK_ERROR", "SERVER_ERROR")


def asking(agent, tool, arguments, *responses):
    """Call a tool for somebody who answers its questions in turn."""
    answers = {}
    for response in responses:
        call = Call(kernel=agent.kernel, actor="t", conversation=Dialogue(frozenset({"person"}), answers))
        with pytest.raises(Unanswered) as asked:
            agent.app.dispatcher.run(tool, arguments, call)
        answers = {**answers, key_of(asked.value.question): response}
    call = Call(kernel=agent.kernel, actor="t", conversation=Dialogue(frozenset({"person"}), answers))
    return agent.app.dispatcher.run(tool, arguments, call).structured


def test_an_answer_is_gone_on_with_and_anything_else_falls_back(shop):
    narrowed = asking(
        shop, "search_patterns", {}, Response("accepted", {"q": "gadget"}), Response("accepted", {"category": "paint"})
    )
    assert narrowed["query"] == {"q": "gadget", "category": "paint", "format": "markdown"}
    assert narrowed["metadata"]["totalCount"] == 7
    everything = asking(shop, "search_patterns", {"q": "gadget"}, Response("accepted"))
    assert everything["metadata"]["totalCount"] == 30
    chosen = asking(shop, "get_pattern", {"id": "outbx"}, Response("accepted", {"id": "outbox"}))
    assert chosen["id"] == "outbox"
    for said in ({}, {"id": "zzzz qqqq"}):
        assert asking(shop, "get_pattern", said, Response("accepted", {"id": "outbox"}))["id"] == "outbox"
    assert asking(shop, "get_pattern", {}, Response("accepted", {"id": "nowhere"}))["kind"] == "needsInput:v1"
    assert asking(shop, "get_skill", {}, Response("accepted", {"id": "curate-memory"}))["slug"] == "curate-memory"
    for outcome in ("declined", "cancelled"):
        assert asking(shop, "search_patterns", {"q": ""}, Response(outcome))["kind"] == "needsInput:v1"
        assert asking(shop, "get_pattern", {"id": "outbx"}, Response(outcome))["kind"] == "needsInput:v1"


def test_skills_are_listed_found_and_kept_apart_from_patterns(shop):
    listed = shop.call("list_skills")
    assert [skill["slug"] for skill in listed["skills"]] == ["answer-from-memory", "curate-memory", "harden-a-service"]
    assert shop.call("list_skills", category="reliability")["totalCount"] == 1
    assert shop.call("list_skills", limit=1)["skills"] == listed["skills"][:1]
    assert shop.call("get_pattern", id="curate-memory")["kind"] == "needsInput:v1"
    assert shop.call("get_skill", slug="curate-memory")["kind"] == "skillDetails:v1"


def test_a_question_is_embedded_once_however_often_it_is_looked_for(agent, monkeypatch):
    class Counting(FakeEmbedder):
        def embed_question(self, text):
            asked.append(text)
            return super().embed_question(text)

    asked: list[str] = []
    embedder = Counting("counting")
    monkeypatch.setattr(pattern_search, "embedder_of", lambda kernel, session: embedder)
    found = agent.call("search_patterns", q="Zxqv, WQZX!")
    assert found["metadata"]["totalCount"] == 0
    assert asked == ["Zxqv, WQZX!"]
