"""Pages of query and knowledge://entries: everything that matches is reached, and the counts are true."""

import json

import pytest

from memotheca import settings
from memotheca.admin.erasure import erase
from memotheca.app import build
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.server.resources import read_resource
from tests.conftest import Agent, Time

MANY = 2000


def all_pages(agent, **question):
    """The ids of all pages, and what the first page says."""
    first = answer = agent.call("query", **question)
    ids = [item["id"] for item in answer["items"]]
    while answer["next_cursor"] is not None:
        answer = agent.call("query", **question, cursor=answer["next_cursor"])
        ids += [item["id"] for item in answer["items"]]
    return ids, first


def sentence(agent, **question):
    return agent.reply("query", **question).blocks[0]["text"]


def without_vectors(agent):
    choose_embedder(agent.kernel.store, agent.kernel.collection, "none")


def store_deployments(agent, count):
    without_vectors(agent)
    for number in range(count):
        agent.store(f"deployment {number}", f"Server {number % 7} was set up.", tags=["ops"])
    agent.store("tea", "Ada takes it black.")
    return agent


@pytest.fixture(scope="module")
def deployments(tmp_path_factory):
    app = build(settings.load({"data": str(tmp_path_factory.mktemp("many"))}, {}), clock=Time())
    yield store_deployments(Agent(app), MANY)
    app.kernel.store.close()


@pytest.fixture
def fewer(agent):
    return store_deployments(agent, 250)


@pytest.mark.parametrize(
    "question",
    [
        {"topic": "deployment"},
        {"content": "deployment"},
        {"content": "was set up again"},
        {"topic": "deployment", "tags": ["ops"]},
        {"topic": "deployment", "content": "server"},
        {"tags": ["ops"]},
        {"topic": "deploy", "strict_substring": True},
    ],
)
def test_pages_reach_everything_that_matches_once(deployments, question):
    ids, _ = all_pages(deployments, **question, limit=200)
    assert len(ids) == len(set(ids)) == MANY


@pytest.mark.parametrize("question", [{"content": "tea"}, {"topic": "tea"}, {"content": "tea", "kinds": ["all"]}])
def test_where_nothing_was_ever_stored_nothing_is_found(agent, question):
    assert all_pages(agent, **question)[0] == []
    assert json.loads(read_resource(agent.kernel, "knowledge://entries?topic=tea")["text"])["items"] == []


def test_the_resource_reaches_everything_that_matches(deployments):
    found, cursor = [], ""
    while cursor is not None:
        uri = "knowledge://entries?topic=deployment&limit=170" + (f"&cursor={cursor}" if cursor else "")
        body = json.loads(read_resource(deployments.kernel, uri)["text"])
        found += [item["id"] for item in body["items"]]
        cursor = body["next_cursor"]
    assert len(found) == len(set(found)) == MANY


def test_small_pages_give_the_same_order_as_large_ones(deployments):
    large, _ = all_pages(deployments, content="deployment server", limit=200)
    small, _ = all_pages(deployments, content="deployment server", limit=37)
    assert small == large


def test_pages_stay_in_their_snapshot_beyond_the_best(fewer):
    answer = fewer.call("query", topic="deployment", limit=120)
    seen = [item["id"] for item in answer["items"]]
    fewer.store("deployment", "One more, and the shortest.")
    fewer.call("delete", id=seen[-1])
    while answer["next_cursor"] is not None:
        answer = fewer.call("query", topic="deployment", limit=120, cursor=answer["next_cursor"])
        seen += [item["id"] for item in answer["items"]]
    assert len(seen) == len(set(seen)) == 250


def test_scores_never_rise_from_page_to_page(deployments):
    scores, cursor = [], {}
    for _ in range(4):
        answer = deployments.call("query", content="deployment server", limit=150, **cursor)
        scores += [item["score_total"] for item in answer["items"]]
        cursor = {"cursor": answer["next_cursor"]}
    assert len(scores) == 600
    assert scores == sorted(scores, reverse=True)


def test_the_count_is_that_of_all_matches(deployments):
    assert deployments.call("query", topic="deployment")["total"] == MANY
    assert sentence(deployments, topic="deployment").startswith(
        'Found 2000 entries matching "deployment". These are 1 to 20; pass next_cursor for more.'
    )
    assert sentence(deployments, topic="tea") == 'Found 1 entry matching "tea".'
    assert deployments.call("query", tags=["ops"])["total"] == MANY


def test_later_pages_say_which_they_are(deployments):
    cursor = deployments.call("query", topic="deployment", limit=200)["next_cursor"]
    assert "These are 201 to 400" in sentence(deployments, topic="deployment", limit=200, cursor=cursor)


def test_where_letters_are_compared_the_count_says_at_least(deployments):
    assert "Found at least 21 entries" in sentence(deployments, topic="deploy", strict_substring=True)
    answer = deployments.call("query", topic="deploy", strict_substring=True)
    assert answer["total"] == 21
    assert "letter by letter" in answer["partial"]
    assert sentence(deployments, topic="ment 1999", strict_substring=True).startswith("Found 1 entry matching")


def test_an_entry_that_is_erased_between_pages_repeats_nothing(fewer):
    answer = fewer.call("query", topic="deployment", limit=150)
    seen = [item["id"] for item in answer["items"]]
    erase(fewer.kernel, seen[-1], actor="tester")
    following = fewer.call("query", topic="deployment", limit=150, cursor=answer["next_cursor"])
    assert not {item["id"] for item in following["items"]} & set(seen)


def test_what_matches_by_meaning_alone_has_a_cut_that_is_stated(agent):
    for number in range(130):
        agent.store(f"drive {number}", f"The automobile has its engine repaired, order {number}.")
    answer = agent.call("query", content="car mechanic fixing vehicles", limit=200)
    assert len(answer["items"]) == 100
    assert answer["next_cursor"] is None
    assert "meaning" in answer["partial"]
    assert "100" in answer["partial"]
    assert answer["partial"] in sentence(agent, content="car mechanic fixing vehicles", limit=200)


def test_the_cut_is_not_stated_where_everything_near_was_reached(agent):
    for number in range(110):
        agent.store(f"deployment {number}", f"The deployment of server {number} went well.")
    agent.store("tea", "Ada takes it black.")
    found, first = all_pages(agent, topic="deployment", content="deployment", limit=200)
    assert len(found) == 110
    assert first.get("partial") is None
