"""What was looked at and felt is there in the next run, however this one ends."""

import json
import subprocess
import sys

import pytest

from tests.patience import PATIENCE
from tests.server.raw import MEMOTHECA, RawServer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

WHY = "Somebody will need it later."
TEA = {"content": "Ada takes her tea black.", "rationale": WHY, "session_id": "lunch"}


def call(data, tool, **arguments):
    """One tool, by a program of its own."""
    command = [*MEMOTHECA, "call", tool, json.dumps(arguments), "--json", "--data", str(data), "--toolsets", "memories"]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True)
    return json.loads(done.stdout)


@pytest.fixture
def data(tmp_path):
    command = [*MEMOTHECA, "reindex", "--embedder", "none", "--data", str(tmp_path)]
    subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True)
    return tmp_path


def looks(data):
    (active,) = call(data, "get_memetic_status")["top_active_concepts"]
    return active["looks"]


def test_single_calls_add_up(data):
    call(data, "store_memory", **TEA)
    assert looks(data) == 1
    call(data, "search_graph", query="tea")
    call(data, "search_graph", query="tea")
    assert looks(data) == 3
    learned = call(data, "utl_status", session_id="lunch")
    assert learned["entropy"] > 0.5
    assert learned["interaction_count"] == 5
    assert call(data, "get_neuromodulation", session_id="lunch")["dopamine"] != 3


@pytest.mark.parametrize("end", ["its client leaves", "it is told to"])
def test_a_server_leaves_with_everything_written(data, end):
    server = RawServer(data, "--toolsets", "memories").begin()
    server.call("store_memory", **TEA)
    server.call("search_graph", query="tea")
    if end == "it is told to":
        server.child.terminate()
        server.child.wait(PATIENCE)
    server.close()
    assert looks(data) == 2
    assert call(data, "utl_status", session_id="lunch")["entropy"] > 0.5
