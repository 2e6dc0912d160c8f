"""What every call leaves behind in the session it belongs to: one exchange more, and its failure in the log."""

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from memotheca.memory.session.pulse import Pulse, Situation
from memotheca.memory.session.state import activity_of, pulse_of
from memotheca.storage.activity import ActivityRecord
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.tool import Call

# What was asked is kept as a digest that nobody can guess the question from, also who reads the disk.
_KEY = os.urandom(16)


# Which part of the memory a tool belongs to, where it is none of those that watch over it.
_COMPONENTS: Mapping[str, frozenset[str]] = {
    "storage": frozenset({"store_memory", "reload_manifest", "temporary_scratchpad"}),
    "retrieval": frozenset(
        "search_graph inject_context hydrate_citation get_neighborhood get_recent_context find_causal_path "
        "entailment_query query_causal get_node_lineage generate_search_plan test_recall_accuracy "
        "debug_compare_retrieval".split()
    ),
    "curation": frozenset(
        "merge_concepts forget_concept annotate_node boost_importance restore_from_hash critique_context "
        "search_tombstones".split()
    ),
}


def hear_call(name: str, arguments: Mapping[str, Any], call: Call[Any], reply: Reply) -> Pulse:
    """Count an exchange of a session, log its failure, and say how the memory stands after it (memory-model: Pulse)."""
    activity = activity_of(call.kernel)
    place = (call.kernel.collection, call.session)
    with call.kernel.store.database.read() as session:
        mood = activity.mood(session, *place)
        asked = json.dumps([name, arguments], sort_keys=True, default=str)
        activity.hear(place, mood, hashlib.blake2b(asked.encode(), digest_size=8, key=_KEY).hexdigest())
    if reply.failed:
        activity.log(call.kernel.collection, _complaint(name, reply, call.kernel.now()))
    return pulse_of(mood, Situation(has_conflict=mood.has_conflict, is_looping=mood.is_looping))


def _complaint(name: str, reply: Reply, now: int) -> ActivityRecord:
    """A failure for the log: by its name, never in words that may quote what was said."""
    data: Mapping[str, Any] = (reply.structured or {}).get("error", {}).get("data", {})
    failure = str(data.get("name", "INTERNAL"))
    level = {"INTERNAL": "error", "INVALID_PARAMS": "debug"}.get(failure, "warn")
    component = next((each for each, tools in _COMPONENTS.items() if name in tools), "gwt")
    return ActivityRecord(time=now, level=level, component=component, action=name, reason=failure)
