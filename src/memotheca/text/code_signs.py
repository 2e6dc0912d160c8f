"""Whether a text is code, by its signs: brackets, names with joints, what ends a statement."""

import re

# Measured (docs/decisions/search.md, "Vectors are heard more among code"): so large a share of a text's letters; half
# of all functions have .067 of them, half of all paragraphs .003 at most.
SIGNS = 0.035
LEAST = 5  # chosen: a sentence with a bracket and a semicolon is none
BEGINNING = 1000  # chosen: letters from the beginning, enough to tell

_SIGNS = re.compile(r"[(){}\[\]=;]|\w_\w|\w\.\w")
# Links have brackets and dots, too.
_LINKS = re.compile(r"\[\[[^\]]*\]\]|\]\([^)]*\)|https?://\S+")


def is_code(text: str) -> bool:
    """Whether so many signs of code are in it that it can hardly be prose."""
    plain = _LINKS.sub("", text[:BEGINNING])
    return len(_SIGNS.findall(plain)) >= max(LEAST, SIGNS * len(plain))
