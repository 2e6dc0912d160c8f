"""A corpus that is brought in: no secret in it is stored."""

from memotheca.admin.corpus import import_corpus

KEY = "sk-live-" + "abcdefgh12345678" * 2


def bring_in(agent, lines):
    return import_corpus(agent.kernel, lines, actor="test", report=lambda done, total, message: None)


def test_secrets_are_taken_out_of_titles_and_texts_and_counted(agent):
    lines = [
        {"_id": "one", "title": f"Key {KEY}", "text": f"The key is {KEY}, keep it."},
        {"_id": "two", "title": "Tea", "text": "Ada takes it black."},
    ]
    moved = bring_in(agent, lines)
    assert (moved.entries, moved.redacted) == (2, 2)
    found = {item["topic"]: item["content"] for item in agent.call("query")["items"]}
    assert KEY not in str(found)
    assert found["Key [REDACTED:api_key]"] == "The key is [REDACTED:api_key], keep it."
    assert found["Tea"] == "Ada takes it black."


def test_what_was_scrubbed_is_known_when_it_is_brought_in_again(agent):
    lines = [{"_id": "one", "title": "", "text": f"The key is {KEY}."}]
    bring_in(agent, lines)
    again = bring_in(agent, lines)
    assert (again.entries, again.skipped) == (0, 1)
