"""Fusing nearness by score: what the words say and what the vectors say, weighed for each question."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memotheca.model.knowledge import fold
from memotheca.text.words import UNSPACED, identifiers, quoted, split_words
from memotheca.vectors.profile import DEFAULT_VOICE, Voice

# Measured with the ranking recipe (docs/decisions/search.md): a spread of cosines is worth so much; for a model
# whose spread is 0.1 a cosine counts 1.2 times.
DENSE_WEIGHT = 0.12
DENSE_WEIGHT_UNKNOWN = 0.14  # measured: the ranking recipe, as above
TRIGRAM_WEIGHT = 0.2  # measured: as above
LEXICAL_SPREAD = 1.3  # measured: as above

# How strong the words of a question are: what the best text has of them, in words that one text alone has. Where they
# are weaker than this, vectors are heard more, up to so many times as much.
STRONG_WORDS = 3.8  # measured: docs/decisions/search.md, "Vectors are heard more where words are weak"
STEEPNESS = 1.5  # measured: as above
LOUDEST = 3.0  # measured: as above
# The share of a question's words that the embedder must know to be heard more at all, and to be heard in full.
SOME_KNOWN, MOST_KNOWN = 0.5, 0.8  # measured: as above
# Where it knows hardly any of them, a cosine counts so much of what it counts otherwise.
FOREIGN = 0.7  # measured: docs/decisions/search.md, "Vectors are heard less where words are foreign"
# A single word is looked up; so many make a question.
FEW_WORDS = 3  # chosen: exact words come first, and it costs .002 on questions of two
# Among code a cosine counts so much more; of a question that names something, only where it has more words than this,
# in full where twice as many.
AMONG_CODE = 2.0  # measured: docs/decisions/search.md, "Vectors are heard more among code"
NAMED_WORDS = 4  # measured: as above

# Code is told by its signs: so large a share of a text's letters; half of all functions have .067 of them, half of all
# paragraphs .003 at most.
CODE_SIGNS = 0.035  # measured: as above
LEAST_SIGNS = 5  # chosen: a sentence with a bracket and a semicolon is none
BEGINNING = 1000  # chosen: letters from the beginning, enough to tell

MAX_TRIGRAMS = 64  # measured: as above
TRIGRAM_TEXT = 4000  # chosen: a long chunk; bounds the time
_K1, _B = 1.2, 0.75  # measured: the ranking recipe, as above

# Beyond Latin, Greek, Cyrillic and Armenian letters; what lies between the two ranges is Latin and Greek again.
_UNREAD = re.compile("[\u0590-\u1dff\u2d00-\ua71f\ua800-\uff0f\uff66-\U0010ffff]")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_RUNS = re.compile(r"\w+")
_NAMES = re.compile(r"[\d._:/\\@#+]")
# Brackets, names with joints, what ends a statement; links have brackets and dots, too.
_SIGNS = re.compile(r"[(){}\[\]=;]|\w_\w|\w\.\w")
_LINKS = re.compile(r"\[\[[^\[\]]*+\]\]|\]\([^()]*+\)|https?://\S++")


@dataclass(frozen=True, slots=True, kw_only=True)
class WordEvidence:
    """What the words of a question found: the best text's score, the sum of what its known words are worth, whether
    any is unknown, how many there are, and among how many texts."""

    best_lexical: float
    idf_sum: float
    has_unknown: bool
    words: int = 0
    texts: int = 0


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
    question: str,
    found: WordEvidence,
    *,
    voice: Voice = DEFAULT_VOICE,
    known: float | None = None,
    code: float = 0.0,
) -> Balance:
    """A question that no text matches well leans on the vectors, the more the weaker its words are, and so does one
    about code; one that the model cannot read does not. `known` is the share of its words that the model knows, None
    where it cannot tell, and `code` how much of what is nearest is code."""
    weight = (DENSE_WEIGHT_UNKNOWN if found.has_unknown else DENSE_WEIGHT) * voice.worth / voice.spread
    scale = math.sqrt(found.best_lexical * LEXICAL_SPREAD * found.idf_sum)
    loudness = 1.0
    if known is not None:
        read = min(max((known - SOME_KNOWN) / (MOST_KNOWN - SOME_KNOWN), 0.0), 1.0)
        trust = _trust(question, found)
        loudness = FOREIGN + (1.0 - FOREIGN) * read + read * trust * (_weakness(found) - 1.0)
        loudness *= 1.0 + read * code * max(trust, _length(found)) * (AMONG_CODE - 1.0)
    return Balance(scale, weight * loudness * readable_share(question, voice), voice.centre)


def _weakness(found: WordEvidence) -> float:
    """How much louder vectors should be because of what the words found: 1 where those are strong. A word that one
    text in a thousand has tells more than one in ten, and so it does in a larger collection: what counts is how many
    such words it would take."""
    if found.best_lexical <= 0 or found.texts < 2:
        return 1.0
    strength = found.best_lexical / math.log(found.texts)
    return min(max((STRONG_WORDS / strength) ** STEEPNESS, 1.0), LOUDEST)


def _trust(question: str, found: WordEvidence) -> float:
    """How far the vectors of a question may be heard more: not where it names something as it is written, and hardly
    where it has a word or two."""
    if quoted(question) or any(_NAMES.search(name) for name in identifiers(question)):
        return 0.0
    return min(max((found.words - 1) / (FEW_WORDS - 1), 0.0), 1.0)


def _length(found: WordEvidence) -> float:
    """How far a question says more than the names in it."""
    return min(max(found.words / NAMED_WORDS - 1.0, 0.0), 1.0)


def known_share(question: str, knows: Callable[[str], bool] | None, voice: Voice) -> float | None:
    """The share of a question's words that an embedder knows. One that cannot say so knows them where it reads even
    Chinese, and else is taken at its usual weight."""
    if knows is None:
        return 1.0 if voice.reads_cjk else None
    spoken = split_words(question)
    return sum(1 for word in spoken if knows(word)) / len(spoken) if spoken else 0.0


def readable_share(question: str, voice: Voice) -> float:
    """How much of a question an embedder can read."""
    return 1.0 if voice.reads_cjk else latin_share(question)


def latin_share(text: str) -> float:
    """The share of letters and digits in alphabets that the shipped model makes something of; of most others it knows
    single letters and nothing more."""
    letters = [letter for letter in text if letter.isalnum()]
    return 1.0 if not letters else sum(1 for letter in letters if not _UNREAD.match(letter)) / len(letters)


def is_code(text: str) -> bool:
    """Whether so many signs of code are in it that it can hardly be prose."""
    plain = _LINKS.sub("", text[:BEGINNING])
    return len(_SIGNS.findall(plain)) >= max(LEAST_SIGNS, CODE_SIGNS * len(plain))


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
