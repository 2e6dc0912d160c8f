"""Reflection: what to do, in which order and about what of the memory, to come to a goal."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memotheca.kernel.citations import citation_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.critique import Check, critique
from memotheca.memory.care.recency import recent_entries
from memotheca.memory.claims.goals import Intent, asks_for_effects, intents, to_remember, topic_of, without_request
from memotheca.memory.curation.reversal import TAKEN_BACK
from memotheca.memory.curation.tombstones import Tombstone, find_tombstones
from memotheca.memory.session.gate_log import note_decisions
from memotheca.memory.session.state import activity_of
from memotheca.memory.traits import KNOWN
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.tuning.thresholds import Decided
from memotheca.memory.verbs import Verb
from memotheca.model.knowledge import Entry
from memotheca.search.search import Question, find_entries

STEPS = 5  # specification: at most
FOUND = 3  # chosen: ids that a step is filled with
RECENT = 10  # chosen: entries that a step may be about

_MEANT: Mapping[Intent, str] = {
    "undo": "something is to come back",
    "missing": "something cannot be found any more",
    "conflict": "statements are to be compared",
    "clean": "the memory is to be tidied",
    "cause": "causes or effects are asked for",
    "trust": "a text is to be trusted or not",
    "health": "the state of the memory is asked for",
    "forget": "something is to be forgotten",
    "store": "something is to be remembered",
    "related": "what surrounds something is asked for",
    "kind": "the general and the specific are asked for",
    "find": "something is to be found",
}


# Why something is proposed: what the goal means, the state of the session, or to have the passages at hand at last.
Ground = Intent | Literal["unsettled", "loose", "goal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Something to do, why, and what it is about: entries, words of the goal, what to look for, a way back."""

    verb: Verb
    ground: Ground
    entries: tuple[Entry, ...] = ()
    text: str = ""
    checks: tuple[Check, ...] = ()
    lost: Tombstone | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """Steps in their order, the thoughts behind them, and what of the session's state added to them."""

    goal: str
    reasoning: str
    steps: tuple[Proposal, ...]
    entropy: float
    coherence: float
    triggered_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _GoalSurvey:
    """What the memory has on a goal."""

    goal: str
    hits: Sequence[Entry]
    duplicates: Sequence[Entry]
    lost: Sequence[Tombstone]
    has_changes: bool = False

    @property
    def topic(self) -> str:
        return without_request(self.goal)


_ASKING: frozenset[Intent] = frozenset(("missing", "conflict", "cause", "trust", "related", "kind", "find"))


def reflect(kernel: Kernel, goal: str, session_name: str) -> Reflection:
    meant = intents(goal)
    found = _survey(kernel, goal, meant)
    with kernel.read() as snapshot:
        mood = activity_of(kernel).mood(snapshot.session, kernel.collection, session_name)
        gates = gates_at(snapshot)
    steps = [step for intent in meant for step in _STEPS[intent](found)]
    triggered: list[str] = []
    note_decisions(kernel, [Decided("reflecting", mood.entropy, mood.entropy > gates["reflecting"])], gates)
    unsettled, loose = gates["reflecting"], gates["coherence_low"]
    if mood.entropy > unsettled:
        triggered.append(f"entropy {mood.entropy:.2f} > {unsettled:g}")
        steps.append(Proposal(verb=Verb.ASK, ground="unsettled"))
    if mood.coherence < loose:
        triggered.append(f"coherence {mood.coherence:.2f} < {loose:g}")
        steps.append(Proposal(verb=Verb.CRITICISE, ground="loose"))
    # Who asks something wants the passages at hand; who wants something done does not.
    wanted = not meant or not _ASKING.isdisjoint(meant)
    last = [Proposal(verb=Verb.CITE, ground="goal", text=found.topic)] if wanted else []
    kept: dict[Verb, Proposal] = {}
    for step in steps if meant or triggered else [*_find(found), *steps]:
        kept.setdefault(step.verb, step)
    return Reflection(
        goal=goal,
        reasoning=_reasoning(meant, found),
        steps=(*list(kept.values())[: STEPS - len(last)], *last),
        entropy=mood.entropy,
        coherence=mood.coherence,
        triggered_by=tuple(triggered),
    )


def _survey(kernel: Kernel, goal: str, meant: Sequence[Intent]) -> _GoalSurvey:
    page = find_entries(
        kernel, Question(content=without_request(goal), kinds=KNOWN, is_explained=False, is_complete=False), limit=FOUND
    )
    hits = [hit.version.thing for hit in page.hits if isinstance(hit.version.thing, Entry)]
    with kernel.read() as snapshot:
        repeated: Sequence[Entry] = ()
        if "clean" in meant:
            recent = list({entry.id: entry for entry in (*hits, *recent_entries(kernel, snapshot, RECENT))}.values())
            found = critique(kernel, snapshot, recent, ("duplicates",))
            repeated = found[0].entries if found else ()
        lost = _lost(find_tombstones(snapshot, kernel.now(), query=goal, limit=20)[0]) if "undo" in meant else []
        if "undo" in meant and not lost:
            lost = _lost(find_tombstones(snapshot, kernel.now(), limit=20)[0])
        has_changes = "undo" in meant and bool(snapshot.commits(limit=1))
    return _GoalSurvey(goal, hits, repeated, lost, has_changes)


def _lost(found: Sequence[Tombstone]) -> list[Tombstone]:
    return [each for each in found if each.commit.operation in TAKEN_BACK][:1]


def _reasoning(meant: Sequence[Intent], found: _GoalSurvey) -> str:
    said = f"The goal says that {', and that '.join(_MEANT[intent] for intent in meant)}." if meant else ""
    cited = ", ".join(citation_of(entry) for entry in found.hits)
    stored = f"Nearest to it is {cited}." if cited else "Nothing is stored about it yet."
    return f"{said or 'The goal names nothing in particular to do, so look for what is known.'} {stored}"


def _undo(found: _GoalSurvey) -> list[Proposal]:
    """Bring back what was forgotten or merged; where nothing was, the last change is what is left to take back."""
    if not found.lost and found.has_changes:
        return [Proposal(verb=Verb.LOOK_BACK, ground="undo"), Proposal(verb=Verb.UNDO, ground="undo")]
    steps = [Proposal(verb=Verb.UNEARTH, ground="undo", text=found.topic)]
    return [*steps, *(Proposal(verb=Verb.RESTORE, ground="undo", lost=each) for each in found.lost)]


def _missing(found: _GoalSurvey) -> list[Proposal]:
    return [
        Proposal(verb=Verb.UNEARTH, ground="missing", text=found.topic),
        Proposal(verb=Verb.LOOK_BACK, ground="missing"),
        Proposal(verb=Verb.PLAN, ground="missing", text=found.goal),
    ]


def _conflict(found: _GoalSurvey) -> list[Proposal]:
    return [Proposal(verb=Verb.CRITICISE, ground="conflict", checks=("conflicts", "outdated"))]


def _clean(found: _GoalSurvey) -> list[Proposal]:
    then = Proposal(verb=Verb.CRITICISE, ground="clean", checks=("duplicates", "outdated"))
    if found.duplicates:
        then = Proposal(verb=Verb.MERGE, ground="clean", entries=tuple(found.duplicates))
    return [Proposal(verb=Verb.TEND, ground="clean"), then]


def _cause(found: _GoalSurvey) -> list[Proposal]:
    verb = Verb.PREDICT if asks_for_effects(found.goal) else Verb.EXPLAIN
    steps = [Proposal(verb=verb, ground="cause", text=topic_of(found.goal))]
    if len(found.hits) > 1:
        steps.append(Proposal(verb=Verb.TRACE, ground="cause", entries=tuple(found.hits[:2])))
    return steps


def _trust(found: _GoalSurvey) -> list[Proposal]:
    about = tuple(found.hits[:1])
    return [Proposal(verb=Verb.CHECK, ground="trust", entries=about, text=about[0].body if about else found.goal)]


def _health(found: _GoalSurvey) -> list[Proposal]:
    return [Proposal(verb=Verb.BALANCE, ground="health"), Proposal(verb=Verb.TEND, ground="health")]


def _forget(found: _GoalSurvey) -> list[Proposal]:
    steps = [Proposal(verb=Verb.SEARCH, ground="forget", text=found.topic)]
    return [*steps, *(Proposal(verb=Verb.FORGET, ground="forget", entries=(entry,)) for entry in found.hits[:1])]


def _store(found: _GoalSurvey) -> list[Proposal]:
    said = to_remember(found.goal)
    return [Proposal(verb=verb, ground="store", text=said) for verb in (Verb.SEARCH, Verb.STORE)]


def _related(found: _GoalSurvey) -> list[Proposal]:
    return [Proposal(verb=Verb.SURROUND, ground="related", entries=(entry,)) for entry in found.hits[:1]]


def _kind(found: _GoalSurvey) -> list[Proposal]:
    return [Proposal(verb=Verb.CLASSIFY, ground="kind", entries=(entry,)) for entry in found.hits[:1]]


def _find(found: _GoalSurvey) -> list[Proposal]:
    """Where something is near, all of it; else the same in other words."""
    if found.hits:
        return [Proposal(verb=Verb.SEARCH, ground="find", text=topic_of(found.goal))]
    return [Proposal(verb=Verb.PLAN, ground="find", text=found.goal)]


_STEPS: Mapping[Intent, Callable[[_GoalSurvey], list[Proposal]]] = {
    "undo": _undo,
    "missing": _missing,
    "conflict": _conflict,
    "clean": _clean,
    "cause": _cause,
    "trust": _trust,
    "health": _health,
    "forget": _forget,
    "store": _store,
    "related": _related,
    "kind": _kind,
    "find": _find,
}
