"""Thresholds: every bar by which the memory decides something, where it lies at first, how far it may move, and what it
gates (memory-model: Thresholds). Pure values; whoever decides is given the gates that hold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Domain = Literal["Code", "Medical", "Legal", "Creative", "Research", "General"]
DOMAINS: tuple[Domain, ...] = get_args(Domain)
GENERAL: Domain = "General"

Name = Literal[
    "duplicate",
    "change",
    "dispute",
    "clash",
    "likely",
    "link",
    "link_floor",
    "near",
    "about",
    "priors",
    "consolidation",
    "planted",
    "planted_sure",
    "planted_hidden",
    "planted_outside",
    "planted_own",
    "planted_pasted",
    "weight_limit",
    "scatter_limit",
    "faint_cause",
    "doubt",
    "slight",
    "relevance",
    "anchor",
    "alike",
    "alike_words",
    "unsaid",
    "distant",
    "johari",
    "entropy_high",
    "entropy_low",
    "coherence_fair",
    "coherence_low",
    "gating",
    "reflecting",
    "workspace",
]
NAMES: tuple[Name, ...] = get_args(Name)

# A probability, a share or cosine, the logarithm of odds, or spreads of an embedder's cosines.
Scale = Literal["probability", "share", "odds", "spreads"]

# By how much more or less it is asked what would have been decided otherwise.
NUDGE = 0.05  # specification (memory-model: Thresholds)
WIDE_NUDGE = 0.5  # chosen: of a spread or of log odds, about as much


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """One bar: where it lies unless something is known better, within which range it may lie, of what it is a bar, what
    happens beyond it, and where the first value comes from. What is decided of a memory can be decided otherwise in
    each domain, what is decided of a session cannot."""

    prior: float
    range: tuple[float, float]
    gates: str
    source: str
    scale: Scale = "share"
    is_of_memories: bool = True
    # What is gated lies below it.
    is_ceiling: bool = False
    # By what it is known afterwards whether it decided rightly, where it is.
    labels: str = ""
    # What is asked hundreds of times in a call is not written down.
    is_logged: bool = True

    @property
    def nudge(self) -> float:
        return NUDGE if self.scale in ("probability", "share") else WIDE_NUDGE

    @property
    def domains(self) -> tuple[Domain, ...]:
        return DOMAINS if self.is_of_memories else (GENERAL,)

    def is_reached(self, score: float, bar: float) -> bool:
        """Whether a score is gated by a bar."""
        return score < bar if self.is_ceiling else score >= bar


_PAIRS = (
    "what somebody said of the two since: one supersedes, contradicts or is the same as the other, or both are fine"
)
_MERGES = "merges that were kept for a week, or undone"
_HELD = "what was held and released, or held and forgotten or kept held by somebody"
_OUTCOMES = "what was used of what retrievals showed, and what they were said to have been worth"

REGISTRY: Mapping[Name, Threshold] = {
    "duplicate": Threshold(
        prior=0.25,
        range=(0.1, 0.6),
        scale="probability",
        gates="from which probability on two memories are said to be the same, unless they likelier differ",
        source="measured out of fold (docs/benchmarks.md)",
        labels=f"{_MERGES}, {_PAIRS}",
    ),
    "change": Threshold(
        prior=0.7,
        range=(0.5, 0.9),
        scale="probability",
        gates="from which probability on a newer memory is said to be otherwise than an older one",
        source="measured out of fold (docs/benchmarks.md)",
        labels=_PAIRS,
    ),
    "dispute": Threshold(
        prior=0.5,
        range=(0.3, 0.7),
        scale="probability",
        gates="from which probability on what is otherwise is a dispute, not an update",
        source="measured out of fold (docs/benchmarks.md)",
        labels=_PAIRS,
    ),
    "clash": Threshold(
        prior=0.5,
        range=(0.35, 0.75),
        gates="from which score on the rules for opposites, reversals and values call two sentences contradictory",
        source="specification (memory-model: Contradictions)",
        labels=_PAIRS,
    ),
    "likely": Threshold(
        prior=0.1,
        range=(0.05, 0.3),
        scale="probability",
        gates="from which probability on a pair may be otherwise because another pair is",
        source="measured out of fold (docs/benchmarks.md)",
        is_logged=False,
    ),
    "link": Threshold(
        prior=0.7,
        range=(0.5, 0.85),
        gates="above which cosine a new memory is linked, while there are too few to tell what is usual",
        source="specification (memory-model: Links)",
    ),
    "link_floor": Threshold(
        prior=0.5,
        range=(0.35, 0.7),
        gates="above which cosine a new memory is linked at all, however near is usual",
        source="chosen (memory-model: Links)",
    ),
    "near": Threshold(
        prior=2.0,
        range=(1.0, 3.5),
        scale="spreads",
        gates="from how many spreads above unrelated texts on something is a neighbour, or an answer to what was asked",
        source="measured (docs/benchmarks.md, What counts as a match)",
        labels=_OUTCOMES,
    ),
    "about": Threshold(
        prior=0.5,
        range=(0.35, 0.75),
        gates="from which closeness on a stored statement is shown as one about the same subject",
        source="measured (docs/benchmarks.md)",
    ),
    "priors": Threshold(
        prior=0.7,
        range=(0.5, 0.9),
        gates="from which likeness of their assumptions on memories are merged without being forced",
        source="specification (memory-model: Priors)",
        labels=_MERGES,
    ),
    "consolidation": Threshold(
        prior=0.95,
        range=(0.85, 0.99),
        gates="from which likeness on memories that say the same are merged without asking",
        source="specification (memory-model: Consolidation)",
        labels=f"{_MERGES}, {_PAIRS}",
    ),
    "planted": Threshold(
        prior=0.5,
        range=(0.35, 0.65),
        scale="probability",
        gates="from which probability on a text of no stated source is held as planted",
        source="chosen (memory-model: Adversarial checks)",
        labels=_HELD,
    ),
    "planted_sure": Threshold(
        prior=0.95,
        range=(0.85, 0.99),
        scale="probability",
        gates="from which probability on a text from outside is held though it names no machine",
        source="measured: costs one honest text of 425 from outside, and holds the attacks that name no machine",
        labels=_HELD,
    ),
    "planted_hidden": Threshold(
        prior=0.8,
        range=(0.65, 0.95),
        scale="probability",
        gates="from which probability on what is hidden from people's eyes is refused",
        source="chosen (memory-model: Adversarial checks)",
    ),
    "planted_outside": Threshold(
        prior=0.0,
        range=(-2.0, 2.0),
        scale="odds",
        gates="above which log odds a text from outside is held for addressing the agent",
        source="chosen: as likely as not (memory-model: Planted text)",
        labels=_HELD,
    ),
    "planted_own": Threshold(
        prior=6.0,
        range=(3.0, 9.0),
        scale="odds",
        gates="above which log odds what the user or a colleague says is held for addressing the agent",
        source="chosen on household and lab: people speak of their agents",
        labels=_HELD,
    ),
    "planted_pasted": Threshold(
        prior=1.5,
        range=(0.0, 4.0),
        scale="odds",
        gates="above which log odds what people pass on is held for addressing the agent",
        source="chosen on household and lab: what they pass on is not theirs, but they chose it",
        labels=_HELD,
    ),
    "weight_limit": Threshold(
        prior=0.9,
        range=(0.8, 0.98),
        gates="above which importance a memory may not glue unrelated ones together",
        source="specification (memory-model: Semantic cancer)",
    ),
    "scatter_limit": Threshold(
        prior=0.8,
        range=(0.65, 0.95),
        gates="above which entropy of its neighbours an important memory glues unrelated ones together",
        source="specification (memory-model: Semantic cancer)",
    ),
    "faint_cause": Threshold(
        prior=0.2,
        range=(0.05, 0.4),
        gates="from which strength on a chain of causes explains something",
        source="chosen: a chain that carries less explains nothing",
        is_of_memories=False,
        is_logged=False,
    ),
    "doubt": Threshold(
        prior=0.5,
        range=(0.3, 0.7),
        gates="below which stated confidence a memory is reported as doubtful",
        source="chosen (memory-model: Critique)",
        is_ceiling=True,
    ),
    "slight": Threshold(
        prior=0.2,
        range=(0.05, 0.4),
        gates="below which importance a memory is reported as doubtful",
        source="chosen (memory-model: Critique)",
        is_ceiling=True,
    ),
    "relevance": Threshold(
        prior=0.25,
        range=(0.15, 0.5),
        gates="from which share of the best score on something may stand in a context",
        source="measured on one corpus (docs/benchmarks.md: answers)",
        is_of_memories=False,
        labels=_OUTCOMES,
    ),
    "anchor": Threshold(
        prior=0.5,
        range=(0.35, 0.7),
        gates="from which share of the best score on something's links and causes are followed into a context",
        source="chosen: what scores half of the best is what the question is about",
        is_of_memories=False,
        is_logged=False,
    ),
    "alike": Threshold(
        prior=0.5,
        range=(0.35, 0.8),
        gates="from which sum of cosine and shared words on two lines of a context are compared and told together",
        source="measured on one corpus (docs/benchmarks.md: answers)",
        is_of_memories=False,
        is_logged=False,
    ),
    "alike_words": Threshold(
        prior=0.3,
        range=(0.15, 0.5),
        gates="the same by the share of words alone, where one has no vector",
        source="measured on one corpus (docs/benchmarks.md: answers)",
        is_of_memories=False,
        is_logged=False,
    ),
    "unsaid": Threshold(
        prior=0.2,
        range=(0.1, 0.4),
        gates="from which share of a question's words on a context names what nothing stored mentions",
        source="measured on one corpus (docs/benchmarks.md: answers)",
        is_of_memories=False,
    ),
    "distant": Threshold(
        prior=0.3,
        range=(0.15, 0.45),
        gates="below which cosine a context answers nothing, where nothing has a word of the question",
        source="measured on one corpus (docs/benchmarks.md: answers)",
        is_of_memories=False,
        is_ceiling=True,
    ),
    "johari": Threshold(
        prior=0.5,
        range=(0.35, 0.65),
        gates="above which novelty and fit a memory is new, and fitting: its quadrant, and who filters by it",
        source="specification (memory-model: Quadrants)",
    ),
    "entropy_high": Threshold(
        prior=0.7,
        range=(0.55, 0.85),
        gates="above which entropy the pulse proposes to ask or to look for conflicts, and a question is due",
        source="specification (memory-model: Pulse)",
        is_of_memories=False,
    ),
    "entropy_low": Threshold(
        prior=0.4,
        range=(0.25, 0.55),
        gates="below which entropy the pulse proposes to explore, where coherence is low",
        source="specification (memory-model: Pulse)",
        is_of_memories=False,
        is_ceiling=True,
    ),
    "coherence_fair": Threshold(
        prior=0.5,
        range=(0.4, 0.65),
        gates="above which coherence an unsettled session is asked, not criticised",
        source="specification (memory-model: Pulse)",
        is_of_memories=False,
    ),
    "coherence_low": Threshold(
        prior=0.4,
        range=(0.25, 0.55),
        gates="below which coherence the pulse proposes to tend, and contexts may be told most fully",
        source="specification (memory-model: Pulse)",
        is_of_memories=False,
        is_ceiling=True,
    ),
    "gating": Threshold(
        prior=0.8,
        range=(0.65, 0.95),
        gates="above which entropy a context warns not to rely on it",
        source="chosen: an entropy that is high beyond doubt (memory-model: Context)",
        is_of_memories=False,
    ),
    "reflecting": Threshold(
        prior=0.6,
        range=(0.45, 0.75),
        gates="above which entropy a reflection proposes to ask",
        source="specification: from there on the session itself suggests a step",
        is_of_memories=False,
    ),
    "workspace": Threshold(
        prior=0.8,
        range=(0.65, 0.95),
        gates="from which agreement with the rest of a session's focus on a memory competes for it, or is pinned",
        source="specification (memory-model: Workspace)",
        is_of_memories=False,
    ),
}

# Of each two the first may not come to lie below the second.
CONSTRAINTS: tuple[tuple[Name, Name], ...] = (
    ("change", "likely"),
    ("link", "link_floor"),
    ("planted_sure", "planted"),
    ("planted_hidden", "planted"),
    ("planted_own", "planted_pasted"),
    ("planted_pasted", "planted_outside"),
    ("anchor", "relevance"),
    ("entropy_high", "entropy_low"),
    ("gating", "reflecting"),
    ("coherence_fair", "coherence_low"),
)


@dataclass(frozen=True, slots=True)
class Gates:
    """The bars that hold in a domain: its own, else the general ones, else the first ones."""

    bars: Mapping[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])
    domain: str = GENERAL

    def __getitem__(self, name: Name) -> float:
        if not self.bars:
            return REGISTRY[name].prior
        own = self.bars.get((name, self.domain))
        return own if own is not None else self.bars.get((name, GENERAL), REGISTRY[name].prior)

    def of(self, domain: str | None) -> "Gates":
        """The same for memories of a domain."""
        return self if not self.bars or (domain or GENERAL) == self.domain else Gates(self.bars, domain or GENERAL)


PRIORS = Gates()


@dataclass(frozen=True, slots=True)
class Decided:
    """That a bar decided something: of which score, and whether it was reached."""

    name: Name
    score: float
    is_reached: bool
