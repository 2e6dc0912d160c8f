"""What is pinned in a session: every context of it contains that, within the budget (memory-model: Workspace)."""

from collections.abc import Callable
from dataclasses import replace

from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.distil import weigh_words
from memotheca.memory.recall.candidates import ContextSource
from memotheca.memory.recall.context import NOTHING, Context, Occasion
from memotheca.memory.recall.context_lines import LineWriter, Sheet
from memotheca.model.knowledge import Entry
from memotheca.search.excerpts import ExcerptQuery
from memotheca.search.hits import Hit
from memotheca.text.tokens import count_tokens
from memotheca.text.words import words

HEADING = "Pinned in this session:"
SHARE = 1 / 3  # chosen: of a budget, so that what was asked about has most of it


def hold_pinned(
    kernel: Kernel, occasion: Occasion, pinned: Entry | None, make: Callable[[Kernel, Occasion], Context]
) -> Context:
    """A context with what is pinned, in a line of its own unless the question brought it."""
    if pinned is None:
        return make(kernel, occasion)
    with kernel.read() as snapshot:
        version = snapshot.version(pinned.id, snapshot.tx)
    if version is None or version.thing is None:
        return make(kernel, occasion)
    source = ContextSource(Hit(version), pinned, 0.0)
    line = _line(kernel, occasion, source)
    own = f"{HEADING}\n{line}"
    made = make(kernel, replace(occasion, tokens=occasion.tokens - count_tokens(f"{own}\n")))
    if any(hit.version.id == pinned.id for hit in made.hits):
        return made
    text = f"{own}\n{made.text or NOTHING}"
    tokens = count_tokens(text)
    return replace(
        made,
        text=text,
        tokens=tokens,
        tokens_before=made.tokens_before + tokens - made.tokens,
        hits=(*made.hits, source.hit),
    )


def _line(kernel: Kernel, occasion: Occasion, source: ContextSource) -> str:
    """The longest form that leaves most of the budget to what was asked."""
    room = round(SHARE * occasion.tokens)
    sheet = Sheet(weigh_words(occasion.query, [words(source.text)]), ExcerptQuery(occasion.query), room, kernel.now())
    forms = LineWriter(sheet, "narrative").line([[source]]).forms
    return next((form for form in reversed(forms) if count_tokens(form) <= room), forms[0])
