"""What every call leaves behind in the session it belongs to: one exchange more, and its failure in the log."""

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from memotheca.memory.dream.dream_log import may_dream
from memotheca.memory.dream.sleeper import wake_for_query
from memotheca.memory.session.call_meter import CallMeter
from memotheca.memory.session.focus import is_empty
from memotheca.memory.session.gate_log import note_decisions
from memotheca.memory.session.pulse import Pulse, Situation, bars_of_pulse
from memotheca.memory.session.state import Mood, activity_of, pulse_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.verbs import Verb
from memotheca.model.errors import Interruption
from memotheca.storage.activity import ActivityRecord
from memotheca.toolkit.contract import Exchange, Reply
from memotheca.tools.memories.names import TOOLS

# What was asked is kept as a digest that nobody can guess the question from, also who reads the disk.
_KEY = os.urandom(16)

# The part of the memory that tools belong to which watch over the others.
WATCHING = "gwt"
# What turns knobs of a session brings nothing into its focus.
KNOBS = frozenset({"adjust_neuromodulator", "adjust_coupling", "trigger_healing"})


class CallWitness:
    """Hears of every question and of every call of the memories."""

    def hear_question(self, exchange: Exchange) -> None:
        wake_for_query(exchange.call.kernel)

    def hear_call(self, exchange: Exchange, reply: Reply) -> Pulse:
        """Count an exchange of a session, log its failure, and say how the memory stands after it (memory-model:
        Pulse)."""
        try:
            return self._hear(exchange, reply)
        except Interruption:
            # What was answered stands; of the session nothing can be read, as where it has just begun.
            return pulse_of(Mood())

    @staticmethod
    def _hear(exchange: Exchange, reply: Reply) -> Pulse:
        call = exchange.call
        activity = activity_of(call.kernel)
        place = (call.kernel.collection, call.session)
        with call.kernel.read() as snapshot:
            mood, gates = activity.mood(snapshot.session, *place), gates_at(snapshot)
            asked = json.dumps([exchange.listing.name, exchange.arguments], sort_keys=True, default=str)
            rested = may_dream(call.kernel, snapshot.session)
            activity.hear(place, mood, hashlib.blake2b(asked.encode(), digest_size=8, key=_KEY).hexdigest())
        if reply.failed:
            activity.log(call.kernel.collection, _complaint(exchange, reply))
        elif exchange.listing.writes and exchange.listing.name not in KNOBS:
            mood.empty_since = None
        call.kernel.keep(CallMeter, call.kernel.collection).count()
        situation = Situation(
            workspace_empty=is_empty(call.kernel, mood),
            has_conflict=mood.has_conflict,
            is_looping=mood.is_looping,
            may_dream=rested and call.shows(TOOLS[Verb.DREAM]),
        )
        note_decisions(call.kernel, bars_of_pulse(mood.entropy, mood.coherence, gates), gates)
        return pulse_of(mood, situation, gates)


def _complaint(exchange: Exchange, reply: Reply) -> ActivityRecord:
    """A failure for the log: by its name, never in words that may quote what was said."""
    data: Mapping[str, Any] = (reply.structured or {}).get("error", {}).get("data", {})
    failure = str(data.get("name", "INTERNAL"))
    level = {"INTERNAL": "error", "INVALID_PARAMS": "debug"}.get(failure, "warn")
    return ActivityRecord(
        time=exchange.call.kernel.now(),
        level=level,
        component=exchange.listing.component or WATCHING,
        action=exchange.listing.name,
        reason=failure,
    )
