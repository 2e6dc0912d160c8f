"""The lines of a context: what is said in which form, when and by whom, and which forms fit (memory-model: Context)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from memotheca.kernel.citations import citation_of, name_of
from memotheca.memory.claims import distil
from memotheca.memory.claims.distil import Mode
from memotheca.memory.claims.when import source_of, told_when
from memotheca.memory.recall.candidates import ContextSource
from memotheca.model.knowledge import Entry
from memotheca.search.excerpts import Excerpt, ExcerptQuery
from memotheca.text.caches import WordCache
from memotheca.text.tokens import count_tokens

# A memory of so many tokens is shown whole; a longer one by its best sentences, at first so many tokens of them, then
# more where there is room.
WHOLE = 60  # measured on one corpus (docs/benchmarks.md: answers)
FORMS = (40, 90, 180, 500)  # measured on one corpus (docs/benchmarks.md: answers)
NAMED = 20  # measured on one corpus (docs/benchmarks.md: answers): tokens; what was replaced is named, not told
# How much a line's length puts it behind shorter ones while room is given out: by which power of it.
LENGTH = 0.4  # measured on one corpus (docs/benchmarks.md: answers)
AS_GOOD = 0.8  # chosen (docs/benchmarks.md: answers): of the best score
LETTERS = 3  # chosen: of a token, where a text has no sentences
ENDED = "Ended: "
# What was replaced: somebody said so, or the two sentences show it.
REPLACED, GUESSED = "Superseded: ", "Earlier value: "
BESIDE = 8  # chosen: tokens, a heading, a bullet, the marks of what was left out
USER = "user"
COUNTED = 4096  # chosen: more than the lines of a context have forms


@dataclass(frozen=True, slots=True)
class Line:
    """A line: its forms, the shortest first, whom it cites, its place among the best, when it was told, and what share
    of the best score it has."""

    place: int
    ids: tuple[str, ...]
    forms: tuple[str, ...]
    time: int
    is_earlier: bool = False
    score: float = 0.0

    @property
    def first(self) -> str:
        return self.ids[0]

    def as_earlier(self) -> "Line":
        return replace(self, is_earlier=True)

    def as_cause(self) -> "Line":
        return replace(self, forms=tuple(f"Caused by: {form}" for form in self.forms))


@dataclass(frozen=True)
class Sheet:
    """What lines are made for: the words of the question with their weights, where they are sought, the room, the
    moment, and which of what is replaced nobody called so."""

    asked: Mapping[str, float]
    sought: ExcerptQuery
    tokens: int
    now: int
    guessed: frozenset[str] = frozenset()

    @cached_property
    def costs(self) -> WordCache[int]:
        """What each text takes, counted once: a text is looked at in several forms and manners."""
        return WordCache(count_tokens, COUNTED)

    def cost_whole(self, source: ContextSource) -> int:
        """What a candidate takes where nothing of it is left out."""
        return self.costs[source.text] + self.costs[self.stamped(source.entry, "")]

    def stamped(self, entry: Entry, text: str) -> str:
        """What is shown of an entry, with its title where the text does not begin by it, its date and its citation."""
        title = name_of(entry) if entry.title else ""
        title = "" if text.lstrip("… ").startswith(title.rstrip("…")) and text else title
        over = ENDED if is_over(entry, self.now) else ""
        apart = "\n" if "\n" in text else " "
        return f"{over}{title and title + ': '}{text}{apart}({stamp(entry)}) {citation_of(entry)}"


class LineWriter:
    """Candidates put into lines, one after the other."""

    def __init__(self, sheet: Sheet, mode: Mode) -> None:
        self._sheet = sheet
        self._mode = mode
        self._cost = sheet.costs.__getitem__
        self._place = 0

    def line(self, sides: Sequence[Sequence[ContextSource]]) -> Line:
        """One line of all that is only told together: each side with what it replaced."""
        self._place += 1
        room = self._sheet.tokens // len(sides)
        told = [self._side(side, room) for side in sides]
        members = sorted((each for side in sides for each in side), key=lambda each: -each.score)
        longest = max(map(len, told))
        forms = [" / ".join(side[min(level, len(side) - 1)] for side in told) for level in range(longest)]
        before = "Disputed: " if len(sides) > 1 else ""
        bullet = "- " if self._mode == "structured" else ""
        return Line(
            self._place,
            tuple(each.entry.id for each in members),
            tuple(f"{bullet}{before}{form}" for form in forms),
            max(side[0].entry.created_at for side in sides),
            score=members[0].score,
        )

    def _side(self, side: Sequence[ContextSource], room: int) -> list[str]:
        """What holds, in its forms, each with what it replaced as far as there is room for that."""
        head, *older = side
        room -= self._cost(self._sheet.stamped(head.entry, "")) + BESIDE
        forms = [self._sheet.stamped(head.entry, text) for text in self._forms(head.text, room)]
        left = room - self._cost(forms[0])
        named: list[str] = []
        for each in older:
            mark = GUESSED if each.entry.id in self._sheet.guessed else REPLACED
            told = f"{mark}{self._sheet.stamped(each.entry, self._named(each.text)).removeprefix(ENDED)}"
            if (cost := self._cost(told)) <= left:
                left -= cost
                named.append(told)
        return [" ".join([form, *named]) for form in forms]

    def _forms(self, text: str, room: int) -> list[str]:
        """What may be shown of a text, the least first."""
        cost = self._cost(text)
        if cost <= min(WHOLE, room) or (self._mode == "raw" and cost <= room):
            return [text]
        sizes = [min(size, room) for size in FORMS if size < cost]
        forms = [each for each in dict.fromkeys(self._shortened(text, size) for size in sizes) if each]
        if cost <= room:
            forms.append(text)
        return forms or [self._narrowed(text, min(room, FORMS[0]))]

    def _shortened(self, text: str, size: int) -> str:
        code_first = self._mode == "code_focused"
        return distil.shorten(text, self._sheet.asked, budget=size, cost=self._cost, code_first=code_first)

    def _named(self, text: str) -> str:
        return text if self._cost(text) <= NAMED else self._shortened(text, NAMED) or self._narrowed(text, NAMED)

    def _narrowed(self, text: str, tokens: int) -> str:
        """Where the question's words stand in a text that has no sentence that fits."""
        size = tokens * LETTERS
        while True:
            found = self._sheet.sought.narrow(Excerpt(start=0, stop=len(text), text=text), size).text
            if count_tokens(found) + BESIDE <= tokens or size <= LETTERS:
                return f"…{found}…"
            size //= 2


def is_over(entry: Entry, now: int) -> bool:
    return entry.validity.end is not None and entry.validity.end < now


def stamp(entry: Entry) -> str:
    """When an entry holds or happened, as far as that is known, and who said so where that is not the user."""
    source = source_of(entry)
    return told_when(entry) if source in (None, USER) else f"{told_when(entry)}, {source}"


def fit_lines(lines: Sequence[Line], tokens: int) -> dict[int, str]:
    """Which form of which line is shown: the best one and what is nearly as good, then as many lines as fit in their
    shortest form, the best first and of those about as good the shorter, then longer forms of the best."""
    ranked = sorted(lines, key=lambda line: line.place)
    shortest = {line.place: max(1, count_tokens(line.forms[0])) for line in ranked}
    chosen: dict[int, str] = {}

    def order(line: Line) -> tuple[bool, float]:
        is_best = line is ranked[0] or line.score >= AS_GOOD
        return not is_best, line.place * shortest[line.place] ** LENGTH

    for line in sorted(ranked, key=order):
        if shortest[line.place] <= tokens:
            tokens -= shortest[line.place]
            chosen[line.place] = line.forms[0]
    for line in ranked:
        for form in reversed(line.forms[1:]) if line.place in chosen else ():
            more = count_tokens(form) - shortest[line.place]
            if more <= tokens:
                tokens -= more
                chosen[line.place] = form
                break
    return chosen
