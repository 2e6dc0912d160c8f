"""Fusing nearness by score: what the words say and what the vectors say, weighed for each question."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memotheca.model.knowledge import fold
from memotheca.text.words import UNSPACED
from memotheca.vectors.profile import DEFAULT_VOICE, Voice

# Measured with the ranking recipe (docs/decisions/search.md): measured with the ranking recipe
# (docs/decisions/search.md): a spread of cosines is worth so much; for the shipped model, whose spread is 0.1, a cosine
# counts 1.2 times.
DENSE_WEIGHT = 0.12
DENSE_WEIGHT_UNKNOWN = 0.14  # measured: the ranking recipe, as above
TRIGRAM_WEIGHT = 0.2  # measured: as above
LEXICAL_SPREAD = 1.3  # measured: as above

MAX_TRIGRAMS = 64  # measured: as above
TRIGRAM_TEXT = 4000  # chosen: a long chunk; bounds the time
_K1, _B = 1.2, 0.75  # measured: the ranking recipe, as above

# Beyond Latin, Greek, Cyrillic and Armenian letters; what lies between the two ranges is Latin and Greek again.
_UNREAD = re.compile("[\u0590-\u1dff\u2d00-\ua71f\ua800-\uff0f\uff66-\U0010ffff]")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_RUNS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Balance:
    """How a question's two voices are weighed."""

    lexical_scale: float
    dense_weight: float
    centre: float = 0.0

    def fuse(self, lexical: float, cosine: float | None) -> float:
        spoken = lexical / self.lexical_scale if self.lexical_scale > 0 else 0.0
        return spoken + (0.0 if cosine is None else self.dense_weight * (cosine - self.centre))

    def ceiling(self, *, has_vectors: bool) -> float:
        """What a text that says just what was asked would score: one for its words, the weight for its vector."""
        return 1.0 + (self.dense_weight * (1.0 - self.centre) if has_vectors else 0.0)


def balance(
    question: str, *, best_lexical: float, idf_sum: float, has_unknown: bool, voice: Voice = DEFAULT_VOICE
) -> Balance:
    """A question that no text matches well leans on the vectors; one in a script the model cannot read does not."""
    weight = (DENSE_WEIGHT_UNKNOWN if has_unknown else DENSE_WEIGHT) / voice.spread
    scale = math.sqrt(best_lexical * LEXICAL_SPREAD * idf_sum)
    return Balance(scale, weight * readable_share(question, voice), voice.centre)


def readable_share(question: str, voice: Voice) -> float:
    """How much of a question an embedder can read."""
    return 1.0 if voice.reads_cjk else latin_share(question)


def latin_share(text: str) -> float:
    """The share of letters and digits in alphabets that the shipped model makes something of; of most others it knows
    single letters and nothing more."""
    letters = [letter for letter in text if letter.isalnum()]
    return 1.0 if not letters else sum(1 for letter in letters if not _UNREAD.match(letter)) / len(letters)


def trigram_values(question: str, texts: Sequence[str]) -> list[float]:
    """How much each text looks like the question letter by letter, 0 to 1: what a misspelled word is found by."""
    grams = _grams(question)
    spelled = [" " + " ".join(_RUNS.findall(fold(text[:TRIGRAM_TEXT]))) + " " for text in texts]
    counts = [Counter({gram: text.count(gram) for gram in grams}) for text in spelled]
    mean = sum(len(text) for text in spelled) / max(len(spelled), 1)
    idf: dict[str, float] = {}
    for gram in grams:
        having = sum(1 for counted in counts if counted[gram])
        idf[gram] = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
    values = [
        sum(
            idf[gram] * counted[gram] * (_K1 + 1) / (counted[gram] + _K1 * (1 - _B + _B * len(text) / mean))
            for gram in grams
            if counted[gram]
        )
        for text, counted in zip(spelled, counts, strict=True)
    ]
    best = max(values, default=0.0)
    return [value / best if best else 0.0 for value in values]


def _grams(question: str) -> list[str]:
    found: list[str] = []
    for run in _RUNS.findall(fold(question)):
        if _UNSPACED.search(run):
            found += [*run, *(run[place : place + 2] for place in range(len(run) - 1))]
        else:
            framed = f" {run} "
            found += [framed[place : place + 3] for place in range(len(framed) - 2)]
    return list(dict.fromkeys(found))[:MAX_TRIGRAMS]
