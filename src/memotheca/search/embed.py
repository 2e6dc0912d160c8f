"""Embedding: which embedder a collection uses, vectors made before the lock, and those that are late."""

import logging
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from threading import BoundedSemaphore, Lock
from typing import Any, Protocol

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.precedence import Precedence, step_back
from memotheca.model.cancellation import heed, heeding
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.search.passages import chunk_size_of, cut, passages_of
from memotheca.search.prepared import LATER, Prepared, digest_of
from memotheca.storage import chunks
from memotheca.storage.collections import read_settings, write_setting
from memotheca.storage.database import Session
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Store
from memotheca.vectors.embedders import DEFAULT, Choice, understand
from memotheca.vectors.profile import DEFAULT_VOICE, Voice

log = logging.getLogger(__name__)

AT_ONCE = 2
BATCH = 16
PARALLEL = 2
LEAST_CHUNK, MOST_CHUNK = 100, 2000

Report = Callable[[float, float | None, str], None]
Coming = Iterator[list[bytes]]


@dataclass(frozen=True, slots=True)
class Cutting:
    """What is embedded for each chunk of an entry, title and text, by the chunk's span."""

    entry: Entry | None
    said: dict[tuple[int, int], tuple[str, str]]


class LoadedEmbedder(Protocol):
    identity: str

    def embed_question(self, text: str) -> Any: ...

    def embed_passage(self, title: str, text: str) -> list[Any]: ...


def setting_of(session: Session, collection: str) -> str:
    """The embedder a collection has chosen."""
    return read_settings(session, collection).get("embedder", DEFAULT)


def model_of(session: Session, collection: str) -> str:
    """The identity of the vectors a collection wants, empty for none."""
    return understand(setting_of(session, collection)).identity


def voice_of(session: Session, collection: str) -> Voice:
    """How the embedder that a collection has chosen speaks."""
    return Voice(**read_settings(session, collection).get("voice", {}))


class Embedding:
    """The embedders this process has loaded; `load` gives one, or None where its files are not there."""

    def __init__(self, load: Callable[[Choice], LoadedEmbedder | None], pack: Callable[[Any], bytes]) -> None:
        self._load = load
        self._pack = pack
        self.precedence = Precedence()
        self._loaded: dict[str, LoadedEmbedder | None] = {}
        self._guard = Lock()
        self._turns = BoundedSemaphore(os.cpu_count() or PARALLEL)

    def embedder(self, session: Session, collection: str) -> LoadedEmbedder | None:
        """The collection's embedder; None where it has none, or it cannot be loaded here, which hinders nobody."""
        choice = understand(setting_of(session, collection))
        with self._guard:
            try:
                if choice.setting not in self._loaded:
                    self._loaded[choice.setting] = self._load(choice) if choice.identity else None
                return self._loaded[choice.setting]
            except Refusal as refusal:
                log.warning("going on without vectors: %s", refusal.message)
                return None

    def trouble(self, session: Session, collection: str) -> str | None:
        """Why a collection's embedder cannot be used here, where it cannot."""
        choice = understand(setting_of(session, collection))
        try:
            found = self._load(choice) if choice.identity else True
        except Refusal as refusal:
            return refusal.message
        return None if found else "the model's files are missing"

    def prepare(self, store: Store, collection: str, title: str, body: str, *, whole: bool) -> Prepared:
        """Make the vectors of a text before the writer's lock is taken; a long one is left for later, unless the
        caller waits for the whole."""
        spans = cut(body)
        if len(spans) > AT_ONCE and not whole:
            return LATER
        with store.database.read() as session:
            embedder = self.embedder(session, collection)
        if embedder is None:
            return LATER
        made: dict[bytes, list[bytes]] = {}
        try:
            for start, stop in spans:
                digest = digest_of(title, body[start:stop])
                made[digest] = made.get(digest) or self._embed(embedder, title, body[start:stop])
        except Refusal as refusal:
            if refusal.failure is Failure.CANCELLED:
                raise
            log.warning("stored without vectors for now: %s", refusal.message)
        except Exception:
            log.exception("stored without vectors for now")
        return Prepared(embedder.identity, made)

    @contextmanager
    def ahead(
        self, embedder: LoadedEmbedder | None, title: str, stop: Callable[[], bool]
    ) -> Generator[Callable[[Sequence[str]], Coming]]:
        """While it lasts: a function that begins to make the vectors of texts and returns them as they come; nothing is
        begun any more once it is to stop."""
        with ThreadPoolExecutor(PARALLEL, initializer=step_back) as pool:
            try:
                yield (
                    lambda texts: (
                        iter([])
                        if embedder is None
                        else pool.map(partial(self._embed_in_turn, embedder, title, stop=stop), texts)
                    )
                )
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def _embed_in_turn(
        self, embedder: LoadedEmbedder, title: str, text: str, *, stop: Callable[[], bool]
    ) -> list[bytes]:
        """In the background no more at once than there are processors, however many files are being read."""
        with self._turns, heeding(stop):
            heed()
            self.precedence.give_way()
            return self._embed(embedder, title, text)

    def _embed(self, embedder: LoadedEmbedder, title: str, text: str) -> list[bytes]:
        return [self._pack(vector) for vector in embedder.embed_passage(title, text)]

    def _embed_or_none(
        self, embedder: LoadedEmbedder, title: str, text: str, *, stop: Callable[[], bool]
    ) -> list[bytes]:
        """A passage that the embedder cannot take stays without vectors; those that wait behind it do not."""
        try:
            return self._embed_in_turn(embedder, title, text, stop=stop)
        except (Refusal, MemoryError):
            raise
        except Exception:
            log.exception("a passage of %r stays without vectors", title[:80])
            return []

    def embed_waiting(self, store: Store, collection: str, *, stop: Callable[[], bool], report: Report) -> int:
        """Embed what waits, newest first, a batch a transaction, until nothing does or it is to stop, which it does in
        the middle of a batch too; returns how many."""
        done = 0
        cuttings: dict[str, Cutting] = {}
        with ThreadPoolExecutor(PARALLEL, initializer=step_back) as pool:
            while not stop():
                batch = self._next_batch(store, collection, cuttings)
                if batch is None:
                    return done
                embedder, texts, gone = batch
                titles, bodies = [title for _, title, _ in texts], [body for _, _, body in texts]
                coming = pool.map(partial(self._embed_or_none, embedder, stop=stop), titles, bodies)
                try:
                    made = list(coming)
                except Refusal as refusal:
                    if refusal.failure is Failure.CANCELLED:
                        return done
                    raise
                pairs = [(seq, value) for (seq, _, _), values in zip(texts, made, strict=True) for value in values]
                finished = [*gone, *(seq for seq, _, _ in texts)]
                keep = partial(_finish, collection=collection, model=embedder.identity, made=(pairs, finished))
                store.operate(keep)
                done += len(texts)
                with store.database.read() as session:
                    report(done, done + chunks.count_waiting(session, collection), "embedding")
        return done

    def _next_batch(
        self, store: Store, collection: str, cuttings: dict[str, Cutting]
    ) -> tuple[LoadedEmbedder, list[tuple[int, str, str]], list[int]] | None:
        with store.read(collection) as snapshot:
            embedder = self.embedder(snapshot.session, collection)
            rows = chunks.next_unembedded(snapshot.session, collection, BATCH) if embedder is not None else []
            if embedder is None or not rows:
                return None
            wanted = {entry_id for _, entry_id, *_ in rows if entry_id is not None}
            kept = {id: _cut(snapshot, id, cuttings.get(id)) for id in wanted}
            cuttings.clear()
            cuttings.update(kept)
            texts: list[tuple[int, str, str]] = []
            gone: list[int] = []
            for seq, entry_id, start, stop, _ in rows:
                cutting = cuttings.get(entry_id)
                found = cutting and cutting.said.get((start, stop))
                if found is None:
                    gone.append(seq)
                else:
                    texts.append((seq, *found))
        return embedder, texts, gone


def _cut(snapshot: Snapshot, entry_id: str, known: Cutting | None) -> Cutting:
    """An entry as it is embedded. A long one is many batches: cut for each of them it would cost the square of its
    length."""
    entry = snapshot.entry(entry_id)
    if entry is None:
        return Cutting(None, {})
    if known is not None and known.entry == entry:
        return known
    try:
        passages = passages_of(entry, chunk_size_of(snapshot.session, snapshot.collection, entry.kind))
    except (Refusal, MemoryError):
        raise
    except Exception:
        log.exception("entry %s stays without vectors", entry_id)
        return Cutting(entry, {})
    return Cutting(entry, {(passage.start, passage.stop): (entry.title, passage.said) for passage in passages})


def _finish(
    session: Session, *, collection: str, model: str, made: tuple[Sequence[tuple[int, bytes]], Sequence[int]]
) -> None:
    """Keep vectors of chunks that still wait; another process may have been faster, or the setting changed."""
    pairs, finished = made
    if model_of(session, collection) != model:
        return
    waiting = chunks.still_waiting(session, collection, min(finished), max(finished))
    chunks.put_vectors(session, collection, model, [(seq, value) for seq, value in pairs if seq in waiting])
    chunks.unmark(session, collection, finished)


def choose_embedder(store: Store, collection: str, setting: str, voice: Voice = DEFAULT_VOICE) -> None:
    """Set a collection's embedder; what it has no vectors for waits for them."""
    choice = understand(setting)

    def act(session: Session) -> None:
        write_setting(session, collection, "embedder", setting)
        write_setting(session, collection, "voice", asdict(voice))
        chunks.unmark_all(session, collection)
        if choice.identity:
            chunks.mark_all_unembedded(session, collection, choice.identity)
        chunks.take_seq(session, collection, 1)

    store.operate(act)


def choose_chunk_size(store: Store, collection: str, size: int) -> None:
    """Set how long a passage of a document may be; what is stored is cut anew when the index is rebuilt."""
    if not LEAST_CHUNK <= size <= MOST_CHUNK:
        raise Refusal(
            Failure.INVALID, f"A passage has from {LEAST_CHUNK} to {MOST_CHUNK} characters.", field="chunk_size"
        )
    store.operate(lambda session: write_setting(session, collection, "chunk_size", size))


def embedding_of(kernel: Kernel) -> Embedding | None:
    """The embedders of this process; None where it was made without any."""
    return kernel.parts.find(Embedding)


def embedder_of(kernel: Kernel, session: Session) -> LoadedEmbedder | None:
    """The embedder of the kernel's collection, where it has one that can be loaded."""
    embedding = embedding_of(kernel)
    return None if embedding is None else embedding.embedder(session, kernel.collection)


def prepare_text(kernel: Kernel, title: str, body: str, *, whole: bool = False) -> Prepared:
    """The vectors of a short text, made before it is written; of a long one only if the whole is wanted."""
    embedding = embedding_of(kernel)
    if embedding is None:
        return LATER
    return embedding.prepare(kernel.store, kernel.collection, title, body, whole=whole)


def prepared_vectors(snapshot: Snapshot, prepared: Prepared, title: str, body: str) -> list[bytes]:
    """The vectors of a text's passages in their order, where they are of the embedder its collection has chosen."""
    made = prepared.made_by(model_of(snapshot.session, snapshot.collection))
    return [value for start, stop in cut(body) for value in made.get(digest_of(title, body[start:stop]), ())]
