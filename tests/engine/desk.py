"""A desk to search at: a store with an embedder made of words, as one process has it, and brute force beside it."""

import hashlib
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from memotheca import app
from memotheca.app import SEGMENTS
from memotheca.entries.entries import NewEntry, store_entry
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.parts import Parts
from memotheca.model.clock import SECOND
from memotheca.model.kinds import KINDS
from memotheca.model.knowledge import Entry
from memotheca.search.chosen_embedder import Embedding, choose_embedder, embedder_of, model_of, setting_of
from memotheca.search.derive import Births
from memotheca.search.embed import embed_waiting
from memotheca.search.finder import Findings, Search, finder_of
from memotheca.search.hits import HitPage
from memotheca.search.index.score import EXTRA_LENGTH, K1, PAIR_WEIGHT, B, Filter
from memotheca.search.index.seal import maintain
from memotheca.search.index_folder import IndexFolder
from memotheca.search.passages import cut
from memotheca.search.search import Question, find_entries
from memotheca.text.terms import TITLE_WEIGHT
from memotheca.text.words import identifiers, pairs, parts_of_name, parts_of_names, query_words, words
from memotheca.vectors.embedders import Choice
from memotheca.vectors.onnx_embedder import to_bytes, unit

BEGAN = 1_800_000_000 * SECOND
WIDTH = 64


class FakeEmbedder:
    """Every word is a direction of its own, so that texts are near by the words they share; counts what it did."""

    def __init__(self, identity: str) -> None:
        self.identity = identity
        self.passages: list[str] = []

    def embed_question(self, text: str) -> Any:
        return unit(sum(self._direction(word) for word in re.findall(r"\w+", text.lower()) or [""]))

    def embed_passage(self, title: str, text: str) -> list[Any]:
        self.passages.append(text)
        return [self.embed_question(f"{title} {text}")]

    @cache  # noqa: B019
    def _direction(self, word: str) -> Any:
        digest = hashlib.blake2b(f"{self.identity} {word}".encode(), digest_size=8).digest()
        return np.random.default_rng(int.from_bytes(digest, "little")).standard_normal(WIDTH)


class Loader:
    """Gives a fake embedder for whatever is chosen, always the same for the same identity."""

    def __init__(self) -> None:
        self.made: dict[str, FakeEmbedder] = {}

    def __call__(self, choice: Choice) -> FakeEmbedder:
        return self.made.setdefault(choice.identity, FakeEmbedder(choice.identity))

    @property
    def embedded(self) -> int:
        return sum(len(each.passages) for each in self.made.values())


class Desk:
    """One process at a data directory; `reopen` forgets all it has in memory."""

    def __init__(self, data: Path, setting: str = "none", load: Callable[[Choice], Any] | None = None) -> None:
        self.data = data
        self.load: Any = load or Loader()
        ticks = itertools.count(BEGAN, SECOND)
        self.store = app.open_store(data, clock=lambda: next(ticks))
        self.reopen()
        if self.setting != setting:
            self.choose(setting)

    def reopen(self) -> None:
        self.embedding = Embedding(self.load, to_bytes)
        self.store.derive = Births(model_of)
        self.kernel = Kernel(self.store, "default", Parts(self.embedding, IndexFolder(self.data / SEGMENTS)))
        self.finder = finder_of(self.kernel)

    @property
    def setting(self) -> str:
        with self.store.database.read() as session:
            return setting_of(session, "default")

    @property
    def tx(self) -> int:
        with self.kernel.read() as snapshot:
            return snapshot.tx

    @property
    def segments(self) -> list[Path]:
        folder = self.data / SEGMENTS
        return sorted(folder.glob("*.seg")) if folder.is_dir() else []

    def choose(self, setting: str) -> None:
        choose_embedder(self.store, "default", setting)

    def put(self, content: str, topic: str = "note", **said: Any) -> str:
        return store_entry(self.kernel, NewEntry(title=topic, body=content, **said), actor="test").version.id

    def seal(self, seal_at: int = 1) -> bool:
        """Seal and merge once."""
        with self.store.database.read() as session:
            model = model_of(session, "default")
        return maintain(self.store, self.finder.index_of("default", model), seal_at=seal_at)

    def embed(self) -> int:
        return embed_waiting(self.kernel, stop=lambda: False, report=lambda done, total, message: None)

    def ask(self, content: str, **more: Any) -> HitPage:
        limit = more.pop("limit", 100)
        asked: dict[str, Any] = {"content": content, "kinds": KINDS, **more}
        return find_entries(self.kernel, Question(**asked), limit=limit)

    def ids(self, content: str, **more: Any) -> list[str]:
        return [hit.version.id for hit in self.ask(content, **more).hits]

    def find(self, text: str, *, as_of: int | None = None, depth: int = 1000) -> Findings:
        """Passages as the finder gives them, before they become entries."""
        with self.kernel.read() as snapshot:
            wanted = Filter(as_of=snapshot.tx if as_of is None else as_of)
            embedder = embedder_of(self.kernel, snapshot.session)
            return self.finder.find(snapshot, Search(text=text, filter=wanted, depth=depth), embedder)

    def found(self, text: str, *, as_of: int | None = None) -> list[tuple[str, tuple[int, int], float, float]]:
        """What a search shows of itself: (entry, span, score, lexical score), best first."""
        passages = self.find(text, as_of=as_of).passages
        with self.kernel.read() as snapshot:
            return [(each.entry_id, snapshot.span(each.seq), each.score, each.lexical) for each in passages]

    def entries(self, as_of: int | None = None) -> list[Entry]:
        with self.kernel.read() as snapshot:
            versions = snapshot.entries(KINDS, as_of=as_of)
        return [version.thing for version in versions if isinstance(version.thing, Entry)]

    def close(self) -> None:
        self.store.close()


Spelled = dict[tuple[str, tuple[int, int]], float]


def brute_force(text: str, entries: Iterable[Entry]) -> Spelled:
    """BM25 by the formula over every chunk of these entries, with strings for terms and no index at all."""
    chunks = [_spell(entry, span) for entry in entries for span in cut(entry.body)]
    mean = sum(length for _, length, _ in chunks) / max(len(chunks), 1)
    terms = query_words(text)
    wanted = [*((word, 1.0) for word in dict.fromkeys((*terms, *parts_of_names(text))))]
    wanted += [(pair, PAIR_WEIGHT) for pair in dict.fromkeys(pairs(terms))]
    wanted += [(f"={name}", 1.0) for name in dict.fromkeys(identifiers(text))]
    scores: Spelled = {}
    for term, weight in wanted:
        having = sum(1 for _, _, counts in chunks if counts[term])
        idf = math.log(1 + (len(chunks) - having + 0.5) / (having + 0.5))
        for place, length, counts in chunks:
            if counts[term]:
                norm = K1 * (1 - B + B * (length + EXTRA_LENGTH) / (mean + EXTRA_LENGTH))
                value = weight * idf * (K1 + 1) * counts[term] / (counts[term] + norm)
                scores[place] = scores.get(place, 0.0) + value
    return scores


def _spell(entry: Entry, span: tuple[int, int]) -> tuple[tuple[str, tuple[int, int]], int, Counter[Any]]:
    body = "\n".join([entry.body[span[0] : span[1]], *entry.tags])
    counts: Counter[Any] = Counter()
    length = 0
    for text, weight in ((entry.title, TITLE_WEIGHT), (body, 1)):
        terms = words(text)
        parts = [part for run in re.findall(r"[^\W_]+", text) for part in parts_of_name(run)]
        length += len(terms) + len(parts)
        stopping = [term for term in words(text, keep_stop_words=True) if term.endswith("'")]
        for term in (*terms, *parts, *pairs(terms), *(f"={name}" for name in identifiers(text)), *stopping):
            counts[term] += weight
    return (entry.id, span), length, Counter({term: min(count, 255) for term, count in counts.items()})


def spelled(found: Sequence[tuple[str, tuple[int, int], float, float]]) -> Spelled:
    return {(entry, span): lexical for entry, span, _, lexical in found}
