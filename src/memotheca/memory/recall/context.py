"""Context: the best of everything stored about a question, within a budget of tokens, each sentence cited
(memory-model: Context)."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memotheca.entries.triples import as_hit, find_sentences
from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.critique import ContradictoryPair, find_clashes, holds_from
from memotheca.memory.care.quarantine import find_unheld
from memotheca.memory.claims import distil
from memotheca.memory.claims.distil import CitedPassage, Mode, RankedSentence
from memotheca.memory.standing.nearest import KNOWN
from memotheca.model.clock import to_iso
from memotheca.model.kinds import TRIPLE
from memotheca.model.knowledge import Entry
from memotheca.search.excerpts import Excerpt, ExcerptQuery
from memotheca.search.search import Hit, Question, refuse_blank
from memotheca.text.tokens import count_tokens

POOL = 40  # chosen: more than any budget shows
COMPARED = 12  # chosen (memory-model: Context)
TRIPLES = 8  # chosen: a few sentences of the graph
SHORTEST = 80  # chosen: a sentence
LETTERS = 2  # chosen (memory-model: Context)
NOTICES = 0.4  # chosen (memory-model: Context)


@dataclass(frozen=True, slots=True)
class Superseded:
    """A statement that something newer has taken the place of, or whose time is over."""

    entry: Entry
    statement: str
    by: Entry | None
    reason: str

    @property
    def notice(self) -> str:
        told = f"Superseded: {self.statement} {citation_of(self.entry)}"
        return f"{told} by {citation_of(self.by)}" if self.by is not None else f"{told} ({self.reason})"


@dataclass(frozen=True, slots=True)
class Context:
    """The text, how it was made, and what it was made of; the hits are those the text cites, the best first."""

    text: str
    mode: Mode
    tokens: int
    tokens_before: int
    hits: tuple[Hit, ...]
    considered: int
    clashes: tuple[ContradictoryPair, ...]
    superseded: tuple[Superseded, ...]


@dataclass(frozen=True, slots=True)
class _Source:
    hit: Hit
    entry: Entry
    text: str


def compose(kernel: Kernel, query: str, *, tokens: int, mode: Mode | None = None, pool: int = POOL) -> Context:
    """Find, compare, leave out what is superseded or repeated, and fit the rest into the budget."""
    refuse_blank(query)
    page = find_unheld(kernel, Question(content=query, kinds=KNOWN, is_explained=False), limit=pool)
    now = kernel.now()
    sought = ExcerptQuery(query)
    triples = [as_hit(said) for said in find_sentences(kernel, query, limit=TRIPLES).triples]
    hits = sorted([*page.hits, *triples], key=lambda hit: -(hit.score or 0.0))
    sources = [_source(hit, sought, tokens) for hit in hits]
    ended = [each for each in sources if _is_over(each.entry, now)]
    valid = [each for each in sources if not _is_over(each.entry, now)]
    with kernel.read() as snapshot:
        texts = [each for each in valid if each.entry.kind != TRIPLE]
        compared = [replace(each.entry, body=_prose(each.text)) for each in texts[:COMPARED]]
        clashes = find_clashes(snapshot, itertools.combinations(compared, 2))
    superseded = [*_outlived(ended, now), *_superseded(clashes)]
    passages = [
        CitedPassage(citation_of(each.entry), name_of(each.entry), each.text, each.hit.score or 0.0) for each in valid
    ]
    found = distil.to_lines(passages, query, count_tokens)
    before = _cost(found, passages, "raw")
    lines = _standing(found, superseded)
    notices = _notices(superseded, clashes, int(tokens * NOTICES))
    room = tokens - count_tokens("\n".join(notices))
    chosen = mode or distil.choose_mode(query, passages, fits=_cost(lines, passages, "raw") <= room)
    costs = distil.headings(passages, chosen, count_tokens)
    picked = distil.pick(lines, chosen, budget=room, headings=costs)
    text = "\n".join(part for part in (distil.render(picked, passages, chosen), *notices) if part)
    shown = tuple(each.hit for each in sources if citation_of(each.entry) in text)
    return Context(text, chosen, count_tokens(text), before, shown, len(sources), tuple(clashes), tuple(superseded))


def _is_over(entry: Entry, now: int) -> bool:
    return entry.validity.end is not None and entry.validity.end < now


def _source(hit: Hit, sought: ExcerptQuery, tokens: int) -> _Source:
    """What of a hit may be shown: its best passages in the order of the text; a piece without ends that alone would
    fill the budget is narrowed to where the question's words stand."""
    entry = hit.version.thing
    assert isinstance(entry, Entry)
    excerpts = hit.excerpts or (Excerpt(start=0, stop=len(entry.body), text=entry.body),)
    placed = sorted(excerpts, key=lambda each: each.start)
    most = max(SHORTEST, tokens * LETTERS)
    narrowed = [_narrow(sought, each, most) for each in placed]
    text = "\n\n".join(dict.fromkeys(part for part in narrowed if part)) or name_of(entry)
    return _Source(hit, entry, text)


def _narrow(sought: ExcerptQuery, excerpt: Excerpt, most: int) -> str:
    pieces = distil.sentences(excerpt.text)
    if all(len(piece) <= most for piece in pieces):
        return excerpt.text.strip()
    return "\n\n".join(
        piece if len(piece) <= most else f"…{sought.narrow(replace(excerpt, text=piece), most).text}…"
        for piece in pieces
    )


def _prose(text: str) -> str:
    """Code contradicts nothing."""
    return "\n".join(piece for piece in distil.sentences(text) if not distil.is_code(piece))


def _cost(lines: Sequence[RankedSentence], passages: Sequence[CitedPassage], mode: Mode) -> int:
    return sum(line.cost for line in lines) + sum(distil.headings(passages, mode, count_tokens).values())


def _outlived(sources: Sequence[_Source], now: int) -> list[Superseded]:
    return [
        Superseded(each.entry, distil.sentences(each.text)[0], None, f"it held until {to_iso(end)}")
        for each in sources
        if (end := each.entry.validity.end) is not None
    ]


def _superseded(clashes: Sequence[ContradictoryPair]) -> list[Superseded]:
    """The older statement of each clash, once; of two that hold from the same moment neither is the older one."""
    found: dict[tuple[str, str], Superseded] = {}
    for clash in sorted(clashes, key=lambda each: -holds_from(each.newer)):
        if holds_from(clash.older) < holds_from(clash.newer):
            said = clash.contradiction
            held = Superseded(clash.older, said.one, clash.newer, said.explanation)
            found.setdefault((clash.older.id, said.one), held)
    return list(found.values())


def _standing(lines: Sequence[RankedSentence], superseded: Sequence[Superseded]) -> list[RankedSentence]:
    """Without the sentences whose place something newer has taken."""
    gone = [(citation_of(each.entry), each.statement) for each in superseded]
    return [line for line in lines if not any(line.tag == tag and _is_part(line.text, said) for tag, said in gone)]


def _is_part(one: str, other: str) -> bool:
    return one in other or other in one


def _notices(superseded: Sequence[Superseded], clashes: Sequence[ContradictoryPair], most: int) -> list[str]:
    """What was superseded, and between which sources nobody can tell, as far as there is room."""
    undecided = [clash for clash in clashes if holds_from(clash.older) == holds_from(clash.newer)]
    told: list[str] = []
    for notice in (*(each.notice for each in superseded), *map(_dispute, undecided)):
        cost = count_tokens(notice)
        if cost <= most:
            most -= cost
            told.append(notice)
    return told


def _dispute(clash: ContradictoryPair) -> str:
    tags = f"{citation_of(clash.older)} and {citation_of(clash.newer)}"
    return f"Disputed between {tags}: {clash.contradiction.explanation}"
