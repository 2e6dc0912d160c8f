"""Reflection: which tools, in which order and with which real arguments, lead to a goal."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.critique import critique
from memotheca.memory.care.recency import recent_entries
from memotheca.memory.claims.goals import Intent, intents, without_request
from memotheca.memory.curation.restore import TAKEN_BACK
from memotheca.memory.curation.tombstones import Tombstone, find_tombstones
from memotheca.memory.session.state import activity_of
from memotheca.memory.standing.nearest import KNOWN
from memotheca.model.knowledge import Entry
from memotheca.search.search import Question, find_entries

STEPS, USUAL = 5, 3  # specification: five steps, three unless more are due
UNSETTLED, LOOSE = 0.6, 0.4  # specification: from these on the session itself suggests a step
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


@dataclass(frozen=True, slots=True)
class SuggestedCall:
    """A tool to call, with what, and why."""

    tool: str
    params: Mapping[str, Any]
    rationale: str


@dataclass(frozen=True, slots=True)
class Reflection:
    """Steps in their order, the thoughts behind them, and what of the session's state added to them."""

    reasoning: str
    steps: tuple[SuggestedCall, ...]
    entropy: float
    coherence: float
    triggered_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Ground:
    """What the memory has on a goal."""

    goal: str
    hits: Sequence[Entry]
    duplicates: Sequence[Entry]
    lost: Sequence[Tombstone]

    @property
    def topic(self) -> str:
        return without_request(self.goal)


def reflect(kernel: Kernel, goal: str, session_name: str) -> Reflection:
    meant = intents(goal)
    ground = _survey(kernel, goal, meant)
    with kernel.read() as snapshot:
        mood = activity_of(kernel).mood(snapshot.session, kernel.collection, session_name)
    steps = [step for intent in meant for step in _STEPS[intent](ground)]
    triggered: list[str] = []
    if mood.entropy > UNSETTLED:
        triggered.append(f"entropy {mood.entropy:.2f} > {UNSETTLED}")
        steps.append(SuggestedCall("epistemic_action", {}, "The material is unsettled: let a question settle it."))
    if mood.coherence < LOOSE:
        triggered.append(f"coherence {mood.coherence:.2f} < {LOOSE}")
        steps.append(SuggestedCall("critique_context", {}, "The material hangs together loosely: look for conflicts."))
    last = SuggestedCall(
        "inject_context", {"query": ground.topic}, "Have the passages that matter at hand, each cited."
    )
    kept = list({step.tool: step for step in reversed(steps)}.values())[::-1][: STEPS - 1]
    if len(kept) < USUAL - 1:
        more = [step for step in _find(ground) if step.tool not in {each.tool for each in kept}]
        kept += more[: USUAL - 1 - len(kept)]
    told = _reasoning(meant, ground)
    return Reflection(told, (*kept, last), mood.entropy, mood.coherence, tuple(triggered))


def _survey(kernel: Kernel, goal: str, meant: Sequence[Intent]) -> _Ground:
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
    return _Ground(goal, hits, repeated, lost)


def _lost(found: Sequence[Tombstone]) -> list[Tombstone]:
    return [each for each in found if each.commit.operation in TAKEN_BACK][:1]


def _reasoning(meant: Sequence[Intent], ground: _Ground) -> str:
    said = f"The goal says that {', and that '.join(_MEANT[intent] for intent in meant)}." if meant else ""
    cited = ", ".join(citation_of(entry) for entry in ground.hits)
    stored = f"Nearest to it is {cited}." if cited else "Nothing is stored about it yet."
    return f"{said or 'The goal names nothing in particular to do, so look for what is known.'} {stored}"


def _undo(ground: _Ground) -> list[SuggestedCall]:
    steps = [
        SuggestedCall("search_tombstones", {"query": ground.topic}, "See what was deleted and can still come back.")
    ]
    for each in ground.lost:
        params = {"reversal_hash": each.reversal_hash}
        steps.append(SuggestedCall("restore_from_hash", params, f"Brings back {name_of(each.entry)!r}."))
    return steps


def _missing(ground: _Ground) -> list[SuggestedCall]:
    return [
        SuggestedCall("search_tombstones", {"query": ground.topic}, "It may have been forgotten or merged."),
        SuggestedCall("get_system_logs", {"component": "curation"}, "See who changed what."),
        SuggestedCall("generate_search_plan", {"goal": ground.goal}, "It may be there under other words."),
    ]


def _conflict(ground: _Ground) -> list[SuggestedCall]:
    params = {"check_types": ["conflicts", "outdated"]}
    return [SuggestedCall("critique_context", params, "Find statements that cannot all hold.")]


def _clean(ground: _Ground) -> list[SuggestedCall]:
    steps = [SuggestedCall("get_memetic_status", {}, "See the curation tasks.")]
    if ground.duplicates:
        params = {
            "source_node_ids": [entry.id for entry in ground.duplicates],
            "target_name": name_of(ground.duplicates[0]),
            "rationale": "They say the same thing.",
        }
        steps.append(SuggestedCall("merge_concepts", params, "These two say the same."))
    else:
        params = {"check_types": ["duplicates", "outdated"]}
        steps.append(SuggestedCall("critique_context", params, "Find what repeats or is outdated."))
    return steps


def _cause(ground: _Ground) -> list[SuggestedCall]:
    steps = [
        SuggestedCall("query_causal", {"action": ground.topic}, "See what it brings about, or what brings it about.")
    ]
    if len(ground.hits) > 1:
        params = {"source_id": ground.hits[0].id, "target_id": ground.hits[1].id, "direction": "bidirectional"}
        steps.append(SuggestedCall("find_causal_path", params, "Follow the chain between the two nearest."))
    return steps


def _trust(ground: _Ground) -> list[SuggestedCall]:
    content = ground.hits[0].body if ground.hits else ground.goal
    about = f"the text of {citation_of(ground.hits[0])}" if ground.hits else "what was said"
    return [SuggestedCall("check_adversarial", {"content": content}, f"Check {about} before relying on it.")]


def _health(ground: _Ground) -> list[SuggestedCall]:
    return [
        SuggestedCall("homeostatic_status", {}, "Importance, suspects and quarantine."),
        SuggestedCall("get_memetic_status", {}, "What to tend to."),
    ]


def _forget(ground: _Ground) -> list[SuggestedCall]:
    steps = [SuggestedCall("search_graph", {"query": ground.topic}, "Make sure which one is meant.")]
    for entry in ground.hits[:1]:
        params = {"node_id": entry.id, "reason": "user_requested", "rationale": f"Asked for: {ground.goal}"[:1000]}
        steps.append(
            SuggestedCall("forget_concept", params, f"Forgets {citation_of(entry)}; it can come back for 30 days.")
        )
    return steps


def _store(ground: _Ground) -> list[SuggestedCall]:
    steps = [SuggestedCall("search_graph", {"query": ground.topic}, "Something like it may be there already.")]
    params = {"content": ground.topic, "rationale": f"Asked for: {ground.goal}"[:1000]}
    return [*steps, SuggestedCall("store_memory", params, "Put it into your own words, with why and with links.")]


def _related(ground: _Ground) -> list[SuggestedCall]:
    return [
        SuggestedCall("get_neighborhood", {"node_id": entry.id}, f"What surrounds {citation_of(entry)}.")
        for entry in ground.hits[:1]
    ]


def _kind(ground: _Ground) -> list[SuggestedCall]:
    return [
        SuggestedCall("entailment_query", {"node_id": entry.id}, f"What is above and below {citation_of(entry)}.")
        for entry in ground.hits[:1]
    ]


def _find(ground: _Ground) -> list[SuggestedCall]:
    return [
        SuggestedCall("generate_search_plan", {"goal": ground.goal}, "Ask in three different ways."),
        SuggestedCall("search_graph", {"query": ground.topic}, "See what is stored, best first."),
    ]


_STEPS: Mapping[Intent, Callable[[_Ground], list[SuggestedCall]]] = {
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
