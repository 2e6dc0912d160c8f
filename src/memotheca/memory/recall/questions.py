"""Questions to a person: what would settle most of what is unclear, about entries that are there (memory-model:
Questions)."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memotheca.kernel.citations import name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.critique import find_clashes, meanings_of, related_pairs
from memotheca.memory.care.recency import recent_entries
from memotheca.memory.curation.remember import DUPLICATE
from memotheca.memory.session.pulse import FAIR, HIGH, LOW
from memotheca.memory.session.quadrants import quadrant
from memotheca.memory.session.state import Mood
from memotheca.memory.spaces.entities import find
from memotheca.memory.spaces.space_table import IDS
from memotheca.memory.standing.judge import judge_lately, novelty_of
from memotheca.memory.standing.nearest import KNOWN, affordable, vicinity_of
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import Entry, fold
from memotheca.search.census import take_census
from memotheca.storage import fingerprints
from memotheca.storage.snapshot import Snapshot

Kind = Literal["contradiction", "cause", "orphan", "definition", "stale", "same", "more", "general"]

LATELY = 20  # chosen (memory-model: Questions)
FEW = 10  # specification (memory-model: Questions)
EXCHANGES = 3  # specification (memory-model: Questions)
MENTIONS = 3  # chosen: named so often and never explained
ALIKE = 0.7  # chosen (memory-model: Duplicates)
GAIN = 0.5  # specification (memory-model: Questions)
# How likely a person can answer at once, by what is asked: chosen (memory-model: Questions).
ANSWERABLE: Mapping[Kind, float] = {
    "contradiction": 0.9,
    "same": 0.8,
    "stale": 0.8,
    "definition": 0.7,
    "orphan": 0.6,
    "cause": 0.5,
    "more": 0.3,
    "general": 1.0,
}
GENERAL = (
    "What are you working on, and what should I remember for you?",
    "Which people, projects or systems come up most in your work?",
    "What are you trying to achieve in the next weeks?",
    "Which words or abbreviations do you use that somebody new would not know?",
    "What went wrong lately that should not happen again?",
    "Which decisions have been made that I should not question?",
    "What do you have to look up again and again?",
    "What should I never store or suggest?",
)


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question, what it is about, and by how much its answer would settle things."""

    kind: Kind
    text: str
    focal: tuple[Entry, ...]
    reduction: float

    @property
    def score(self) -> float:
        return self.reduction * ANSWERABLE[self.kind]

    @property
    def mark(self) -> str:
        """By which it is known to have been asked; says nothing of what it says."""
        return hashlib.blake2b(self.text.encode(), digest_size=8).hexdigest()


_INCOHERENT = f"coherence was below {LOW} in the last {EXCHANGES} exchanges"
_UNSETTLED = f"entropy is above {HIGH} and coherence above {FAIR}"
DUE = f"due when {_INCOHERENT}, or {_UNSETTLED}"


def eligibility(mood: Mood, *, force: bool) -> str | None:
    """Why a question should be asked now, if it should."""
    recent = mood.recent[-EXCHANGES:]
    if force:
        return "forced"
    if len(recent) == EXCHANGES and all(value < LOW for value in recent):
        return _INCOHERENT
    if mood.entropy > HIGH and mood.coherence > FAIR:
        return _UNSETTLED
    return None


def next_question(kernel: Kernel, snapshot: Snapshot, mood: Mood) -> OpenQuestion | None:
    """The question whose answer settles most and that this session has not been asked."""
    count = take_census(kernel, snapshot).nodes(KNOWN)
    general = next((each for each in _general(mood, count) if each.mark not in mood.asked), None)
    if count < FEW and general is not None:
        return general
    return _Inquiry(kernel, snapshot).best(set(mood.asked))


def _general(mood: Mood, count: int) -> Iterator[OpenQuestion]:
    """The less is known and the more unsettled it is, the more an answer helps."""
    for text in GENERAL:
        yield OpenQuestion("general", text, (), GAIN * mood.entropy * (1 - count / FEW))


class _Inquiry:
    """The recent entries and everything that could be asked about them."""

    def __init__(self, kernel: Kernel, snapshot: Snapshot) -> None:
        self._kernel = kernel
        self._reading = snapshot
        self._recent = recent_entries(kernel, snapshot, LATELY)
        judged = judge_lately(kernel, snapshot, self._recent)
        self._judged = {entry.id: each for entry, each in zip(self._recent, judged, strict=True)}
        self._novelty = {entry.id: novelty_of(entry, self._judged[entry.id]) for entry in self._recent}

    def best(self, asked: set[str]) -> OpenQuestion | None:
        """The best question that was not asked. What is in question is judged only while its answer could settle more
        than the best one so far."""
        hoped = [(self._hope(each), each) for each in self.candidates() if each.mark not in asked]
        best: OpenQuestion | None = None
        for bound, candidate in sorted(hoped, key=lambda pair: -pair[0]):
            if best is not None and bound < best.score:
                break
            weighed = self._weigh(candidate)
            best = weighed if best is None else max(best, weighed, key=lambda each: (each.score, each.text))
        return best

    def candidates(self) -> list[OpenQuestion]:
        """Everything that could be asked, as if all of it were new: no answer settles more than that."""
        most = affordable(self._kernel, self._reading)
        pairs = related_pairs(self._kernel, self._reading, self._recent, most=most).pairs
        clashes = find_clashes(self._reading, pairs, self._kernel)
        found = [
            self._ask(
                "contradiction",
                f"Two things I remember disagree: {_quoted(clash.older)} and {_quoted(clash.newer)}. "
                "Which of them holds, or when does each hold?",
                clash.older,
                clash.newer,
            )
            for clash in clashes
        ]
        apart = {frozenset((clash.older.id, clash.newer.id)) for clash in clashes}
        found += self._same([pair for pair in pairs if frozenset((pair[0].id, pair[1].id)) not in apart])
        return [*found, *self._causes(), *self._orphans(), *self._definitions(), *self._stale(), *self._more()]

    def _ask(self, kind: Kind, text: str, *focal: Entry) -> OpenQuestion:
        recent = {entry.id for entry in self._recent}
        share = sum(entry.id in recent for entry in focal) / len(recent)
        return OpenQuestion(kind, text, focal, GAIN * min(1.0, 2 * share))

    def _hope(self, candidate: OpenQuestion) -> float:
        """How much it could settle if all that was not judged yet were new."""
        novelty = [self._novelty.get(entry.id, 1.0) for entry in candidate.focal]
        return candidate.score * sum(novelty) / len(novelty)

    def _weigh(self, candidate: OpenQuestion) -> OpenQuestion:
        """The candidate by how new what it is about really is."""
        unjudged = [entry for entry in candidate.focal if entry.id not in self._novelty]
        judged = judge_lately(self._kernel, self._reading, unjudged) if unjudged else []
        self._novelty |= {entry.id: novelty_of(entry, each) for entry, each in zip(unjudged, judged, strict=True)}
        novelty = [self._novelty[entry.id] for entry in candidate.focal]
        return replace(candidate, reduction=candidate.reduction * sum(novelty) / len(novelty))

    def _same(self, pairs: Sequence[tuple[Entry, Entry]]) -> list[OpenQuestion]:
        """Alike, but not so much that nobody needs to be asked."""
        values = meanings_of(self._kernel, self._reading, pairs)
        near = [pair for pair, value in zip(pairs, values, strict=True) if ALIKE <= value <= DUPLICATE]
        return [
            self._ask("same", f"Are {_quoted(one)} and {_quoted(other)} about the same thing?", one, other)
            for one, other in near
        ]

    def _causes(self) -> list[OpenQuestion]:
        first, fifth = IDS.index("E1"), IDS.index("E5")
        return [
            self._ask("cause", f"I know that {_quoted(entry)}. What causes it, or what follows from it?", entry)
            for entry in self._recent
            if self._quadrant(entry, first) == "Open" and self._quadrant(entry, fifth) == "Blind"
        ]

    def _quadrant(self, entry: Entry, space: int) -> str:
        judged = self._judged[entry.id]
        return quadrant(judged.delta_s[space], judged.delta_c[space])

    def _orphans(self) -> list[OpenQuestion]:
        ids = [entry.id for entry in self._recent]
        linked = fingerprints.neighbours(self._reading.session, self._reading.collection, ids)
        alone = [entry for entry in self._recent if not linked.get(entry.id)]
        most = affordable(self._kernel, self._reading)
        near = vicinity_of(self._kernel, self._reading).around(self._kernel, self._reading, alone, most)
        found: list[OpenQuestion] = []
        for entry in alone:
            if near.get(entry.id):
                other = near[entry.id][0][0]
                asked = f"Nothing is linked to {_quoted(entry)}. How is it related to {_quoted(other)}?"
                found.append(self._ask("orphan", asked, entry, other))
        return found

    def _definitions(self) -> list[OpenQuestion]:
        """What is named in several entries and explained in none."""
        naming = {entry.id: {name for name in find(entry.body) if len(name) > 1} for entry in self._recent}
        counts = Counter(fold(name) for names in naming.values() for name in names)
        spelled = {fold(name): name for names in naming.values() for name in sorted(names)}
        said = fold("\n".join(entry.body for entry in self._recent))
        found: list[OpenQuestion] = []
        for name in sorted(name for name, times in counts.items() if times >= MENTIONS):
            if not re.search(rf"\b{re.escape(name)}\b,? (?:is|are|was|means|stands for) (?:an?|the|our)?\b", said):
                naming_it = [entry for entry in self._recent if name in {fold(each) for each in naming[entry.id]}]
                told = f"{spelled[name]} is mentioned in {counts[name]} of my notes but never explained."
                asked = f"{told} Who or what is it?"
                found.append(self._ask("definition", asked, *naming_it))
        return found

    def _stale(self) -> list[OpenQuestion]:
        now = self._kernel.now()
        return [
            self._ask("stale", f"{_quoted(entry)} held until {to_iso(end)[:10]}. Is it still true?", entry)
            for entry in self._recent
            if (end := entry.validity.end) is not None and end < now
        ]

    def _more(self) -> list[OpenQuestion]:
        return [
            self._ask("more", f"What else should be known about {_quoted(entry)}?", entry) for entry in self._recent
        ]


def _quoted(entry: Entry) -> str:
    return f"“{name_of(entry).rstrip('.')}”"
