"""A session that begins with a goal is told what is pinned, disputed and new; one that asks is answered."""

import pytest

from memotheca.text.tokens import count_tokens
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.tool import Call
from tests.memories.librarian import Librarian

GOAL = "Prepare the payout release"


def ask(librarian: Librarian, query: str, session: str, **more: object) -> Reply:
    call = Call(kernel=librarian.kernel, actor="tester", session=session)
    return librarian.app.dispatcher.run("inject_context", {"query": query, **more}, call)


@pytest.fixture
def team(librarian: Librarian) -> Librarian:
    librarian.remember("Never deploy on a Friday.", tags=["pinned"])
    dry = librarian.remember("The cellar is dry.")
    librarian.remember("The cellar is full of water.", contradicts=[dry])
    old = librarian.remember("The canteen opens at nine.")
    librarian.remember("The canteen opens at ten.", supersedes=[old])
    librarian.remember("The payout release needs a signature.")
    return librarian


def test_a_session_that_begins_with_a_goal_is_briefed_once(team: Librarian) -> None:
    text = ask(team, GOAL, "one").blocks[0]["text"]
    goal, pinned, disputed, changed = (
        text.index(each) for each in ("signature", "Pinned:", "Open disputes:", "Recent")
    )
    assert goal < pinned < text.index("Friday") < disputed < text.index("cellar is dry") < changed
    assert "The canteen opens at ten." in text[changed:]
    assert "Superseded: The canteen opens at nine." in text[changed:]
    assert text.count("[node_") == len((ask(team, GOAL, "two").structured or {})["nodes_retrieved"])
    assert "Pinned:" not in ask(team, GOAL, "one").blocks[0]["text"]


def test_whoever_asks_is_answered_and_not_briefed(team: Librarian) -> None:
    text = ask(team, "What does the payout release need?", "one").blocks[0]["text"]
    assert "signature" in text
    assert "Pinned:" not in text


@pytest.mark.parametrize("tokens", [100, 150, 300])
def test_a_briefing_keeps_the_budget_and_leaves_most_of_it_to_the_goal(team: Librarian, tokens: int) -> None:
    text = ask(team, GOAL, "one", max_tokens=tokens).blocks[0]["text"]
    assert "signature" in text
    assert count_tokens(text) <= tokens


def test_a_store_answers_in_a_few_lines_with_the_call_that_decides(librarian: Librarian) -> None:
    old = librarian.remember("The canteen opens at 9:00.", source="colleague")
    reply = librarian.reply("store_memory", content="The canteen now opens at 10:00.", rationale="Told at lunch today.")
    (block,) = reply.blocks
    assert (reply.structured or {})["node_id"] in block["text"]
    assert '(10 Feb 2026, colleague): "The canteen opens at 9:00."' in block["text"]
    assert f'"supersedes": ["{old}"]' in block["text"].splitlines()[-1]
    assert count_tokens(block["text"]) < 200 < count_tokens(str(reply.structured))


def test_a_search_is_told_in_lines_and_programs_read_the_rest(librarian: Librarian) -> None:
    librarian.remember("The canteen opens at nine.", source="colleague")
    reply = librarian.reply("search_graph", query="canteen")
    (block,) = reply.blocks
    said, line, _ = block["text"].splitlines()
    assert said == 'Found 1 for "canteen".'
    assert line.startswith("The canteen opens at nine. (10 Feb 2026, colleague) [node_")
    assert (reply.structured or {})["results"][0]["johari"]
