"""Prompt context: what is stored on what a person just said, where it is plainly about that; else silence."""

import math
import re

from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.inquiry import content_words
from memotheca.memory.recall.context import Context, Occasion, compose
from memotheca.memory.recall.unsaid import UNMENTIONED
from memotheca.model.knowledge import Entry
from memotheca.search.finder import finder_of
from memotheca.storage.snapshot import Snapshot
from memotheca.text.markdown_lines import FENCED
from memotheca.text.words import words

LONGEST = 1200  # chosen: letters of a prompt that say what it is about: its beginning and its end
FEWEST = 2  # chosen: words; one alone, as "continue", is about nothing
LEAST = 60  # chosen: tokens; fewer hold nothing that helps
# Measured: `benchmarks/hooks.py` on prompts about what is stored and prompts about anything else.
COVERED, NEAR = 0.4, 0.45  # measured: share of a prompt's words, the rare ones more, and nearness in meaning
COVERED_ALONE = 0.7  # measured: where there are no vectors
SEVERAL = 300  # chosen: passages, so that a word of a small store is not taken for a common one
LOOKED_AT = 5  # chosen: the best of what would be told
_CODE = re.compile(FENCED)


def find_for_prompt(kernel: Kernel, prompt: str, tokens: int) -> str:
    """A cited context above the relevance cut; empty for commands, for next to no words, and below it."""
    asked = _spoken(prompt)
    if tokens < LEAST or prompt.lstrip().startswith(("/", "!", "#")) or len(content_words(asked)) < FEWEST:
        return ""
    made = compose(kernel, Occasion(query=asked, tokens=tokens))
    return made.text if made.text and _is_about(kernel, asked, made) else ""


def _is_about(kernel: Kernel, asked: str, made: Context) -> bool:
    """Whether what would be told has most of what the prompt says in words, and is near it in meaning. Without vectors,
    words have to do, and more of them."""
    with kernel.read() as snapshot:
        covered = _covered(kernel, snapshot, asked, made)
    cosines = [hit.cosine for hit in made.hits if hit.cosine is not None]
    if not cosines:
        return covered >= COVERED_ALONE and not made.text.startswith(UNMENTIONED)
    return covered >= COVERED and max(cosines) >= NEAR


def _covered(kernel: Kernel, snapshot: Snapshot, asked: str, made: Context) -> float:
    """The greatest share of the words asked that one of the best has, each by how much it says."""
    terms = list(content_words(asked))
    holding = finder_of(kernel).holding(snapshot, terms)
    most = max(SEVERAL, *holding.values())
    weights = {term: math.log(1 + most / (1 + holding[term])) for term in terms}
    shares = [0.0]
    for hit in made.hits[:LOOKED_AT]:
        entry = hit.version.thing
        if isinstance(entry, Entry):
            said = {*words(f"{entry.title}\n{entry.body}"), *words(" ".join(entry.tags))}
            shares.append(sum(weights[term] for term in terms if term in said))
    return max(shares) / sum(weights.values())


def _spoken(prompt: str) -> str:
    """What a person says in a prompt, without the code that they pasted."""
    said = " ".join(_CODE.sub(" ", prompt[: 50 * LONGEST]).split())
    return said if len(said) <= LONGEST else f"{said[: LONGEST // 2]} {said[-LONGEST // 2 :]}"
