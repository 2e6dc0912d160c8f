"""The graph answers as networkx does, and the same every time."""

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.algorithms.link_analysis import pagerank_alg

from memotheca.notes.link_graph import Graph
from memotheca.notes.read_notes import rank_pages

# The one that needs no scipy.
PAGERANK = getattr(pagerank_alg, "_pagerank_python")  # noqa: B009

NODES = st.integers(0, 14).map(lambda number: f"n{number:02}")
PAIRS = st.lists(st.tuples(NODES, NODES), max_size=60)


def _both(pairs):
    ours, theirs = Graph(), networkx.DiGraph()
    targets = {}
    for source, target in pairs:
        targets.setdefault(source, []).append(target)
        theirs.add_nodes_from((source, target))
        if source != target:
            theirs.add_edge(source, target)
        ours.add(target)
    for source, found in targets.items():
        ours.connect(source, found)
    return ours, theirs


@settings(max_examples=200, deadline=None)
@given(PAIRS, NODES, NODES)
def test_a_path_is_a_shortest_one_and_the_first_of_them(pairs, source, target):
    ours, theirs = _both(pairs)
    found = ours.shortest_path(source, target, str)
    if source not in theirs or target not in theirs or not networkx.has_path(theirs, source, target):
        assert found is None
        return
    assert found == min(networkx.all_shortest_paths(theirs, source, target))


@settings(max_examples=100, deadline=None)
@given(PAIRS)
def test_degrees_and_ranks_are_those_of_networkx(pairs):
    ours, theirs = _both(pairs)
    assert len(ours) == len(theirs)
    assert ours.size == theirs.number_of_edges()
    assert {node: ours.in_degree(node) for node in ours.out} == dict(theirs.in_degree())
    assert {node: ours.out_degree(node) for node in ours.out} == dict(theirs.out_degree())
    if theirs:
        ranks = rank_pages(ours)
        for node, value in PAGERANK(theirs, alpha=0.85, tol=1e-6, max_iter=100).items():
            assert ranks[node] == pytest.approx(value, abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(PAIRS, st.lists(st.tuples(NODES, st.lists(NODES, max_size=4)), max_size=8), st.lists(NODES, max_size=4))
def test_a_changed_graph_is_the_one_built_from_its_last_state(pairs, changes, removed):
    ours, _ = _both(pairs)
    for node, targets in changes:
        ours.connect(node, targets)
    for node in removed:
        if node in ours:
            ours.remove(node)
    anew = Graph()
    for node, targets in ours.out.items():
        anew.connect(node, targets)
    assert ours.out == {node: anew.out[node] for node in ours.out}
    assert all(ours.into(node) == anew.into(node) for node in ours.out)


def test_an_empty_graph_has_no_ranks():
    assert rank_pages(Graph()) == {}
