"""A cheap guess at the language of a text: by its script, then by the small words that only some languages have."""

import re
from collections import Counter
from collections.abc import Sequence

_SAMPLE = 20_000  # chosen: some pages; the language of a text is told by fewer
_SMALL_WORDS = {
    "en": "the of and to in is that for it with as was on are be this by have from not or an at which you but",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus",
    "fr": "de la le et les des en un du une que est pour qui dans par plus pas au sur ne se ce sont avec il",
    "es": "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus",
    "it": "di e il la che in a per è un del non sono della con una i le si da come dei nel alla più anche",
    "pt": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas ao das",
    "nl": "de van een het en in is dat op te zijn met voor niet aan er om ook als door bij maar uit naar",
    "sv": "och i att det som en på är av för med den till inte om ett han men var jag sig från vi så kan",
    "pl": "w i na z do się nie że to jest o jak po za od przez co dla są ale jego być oraz już tym",
}
# Words of one letter are also names of things in formulas and tables.
_WORDS = {
    language: frozenset(word for word in words.split() if len(word) > 1) for language, words in _SMALL_WORDS.items()
}
# Danish is told from its neighbours only where it is among those that are asked for.
_NEAR_WORDS = {
    **_WORDS,
    "da": frozenset("og at det er en til på for af med den de der som ikke har et var jeg om han men".split()),
}
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ar", re.compile("[\u0600-\u06ff\ufb50-\ufdff\ufe70-\ufeff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("uk", re.compile("[іїєґІЇЄҐ]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)
_LETTERS = re.compile(r"[^\W\d_]+")


def guess_language(text: str) -> str | None:
    """A two-letter code, or nothing where the text does not tell."""
    words = [word.lower() for word in _LETTERS.findall(text[:_SAMPLE])]
    letters = sum(map(len, words))
    if not letters:
        return None
    joined = "".join(words)
    for language, script in _SCRIPTS:
        needed = 0.02 if language == "uk" else 0.1 if language == "ja" else 0.3
        if len(script.findall(joined)) > needed * letters:
            return language
    counts = Counter(words)
    shares = {language: sum(counts[word] for word in small) for language, small in _WORDS.items()}
    best = max(shares, key=lambda language: shares[language])
    clear = shares[best] >= 5 and shares[best] >= 0.1 * len(words)
    return best if clear else None


def likeliest(text: str, among: Sequence[str]) -> str:
    """Of some languages the one whose small words a text has most of; the first of them where it does not tell."""
    counts = Counter(word.lower() for word in _LETTERS.findall(text[:_SAMPLE]))
    return max(among, key=lambda language: sum(counts[word] for word in _NEAR_WORDS.get(language, ())))
