"""What an entry is sorted by: its words and names (memory-model: Topics)."""

from memotheca.memory.traits import text_of
from memotheca.model.knowledge import Entry, fold
from memotheca.text.names_in_text import find
from memotheca.text.words import spelled_words

SHORT = 3  # chosen: shorter words are mostly units and numbers


def terms_of(entry: Entry) -> dict[str, str]:
    """What an entry is sorted by: its words and names, each with how it is written."""
    said = text_of(entry)
    names = {fold(name): name for name in find(said) if _tells(name)}
    found = {term: names.get(word, word) for term, word in spelled_words(said).items() if _tells(word)}
    return found | {f"n {folded}": name for folded, name in names.items()}


def _tells(word: str) -> bool:
    return len(word) >= SHORT and not word[0].isdigit()
