"""Many chunks to search in, made fast: the same texts and vectors on every machine, in a data directory as tools
would have left it, with deletions, edits and a tail that is not sealed yet.

Words follow Zipf's law, about 53 content words a text and function words between them. Vectors lie in clusters
within clusters, since real ones do; they are made up, so an index's recall on them says less than on real ones."""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpus import FUNCTION_WORDS
from memotheca.admin.upkeep import seal
from memotheca.app import SEGMENTS, open_store
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.parts import Parts
from memotheca.model.ids import new_id
from memotheca.model.kinds import ENTRY
from memotheca.model.knowledge import Alias, Entry, fold
from memotheca.search.chosen_embedder import Embedding, model_of
from memotheca.search.derive import Births, chunk_rows
from memotheca.search.index_folder import IndexFolder
from memotheca.search.prepared import Prepared, digest_of
from memotheca.storage import chunks
from memotheca.storage.chunks import COLUMNS, DEFAULT_IMPORTANCE, FOREVER, NEVER
from memotheca.storage.database import Session
from memotheca.storage.serialization import to_image
from memotheca.storage.store import Store, Transaction
from memotheca.text.terms import TITLE_WEIGHT, Terms, filter_number, pack, word_number
from memotheca.text.words import STOP_WORDS, words
from memotheca.vectors.embedders import SHIPPED_IDENTITY

Array = NDArray[Any]

SEED = 20261117
WIDTH = 384
VOCABULARY = 100_000
CONTENT_WORDS = 53
FUNCTION_SHARE = 0.36
BATCH = 10_000
SEAL_EVERY = 5
DELETED, EDITED, TAIL = 20, 50, 1_000  # every so many-th; so many in the tail
EPOCH = 1_767_225_600_000_000
COLLECTION = "default"
RARE, COMMON = "rare", "common"  # tags of one text in a hundred, and of all others

_SYLLABLES = [onset + vowel for onset in "bdfgklmnprstvz" for vowel in "aeiou"]


@dataclass(frozen=True, slots=True)
class Row:
    """One entry ready to be inserted."""

    entry: Entry
    image: str
    chunk: chunks.ChunkRow


@cache
def vocabulary() -> Array:
    """Content words by falling frequency, each of two to four syllables and a letter that no stemmer takes off."""
    base = len(_SYLLABLES)
    made: list[str] = []
    for rank in range(VOCABULARY):
        number, spelled = rank + base, ""
        while number:
            number, place = divmod(number, base)
            spelled += _SYLLABLES[place]
        made.append(spelled + "k")
    return np.array(made)


@cache
def _chances() -> Array:
    weights = 1.0 / (np.arange(VOCABULARY) + 50.0)
    return np.cumsum(weights / weights.sum())


def texts(batch: int, count: int) -> list[str]:
    """The texts of one batch."""
    chance = np.random.default_rng((SEED, 1, batch))
    sizes = np.clip(chance.lognormal(np.log(CONTENT_WORDS) - 0.08, 0.4, count), 8, 200).astype(int)
    picked = vocabulary()[np.searchsorted(_chances(), chance.random(int(sizes.sum())))].tolist()
    between = (chance.random(len(picked)) < FUNCTION_SHARE / (1 - FUNCTION_SHARE)).tolist()
    fillers = chance.integers(0, len(FUNCTION_WORDS), len(picked)).tolist()
    spoken = [f"{FUNCTION_WORDS[f]} {word}" if b else word for word, b, f in zip(picked, between, fillers, strict=True)]
    ends = np.cumsum(sizes).tolist()
    return [" ".join(spoken[end - size : end]) for end, size in zip(ends, sizes.tolist(), strict=True)]


def vectors(batch: int, count: int, size: int) -> Array:
    """Unit vectors of one batch, as float32 that float16 holds: a cluster for every thousand, ten within each."""
    chance = np.random.default_rng((SEED, 2, batch))
    outer = max(size // 1000, 10)
    places = chance.integers(0, outer * 10, count)
    noise = chance.standard_normal((count, WIDTH), np.float32)
    made = 0.75 * _centres(outer, 3)[places // 10] + 0.6 * _centres(outer * 10, 4)[places] + 0.75 * noise
    return unit(made).astype(np.float16).astype(np.float32)


@cache
def _centres(count: int, kind: int) -> Array:
    return np.random.default_rng((SEED, kind)).standard_normal((count, WIDTH), np.float32)


def unit(given: Array) -> Array:
    return given / np.linalg.norm(given, axis=-1, keepdims=True)


def batches(size: int) -> Iterator[tuple[int, int]]:
    yield from ((place, min(BATCH, size - place * BATCH)) for place in range(-(-size // BATCH)))


def make_rows(batch: int, count: int) -> list[Row]:
    """What the engine would derive from each text, made in a program of its own; ten times as fast as the engine,
    since these texts have no punctuation, and checked against it."""
    made: list[Row] = []
    for place, body in enumerate(texts(batch, count)):
        number = batch * BATCH + place
        title, tag, moment = " ".join(body.split(" ", 4)[:3]), RARE if number % 100 == 7 else COMMON, EPOCH + number
        entry = Entry(
            id=new_id(moment),
            kind=ENTRY,
            title=title,
            body=body,
            tags=(tag,),
            aliases=(Alias("entry", f"e-{number + 1}"),),
            created_at=moment,
            updated_at=moment,
        )
        row = chunks.ChunkRow(
            entry_id=entry.id,
            start=0,
            stop=len(body),
            place=None,
            digest=digest_of(title, body),
            columns=COLUMNS.pack(moment, moment, NEVER, FOREVER, FOREVER, DEFAULT_IMPORTANCE),
            terms=_terms(title.split(" "), body.split(" "), tag),
        )
        if not place and [row] != chunk_rows(entry):
            raise RuntimeError("the engine analyses texts in another way than this generator")
        made.append(Row(entry, to_image(entry), row))
    return made


def _terms(title: list[str], body: list[str], tag: str) -> bytes:
    counted: Counter[int] = Counter()
    length = 0
    for given, weight in ((title, TITLE_WEIGHT), ([*body, tag], 1)):
        content = [word for word in given if word not in STOP_WORDS]
        length += len(content)
        for word in given:
            counted[_number(word)] += weight
        for one, other in pairwise(content):
            hashed = blake2b(f"p\0{one} {other}".encode(), digest_size=8).digest()
            counted[int.from_bytes(hashed, "little")] += weight
    for name, value in (("kind", ENTRY), ("tag", tag), *(("title", word) for word in title)):
        counted[_filter(name, value)] = 1
    return pack(Terms(length, counted))


@cache
def _number(word: str) -> int:
    return word_number(_term(word))


@cache
def _filter(name: str, value: str) -> int:
    return filter_number(name, _term(value) if name == "title" else value)


def _term(word: str) -> str:
    (term,) = words(word, keep_stop_words=True)
    return term


@dataclass(frozen=True, slots=True)
class Haystack:
    """A filled data directory, how long it took, and which texts are dead or were edited."""

    folder: Path
    size: int
    seconds: dict[str, float]

    def is_live(self, number: int) -> bool:
        return number % DELETED != 3

    def all_vectors(self) -> Array:
        """Vectors by number, those of deleted texts as zeros."""
        made = np.concatenate([vectors(batch, count, self.size) for batch, count in batches(self.size)])
        made[3::DELETED] = 0
        return made


def build_haystack(folder: Path, size: int) -> Haystack:
    """Fill a data directory, or take the one that is there."""
    marker = folder / "haystack.json"
    if marker.exists():
        return Haystack(folder, size, json.loads(marker.read_text()))
    store = open_store(folder)
    kernel = kernel_of(store, folder)
    seconds: dict[str, float] = {}
    for name, work in (("filling", _fill), ("sealing", _seal), ("changing", _change), ("sealing again", _seal)):
        began = time.perf_counter()
        work(kernel, size)
        seconds[name] = time.perf_counter() - began
    _leave_tail(kernel, size)
    store.close()
    marker.write_text(json.dumps(seconds))
    return Haystack(folder, size, seconds)


def kernel_of(store: Store, folder: Path) -> Kernel:
    """A kernel that never embeds."""
    embedding = Embedding(lambda choice: None, lambda vector: vector)
    store.derive = Births(model_of)
    return Kernel(store, COLLECTION, Parts(embedding, IndexFolder(folder / SEGMENTS)))


def _fill(kernel: Kernel, size: int) -> None:
    held = size - TAIL
    with ProcessPoolExecutor(2) as pool:
        # What an earlier run that was cut off has filled is there still.
        with kernel.read() as snapshot:
            planned = [
                (batch, count)
                for batch, count in batches(size)
                if snapshot.find_alias("entry", f"e-{batch * BATCH + 1}") is None and batch * BATCH < held
            ]
        for (batch, count), rows in zip(planned, pool.map(make_rows, *zip(*planned, strict=True)), strict=True):
            values = vectors(batch, count, size).astype(np.float16)
            kept = rows[: max(0, held - batch * BATCH)]
            kernel.write(
                lambda transaction, kept=kept, values=values: _insert(transaction, kept, values), actor="bench"
            )
            if batch % SEAL_EVERY == SEAL_EVERY - 1:
                began = time.perf_counter()
                seal(kernel)
                print(f"{(batch + 1) * BATCH:,} filled, sealed in {time.perf_counter() - began:.1f} s", file=sys.stderr)


def _insert(transaction: Transaction, rows: list[Row], values: Array) -> None:
    """The first entry as everybody stores it, which describes the transaction; the others row by row beside it."""
    if not rows:
        return
    transaction.describe("IMPORT")
    transaction.put(rows[0].entry, Prepared(SHIPPED_IDENTITY, {rows[0].chunk.digest: [values[0].tobytes()]}))
    session, tx, rest = transaction.session, transaction.tx, rows[1:]
    session.run_many(
        "INSERT INTO version (collection, id, tx, subject, kind, image) VALUES (?, ?, ?, 'entry', ?, ?)",
        [(COLLECTION, row.entry.id, tx, ENTRY, row.image) for row in rest],
    )
    session.run_many(
        "INSERT INTO entry_head (collection, id, tx, kind, label) VALUES (?, ?, ?, ?, ?)",
        [(COLLECTION, row.entry.id, tx, ENTRY, fold(row.entry.title)) for row in rest],
    )
    session.run_many(
        "INSERT INTO alias (collection, namespace, name, id) VALUES (?, 'entry', ?, ?)",
        [(COLLECTION, row.entry.aliases[0].name, row.entry.id) for row in rest],
    )
    numbers = chunks.bear(session, COLLECTION, tx, [row.chunk for row in rest])
    pairs = [(number, values[place + 1].tobytes()) for place, number in enumerate(numbers)]
    chunks.put_vectors(session, COLLECTION, SHIPPED_IDENTITY, pairs)


def _seal(kernel: Kernel, size: int) -> None:
    del size
    seal(kernel)


def _change(kernel: Kernel, size: int) -> None:
    """Every twentieth text is deleted; every fiftieth is edited, keeping its vector."""
    held = range(size - TAIL)
    kernel.write(
        lambda transaction: _delete(transaction, [number for number in held if number % DELETED == 3]), actor="bench"
    )
    edited: list[tuple[int, Array]] = []
    for batch, count in batches(size):
        values = vectors(batch, count, size).astype(np.float16)
        numbers = range(batch * BATCH, batch * BATCH + count)
        edited += [
            (number, values[number - batch * BATCH])
            for number in numbers
            if number in held and number % EDITED == 1 and number % DELETED != 3
        ]
    kernel.write(lambda transaction: _edit(transaction, edited), actor="bench")


def _entries(transaction: Transaction, numbers: list[int]) -> list[Entry]:
    ids = [transaction.find_alias("entry", f"e-{number + 1}") for number in numbers]
    return [entry for id in ids if id and (entry := transaction.entry(id)) is not None]


def _kill(transaction: Transaction, entries: list[Entry]) -> None:
    """The death of their chunks, a number for all of them together."""
    died = chunks.take_seq(transaction.session, COLLECTION, 1)
    transaction.session.run_many(
        "UPDATE chunk SET died_tx = ?, died_seq = ? WHERE collection = ? AND entry_id = ? AND died_tx IS NULL",
        [(transaction.tx, died, COLLECTION, entry.id) for entry in entries],
    )


def _delete(transaction: Transaction, numbers: list[int]) -> None:
    if not numbers:
        return
    transaction.describe("DELETE")
    first, *rest = _entries(transaction, numbers)
    transaction.remove(first)
    _kill(transaction, rest)
    transaction.session.run_many(
        "INSERT INTO version (collection, id, tx, subject, kind, image) VALUES (?, ?, ?, 'entry', ?, NULL)",
        [(COLLECTION, entry.id, transaction.tx, ENTRY) for entry in rest],
    )
    transaction.session.run_many(
        "DELETE FROM entry_head WHERE collection = ? AND id = ?", [(COLLECTION, entry.id) for entry in rest]
    )


def _edit(transaction: Transaction, found: list[tuple[int, Array]]) -> None:
    if not found:
        return
    transaction.describe("UPDATE")
    before = _entries(transaction, [number for number, _ in found])
    after = [replace(entry, body=f"{entry.body} edited", updated_at=transaction.time) for entry in before]
    rows = [chunk_rows(entry)[0] for entry in after]
    transaction.put(after[0], Prepared(SHIPPED_IDENTITY, {rows[0].digest: [found[0][1].tobytes()]}))
    _kill(transaction, before[1:])
    transaction.session.run_many(
        "INSERT INTO version (collection, id, tx, subject, kind, image) VALUES (?, ?, ?, 'entry', ?, ?)",
        [(COLLECTION, entry.id, transaction.tx, ENTRY, to_image(entry)) for entry in after[1:]],
    )
    transaction.session.run_many(
        "UPDATE entry_head SET tx = ? WHERE collection = ? AND id = ?",
        [(transaction.tx, COLLECTION, entry.id) for entry in after[1:]],
    )
    born = chunks.bear(transaction.session, COLLECTION, transaction.tx, rows[1:])
    pairs = [(number, value.tobytes()) for number, (_, value) in zip(born, found[1:], strict=True)]
    chunks.put_vectors(transaction.session, COLLECTION, SHIPPED_IDENTITY, pairs)


def _leave_tail(kernel: Kernel, size: int) -> None:
    """The newest texts stay unsealed; a dead one among them never lives."""
    for batch, count in batches(size):
        first = size - TAIL - batch * BATCH
        if first < count:
            rows, values = make_rows(batch, count), vectors(batch, count, size).astype(np.float16)
            start = max(first, 0)
            kept = [place for place in range(start, count) if (batch * BATCH + place) % DELETED != 3]
            chosen, chosen_values = [rows[place] for place in kept], values[kept]
            kernel.write(lambda transaction, r=chosen, v=chosen_values: _insert(transaction, r, v), actor="bench")
    kernel.store.operate(lambda session: _number_on(session, size))


def _number_on(session: Session, size: int) -> None:
    """Whoever stores something later gets a handle that is free."""
    session.run("INSERT INTO serial (collection, namespace, last) VALUES (?, 'entry', ?)", COLLECTION, size)
