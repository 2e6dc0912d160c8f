"""Goldens of the instruments by which a session is steered: what each tool answers, and how its errors look."""

import json
import re
from typing import Any

import pytest

from tests.memories.librarian import Librarian
from tests.memories.test_goldens import show

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
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
    librarian.found("How does Ada take her tea?")


@pytest.mark.parametrize("name", sorted(CALLS))
def test_golden_answer(librarian: Librarian, golden: Any, name: str) -> None:
    prepare(librarian)
    told = json.dumps(show(librarian, *CALLS[name]))
    golden(f"memories/{name}", json.loads(re.sub(r'(recovery_time_ms\\*": ?)[0-9.e-]+', r"\g<1>0", told)))
