"""The map: the whole graph laid out on the server, the same from visit to visit."""

import base64
import zlib
from dataclasses import dataclass

import numpy as np

from memotheca.admin.erasure import erase
from memotheca.kernel.sideline import Sideline
from memotheca.views import standpoint
from memotheca.views.graph_map import NO_TOPIC
from memotheca.views.graph_rows import NODE_KINDS
from tests.conftest import Agent, build_fresh


@dataclass
class Drawn:
    """A map as a page unpacks it."""

    name: str
    places: dict[str, tuple[int, int]]
    kinds: dict[str, str]
    topics: dict[str, int]
    links: list[tuple[str, str, str]]


def draw(agent, **when) -> Drawn:
    told = agent.call("console_map", wait=20, columns=True, **when)
    assert told["fresh"]
    nodes, edges = told["nodes"], told["edges"]
    packed = zlib.decompress(base64.b64decode(told["columns"]))
    columns, at = [], 0
    kinds = ("<u4", nodes), ("<i4", edges), ("<u2", nodes), ("<u2", nodes), ("<u2", nodes), ("u1", nodes), ("u1", edges)
    for kind, count in kinds:
        columns.append(np.frombuffer(packed, kind, count, at))
        at += columns[-1].nbytes
    assert at == len(packed)
    leaving, steps, x, y, topics, kinds, relations = columns
    titles = name(agent, told["map"], range(nodes))
    links, edge = [], 0
    for source, count in enumerate(leaving.tolist()):
        target = 0
        for _ in range(count):
            target += int(steps[edge])
            links.append((titles[source], told["relations"][relations[edge]]["predicate"], titles[target]))
            edge += 1
    return Drawn(
        told["map"],
        {titles[n]: (int(x[n]), int(y[n])) for n in range(nodes)},
        {titles[n]: NODE_KINDS[kinds[n]] for n in range(nodes)},
        {titles[n]: int(topics[n]) for n in range(nodes)},
        links,
    )


def name(agent, map, numbers) -> dict[int, str]:
    numbers = list(numbers)
    found = {}
    for at in range(0, len(numbers), 200):
        nodes = agent.call("console_map_nodes", map=map, numbers=numbers[at : at + 200])["nodes"]
        found |= {node["number"]: node["title"] for node in nodes}
    return found


def ring(agent, names) -> None:
    for one, other in zip(names, [*names[1:], names[0]], strict=True):
        agent.call("relate", subject=one, predicate="next_to", object=other)


def far(one, other) -> float:
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))


def test_it_shows_everything_that_is_there_and_how_it_is_linked(agent):
    agent.call("relate", subject="Ada", predicate="works_at", object="X")
    agent.store("alone")
    drawn = draw(agent)
    assert drawn.kinds == {"Ada": "entity", "X": "entity", "alone": "entry"}
    assert drawn.links == [("Ada", "works_at", "X")]
    assert drawn.topics == {"Ada": 0, "X": 0, "alone": NO_TOPIC}
    told = agent.call("console_map", wait=20)
    assert (told["nodes"], told["edges"], told["unlinked"], told["columns"]) == (3, 1, 1, None)
    assert agent.call("console_map", columns=True, known=told["map"])["columns"] is None


def test_an_empty_collection_has_an_empty_map(agent):
    told = agent.call("console_map", wait=20, columns=True)
    assert (told["nodes"], told["edges"], told["fresh"], told["topics"]) == (0, 0, True, [])


def test_what_notes_link_to_and_is_not_there_is_a_ghost(writer):
    writer.given(one="[[two]] and [[three]]", two="text")
    drawn = draw(writer)
    assert drawn.kinds == {"One": "note", "Two": "note", "three": "ghost"}
    assert {(source, target) for source, _, target in drawn.links} == {("One", "Two"), ("One", "three")}
    found = writer.call("console_map_nodes", map=drawn.name, query="THREE")["found"]
    named = writer.call("console_map_nodes", map=drawn.name, numbers=found)["nodes"]
    assert {(node["title"], node["ghost"]) for node in named} >= {("three", True)}
    (writer.vault / "two.md").unlink()
    writer.sync()
    assert draw(writer).kinds["two"] == "ghost"


def test_linked_nodes_lie_near_each_other_and_those_without_links_lie_apart(agent):
    rings = [[f"{side} {number}" for number in range(12)] for side in ("left", "right")]
    for each in rings:
        ring(agent, each)
    agent.call("relate", subject="left 0", predicate="next_to", object="right 0", multi=True)
    for number in range(5):
        agent.store(f"alone {number}")
    drawn = draw(agent)
    near = [far(drawn.places[a], drawn.places[b]) for a, _, b in drawn.links]
    across = [far(drawn.places[a], drawn.places[b]) for a in rings[0] for b in rings[1]]
    assert np.median(near) < 0.5 * np.median(across)
    edge = max(x for node, (x, _) in drawn.places.items() if not node.startswith("alone"))
    assert all(drawn.places[f"alone {number}"][0] > edge for number in range(5))
    assert len(set(drawn.places.values())) == len(drawn.places)


def test_it_is_the_same_map_for_every_process_and_after_a_restart(agent, tmp_path, time):
    ring(agent, [f"n{number}" for number in range(30)])
    first = draw(agent)
    again = Agent(build_fresh(tmp_path / "data", time))
    try:
        assert draw(again) == first
    finally:
        again.app.close()


def test_who_comes_later_joins_its_neighbours_and_all_others_stay(agent, tmp_path, time):
    ring(agent, [f"n{number}" for number in range(40)])
    before = draw(agent)
    for number in range(6):
        agent.call("relate", subject=f"new {number}", predicate="knows", object="n5", multi=True)
    agent.store("alone")
    after = draw(agent)
    shift = differences(before, after)
    assert max(shift) < 0.001
    span = max(far(before.places["n0"], place) for place in before.places.values())
    assert far(after.places["new 0"], after.places["n5"]) < 0.5 * span
    assert after.topics["new 0"] == after.topics["n5"]
    again = Agent(build_fresh(tmp_path / "data", time))
    try:
        assert max(differences(after, draw(again))) < 0.001
    finally:
        again.app.close()


def differences(before: Drawn, after: Drawn) -> list[float]:
    """How far distances between those that were there have changed, of the longest; the box may be another."""
    names = sorted(before.places)
    sides = []
    for drawn in (before, after):
        x, y = np.array([drawn.places[each] for each in names], float).T
        sides.append((x - x[0], y - y[0]))
    found = []
    for one, other in zip(sides[0], sides[1], strict=True):
        scale = np.abs(one).max() / np.abs(other).max()
        found += (np.abs(one - other * scale) / np.abs(one).max()).tolist()
    return found


def test_a_graph_that_has_become_another_is_laid_out_anew(agent):
    ring(agent, [f"n{number}" for number in range(10)])
    before = draw(agent)
    for number in range(10):
        agent.call("relate", subject=f"new {number}", predicate="knows", object=f"n{number}", multi=True)
    assert max(differences(before, draw(agent))) > 0.001


def test_nobody_waits_for_it_to_be_drawn_who_does_not_want_to(agent):
    agent.call("relate", subject="Ada", predicate="works_at", object="X")
    at_once = agent.call("console_map", wait=0)
    assert at_once["map"] is None or at_once["fresh"]
    first = draw(agent)
    agent.store("later")
    stale = agent.call("console_map", wait=0)
    assert stale["map"] == first.name or stale["fresh"]
    assert agent.call("console_map", wait=20)["nodes"] == 3


def test_a_map_that_has_changed_often_since_is_not_kept(agent):
    maps = []
    for number in range(5):
        agent.store(f"entry {number}")
        maps.append(agent.call("console_map", wait=20)["map"])
    assert len(set(maps)) == 5
    assert agent.call("console_map_nodes", map=maps[-2], numbers=[0])["nodes"][0]["title"] == "entry 0"
    assert agent.error("console_map_nodes", map=maps[0], numbers=[0])["code"] == "expired"
    for numbers in ([-1], [5]):
        assert agent.error("console_map_nodes", map=maps[-1], numbers=numbers)["field"] == "numbers"
    assert agent.error("console_map_nodes", map=maps[-1], handle="nobody")["code"] == "not_found"


def test_nodes_are_found_by_title_and_by_what_they_say(agent):
    agent.store("Kiln", "It is fired on Fridays.")
    agent.store("Oven", "Bread comes out of it.")
    told = agent.call("console_map", wait=20)
    assert agent.call("console_map_nodes", map=told["map"], query="KIL")["found"] == [0]
    assert agent.call("console_map_nodes", map=told["map"], query="bread")["found"] == [1]
    cut = agent.call("console_map_nodes", map=told["map"], query="n", limit=1)
    assert (len(cut["found"]), cut["total"]) == (1, 2)
    (named,) = agent.call("console_map_nodes", map=told["map"], handle="e-2")["nodes"]
    assert (named["number"], named["title"]) == (1, "Oven")


def test_a_program_that_ends_does_not_wait_for_a_map(agent):
    agent.store("one")
    agent.kernel.keep(Sideline, agent.kernel.collection).close()
    told = agent.call("console_map", wait=5)
    assert (told["map"], told["fresh"]) == (None, False)


def tx_now(agent) -> str:
    return str(agent.call("history", limit=1)["items"][0]["tx_id"])


def test_it_is_shown_as_it_was_with_what_has_gone_since_and_without_what_has_come(agent):
    ring(agent, [f"n{number}" for number in range(6)])
    told = agent.call("relate", subject="n1", predicate="knows", object="n4", multi=True)
    gone = agent.store("gone", "It was here once.")
    then = tx_now(agent)
    before = draw(agent)
    agent.call("delete", id=gone)
    agent.call("undo", tx_id=told["tx_id"])
    agent.call("relate", subject="n1", predicate="likes", object="new", multi=True)
    now = draw(agent)
    past = draw(agent, as_of=then)
    assert past.kinds == before.kinds
    assert sorted(past.links) == sorted(before.links)
    assert ("n1", "knows", "n4") not in now.links
    assert past.name != now.name
    assert max(differences(before, past)) < 0.001, "everything has the place that it has now"
    (named,) = agent.call("console_map_nodes", map=past.name, handle=gone)["nodes"]
    assert (named["title"], named["ghost"]) == ("gone", False)
    assert agent.call("console_map_nodes", map=past.name, query="here once")["total"] >= 1
    assert agent.call("console_map_nodes", map=past.name, query="gone")["total"] == 1
    assert agent.call("console_map_nodes", map=past.name, query="new")["total"] == 0
    assert agent.error("console_map_nodes", map=past.name, handle="new")["code"] == "not_found"


def test_a_past_map_is_told_by_a_time_too_and_the_newest_state_is_the_map_itself(agent):
    agent.store("one")
    newest = draw(agent)
    assert draw(agent, as_of=tx_now(agent)).name == newest.name
    agent.store("two")
    told = agent.call("console_map", wait=20, as_of="1")
    assert (told["nodes"], told["tx"], told["fresh"]) == (1, 1, True)
    assert agent.call("console_map", wait=20, as_of=told["at"])["map"] == told["map"]
    assert agent.error("console_map", as_of="99")["field"] == "as_of"


def test_notes_have_the_links_that_they_had(writer):
    writer.given(one="[[two]] and [[three]]", two="text")
    then = tx_now(writer)
    before = draw(writer)
    (writer.vault / "two.md").unlink()
    writer.save("one.md", "Nothing is linked.\n")
    writer.sync()
    past = draw(writer, as_of=then)
    assert past.kinds == before.kinds == {"One": "note", "Two": "note", "three": "ghost"}
    assert sorted(past.links) == sorted(before.links)
    assert draw(writer).kinds == {"One": "note"}
    found = writer.call("console_map_nodes", map=past.name, query="THREE")["found"]
    assert "three" in name(writer, past.name, found).values()
    near = writer.call("console_neighbourhood", handle="one.md", as_of=then)
    assert {node["title"] for node in near["nodes"]} == {"One", "Two", "three"}
    assert len(writer.call("console_neighbourhood", handle="one.md")["nodes"]) == 1


def test_what_is_near_a_thing_is_shown_as_it_was(agent, monkeypatch):
    agent.call("relate", subject="X", predicate="knows", object="Y", multi=True)
    agent.call("relate", subject="Ada", predicate="made", object="W", multi=True)
    told = [agent.call("relate", subject="Ada", predicate="knows", object=each, multi=True) for each in "XY"]
    then = tx_now(agent)
    for each in reversed(told):
        agent.call("undo", tx_id=each["tx_id"])
    agent.call("relate", subject="Ada", predicate="knows", object="Z", multi=True)

    def near(**when):
        told = agent.call("console_neighbourhood", handle="Ada", **when)
        names = {node["id"]: node["title"] for node in told["nodes"]}
        return {(names[edge["source"]], names[edge["target"]]) for edge in told["edges"]}

    assert near() == {("Ada", "W"), ("Ada", "Z")}
    assert near(as_of=then) == {("Ada", "W"), ("Ada", "X"), ("Ada", "Y"), ("X", "Y")}
    monkeypatch.setattr(standpoint, "READ_THROUGH", 2)
    assert near(as_of=then) == {("Ada", "W"), ("Ada", "X"), ("Ada", "Y")}, (
        "after very many changes the thing's own alone"
    )
    assert agent.error("console_neighbourhood", handle="Z", as_of=then)["code"] == "not_found"


def test_what_is_erased_is_on_no_map_that_is_kept(agent):
    secret = agent.store("secret", "Nobody is to know.")
    then = tx_now(agent)
    agent.store("other")
    assert "secret" in draw(agent, as_of=then).kinds
    erase(agent.kernel, secret, actor="tester")
    past = draw(agent, as_of=then)
    assert "secret" not in past.kinds
    assert agent.call("console_map_nodes", map=past.name, query="secret")["total"] == 0
