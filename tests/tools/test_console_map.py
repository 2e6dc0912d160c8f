"""The map: the whole graph laid out on the server, the same from visit to visit."""

import base64
import zlib
from dataclasses import dataclass

import numpy as np

from memotheca.kernel.sideline import Sideline
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


def draw(agent) -> Drawn:
    told = agent.call("console_map", wait=20, columns=True)
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
