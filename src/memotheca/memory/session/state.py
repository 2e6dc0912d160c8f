"""Activity: looks, moods, retrievals, walks, decisions and happenings, kept in memory for a moment, written in
batches; no read waits for it."""

import logging
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Protocol, TypeVar, cast

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.learning import SMOOTHING, smooth
from memotheca.memory.session.pulse import CALM, Pulse, Situation, take_pulse
from memotheca.memory.session.retrieval_log import RetrievalLog, write_retrievals
from memotheca.memory.tuning.thresholds import PRIORS, Gates
from memotheca.model.errors import Refusal
from memotheca.storage import activity
from memotheca.storage.activity import ActivityRecord, LogFilter
from memotheca.storage.database import Session
from memotheca.storage.instruments.retrievals import RetrievalRow
from memotheca.storage.store import Store

log = logging.getLogger(__name__)

ENTROPY, COHERENCE, LEARNING = 0.5, 0.5, 0.0  # chosen (memory-model: Running means)
REMEMBERED_CALLS = 10  # chosen (memory-model: Pulse)
LOOP = 3  # chosen (memory-model: Pulse)
REMEMBERED_RETRIEVALS = 10  # chosen: what a session is about by now
REMEMBERED_MOODS = 10  # chosen: three are asked for (memory-model: Questions)
HELD_MOODS = 256  # chosen: what is let go is read again
INTERACTIONS = "interactions"


Place = tuple[str, str]


@dataclass(slots=True)
class Mood:
    """How a session stands: running means, its last calls, and the coherence of its last exchanges."""

    entropy: float = ENTROPY
    coherence: float = COHERENCE
    learning: float = LEARNING
    position: int = 0
    recent: list[float] = field(default_factory=list[float])
    calls: list[str] = field(default_factory=list[str])
    stored: list[str] = field(default_factory=list[str])
    asked: list[str] = field(default_factory=list[str])
    has_conflict: bool = False
    # From when on nothing near was found, and nothing stored since (memory-model: Focus).
    empty_since: int | None = None
    # Who was last said to speak in it (memory-model: Source).
    source: str | None = None
    # How many questions it has asked, and what its modulators did to the last of them (`SearchEffects`).
    questions: int = 0
    effects: dict[str, int] | None = None
    # What is pinned in it (its id, since when, by which score), what was before, and how strongly its focus pulls.
    pinned: dict[str, Any] | None = None
    broadcasts: list[str] = field(default_factory=list[str])
    coupling: float | None = None
    # What was asked last, with what it went on from, and what that showed.
    question: str = ""
    showed: list[str] = field(default_factory=list[str])

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, held: Mapping[str, Any]) -> "Mood":
        """As it was left; what a later program wrote beside is passed over."""
        return cls(**{name: value for name, value in held.items() if name in cls.__slots__})

    @property
    def is_looping(self) -> bool:
        """The same call at least three times among the last ten (memory-model: Pulse)."""
        return bool(self.calls) and self.calls.count(self.calls[-1]) >= LOOP


class WaitingLog(Protocol):
    """Something else that is kept in memory for a moment, and written with the next batch."""

    def waiting(self) -> Mapping[str, Any]:
        """What is to be written now, by collection; it stays to be read until it is."""
        ...

    def write(self, session: Session, waiting: Mapping[str, Any]) -> None: ...

    def let_go(self, written: Mapping[str, Any]) -> None: ...


Log = TypeVar("Log", bound=WaitingLog)


class Activity:
    """What this process has seen and not yet written; shared by all its sessions."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._writes = Lock()
        self._moods: dict[Place, Mood] = {}
        self._touched: set[Place] = set()
        self._looks: dict[str, dict[str, tuple[int, int]]] = {}
        self._counts: dict[Place, int] = {}
        self._lines: dict[str, deque[ActivityRecord]] = {}
        self._states: dict[Place, Any] = {}
        self._stirrings = 0
        self.retrievals = RetrievalLog()
        self._logs: dict[type[WaitingLog], WaitingLog] = {}

    def log_of(self, kind: type[Log]) -> Log:
        """A log that is written with everything else, made when it is first asked for."""
        with self._guard:
            if kind not in self._logs:
                self._logs[kind] = kind()
            return cast("Log", self._logs[kind])

    def _waiting_logs(self) -> list[tuple[WaitingLog, Mapping[str, Any]]]:
        with self._guard:
            logs = list(self._logs.values())
        return [(each, rows) for each in logs if (rows := each.waiting())]

    @property
    def stirrings(self) -> int:
        """How often anything was looked at or any session was heard in this process."""
        with self._guard:
            return self._stirrings

    def mood(self, session: Session, collection: str, name: str) -> Mood:
        """A session's mood, as it was left or as every session begins."""
        place = (collection, name)
        with self._guard:
            mood = self._moods.pop(place, None)
            if mood is None:
                held: Mapping[str, Any] | None = activity.read_mood(session, collection, name)
                mood = Mood() if held is None else Mood.from_json(held)
            # The last place is that of the session heard last.
            self._moods[place] = mood
            return mood

    def feel(self, place: Place, mood: Mood, learned: tuple[float, float, float], share: float = SMOOTHING) -> None:
        """Take a stored memory's novelty, fit and learning score into the running means (memory-model: Running
        means)."""
        delta_s, delta_c, learning = learned
        with self._guard:
            mood.entropy = smooth(mood.entropy, delta_s, share)
            mood.coherence = smooth(mood.coherence, delta_c, share)
            mood.learning = smooth(mood.learning, learning, share)
            self._touched.add(place)

    def keep(self, place: Place) -> None:
        """Have a changed mood written with the next batch."""
        with self._guard:
            self._touched.add(place)

    def hear(self, place: Place, mood: Mood, call: str) -> None:
        """One more exchange of a session."""
        with self._guard:
            self._stirrings += 1
            mood.calls = [*mood.calls, call][-REMEMBERED_CALLS:]
            mood.recent = [*mood.recent, mood.coherence][-REMEMBERED_MOODS:]
            self._touched.add(place)
            counted = (place[0], INTERACTIONS)
            self._counts[counted] = self._counts.get(counted, 0) + 1

    def look(self, collection: str, ids: list[str], now: int, *, times: int = 1) -> None:
        """Somebody was shown these entries."""
        with self._guard:
            self._stirrings += 1
            seen = self._looks.setdefault(collection, {})
            for id in ids:
                seen[id] = (seen.get(id, (0, 0))[0] + times, now)

    def log(self, collection: str, line: ActivityRecord) -> None:
        with self._guard:
            self._lines.setdefault(collection, deque(maxlen=activity.KEPT)).append(line)

    def looks(self, session: Session, collection: str, ids: list[str]) -> dict[str, tuple[int, int]]:
        """How often and when entries were looked at last, with what is not yet written."""
        found = activity.accesses(session, collection, ids)
        with self._guard:
            for id, (times, last) in self._looks.get(collection, {}).items():
                if id in ids:
                    before = found.get(id, (0, 0))
                    found[id] = (before[0] + times, max(before[1], last))
        return found

    def recent_looks(self, session: Session, collection: str, limit: int, since: int = 0) -> list[tuple[str, int]]:
        """Entries by when they were looked at last, newest first, with what is not yet written."""
        found = dict(activity.recent_accesses(session, collection, limit, since))
        with self._guard:
            fresh = {id: last for id, (_, last) in self._looks.get(collection, {}).items() if last >= since}
        merged = {id: max(found.get(id, 0), fresh.get(id, 0)) for id in found.keys() | fresh.keys()}
        return sorted(merged.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]

    def count(self, session: Session, collection: str, name: str = INTERACTIONS) -> int:
        with self._guard:
            fresh = self._counts.get((collection, name), 0)
        return int(activity.read_state(session, collection, name) or 0) + fresh

    def add(self, collection: str, name: str, more: int = 1) -> None:
        with self._guard:
            self._counts[collection, name] = self._counts.get((collection, name), 0) + more

    def state(self, session: Session, collection: str, name: str) -> Any:
        """A named value, as this process or another left it."""
        with self._guard:
            if (collection, name) in self._states:
                return self._states[collection, name]
        return activity.read_state(session, collection, name)

    def states(self, session: Session, collection: str, prefix: str) -> dict[str, Any]:
        """The values whose names begin so, with what is not yet written, in the order of their names."""
        found = activity.read_states(session, collection, prefix)
        with self._guard:
            fresh = {name: value for (place, name), value in self._states.items() if place == collection}
        found |= {name: value for name, value in fresh.items() if name.startswith(prefix)}
        return dict(sorted(found.items()))

    def set_state(self, collection: str, name: str, value: Any) -> None:
        with self._guard:
            self._states[collection, name] = value

    def happenings(self, session: Session, collection: str, asked: LogFilter) -> list[ActivityRecord]:
        """The newest lines of the log, with what is not yet written."""
        with self._guard:
            fresh = [line for line in reversed(self._lines.get(collection, ())) if asked.wants(line)]
        return [*fresh, *activity.read_happenings(session, collection, asked)][: asked.limit]

    def last_retrievals(self, session: Session, place: Place, limit: int = REMEMBERED_RETRIEVALS) -> list[RetrievalRow]:
        """What was asked and shown in a session, newest first, with what is not yet written."""
        return self.retrievals.last(session, place[0], limit=limit, of_session=place[1])

    def count_unwritten(self, collection: str) -> int:
        """How many things of a collection were seen and not yet written."""
        with self._guard:
            seen = len(self._looks.get(collection, ())) + len(self._lines.get(collection, ()))
            named = (*self._counts, *self._states, *self._touched)
            return seen + sum(place[0] == collection for place in named)

    def flush(self, store: Store) -> None:
        """Write everything in one go."""
        with self._writes:
            self._write(store)

    def _write(self, store: Store) -> None:
        with self._guard:
            # All of it stays to be read until it is written.
            looks = {collection: dict(seen) for collection, seen in self._looks.items()}
            counts, states = dict(self._counts), dict(self._states)
            lines = {collection: list(added) for collection, added in self._lines.items()}
            moods = {place: self._moods[place].to_json() for place in self._touched if place in self._moods}
            self._touched = set()
        retrieved, others = self.retrievals.waiting(), self._waiting_logs()
        if not (looks or counts or lines or moods or states or others or any(retrieved)):
            return
        now = store.clock()

        def act(session: Session) -> None:
            for collection, seen in looks.items():
                activity.add_accesses(session, collection, seen)
            for (collection, name), more in counts.items():
                activity.add_to_count(session, collection, name, more, now=now)
            for (collection, name), value in states.items():
                activity.write_state(session, collection, name, value, now=now)
            for collection, named in _by_collection(moods).items():
                activity.write_moods(session, collection, named, now=now)
            for collection, added in lines.items():
                activity.log_happenings(session, collection, added)
            write_retrievals(session, *retrieved)
            _write_logs(session, others)

        is_written = False
        try:
            store.operate(act)
            is_written = True
        except Refusal as refusal:
            log.warning("what was looked at is not written down yet: %s", refusal.message)
        finally:
            if is_written:
                self._drop(looks, counts, lines)
                self._let_go(states)
                self.retrievals.let_go(*retrieved)
                _let_go_of(others)
            else:
                with self._guard:
                    self._touched |= set(moods)

    def _drop(
        self,
        looks: Mapping[str, Mapping[str, tuple[int, int]]],
        counts: Mapping[Place, int],
        lines: Mapping[str, Sequence[ActivityRecord]],
    ) -> None:
        """What is written is not added to what is read of it any more; what has come since waits."""
        with self._guard:
            for collection, seen in looks.items():
                held = self._looks[collection]
                for entry_id, (times, _) in seen.items():
                    now, last = held[entry_id]
                    held[entry_id] = (now - times, last)
                self._looks[collection] = {each: look for each, look in held.items() if look[0]}
            for place, more in counts.items():
                self._counts[place] -= more
            self._counts = {place: more for place, more in self._counts.items() if more}
            for collection, added in lines.items():
                written = set(map(id, added))
                fresh = [line for line in self._lines[collection] if id(line) not in written]
                self._lines[collection] = deque(fresh, maxlen=activity.KEPT)

    def _let_go(self, written: Mapping[Place, Any]) -> None:
        """What is written can be read again: states that nobody has changed since, moods that were not needed for
        long."""
        with self._guard:
            for place, value in written.items():
                if self._states.get(place) is value:
                    del self._states[place]
            for place in list(self._moods)[:-HELD_MOODS]:
                if place not in self._touched:
                    del self._moods[place]


def _write_logs(session: Session, logs: Sequence[tuple[WaitingLog, Mapping[str, Any]]]) -> None:
    for each, rows in logs:
        each.write(session, rows)


def _let_go_of(logs: Sequence[tuple[WaitingLog, Mapping[str, Any]]]) -> None:
    for each, rows in logs:
        each.let_go(rows)


def _by_collection(moods: Mapping[Place, dict[str, Any]]) -> dict[str, dict[str, dict[str, Any]]]:
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for (collection, name), mood in moods.items():
        found.setdefault(collection, {})[name] = mood
    return found


def last_question(session: Session, collection: str, mood: Mood) -> str:
    """What a session asked last; nothing where it showed what is erased by now."""
    if mood.showed and not activity.kept_ids(session, collection, set(mood.showed)).issuperset(mood.showed):
        mood.question, mood.showed = "", []
    return mood.question


def note_question(mood: Mood, question: str, showed: Sequence[str], *, goes_on: bool) -> None:
    """What is asked after a further question, and what that showed, with what it goes on from."""
    mood.question, mood.showed = question, list(dict.fromkeys([*(mood.showed if goes_on else ()), *showed]))


def pulse_of(mood: Mood, situation: Situation = CALM, gates: Gates = PRIORS) -> Pulse:
    return take_pulse(mood.entropy, mood.coherence, mood.learning, situation, gates=gates)


def activity_of(kernel: Kernel) -> Activity:
    """What this process has seen and not yet written."""
    return kernel.keep(Activity)


def note_use(kernel: Kernel, session: str, ids: Collection[str], sure: float) -> None:
    """Entries were of use in a session: a weak label for what showed them there (memory-model: Retrievals)."""
    if not ids:
        return
    with kernel.store.database.read() as held:
        activity_of(kernel).retrievals.mark(held, (kernel.collection, session), ids, sure, now=kernel.now())


def log_curation(kernel: Kernel, level: str, action: str, ids: tuple[str, ...], *, reason: str = "") -> None:
    line = ActivityRecord(
        time=kernel.now(), level=level, component="curation", action=action, node_ids=ids, reason=reason
    )
    activity_of(kernel).log(kernel.collection, line)
