"""Goldens of the instruments by which a session is steered: what each tool answers, and how its errors look."""

import json
import re
from typing import Any

import pytest

from tests.memories.librarian import Librarian
from tests.memories.test_goldens import show

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "get_workspace_status": ("get_workspace_status", {}),
    "get_workspace_status-nothing": ("get_workspace_status", {"session_id": "nobody"}),
    "get_kuramoto_sync": ("get_kuramoto_sync", {}),
    "get_consciousness_state": ("get_consciousness_state", {}),
    "get_ego_state": ("get_ego_state", {}),
    "adjust_coupling": ("adjust_coupling", {"new_K": 4}),
    "adjust_coupling-beyond": ("adjust_coupling", {"new_K": 11}),
    "trigger_workspace_broadcast": ("trigger_workspace_broadcast", {"memory_id": "tea"}),
    "trigger_workspace_broadcast-other": ("trigger_workspace_broadcast", {"memory_id": "prices"}),
    "trigger_workspace_broadcast-unknown": ("trigger_workspace_broadcast", {"memory_id": "nobody"}),
    "compute_delta_sc": ("gwt/compute_delta_sc", {"vertex_id": "tea", "content": "Ada takes her coffee black."}),
    "compute_delta_sc-beyond": ("compute_delta_sc", {"vertex_id": "tea", "johari_threshold": 0.9}),
    "get_health_status-utl": ("get_health_status", {"subsystem": "utl"}),
    "get_health_status-unknown": ("get_health_status", {"subsystem": "liver"}),
    "trigger_healing": ("trigger_healing", {"subsystem": "gwt"}),
    "trigger_healing-severe": ("trigger_healing", {"subsystem": "utl", "severity": "critical"}),
    "get_neuromodulation_state": ("get_neuromodulation_state", {}),
    "adjust_neuromodulator": ("adjust_neuromodulator", {"modulator": "dopamine", "delta": 1.5}),
    "adjust_neuromodulator-beyond": ("adjust_neuromodulator", {"modulator": "serotonin", "delta": -3}),
    "adjust_neuromodulator-read-only": ("adjust_neuromodulator", {"modulator": "acetylcholine", "delta": 0.001}),
}


def prepare(librarian: Librarian) -> None:
    librarian.remember("Ada takes her tea black.", name="tea", session_id="elsewhere")
    librarian.remember("The prices were wrong on Tuesday.", name="prices", session_id="elsewhere")
    librarian.remember("Ada takes her coffee black, too.", name="coffee", session_id="elsewhere")
    librarian.found("What does Ada take black?")


@pytest.mark.parametrize("name", sorted(CALLS))
def test_golden_answer(librarian: Librarian, golden: Any, name: str) -> None:
    prepare(librarian)
    told = json.dumps(show(librarian, *CALLS[name]))
    golden(f"memories/{name}", json.loads(re.sub(r'(recovery_time_ms\\*": ?)[0-9.e-]+', r"\g<1>0", told)))
