"""query: what matches, in which order, and page by page in one snapshot."""

import gc
import time
from dataclasses import asdict

import pytest

from memotheca.kernel.paging import PagePosition, to_cursor
from memotheca.search.search import Question
from memotheca.text.tokens import count_tokens


@pytest.fixture
def library(agent):
    agent.store("deployment", "Use blue-green deploys for zero-downtime releases.", tags=["ops"])
    agent.store("deployment rollback", "Rollback within 5 min if error rate exceeds 1%.", tags=["ops", "incident"])
    agent.store("tea", "Ada takes it black; see parse_config in src/app.py.", tags=["People"], memory_type="core")
    agent.store("数据库", "连接池配置很重要", knowledge_type="lesson")
    agent.store("hamlet", "To be, or not to be: that is the question.")
    return agent


def test_topic_keeps_entries_whose_topic_carries_its_words(library):
    assert library.topics(topic="deployment") == ["deployment", "deployment rollback"]
    assert library.topics(topic="rollback deployments") == ["deployment rollback"]
    assert library.topics(topic="releases") == []


def test_content_is_asked_over_topic_body_and_tags(library):
    assert library.topics(content="how are releases done without downtime?")[0] == "deployment"
    assert library.topics(content="incident")[0] == "deployment rollback"
    assert "tea" in library.topics(content="what does Ada drink with tea")


def test_an_entry_must_match_both_topic_and_content(library):
    assert library.topics(topic="deployment", content="error rate") == ["deployment rollback"]
    assert library.topics(topic="deployment", content="tea") == []


def test_only_what_matches_is_returned(library):
    answer = library.call("query", content="quantum chromodynamics")
    assert answer["items"] == []
    assert answer["next_cursor"] is None


@pytest.mark.parametrize(
    ("content", "topic"),
    [
        ("parse_config", "tea"),
        ("src/app.py", "tea"),
        ("连接", "数据库"),
        ("数据", "数据库"),
        ('"error rate"', "deployment rollback"),
        ("to be or not to be", "hamlet"),
        ("1%", "deployment rollback"),
    ],
)
def test_identifiers_phrases_numbers_cjk_and_stop_words_find(library, content, topic):
    assert library.topics(content=content)[0] == topic


def test_a_quoted_phrase_ranks_above_its_scattered_words(agent):
    agent.store("scattered", "The rate at which one makes an error grows; the error is small and the rate is too.")
    agent.store("together", "Watch the error rate of the service closely at all times during the day.")
    assert agent.topics(content='"error rate"')[0] == "together"


def test_tags_must_all_match_whatever_their_case(library):
    assert library.topics(tags=["ops"]) == ["deployment", "deployment rollback"]
    assert library.topics(tags=["OPS", "incident"]) == ["deployment rollback"]
    assert library.topics(tags=["people"]) == ["tea"]


def test_types_filter(library):
    assert library.topics(knowledge_type="lesson") == ["数据库"]
    assert library.topics(memory_type="core") == ["tea"]
    assert library.topics(memory_type="core", content="hamlet") == []


def test_strict_substring_matches_letters(library):
    assert library.topics(content="blue-gre", strict_substring=True) == ["deployment"]
    assert library.topics(topic="ploy", strict_substring=True) == ["deployment", "deployment rollback"]
    assert library.topics(content="ploy the", strict_substring=True) == []


def test_what_has_no_words_is_matched_by_its_letters(agent):
    agent.store("launch", "🚀🚀 soon")
    agent.store("other", "no rocket")
    assert agent.topics(content="🚀") == ["launch"]


def test_as_of_keeps_what_was_valid_then(agent):
    agent.store("old", "x", valid_from="2020-01-01", valid_to="2021-01-01")
    agent.store("new", "x", valid_from="2021-01-01", valid_to="infinite")
    agent.store("always", "x")
    assert agent.topics(as_of="2020-06-01") == ["old", "always"]
    assert agent.topics(as_of="2021-01-01") == ["old", "new", "always"]
    assert agent.topics(as_of="2030-01-01T00:00:00+02:00") == ["new", "always"]
    assert agent.error("query", as_of="yesterday")["field"] == "as_of"


def test_scores_fall_from_one_and_equal_scores_keep_the_order_of_making(library):
    items = library.call("query", content="deployment rollback error")["items"]
    totals = [item["score_total"] for item in items]
    assert totals[0] == 1.0
    assert totals == sorted(totals, reverse=True)
    assert library.call("query", tags=["ops"])["items"][0]["score_total"] is None


def test_entities_are_found_only_when_asked_for(library):
    library.call("relate", subject="Ada", predicate="drinks", object="tea")
    assert "Ada" not in library.topics()
    assert library.topics(kinds=["entity"]) == ["Ada", "tea"]
    assert len(library.topics(kinds=["all"])) == 7


def test_pages_come_from_one_snapshot_whatever_is_written_meanwhile(agent):
    for number in range(7):
        agent.store(f"note {number}", "same words here")
    first = agent.call("query", content="words", limit=3)
    agent.store("note 7", "same words here")
    agent.call("delete", id="e-5")
    agent.call("update", id="e-6", content="no longer")
    second = agent.call("query", content="words", limit=3, cursor=first["next_cursor"])
    third = agent.call("query", content="words", limit=3, cursor=second["next_cursor"])
    seen = [item["topic"] for page in (first, second, third) for item in page["items"]]
    assert sorted(seen) == [f"note {number}" for number in range(7)]
    assert {page["as_of_tx_id"] for page in (first, second, third)} == {7}
    assert third["next_cursor"] is None


def test_a_cursor_belongs_to_its_question_and_to_this_collection(agent):
    for number in range(3):
        agent.store(f"note {number}", "words")
    cursor = agent.call("query", content="words", limit=1)["next_cursor"]
    assert agent.error("query", content="other", limit=1, cursor=cursor)["field"] == "cursor"
    assert agent.error("query", content="words", limit=1, cursor="rubbish!")["field"] == "cursor"
    agent.kernel.store.database.close()


def test_a_cursor_from_a_future_that_never_was_has_expired(agent, tmp_path):
    agent.store("x", "words")
    question = asdict(Question(content="words"))
    error = agent.error("query", content="words", cursor=to_cursor(PagePosition(99, 0, "x"), question))
    assert error["details"]["reason"] == "cursor_expired"


def test_the_answer_names_the_resource_and_arguments_it_answers_for(library):
    reply = library.reply("query", topic="deployment")
    assert reply.blocks[0] == {"type": "text", "text": 'Found 2 entries matching "deployment".'}
    assert reply.blocks[1]["resource"]["uri"] == "knowledge://entries?topic=deployment"
    assert reply.blocks[1]["resource"]["mimeType"] == "application/json"


def test_a_partial_page_says_so(library):
    reply = library.reply("query", topic="deployment", limit=1)
    assert reply.blocks[0]["text"] == (
        'Found 2 entries matching "deployment". This is number 1; pass next_cursor for more.'
    )


def test_a_match_says_where_it_stands_and_which_words_phrases_names_or_meaning_it_has(library):
    (found,) = library.call("query", content='why does "takes it black" name parse_config')["items"][:1]
    assert found["topic"] == "tea"
    (passage,) = found["passages"]
    assert found["content"][passage["start"] : passage["stop"]] == found["content"]
    assert passage["matched"]["words"] == ["takes", "black", "parse", "config"]
    assert passage["matched"]["phrases"] == ["takes it black"]
    assert passage["matched"]["names"] == ["parse_config"]
    assert library.call("query", tags=["ops"])["items"][0]["passages"] == []


def test_a_passage_of_a_script_without_blanks_says_what_matched(library):
    (found,) = library.call("query", content="连接")["items"]
    assert found["passages"][0]["matched"]["words"] == ["连接"]


@pytest.fixture
def long_library(agent):
    for number in range(8):
        filler = " ".join(f"filler{place}" for place in range(150))
        agent.store(f"report {number}", f"{filler} the reactor failed at noon {filler}\n\n" * 3)
    return agent


def test_a_budget_shows_the_telling_part_of_as_many_matches_as_fit(long_library):
    answer = long_library.call("query", content="reactor failed", budget_tokens=3000)
    shown = "".join(str(item) for item in answer["items"])
    assert 0 < answer["tokens"] <= 3000
    assert len(answer["items"]) >= 5
    assert all("the reactor failed at noon" in item["content"] and item["truncated"] for item in answer["items"])
    assert count_tokens(shown) < 3600
    whole = long_library.call("query", topic=answer["items"][0]["topic"])["items"][0]
    first = answer["items"][0]["passages"][0]
    assert "reactor failed" in whole["content"][first["start"] : first["stop"]]


def test_pages_within_a_budget_leave_nothing_out(long_library):
    asked = {"content": "reactor failed", "budget_tokens": 1200}
    found: list[str] = []
    answer = long_library.call("query", **asked)
    while True:
        assert answer["tokens"] <= 1200
        found += [item["topic"] for item in answer["items"]]
        if answer["next_cursor"] is None:
            break
        answer = long_library.call("query", **asked, cursor=answer["next_cursor"])
    assert found == long_library.topics(content="reactor failed")


def test_more_budget_shows_more_and_enough_shows_everything(long_library):
    sizes = [
        len(str(long_library.call("query", content="reactor failed", budget_tokens=tokens)["items"]))
        for tokens in (1000, 2000, 4000, 8000)
    ]
    assert sizes == sorted(sizes)
    long_library.store("short", "A reactor in a few words.")
    whole = long_library.call("query", content="a few words", budget_tokens=20_000)["items"][0]
    assert whole["content"] == "A reactor in a few words."
    assert "truncated" not in whole


def test_a_list_fits_a_budget_too(long_library):
    answer = long_library.call("query", topic="report", strict_substring=True, budget_tokens=2500)
    assert answer["mode"] == "list"
    assert answer["tokens"] <= 2500
    assert answer["items"][0]["truncated"]


def test_what_is_found_by_its_letters_is_cut_to_where_they_stand(long_library):
    filler = "No word of that. " * 2000
    long_library.store("far away", f"{filler}The code is ZX-81/b, says the label. {filler}")
    (found,) = long_library.call("query", content="zx-81/B", strict_substring=True)["items"]
    (short,) = long_library.call("query", content="zx-81/B", strict_substring=True, budget_tokens=600)["items"]
    assert found["truncated"]
    assert "ZX-81/b, says the label" in found["content"]
    assert "ZX-81/b, says the label" in short["content"]
    assert len(short["content"]) < len(found["content"]) < 10_000


def test_a_query_costs_what_it_shows_and_not_what_it_leaves_out(agent, without_collector):
    sentences = [f"Deploy {number} waited for the migration lock of table {number * 7}. " for number in range(80)]
    for number in range(20):
        text = "".join(sentences[number:] + sentences[:number])
        agent.store(f"short {number}", text[:4000], tags=["short"])
        agent.store(f"long {number}", text * 10, tags=["long"])
    for asked in ({"content": "migration lock"}, {}, {"content": "lock", "strict_substring": True}):
        for budget in ({}, {"budget_tokens": 6000}):
            turns = [
                [_cost(agent, {**asked, **budget, "tags": [size]}) for size in ("short", "long")] for _ in range(6)
            ]
            short, long = (min(costs) for costs in zip(*turns, strict=True))
            assert long < 3 * short, (asked, budget, turns)


@pytest.fixture
def without_collector():
    """Garbage of everything else in this process is not what a query costs."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def _cost(agent, asked):
    """The CPU time of a query."""
    began = time.process_time()
    assert agent.call("query", **asked, limit=20)["total"] == 20
    return time.process_time() - began


def test_a_budget_that_holds_not_even_one_match_is_refused(library):
    error = library.error("query", content="deployment", budget_tokens=20)
    assert (error["code"], error["field"]) == ("validation", "budget_tokens")


def test_a_stop_word_is_found_as_itself_and_not_as_the_stem_of_another_word(agent):
    agent.store("greeting", "Hi there.")
    agent.store("owner", "The cat is his.")
    assert agent.topics(content="his") == ["owner"]
    assert agent.call("query", content="his")["items"][0]["passages"][0]["matched"]["words"] == ["his"]
    assert "greeting" not in agent.topics(content="is his", strict_substring=False)


def test_a_search_in_an_empty_collection_finds_nothing(agent):
    assert agent.call("query", topic="tea")["items"] == []
    assert agent.call("query", content="black tea")["items"] == []
