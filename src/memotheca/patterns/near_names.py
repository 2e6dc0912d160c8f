"""Names that look alike: shared letters choose a few, a closer comparison orders them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher

from memotheca.model.knowledge import fold

LIKE = 0.6  # chosen: the cut-off of `difflib`, as names have been offered everywhere
COMPARED = 50  # chosen: a millisecond of comparing
LONGEST = 200  # chosen: far above any name; comparing takes time in the square


def spelled(name: str) -> str:
    """A name as it is compared: folded, punctuation as blanks."""
    return re.sub(r"[\W_]+", " ", fold(name.strip())[:LONGEST]).strip()


class NameIndex:
    """Names of many things, each under the key it belongs to."""

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        self._names = [(key, spelled(name)) for key, name in names]
        self._having: dict[str, list[int]] = defaultdict(list)
        for place, (_, name) in enumerate(self._names):
            for gram in _grams(name):
                self._having[gram].append(place)

    def near(self, said: str) -> list[str]:
        """Keys of the names that look like what was said, most alike first."""
        wanted = spelled(said)
        shared: Counter[int] = Counter()
        for gram in _grams(wanted):
            shared.update(self._having.get(gram, ()))
        matcher = SequenceMatcher(None, "", wanted)
        best: dict[str, float] = {}
        for place, _ in shared.most_common(COMPARED):
            key, name = self._names[place]
            matcher.set_seq1(name)
            best[key] = max(best.get(key, 0.0), matcher.ratio())
        alike = [(-ratio, key) for key, ratio in best.items() if ratio >= LIKE]
        return [key for _, key in sorted(alike)]


def _grams(name: str) -> set[str]:
    framed = f" {name} "
    return {framed[place : place + 3] for place in range(len(framed) - 2)} if name else set()
