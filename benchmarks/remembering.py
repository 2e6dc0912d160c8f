"""Many memories, made fast: the same texts, vectors and edges on every machine, in a data directory as the tools would
have left it.

Every memory is a transaction of its own, put by the engine's own `put_memory`, which bears its chunk, words, vector
and fingerprint; a thousand transactions share one durable commit. Only the search for what a new memory resembles is
left out: its Semantic edges lead to the nearest of its topic, by the same cosine and the same threshold. One in
forty is boosted later, one in a hundred forgotten, as the tools do it; looks, moods and the log are kept as they are
by `store_memory`.

A vector is the sum of directions, one for each word, so that what shares words lies near; it costs next to nothing,
and what the shipped model costs is measured apart."""

import json
import random
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpus import TAGS, vocabulary
from memotheca.admin.upkeep import seal
from memotheca.app import App, build
from memotheca.memory.curation.boost import boost
from memotheca.memory.curation.links import new_link
from memotheca.memory.curation.merge import forget
from memotheca.memory.curation.remember import NewMemory, draw, put_memory, temporal_edge
from memotheca.memory.safety.speakers import hear
from memotheca.memory.session.state import activity_of, log_curation
from memotheca.memory.spaces.fingerprint import to_bytes as fingerprint
from memotheca.model import kinds
from memotheca.model.knowledge import Entry
from memotheca.search.chosen_embedder import Embedding, embedding_of, model_of
from memotheca.search.derivations import Derivations
from memotheca.search.derive import Births
from memotheca.search.embed import prepare_text
from memotheca.settings import load
from memotheca.storage.store import Transaction
from memotheca.text.words import words
from memotheca.vectors.embedders import SHIPPED_IDENTITY
from memotheca.vectors.onnx_embedder import to_bytes, unit

Array = NDArray[Any]

SEED = 20261119
WIDTH = 384
BATCH = 1_000
EPOCH = 1_767_225_600_000_000
MINUTE = 60_000_000
APART = 3 * MINUTE
SESSION = 40
PER_TOPIC, NOUNS = 60, 30
BOOSTED, FORGOTTEN = 40, 100
RECENT, LINKED, MOST_LINKS = 12, 0.55, 4
WHY = "Told in a meeting and needed again soon."
PLACES = ("Oslo", "Lima", "Kyoto", "Accra", "Turin", "Perth", "Quito", "Riga")
DOMAINS = ("Code", "General", "Research", None)

VERBS = "moved checked mended renamed copied shrank tested sold borrowed painted sorted shipped".split()
LOOKS = "brittle noisy rented spare quiet hidden shared frozen".split()
# Few of them contradict each other, as in a real memory: what differs stands among much else that differs.
SENTENCES = (
    "{who} {verb} the {a} {b} of {system} with a {look} {c} in {place}.",
    "Deploys of {system} fail when the {a} {b} overflows, because the {look} {c} waits for the {d} without a limit.",
    "The {a} keeps its {b} beside the {look} {c} and reads the {d} of {other} every {number} minutes.",
    "{who} and {other} agreed that the {a} {b} must depend on the {look} {c} before the {d}.",
    "In {place} {who} paid {number} euros for the {look} {a} that {other} {verb} with the {b} {c}.",
    "A missing {a} {b} leads to a {look} {c} wherever the {d} of {place} gets {verb}.",
    "On {day} March 2026 {who} asked {other} for a review of the {look} {a}, the {b} and the {c}.",
    "{other} {verb} {number} pages about {system}, its {a} {b} and the {look} {c}.",
    "Nobody in {place} mentions the {look} {b} since {who} {verb} the {c} {d}.",
    "`{a}_{b}` in {system} raises an error unless {who} {verb} the {look} {c} for {d}.",
)


class WordSums:
    """An embedder whose vectors are sums of the directions of their words."""

    identity = SHIPPED_IDENTITY
    width = WIDTH

    def embed_question(self, text: str) -> Array:
        found = [_direction(word) for word in words(text)]
        return unit(np.sum(found, axis=0) if found else _direction("")).astype(np.float32)

    def embed_passage(self, title: str, text: str) -> list[Array]:
        return [self.embed_question(f"{title} {text}")]


@cache
def _direction(word: str) -> Array:
    seed = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")
    return np.random.default_rng(seed).standard_normal(WIDTH, np.float32)


@dataclass(frozen=True, slots=True)
class Topic:
    """What a group of memories is about."""

    system: str
    people: tuple[str, ...]
    nouns: tuple[str, ...]


@cache
def topic(number: int) -> Topic:
    chance = random.Random(f"{SEED}-topic-{number}")
    nouns = tuple(chance.sample(vocabulary()[300:], NOUNS))
    names = [word.capitalize() for word in chance.sample(vocabulary()[300:], 4)]
    return Topic(f"{names[0]}{number}", tuple(names[1:]), nouns)


def content(number: int, topics: int) -> tuple[str, str, int]:
    """Title, text and topic of a memory: two to five sentences about its topic."""
    chance = random.Random(f"{SEED}-{number}")
    chosen = chance.randrange(topics)
    about = topic(chosen)
    said: list[str] = []
    for form in chance.sample(SENTENCES, chance.randint(2, 5)):
        a, b, c, d = chance.sample(about.nouns, 4)
        who, other = chance.sample(about.people, 2)
        said.append(
            form.format(
                system=about.system,
                who=who,
                other=other,
                place=chance.choice(PLACES),
                number=chance.randint(2, 90),
                day=chance.randint(1, 30),
                verb=chance.choice(VERBS),
                look=chance.choice(LOOKS),
                a=a,
                b=b,
                c=c,
                d=d,
            )
        )
    title = f"{about.system} {chance.choice(about.nouns)}" if number % 3 else ""
    return title, " ".join(said), chosen


class Clock:
    """The time at which memories are made, and afterwards the time that passes."""

    def __init__(self) -> None:
        self.now = EPOCH
        self._began: float | None = None

    def __call__(self) -> int:
        return self.now if self._began is None else self.now + int((time.monotonic() - self._began) * 1e6)

    def run(self) -> None:
        self._began = time.monotonic()


def open_memories(folder: Path, clock: Clock) -> App:
    """A data directory whose texts get made-up vectors at once."""
    app = build(load({"data": folder, "toolsets": "all"}, {}), clock=clock)
    embedding = Embedding(lambda choice: WordSums(), to_bytes)
    app.kernel.store.derive = Derivations(Births(model_of), fingerprint)
    return replace(app, kernel=app.kernel.having(embedding))


def topics_of(size: int) -> int:
    return max(10, size // PER_TOPIC)


def fill_memories(folder: Path, size: int) -> tuple[App, float]:
    """A data directory with so many memories, and how many seconds it took; or the one that is there."""
    marker, clock = folder / "memories.json", Clock()
    app = open_memories(folder, clock)
    if not marker.exists():
        began = time.perf_counter()
        _fill(app, size, clock)
        seal(app.kernel)
        marker.write_text(json.dumps({"seconds": time.perf_counter() - began, "now": clock.now}))
    held = json.loads(marker.read_text())
    clock.now = held["now"]
    clock.run()
    return app, float(held["seconds"])


def _fill(app: App, size: int, clock: Clock) -> None:
    made = _Made(app, clock, topics_of(size))
    for start in range(0, size, BATCH):
        numbers = range(start, min(start + BATCH, size))
        app.kernel.write(lambda transaction, numbers=numbers: made.put_all(transaction, numbers), actor="benchmark")
        activity_of(app.kernel).flush(app.kernel.store)
        made.tend()


class _Made:
    """What was made so far, as far as the next one needs it."""

    def __init__(self, app: App, clock: Clock, topics: int) -> None:
        self._kernel, self._clock, self._topics = app.kernel, clock, topics
        self._embedder = WordSums()
        # These texts plant nothing, and looking at each would take a third of the time.
        self._harmless = hear("", "user")
        self._near: OrderedDict[int, list[tuple[str, Array]]] = OrderedDict()
        self._previous = ""
        self._lately: list[str] = []

    def put_all(self, transaction: Transaction, numbers: range) -> None:
        for number in numbers:
            self._clock.now += APART
            if number != numbers[0]:
                transaction.start_another()
            self._put(transaction, number)

    def _put(self, transaction: Transaction, number: int) -> None:
        title, body, about = content(number, self._topics)
        session = f"session-{number // SESSION}"
        draft = NewMemory(
            content=body,
            rationale=WHY,
            name=title,
            importance=0.2 + (number * 7 % 13) / 20,
            metadata={"source": "meeting"} if number % 4 else {},
            tags=(TAGS[about % len(TAGS)],),
            domain=DOMAINS[about % len(DOMAINS)],
            session=session,
        )
        vector = self._embedder.embed_passage(title, body)[0]
        assert embedding_of(self._kernel) is not None
        prepared = prepare_text(self._kernel, title, body, whole=True)
        drawn = draw(draft, self._harmless, (self._clock.now, number % SESSION + 1))
        entry = put_memory(transaction, drawn, prepared)
        for edge in self._edges(transaction, entry, (about, vector)):
            transaction.put(edge)
        if number % SESSION:
            for edge in temporal_edge(transaction, entry, self._previous):
                transaction.put(edge)
        self._previous = entry.id
        self._lately.append(entry.id)
        activity_of(self._kernel).look(self._kernel.collection, [entry.id], self._clock.now)
        log_curation(self._kernel, "info", "store", (entry.id,))

    def _edges(self, transaction: Transaction, entry: Entry, placed: tuple[int, Array]) -> list[Any]:
        about, vector = placed
        held = self._near.setdefault(about, [])
        found = sorted(((float(other @ vector), id) for id, other in held), reverse=True)
        held.append((entry.id, vector))
        del held[:-RECENT]
        links = [
            new_link(transaction, (entry.id, id), kinds.SEMANTIC, weight=cosine, predicate="resembles")
            for cosine, id in found[:MOST_LINKS]
            if cosine > LINKED
        ]
        if found and "because" in entry.body:
            ends = (found[0][1], entry.id)
            links.append(new_link(transaction, ends, kinds.CAUSAL, weight=0.7, predicate="causes"))
        if found and entry.title and len(found) % 4 == 0:
            ends = (entry.id, found[-1][1])
            links.append(new_link(transaction, ends, kinds.HIERARCHICAL, weight=0.8, predicate="part of"))
        return links

    def tend(self) -> None:
        """Boost some and forget some of what was just made."""
        for id in self._lately[::BOOSTED]:
            self._clock.now += MINUTE
            boost(self._kernel, id, 0.1, WHY, actor="benchmark")
        gone = self._lately[7::FORGOTTEN]
        for id in gone:
            self._clock.now += MINUTE
            forget(self._kernel, id, reason="obsolete", rationale=WHY, actor="benchmark")
        for held in self._near.values():
            held[:] = [(id, vector) for id, vector in held if id not in gone]
        self._lately.clear()
