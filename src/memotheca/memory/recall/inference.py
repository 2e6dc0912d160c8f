"""Causal inference: what happens if something is done, seen, or had not been (memory-model: Interventions)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memotheca.kernel.citations import citation_of
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.nodes import find_node
from memotheca.memory.curation.links import sureness
from memotheca.memory.graph.causality import Arrow, Arrows, combine, find_paths, necessity, reverse, without
from memotheca.memory.graph.causes import causal_arrows
from memotheca.memory.traits import KNOWN
from memotheca.model.errors import Refusal
from memotheca.model.kinds import CAUSAL
from memotheca.model.knowledge import Edge, Entry
from memotheca.search.search import Question, find_entries
from memotheca.storage.snapshot import Snapshot

Intervention = Literal["do", "observe", "counterfactual"]
INTERVENTIONS: tuple[Intervention, ...] = ("do", "observe", "counterfactual")

MEANT = 3  # chosen: what somebody may mean, at most
SEARCHED = 12  # chosen: among which those with causes are looked for
LINKED = 1.5  # chosen: what has causes is likelier meant
NEAR_THE_BEST = 0.6  # chosen: the others are not meant
MOST_EFFECTS, MOST_ROOTS = 20, 50  # chosen: what an answer can show; milliseconds
# What happens without any cause that is known.
LEAK = 0.05  # chosen (memory-model: Interventions)


@dataclass(frozen=True, slots=True)
class Confounder:
    """A cause of both: how strongly of the action and, past the action, of the outcome, and how likely it holds."""

    entry: Entry
    to_action: float
    to_outcome: float
    likelihood: float


@dataclass(frozen=True, slots=True)
class Effect:
    """How likely the outcome is under the question asked, what it is compared with, and by which chains; the first says
    nothing where nothing that is known leads from one to the other."""

    action: Entry
    outcome: Entry
    probability: float
    baseline: float
    necessity: float | None
    paths: tuple[tuple[Arrow, ...], ...]
    confounders: tuple[Confounder, ...]
    edges: Mapping[str, Edge]
    truncated: bool
    is_known: bool

    @property
    def lift(self) -> float:
        return self.probability - self.baseline


@dataclass(frozen=True, slots=True)
class Reached:
    """Something that an action leads to: how surely, by how many chains, the shortest of how many steps."""

    entry: Entry
    probability: float
    chains: int
    hops: int


def resolve(kernel: Kernel, said: str) -> list[Entry]:
    """What somebody means: the node itself where it is named, else the nearest few, those with causes or effects
    before others."""
    with kernel.read() as snapshot:
        try:
            named = find_node(snapshot, said).thing
            return [named] if isinstance(named, Entry) else []
        except Refusal as refusal:
            if refusal.failure.is_trouble:
                raise
    hits = find_entries(
        kernel, Question(content=said, kinds=KNOWN, is_explained=False, is_complete=False), limit=SEARCHED
    ).hits
    with kernel.read() as snapshot:
        weighed = [
            ((hit.score or 0.0) * (LINKED if _is_causal(snapshot, hit.version.thing) else 1.0), hit.version.thing)
            for hit in hits
            if isinstance(hit.version.thing, Entry)
        ]
    weighed.sort(key=lambda pair: (-pair[0], pair[1].id))
    return [entry for worth, entry in weighed[:MEANT] if worth >= NEAR_THE_BEST * weighed[0][0]]


def _is_causal(snapshot: Snapshot, entry: Entry) -> bool:
    return any(edge.type == CAUSAL for edge in snapshot.edges_of(entry.id))


def infer(
    snapshot: Snapshot, actions: Sequence[Entry], outcomes: Sequence[Entry], kind: Intervention, *, hops: int
) -> Effect | None:
    """The effect of the action on the outcome, of those that may be meant the pair that hangs together most."""
    found = [
        _effect(snapshot, one, other, kind, hops=hops) for one in actions for other in outcomes if one.id != other.id
    ]
    return max(found, key=lambda effect: (combine(effect.paths), abs(effect.lift)), default=None)


def _effect(snapshot: Snapshot, action: Entry, outcome: Entry, kind: Intervention, *, hops: int) -> Effect:
    ahead, edges, cut = causal_arrows(snapshot, action.id, hops, "forward")
    behind, more, shortened = causal_arrows(snapshot, outcome.id, hops, "backward")
    above, others, short = causal_arrows(snapshot, action.id, hops, "backward")
    paths = find_paths(ahead, action.id, outcome.id, hops)[0]
    towards = reverse(behind)
    priors = _roots(snapshot, towards, {action.id, outcome.id})
    background = _background(towards, action.id, outcome.id, priors, hops=hops)
    confounders = _confounders(snapshot, (reverse(above), towards), (action, outcome), hops)
    occurring = _either(combine(paths), background)
    if kind == "counterfactual":
        probability, baseline = background, occurring
    elif kind == "observe":
        likelier = priors | {each.entry.id: each.likelihood for each in confounders}
        probability = _either(combine(paths), _background(towards, action.id, outcome.id, likelier, hops=hops))
        baseline = background
    else:
        probability, baseline = occurring, background
    return Effect(
        action,
        outcome,
        probability,
        baseline,
        necessity(occurring, background) if kind == "counterfactual" else None,
        tuple(paths),
        tuple(confounders),
        {**edges, **more, **others},
        cut or shortened or short,
        bool(paths) or (kind == "observe" and bool(confounders)),
    )


def _either(one: float, other: float) -> float:
    return 1 - (1 - one) * (1 - other)


def _roots(snapshot: Snapshot, arrows: Arrows, besides: set[str]) -> dict[str, float]:
    """Causes that have no known cause themselves, each as sure as it was said to be."""
    caused = {arrow.target for group in arrows.values() for arrow in group}
    entries = [snapshot.entry(id) for id in sorted(arrows.keys() - caused - besides)[:MOST_ROOTS]]
    return {entry.id: sureness(entry) for entry in entries if entry is not None}


def _background(arrows: Arrows, action: str, outcome: str, priors: Mapping[str, float], *, hops: int) -> float:
    """How likely the outcome is where the action is not: by its other causes, on ways that avoid the action."""
    rest = without(arrows, action)
    absent = 1.0
    for root, prior in priors.items():
        absent *= 1 - prior * combine(find_paths(rest, root, outcome, hops)[0])
    return 1 - absent


def _confounders(
    snapshot: Snapshot, arrows: tuple[Arrows, Arrows], ends: tuple[Entry, Entry], hops: int
) -> list[Confounder]:
    """What causes the action and also, past it, the outcome; seeing the action makes it likelier (Bayes)."""
    to_action, to_outcome = arrows
    action, outcome = ends
    rest = without(to_outcome, action.id)
    found: list[Confounder] = []
    for id in sorted(to_action.keys() & rest.keys())[:MOST_ROOTS]:
        entry = snapshot.entry(id)
        onto = combine(find_paths(to_action, id, action.id, hops)[0])
        past = combine(find_paths(rest, id, outcome.id, hops)[0]) if id != outcome.id else 0.0
        if entry is not None and onto and past:
            prior = sureness(entry)
            seen = prior * _either(onto, LEAK)
            found.append(Confounder(entry, onto, past, seen / (seen + (1 - prior) * LEAK)))
    return sorted(found, key=lambda each: (-each.to_action * each.to_outcome, each.entry.id))


def effects_of(snapshot: Snapshot, actions: Sequence[Entry], hops: int) -> tuple[list[Reached], dict[str, Edge], bool]:
    """Everything that an action leads to, the likeliest first."""
    best: dict[str, Reached] = {}
    edges: dict[str, Edge] = {}
    cut = False
    for action in actions:
        arrows, more, short = causal_arrows(snapshot, action.id, hops, "forward")
        edges |= more
        cut = cut or short
        for id in sorted({arrow.target for group in arrows.values() for arrow in group} - {action.id}):
            entry, paths = snapshot.entry(id), find_paths(arrows, action.id, id, hops)[0]
            if entry is not None and paths:
                reached = Reached(entry, combine(paths), len(paths), min(map(len, paths)))
                if id not in best or reached.probability > best[id].probability:
                    best[id] = reached
    ranked = sorted(best.values(), key=lambda each: (-each.probability, each.hops, each.entry.id))
    return ranked[:MOST_EFFECTS], edges, cut or len(ranked) > MOST_EFFECTS


def tell(effect: Effect, kind: Intervention) -> str:
    """The answer in words, with citations."""
    action, outcome = citation_of(effect.action), citation_of(effect.outcome)
    if not effect.is_known:
        return f"No chain of causes is known from {action} to {outcome}: how likely it makes it is unknown."
    if kind == "counterfactual":
        return (
            f"Without {action}, {outcome} would come about with {effect.probability:.2f} instead of "
            f"{effect.baseline:.2f}; it is necessary to {effect.necessity or 0.0:.2f}."
        )
    verb = "Doing" if kind == "do" else "Seeing"
    return f"{verb} {action} makes {outcome} likely to {effect.probability:.2f}, against {effect.baseline:.2f} without."
