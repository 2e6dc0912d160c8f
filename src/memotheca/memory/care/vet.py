"""Vetting: whether a text is planted, out of place, beside its own point, or reasons in a circle (memory-model:
Adversarial checks)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from memotheca.kernel.kernel import Kernel
from memotheca.memory.safety.adversarial import inspect
from memotheca.memory.safety.circularity import find_circle
from memotheca.memory.spaces.space import Hung
from memotheca.memory.standing.probe import hang_text
from memotheca.memory.standing.sample import Reference, reference_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.memory.tuning.thresholds import PRIORS, Gates
from memotheca.search.embed import prepare_text
from memotheca.search.prepared import Prepared
from memotheca.storage.snapshot import Snapshot

CheckType = Literal["embedding_outlier", "content_misalign", "prompt_injection", "circular_logic"]
CHECK_TYPES: tuple[CheckType, ...] = ("embedding_outlier", "content_misalign", "prompt_injection", "circular_logic")

# A memory of one narrow topic would find everything else unusual if its spread were taken as it is.
# Specification, spread chosen (memory-model: Adversarial checks).
ENOUGH, NEAREST, SIGMAS, LEAST_SPREAD = 30, 10, 3.0, 0.13
ALIGNED, UNRELATED = 0.2, 0.15  # chosen (memory-model: Adversarial checks)
UNEMBEDDED = "Nothing is embedded here; words alone do not tell."
FAILED = 0.5  # specification (memory-model: Adversarial checks)
ENOUGH_PAIRS = 10  # chosen: fewer do not tell how near is near
HEADING = 160  # chosen: a longer line is no heading


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one check says: how suspicious the text is from 0 to 1, from the bar on a failure; or why it was not
    made."""

    check: CheckType
    score: float | None = None
    details: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict[str, Any])
    skipped: str | None = None
    bar: float = FAILED

    @property
    def passed(self) -> bool | None:
        return None if self.score is None else self.score < self.bar

    @property
    def distance(self) -> float:
        """How far it is from the border between passing and failing."""
        return 2 * abs((self.score or 0.0) - self.bar)


@dataclass(frozen=True, slots=True)
class Vetted:
    """All verdicts and what follows from them."""

    verdicts: tuple[Verdict, ...]
    blocked: float = PRIORS["planted_hidden"]

    @property
    def is_safe(self) -> bool:
        return not self._failed

    @property
    def is_checked(self) -> bool:
        """Whether any check could be made."""
        return any(verdict.score is not None for verdict in self.verdicts)

    @property
    def attack_type(self) -> str:
        return max(self._failed, key=_score).check if self._failed else "none"

    @property
    def worst(self) -> float:
        """The highest score that means a threat: of a failed check, or of one that looks for attacks. What is only new
        or loosely put is none."""
        told = [each for each in self.verdicts if each.passed is False or each.check == "prompt_injection"]
        return max(map(_score, told), default=0.0)

    @property
    def threat_level(self) -> str:
        levels = ((self.blocked, "critical"), (0.65, "high"), (FAILED, "medium"), (0.3, "low"))
        return next((name for least, name in levels if self.worst >= least), "none")

    @property
    def confidence(self) -> float:
        """How far the deciding check is from the border between passing and failing."""
        made = [each.distance for each in self.verdicts if each.score is not None]
        failed = [each.distance for each in self._failed]
        return round(max(failed) if failed else min(made, default=0.0), 4)

    @property
    def action(self) -> str:
        if any(each.check == "prompt_injection" and _score(each) >= self.blocked for each in self._failed):
            return "Block"
        if self._failed or not self.is_checked:
            return "RequireReview"
        return "Allow" if self.threat_level == "none" else "AllowWithMonitoring"

    @property
    def _failed(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.passed is False]


def _score(verdict: Verdict) -> float:
    return verdict.score or 0.0


def vet(kernel: Kernel, content: str, checks: Sequence[str], rationale: str | None = None) -> Vetted:
    """Make the checks that are asked for; the text is neither kept nor obeyed."""
    about, body = (rationale, content) if rationale is not None else _heading_and_rest(content)
    passages = (content, *(() if about is None else (about, body)))
    prepared = {passage: prepare_text(kernel, "", passage, whole=True) for passage in passages}
    with kernel.read() as snapshot:
        look, gates = _VettedText(kernel, snapshot, content, about, body, prepared), gates_at(snapshot)
        made: dict[str, Callable[[], Verdict]] = {
            "embedding_outlier": look.find_outlier,
            "content_misalign": look.find_misaligned,
            "prompt_injection": lambda: _injection(content, gates),
            "circular_logic": lambda: _circularity(content),
        }
        return Vetted(tuple(made[check]() for check in dict.fromkeys(checks)), gates["planted_hidden"])


def _heading_and_rest(content: str) -> tuple[str | None, str]:
    """A first line that stands for itself, and what follows it."""
    first, _, rest = content.strip().partition("\n")
    heading = first.strip("#=* \t")
    if heading and rest.strip() and len(heading) <= HEADING and len(rest) > 2 * len(heading):
        return heading, rest.strip()
    return None, content


@dataclass(frozen=True, slots=True)
class _VettedText:
    kernel: Kernel
    snapshot: Snapshot
    content: str
    about: str | None
    body: str
    prepared: Mapping[str, Prepared]

    def find_outlier(self) -> Verdict:
        """How many spreads farther from its nearest ten a text is than the memories are from theirs."""
        reference = reference_of(self.kernel, self.snapshot)
        if reference.size < ENOUGH:
            why = f"There are {reference.size} memories; it takes {ENOUGH} to tell what is unusual."
            return Verdict(check="embedding_outlier", skipped=why)
        hung = self._hang(self.content)
        if hung.vector is None:
            return Verdict(check="embedding_outlier", skipped=UNEMBEDDED)
        usual = _usual_distances(reference)
        own = _distance(reference.gallery.nearness(0, hung))
        mean, spread = float(usual.mean()), max(float(usual.std()), LEAST_SPREAD)
        sigmas = (own - mean) / spread
        return Verdict(
            check="embedding_outlier",
            score=round(max(0.0, sigmas) / (max(0.0, sigmas) + SIGMAS), 4),
            details=f"{sigmas:.1f} spreads from what is usual here; more than {SIGMAS:g} is an outlier.",
            evidence={"distance": round(own, 4), "usual": round(mean, 4), "spread": round(spread, 4)},
        )

    def find_misaligned(self) -> Verdict:
        """Whether a text is about what is said of it: nearer than a fifth of all pairs of memories are, or near at
        all."""
        reference = reference_of(self.kernel, self.snapshot)
        if self.about is None:
            why = "Nothing beside the content says what it is about: it has no heading, and no rationale was given."
            return Verdict(check="content_misalign", skipped=why)
        if reference.size < ENOUGH_PAIRS:
            why = f"There are {reference.size} memories; it takes {ENOUGH_PAIRS} to tell how near is near."
            return Verdict(check="content_misalign", skipped=why)
        about, body = self._hang(self.about), self._hang(self.body)
        if about.vector is None or body.vector is None:
            return Verdict(check="content_misalign", skipped=UNEMBEDDED)
        near = reference.gallery.meaning(about, body)
        agreement = reference.scale.spaces[0].agreement(near)
        return Verdict(
            check="content_misalign",
            score=round(max(0.0, 1 - FAILED * max(agreement / ALIGNED, near / UNRELATED)), 4),
            details=f"It is nearer to what is said of it than {agreement:.0%} of pairs of memories are to each other.",
            evidence={"alignment": round(near, 4), "percentile": round(agreement, 4)},
        )

    def _hang(self, text: str) -> Hung:
        return hang_text(self.kernel, self.snapshot, text, self.prepared[text])


def _distance(row: Any) -> float:
    return float(1 - np.sort(row)[-NEAREST:].mean())


def _usual_distances(reference: Reference) -> Any:
    matrix = reference.gallery.matrix(0)
    return np.array([_distance(np.delete(row, place)) for place, row in enumerate(matrix)])


def _injection(content: str, gates: Gates) -> Verdict:
    threat = inspect(content, gates)
    told = f"Signs that met: {', '.join(threat.signs)}." if threat.signs else "It does not speak to whoever reads it."
    return Verdict(check="prompt_injection", score=round(threat.score, 4), details=told, bar=gates["planted"])


def _circularity(content: str) -> Verdict:
    circle = find_circle(content)
    if circle is None:
        return Verdict(check="circular_logic", score=0.0, details="No reason leads back to what it is given for.")
    spelled = " → ".join((*circle.statements, circle.statements[0]))
    return Verdict(check="circular_logic", score=circle.score, details=f"It reasons in a circle: {spelled}")
