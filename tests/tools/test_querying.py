"""query: what matches, in which order, and page by page in one snapshot."""

import pytest


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
    from pinakes.engine.paging import Place, to_cursor

    agent.store("x", "words")
    question = {
        "topic": None, "content": "words", "tags": (), "as_of": None, "knowledge_type": None, "memory_type": None,
        "strict_substring": False, "kinds": ("entry",), "as_of_tx_id": None, "signals": (),
    }  # fmt: skip
    error = agent.error("query", content="words", cursor=to_cursor(Place(99, 0, "x"), question))
    assert error["details"]["reason"] == "cursor_expired"


def test_the_answer_names_the_resource_and_arguments_it_answers_for(library):
    reply = library.reply("query", topic="deployment")
    assert reply.blocks[0] == {"type": "text", "text": 'Found 2 entries matching "deployment".'}
    assert reply.blocks[1]["resource"]["uri"] == "knowledge://entries?topic=deployment"
    assert reply.blocks[1]["resource"]["mimeType"] == "application/json"


def test_a_partial_page_says_so(library):
    reply = library.reply("query", topic="deployment", limit=1)
    assert reply.blocks[0]["text"] == 'Found 1 entry matching "deployment". There are more: pass next_cursor.'
