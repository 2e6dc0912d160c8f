"""Context: the best of everything stored about a question, within a budget of tokens, each line dated and cited
(memory-model: Context)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memotheca.kernel.citations import citation_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.critique import ContradictoryPair
from memotheca.memory.claims import distil
from memotheca.memory.claims.distil import Mode
from memotheca.memory.claims.inquiry import Inquiry, read_inquiry
from memotheca.memory.focus.pull import NO_PULL, Pull, pulled
from memotheca.memory.recall.candidates import ContextSource, Pool, Reach, find_candidates
from memotheca.memory.recall.context_lines import Line, LineWriter, Sheet, fit_lines, is_over
from memotheca.memory.recall.context_ties import Ties, tie
from memotheca.memory.recall.profiles import Profile
from memotheca.memory.recall.unsaid import tell_unsaid
from memotheca.memory.recall.variety import vary
from memotheca.memory.session.modulators import AT_REST, NO_EFFECTS, Levels, SearchEffects, cut_off, widened
from memotheca.memory.tuning.gates import gates_at
from memotheca.model.clock import to_iso
from memotheca.model.knowledge import Entry
from memotheca.search.excerpts import ExcerptQuery
from memotheca.search.hits import Hit
from memotheca.search.search import refuse_blank
from memotheca.text.tokens import count_tokens
from memotheca.text.words import words

MOST = 30  # chosen: lines that anybody reads, bounds the comparing
POOL = 40  # chosen: more than any budget shows
WIDER = 1.5  # chosen: who asks for all of something, or for causes, is shown more
NOTHING = "Nothing is known about this."
EARLIER = "Earlier on the same:"
TELLING = 0.3  # measured on one corpus (docs/benchmarks.md: answers): below, the words of a question stand by chance
LEAST = 0.05  # chosen: what has next to nothing to do with the question is told to nobody
SIDES = 4  # chosen: what more than so many say is no dispute, but several things


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """What a context is for: a question, the room for the answer, and what its session asked before."""

    query: str
    tokens: int
    mode: Mode | None = None
    pool: int = POOL
    before: str = ""
    # Of a goal nobody expects that all of its words are known.
    is_question: bool = True
    levels: Levels = AT_REST
    pull: Pull = NO_PULL
    profile: Profile | None = None


@dataclass(frozen=True, slots=True)
class Superseded:
    """A statement that something newer has taken the place of, or whose time is over."""

    entry: Entry
    statement: str
    by: Entry | None
    reason: str


@dataclass(frozen=True, slots=True)
class _FoundContext:
    """What a context is made of: the candidates of a pool, what they have to do with each other, and what of the
    question none of them says."""

    pool: Pool
    candidates: Sequence[ContextSource]
    ties: Ties
    unsaid: str


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
    effects: SearchEffects = NO_EFFECTS


def compose(kernel: Kernel, occasion: Occasion) -> Context:
    """Find, compare, put together what belongs together, and fit it into the budget, the newest first."""
    refuse_blank(occasion.query)
    inquiry = read_inquiry(occasion.query)
    pool, ranked, effects = _ranked(kernel, occasion, inquiry)
    nothing = Context("", occasion.mode or "raw", 0, 0, considered=pool.considered, effects=effects)
    if not ranked:
        return nothing
    best = ranked[: round(MOST * (WIDER if inquiry.asks_for_all or inquiry.asks_why else 1))]
    with kernel.read() as snapshot:
        clash = gates_at(snapshot)["clash"]
    candidates = [best[at] for at in distil.without_repeats([each.text for each in best], clash)]
    spoken = [frozenset(words(f"{each.entry.title}\n{each.text}")) for each in candidates]
    goes_on = not occasion.is_question or (bool(occasion.before) and inquiry.may_go_on)
    matched = [said | each.labels for said, each in zip(spoken, candidates, strict=True)]
    telling = [said for said, each in zip(matched, candidates, strict=True) if each.score >= TELLING]
    unsaid = "" if goes_on else tell_unsaid(kernel, occasion.query, telling, pool.nearness)
    if unsaid is None:
        return nothing
    with kernel.read() as snapshot:
        ties = tie(snapshot, candidates, spoken, pool)
    sheet = Sheet(
        distil.weigh_words(occasion.query, spoken),
        ExcerptQuery(occasion.query),
        occasion.tokens - count_tokens(unsaid),
        kernel.now(),
        frozenset(ties.guessed),
    )
    found = _FoundContext(pool, candidates, ties, unsaid)
    return replace(_written(sheet, occasion, found, asks_for_all=inquiry.asks_for_all), effects=effects)


def _ranked(kernel: Kernel, occasion: Occasion, inquiry: Inquiry) -> tuple[Pool, list[ContextSource], SearchEffects]:
    """The candidates in the order in which they are taken, and what the session's modulators did to that."""
    usual = round(occasion.pool * (WIDER if inquiry.asks_for_all else 1))
    with kernel.read() as snapshot:
        gates = gates_at(snapshot)
    cut = max(LEAST, cut_off(occasion.levels, gates["relevance"]))
    reach = Reach(widened(usual, occasion.levels), cut, gates, occasion.profile)
    pool = find_candidates(kernel, occasion.query, inquiry, before=occasion.before, reach=reach)
    drawn = pulled(kernel, [(each.entry, each.score) for each in pool.candidates], occasion.pull)
    candidates = [replace(pool.candidates[place], score=score) for place, score in drawn]
    order = vary(kernel, [(each.entry, each.score) for each in candidates], occasion.levels)
    effects = SearchEffects(
        candidates=reach.limit,
        usual_candidates=usual,
        results=len(order),
        usual_results=pool.usual,
        moved=sum(place != at for at, (place, _) in enumerate(order)),
    )
    return pool, [candidates[place] for place, _ in order], effects


def _written(sheet: Sheet, occasion: Occasion, found: _FoundContext, *, asks_for_all: bool) -> Context:
    candidates, ties = found.candidates, found.ties
    before = count_tokens(found.unsaid) + sum(map(sheet.cost_whole, candidates))
    texts = [each.text for each in candidates]
    mode = occasion.mode or distil.choose_mode(texts, asks_for_all=asks_for_all, fits=before <= occasion.tokens)
    lines = _lines(sheet, candidates, ties, mode=mode)
    text = found.unsaid + _render(lines, fit_lines(lines, sheet.tokens - count_tokens(EARLIER)))
    shown = [each for each in candidates if citation_of(each.entry) in text]
    ids = {each.entry.id for each in shown}
    tokens = count_tokens(text)
    is_whole = mode == "raw" and len(shown) == len(candidates)
    return Context(
        text,
        mode,
        tokens,
        tokens if is_whole else max(before, tokens),
        tuple(each.hit for each in shown),
        found.pool.considered,
        tuple(clash for clash in ties.clashes if {clash.older.id, clash.newer.id} <= ids),
        tuple(_superseded([each.entry for each in shown], ties, sheet.now)),
    )


def _lines(sheet: Sheet, candidates: Sequence[ContextSource], ties: Ties, *, mode: Mode) -> list[Line]:
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


def _told_together(id: str, known: Mapping[str, ContextSource], ties: Ties) -> list[list[ContextSource]]:
    """The sides of a dispute, each with what it has replaced, the newest first; one side where nothing is disputed."""
    head = ties.head(id)
    sides = [head]
    for clash in ties.disputes:
        ends = ties.head(clash.older.id), ties.head(clash.newer.id)
        if ends[0] != ends[1] and head in ends:
            sides += [end for end in ends if end not in sides and end in known]
    sides = sides if len(sides) <= SIDES else [head]
    sides.sort(key=lambda side: -known[side].entry.created_at)
    return [[known[side], *_replaced_by(side, known, ties)] for side in sides]


def _replaced_by(id: str, known: Mapping[str, ContextSource], ties: Ties) -> list[ContextSource]:
    older = [each for each in known.values() if each.entry.id != id and ties.head(each.entry.id) == id]
    return sorted(older, key=lambda each: -each.entry.created_at)


def _in_order(lines: Sequence[Line], known: Mapping[str, ContextSource], ties: Ties) -> list[Line]:
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


def _are_alike(one: Line, other: Line, ties: Ties) -> bool:
    return any(frozenset((a, b)) in ties.alike for a in one.ids for b in other.ids)


def _render(lines: Iterable[Line], chosen: Mapping[int, str]) -> str:
    """The chosen form of each line, what is earlier under a heading of its own."""
    shown = [line for line in lines if line.place in chosen]
    told = [chosen[line.place] for line in shown if not line.is_earlier]
    earlier = [chosen[line.place] for line in shown if line.is_earlier]
    return "\n".join([*told, *([EARLIER, *earlier] if earlier else [])])


def _superseded(shown: Sequence[Entry], ties: Ties, now: int) -> list[Superseded]:
    known = {entry.id: entry for entry in shown}
    found: list[Superseded] = []
    for entry in shown:
        newer = known.get(ties.replaced.get(entry.id, ""))
        if newer is not None:
            why = ties.guessed.get(entry.id, "the newer one was said to replace it")
            found.append(Superseded(entry, _statement(entry), newer, why))
        elif entry.validity.end is not None and is_over(entry, now):
            found.append(Superseded(entry, _statement(entry), None, f"it held until {to_iso(entry.validity.end)}"))
    return found


def _statement(entry: Entry) -> str:
    return next(iter(distil.pieces(entry.body)), distil.Piece(entry.title)).text
