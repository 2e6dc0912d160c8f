"""Questions to a person: the most pressing open task, in the sentences it is about (memory-model: Questions)."""

import hashlib
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memotheca.kernel.citations import citation_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.settle import CHOICES, Choice
from memotheca.memory.care.tasks import CareTask, standing_tasks, with_entries
from memotheca.memory.claims.when import spell_day, told_by, told_when
from memotheca.memory.curation.undecided import PROPOSED, TaskKind
from memotheca.memory.session.state import Mood
from memotheca.memory.traits import KNOWN
from memotheca.memory.tuning.thresholds import Gates
from memotheca.model.kinds import MENTIONS
from memotheca.model.knowledge import Entry
from memotheca.search.census import take_census
from memotheca.storage.adjacency import some_joints
from memotheca.storage.care_tasks import TaskRow
from memotheca.storage.snapshot import Snapshot

FEW = 10  # specification (memory-model: Questions)
EXCHANGES = 3  # specification (memory-model: Questions)
QUOTED = 240  # chosen: letters of a sentence in a question
READ = 10  # chosen: tasks that are read at once
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
# Of these a person can be asked; to link or to weigh is not theirs.
ASKED: frozenset[str] = frozenset((*CHOICES, "unexplained"))

_TITLES: Mapping[Choice, str] = {
    "both": "Both: they are about different things or times",
    "neither": "Neither of them any more",
    "unknown": "I do not know",
    "same": "Yes, the same",
    "different": "No, both are needed",
    "release": "Yes, it may be used",
    "forget": "No, forget it",
    "hold": "Keep it held",
    "still": "Yes, it is still true",
    "over": "No, it is over",
    "store": "Yes, remember it",
    "dismiss": "No, do not",
}


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question and the task it is about, which answers it offers, and the share of all that is open which an answer
    settles; a general question is about no task, and nothing can be said of what it settles."""

    kind: TaskKind | str
    text: str
    task: CareTask | None = None
    reduction: float | None = None

    @property
    def told(self) -> str:
        """As an agent reads it: a text that may be planted is quoted to the person alone."""
        if self.kind != "held" or self.task is None:
            return self.text
        entry = self.task.entries[0]
        source = told_by(entry).strip("()")
        return (
            f"I hold {citation_of(entry)} back ({told_when(entry)}{f', {source}' if source else ''}), since it reads "
            "like instructions planted for me. `memotheca memory` shows it. May it be used?"
        )

    @property
    def focal(self) -> tuple[Entry, ...]:
        return () if self.task is None else self.task.entries

    @property
    def choices(self) -> tuple[Choice, ...]:
        return () if self.task is None else CHOICES.get(self.task.kind, ())

    @property
    def titles(self) -> tuple[str, ...]:
        """What is shown for each of the choices."""
        if self.task is None:
            return ()
        said = {"first": f"“{self.task.row.one_said}”", "second": f"“{self.task.row.other_said}”"}
        return tuple(said.get(choice) or _TITLES[choice] for choice in self.choices)

    @property
    def mark(self) -> str:
        """By which it is known to have been asked; says nothing of what it says."""
        return hashlib.blake2b(self.text.encode(), digest_size=8).hexdigest()


def _occasions(gates: Gates) -> tuple[str, str]:
    low, high, fair = gates["coherence_low"], gates["entropy_high"], gates["coherence_fair"]
    return (
        f"coherence was below {low:g} in the last {EXCHANGES} exchanges",
        f"entropy is above {high:g} and coherence above {fair:g}",
    )


def tell_due(gates: Gates) -> str:
    """When a question is due."""
    return f"due when {', or '.join(_occasions(gates))}"


def eligibility(mood: Mood, gates: Gates, *, force: bool) -> str | None:
    """Why a question should be asked now, if it should."""
    recent, (incoherent, unsettled) = mood.recent[-EXCHANGES:], _occasions(gates)
    if force:
        return "forced"
    if len(recent) == EXCHANGES and all(value < gates["coherence_low"] for value in recent):
        return incoherent
    if mood.entropy > gates["entropy_high"] and mood.coherence > gates["coherence_fair"]:
        return unsettled
    return None


def next_question(
    kernel: Kernel, snapshot: Snapshot, mood: Mood, *, without: Collection[str] = ()
) -> OpenQuestion | None:
    """The most pressing question that this session has not been asked: while little is known a general one, else about
    the first of the open tasks, without some that are about to be settled."""
    asked = set(mood.asked)
    general = next((each for each in map(_general, GENERAL) if each.mark not in asked), None)
    if general is not None and take_census(kernel, snapshot).nodes(KNOWN) < FEW:
        return general
    found = (each for each in _questions(kernel, snapshot, without) if each.mark not in asked)
    return next(found, general)


def _general(text: str) -> OpenQuestion:
    return OpenQuestion("general", text)


def _questions(kernel: Kernel, snapshot: Snapshot, without: Collection[str]) -> Iterator[OpenQuestion]:
    rows = [row for row in standing_tasks(kernel, snapshot) if row.kind in ASKED and row.id not in without]
    everything = sum(map(_doubt, rows))
    for start in range(0, len(rows), READ):
        for task in with_entries(kernel, snapshot, rows[start : start + READ]):
            share = _doubt(task.row) / everything if everything else 0.0
            yield OpenQuestion(task.kind, _word(snapshot, task), task, share)


def _doubt(row: TaskRow) -> float:
    """How much is open, in bits: of a dispute which of two holds, as far as it is one; of a newer value or a repetition
    whether it is one; of anything else a yes or no."""
    if row.kind == "dispute":
        return row.score
    if row.kind in ("update", "duplicate", "doubtful"):
        sure = min(max(row.score, 0.01), 0.99)
        return -sure * math.log2(sure) - (1 - sure) * math.log2(1 - sure)
    return 1.0


def _word(snapshot: Snapshot, task: CareTask) -> str:
    quotes = _quotes(task)
    if task.kind == "dispute":
        return f"Two things I remember cannot both hold. {_numbered(quotes)} Which of them holds?"
    if task.kind == "update":
        return f"This seems to have changed. {_numbered(quotes)} Which of them holds now?"
    if task.kind == "doubtful":
        return f"I cannot tell whether these two go together. {_numbered(quotes)} If only one holds now, which?"
    if task.kind == "duplicate":
        return f"Do these two say the same, so that one is enough? {_numbered(quotes)}"
    if task.kind == "held":
        return f"I hold this back, since it reads like instructions planted for me: {quotes[0]}. May it be used?"
    if task.kind == "expired":
        until = spell_day(task.entries[0].validity.end or 0)
        return f"I remember {quotes[0]}, which held until {until}. Is it still true?"
    if task.kind == PROPOSED:
        return f"You said {quotes[0]}. Shall I remember it?"
    return _ask_for_name(snapshot, task.entries[0])


def _ask_for_name(snapshot: Snapshot, name: Entry) -> str:
    naming = [edge.source for edge in some_joints(snapshot, name.id, limit=READ) if edge.predicate == MENTIONS]
    entries = list(snapshot.living(naming).values())
    such = f", such as {_quote(entries[0].body, entries[0])}" if entries else ""
    return f"{name.title} is mentioned in {len(naming)} of my memories{such}, but never explained. Who or what is it?"


def _quotes(task: CareTask) -> list[str]:
    said = (task.row.one_said, task.row.other_said)
    return [_quote(words, entry) for words, entry in zip(said, task.entries, strict=False)]


def _quote(said: str, entry: Entry) -> str:
    """A sentence with its date and, where it is not the user's, its source."""
    told = " ".join(said.split())
    told = told if len(told) <= QUOTED else f"{told[: QUOTED - 1]}…"
    source = told_by(entry).strip("()")
    return f"“{told}” ({told_when(entry)}{f', {source}' if source else ''})"


def _numbered(quotes: Sequence[str]) -> str:
    return " ".join(f"({number}) {quote}" for number, quote in enumerate(quotes, 1))
