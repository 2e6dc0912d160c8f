"""Context: the best of everything stored about a question, within a budget of tokens, each line dated and cited
(memory-model: Context)."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from memotheca.kernel.citations import citation_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.critique import ContradictoryPair, find_clashes
from memotheca.memory.claims import distil
from memotheca.memory.claims.distil import Mode
from memotheca.memory.claims.inquiry import content_words, read_inquiry
from memotheca.memory.graph.relations import CONTRADICTS, SUPERSEDES
from memotheca.memory.recall.candidates import ContextSource, Pool, find_candidates
from memotheca.memory.recall.context_lines import Line, LineWriter, Sheet, fit_lines, is_over
from memotheca.memory.standing.sample import meanings
from memotheca.model.clock import to_iso
from memotheca.model.kinds import TRIPLE
from memotheca.model.knowledge import Entry
from memotheca.search.search import Hit, refuse_blank
from memotheca.storage.snapshot import Snapshot
from memotheca.text.tokens import count_tokens
from memotheca.text.words import words

MOST = 30  # chosen: lines that anybody reads, bounds the comparing
POOL = 40  # chosen: more than any budget shows
WIDER = 1.5  # chosen: who asks for all of something is shown more
# Two texts are about the same from this sum of their cosine and the share of words they have in common; where there is
# no vector, from this share alone.
ALIKE, ALIKE_IN_WORDS = 0.5, 0.3  # measured on one corpus (docs/benchmarks.md: answers)
COMPARED = 40  # chosen: so many pairs, the likest first, bounds the comparing
NOTHING = "Nothing is known about this."
UNMENTIONED = "Nothing known mentions:"
# So much of a question must be unsaid to be named, and so far away is what has none of its words.
UNSAID, DISTANT = 0.2, 0.3  # measured on one corpus (docs/benchmarks.md: answers)
EARLIER = "Earlier on the same:"
SIDES = 4  # chosen: what more than so many say is no dispute, but several things


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """What a context is for: a question, the room for the answer, and what its session asked before."""

    query: str
    tokens: int
    mode: Mode | None = None
    pool: int = POOL
    before: str = ""


@dataclass(frozen=True, slots=True)
class Superseded:
    """A statement that something newer has taken the place of, or whose time is over."""

    entry: Entry
    statement: str
    by: Entry | None
    reason: str


@dataclass(frozen=True, slots=True)
class Context:
    """The text, how it was made, and what it was made of; the hits are those the text cites, the best first."""

    text: str
    mode: Mode
    tokens: int
    tokens_before: int
    hits: tuple[Hit, ...] = ()
    considered: int = 0
    clashes: tuple[ContradictoryPair, ...] = ()
    superseded: tuple[Superseded, ...] = ()


@dataclass(frozen=True, slots=True)
class _Ties:
    """What the candidates have to do with each other: which are about the same, which clash, what replaced what."""

    alike: frozenset[frozenset[str]]
    clashes: list[ContradictoryPair]
    replaced: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def disputes(self) -> list[ContradictoryPair]:
        """Clashes of which nobody can tell which side holds; what held at another time is no side."""
        return [clash for clash in self.clashes if clash.contradiction.type != "temporal"]


def compose(kernel: Kernel, occasion: Occasion) -> Context:
    """Find, compare, put together what belongs together, and fit it into the budget, the newest first."""
    refuse_blank(occasion.query)
    inquiry = read_inquiry(occasion.query)
    limit = round(occasion.pool * (WIDER if inquiry.asks_for_all else 1))
    pool = find_candidates(kernel, occasion.query, inquiry, before=occasion.before, limit=limit)
    if not pool.candidates:
        return Context("", occasion.mode or "raw", 0, 0, considered=pool.considered)
    best = pool.candidates[: round(MOST * (WIDER if inquiry.asks_for_all else 1))]
    candidates = [best[at] for at in distil.without_repeats([each.text for each in best])]
    unsaid = _unsaid(occasion, candidates, pool.nearness)
    if unsaid is None:
        return Context("", occasion.mode or "raw", 0, 0, considered=pool.considered)
    texts = tuple(each.text for each in candidates)
    with kernel.read() as snapshot:
        ties = _compare(snapshot, candidates, pool)
    room = occasion.tokens - count_tokens(unsaid)
    sheet = Sheet(occasion.query, texts, room, kernel.now())
    whole = _lines(sheet, candidates, ties, mode="raw")
    before = count_tokens(unsaid + _render(whole, {line.place: line.forms[-1] for line in whole}))
    mode = occasion.mode or distil.choose_mode(texts, asks_for_all=inquiry.asks_for_all, fits=before <= occasion.tokens)
    lines = whole if mode == "raw" else _lines(sheet, candidates, ties, mode=mode)
    text = unsaid + _render(lines, fit_lines(lines, room - count_tokens(EARLIER)))
    shown = [each for each in candidates if citation_of(each.entry) in text]
    ids = {each.entry.id for each in shown}
    return Context(
        text,
        mode,
        count_tokens(text),
        before,
        tuple(each.hit for each in shown),
        pool.considered,
        tuple(clash for clash in ties.clashes if {clash.older.id, clash.newer.id} <= ids),
        tuple(_superseded([each.entry for each in shown], ties, kernel.now())),
    )


def _unsaid(occasion: Occasion, candidates: Sequence[ContextSource], nearness: float) -> str | None:
    """A line that names what of the question nothing says, where that is much of it; None where nothing has a word of
    it, nor comes near."""
    asked = content_words(occasion.query)
    if occasion.before and read_inquiry(occasion.query).may_go_on:
        return ""
    held = [set(words(each.matched)) for each in candidates]
    missing = [term for term in asked if not any(term in each for each in held)]
    if asked and len(missing) == len(asked):
        return None if nearness < DISTANT else ""
    if not missing:
        return ""
    weights = {term: math.log(1 + (1 + len(held)) / (1 + sum(term in each for each in held))) for term in asked}
    if sum(map(weights.__getitem__, missing)) < UNSAID * sum(weights.values()):
        return ""
    return f"{UNMENTIONED} {', '.join(asked[term] for term in missing)}.\n"


def _compare(snapshot: Snapshot, candidates: Sequence[ContextSource], pool: Pool) -> _Ties:
    """All that may be shown, each with each: the likest pairs by their statements."""
    entries = {each.entry.id: replace(each.entry, body=_prose(each.text)) for each in candidates}
    likeness = _likeness(snapshot, list(entries.values()))
    alike = sorted((pair for pair, value in likeness.items() if value >= ALIKE), key=lambda pair: -likeness[pair])
    stated = [(a, b) for a, b, said in pool.said if said == CONTRADICTS and a in entries and b in entries]
    wanted = dict.fromkeys([*stated, *((a, b) for a, b in map(sorted, alike[:COMPARED]))])
    told = {id: entry for id, entry in entries.items() if entry.kind != TRIPLE}
    clashes = find_clashes(snapshot, [(told[a], told[b]) for a, b in wanted if a in told and b in told])
    replaced = {old: new for new, old, said in pool.said if said == SUPERSEDES and new in entries and old in entries}
    return _Ties(frozenset(map(frozenset, alike)), clashes, replaced)


def _prose(text: str) -> str:
    """Code contradicts nothing."""
    if not distil.is_code(text):
        return text
    return "\n".join(piece.text for piece in distil.pieces(text) if not distil.is_code(piece.text))


def _likeness(snapshot: Snapshot, entries: Sequence[Entry]) -> dict[frozenset[str], float]:
    """How much each two are about the same."""
    spoken = [frozenset(words(f"{entry.title}\n{entry.body}")) for entry in entries]
    counted = Counter(word for held in spoken for word in held)
    weights = {word: math.log(1 + (1 + len(spoken)) / (1 + times)) for word, times in counted.items()}
    worth = [sum(map(weights.__getitem__, held)) for held in spoken]
    vectors = meanings(snapshot, [entry.id for entry in entries])
    found: dict[frozenset[str], float] = {}
    for one, other in combinations(range(len(entries)), 2):
        shared = sum(map(weights.__getitem__, spoken[one] & spoken[other]))
        least = min(worth[one], worth[other])
        value = shared / least if least else 0.0
        a, b = entries[one].id, entries[other].id
        if a in vectors and b in vectors:
            value += float(np.dot(vectors[a], vectors[b]))
        elif value >= ALIKE_IN_WORDS:
            value += ALIKE - ALIKE_IN_WORDS
        found[frozenset((a, b))] = value
    return found


def _lines(sheet: Sheet, candidates: Sequence[ContextSource], ties: _Ties, *, mode: Mode) -> list[Line]:
    """A line for each candidate, or for those that are only told together, in the order of reading: causes behind what
    they brought about, then the newest first, then what is older than something on the same."""
    told = LineWriter(sheet, mode)
    known = {each.entry.id: each for each in candidates}
    lines: list[Line] = []
    taken: set[str] = set()
    for each in candidates:
        if each.entry.id in taken:
            continue
        group = _told_together(each.entry.id, known, ties)
        taken |= {member.entry.id for side in group for member in side}
        lines.append(told.line(group))
    return _in_order(lines, known, ties)


def _told_together(id: str, known: Mapping[str, ContextSource], ties: _Ties) -> list[list[ContextSource]]:
    """The sides of a dispute, each with what it has replaced, the newest first; one side where nothing is disputed."""
    head = _head(id, ties.replaced)
    sides = [head]
    for clash in ties.disputes:
        ends = _head(clash.older.id, ties.replaced), _head(clash.newer.id, ties.replaced)
        if ends[0] != ends[1] and head in ends:
            sides += [end for end in ends if end not in sides and end in known]
    sides = sides if len(sides) <= SIDES else [head]
    sides.sort(key=lambda side: -known[side].entry.created_at)
    return [[known[side], *_replaced_by(side, known, ties)] for side in sides]


def _head(id: str, replaced: Mapping[str, str]) -> str:
    """What is at the end of a chain of replacements."""
    seen = {id}
    while (newer := replaced.get(id)) is not None and newer not in seen:
        seen.add(newer)
        id = newer
    return id


def _replaced_by(id: str, known: Mapping[str, ContextSource], ties: _Ties) -> list[ContextSource]:
    older = [each for each in known.values() if each.entry.id != id and _head(each.entry.id, ties.replaced) == id]
    return sorted(older, key=lambda each: -each.entry.created_at)


def _in_order(lines: Sequence[Line], known: Mapping[str, ContextSource], ties: _Ties) -> list[Line]:
    newest = sorted(lines, key=lambda line: (-line.time, line.place))
    placed: list[Line] = []
    causes = [line for line in newest if known[line.first].step]
    effects = [line for line in newest if any(known[cause.first].effect in line.ids for cause in causes)]
    for effect in effects:
        chain = [line for line in causes if known[line.first].effect in effect.ids and line is not effect]
        for line in (effect, *sorted(chain, key=lambda line: known[line.first].step)):
            if line not in placed:
                placed.append(line)
    rest = [line for line in newest if line not in placed]
    earlier = {
        line.place
        for at, line in enumerate(rest)
        if any(other.time > line.time and _are_alike(line, other, ties) for other in (*placed, *rest[:at]))
    }
    chained = {line.place for line in placed if known[line.first].step}
    return [
        *(line.as_cause() if line.place in chained else line for line in placed),
        *(line for line in rest if line.place not in earlier),
        *(line.as_earlier() for line in rest if line.place in earlier),
    ]


def _are_alike(one: Line, other: Line, ties: _Ties) -> bool:
    return any(frozenset((a, b)) in ties.alike for a in one.ids for b in other.ids)


def _render(lines: Iterable[Line], chosen: Mapping[int, str]) -> str:
    """The chosen form of each line, what is earlier under a heading of its own."""
    shown = [line for line in lines if line.place in chosen]
    told = [chosen[line.place] for line in shown if not line.is_earlier]
    earlier = [chosen[line.place] for line in shown if line.is_earlier]
    return "\n".join([*told, *([EARLIER, *earlier] if earlier else [])])


def _superseded(shown: Sequence[Entry], ties: _Ties, now: int) -> list[Superseded]:
    known = {entry.id: entry for entry in shown}
    found: list[Superseded] = []
    for entry in shown:
        newer = known.get(ties.replaced.get(entry.id, ""))
        if newer is not None:
            found.append(Superseded(entry, _statement(entry), newer, "the newer one was said to replace it"))
        elif entry.validity.end is not None and is_over(entry, now):
            found.append(Superseded(entry, _statement(entry), None, f"it held until {to_iso(entry.validity.end)}"))
    return found


def _statement(entry: Entry) -> str:
    return next(iter(distil.pieces(entry.body)), distil.Piece(entry.title)).text
