"""Lexical nearness: the constants of BM25 over words and neighbouring pairs, and how much of a title was asked for."""

from memotheca.text.words import query_words, words

K1 = 0.9
B = 0.75
EXTRA_LENGTH = 40
TITLE_WEIGHT = 3
PAIR_WEIGHT = 0.2


def share(title: str, wanted: str) -> float:
    """How much of a title is made of what is wanted: 1 where it says nothing else."""
    held = words(title, keep_stop_words=True)
    return len(query_words(wanted)) / max(len(held), 1)
