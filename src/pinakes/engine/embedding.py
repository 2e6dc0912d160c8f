"""Embedding: which embedder a collection uses, vectors made before the lock, and those that are late."""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock
from typing import Any, Protocol

from pinakes.engine.births import Ready, digest_of
from pinakes.engine.passages import cut
from pinakes.model.errors import Refusal
from pinakes.spaces.embedders import DEFAULT, Choice, understand
from pinakes.storage import chunks
from pinakes.storage.collections import read_settings, write_setting
from pinakes.storage.database import Session
from pinakes.storage.store import Store

log = logging.getLogger(__name__)

AT_ONCE = 2
BATCH = 16
PARALLEL = 2

Report = Callable[[float, float | None, str], None]


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


class Embedding:
    """The embedders this process has loaded; `load` gives one, or None where its files are not there."""

    def __init__(self, load: Callable[[Choice], LoadedEmbedder | None], pack: Callable[[Any], bytes]) -> None:
        self._load = load
        self._pack = pack
        self._loaded: dict[str, LoadedEmbedder | None] = {}
        self._guard = Lock()
        self.ready = Ready()

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

    def prepare(self, store: Store, collection: str, said: tuple[str, str], *, whole: bool) -> None:
        """Make the vectors of a text before the writer's lock is taken; a long one is left for later, unless the
        caller waits for the whole."""
        title, body = said
        spans = cut(body)
        if len(spans) > AT_ONCE and not whole:
            return
        with store.database.read() as session:
            embedder = self.embedder(session, collection)
        if embedder is None:
            return
        try:
            for start, stop in spans:
                self._make_ready(embedder, title, body[start:stop])
        except Refusal as refusal:
            log.warning("stored without vectors for now: %s", refusal.message)

    def _make_ready(self, embedder: LoadedEmbedder, title: str, text: str) -> list[bytes]:
        digest = digest_of(title, text)
        vectors = self.ready.get(embedder.identity, digest)
        if not vectors:
            vectors = [self._pack(vector) for vector in embedder.embed_passage(title, text)]
            self.ready.put(embedder.identity, digest, vectors)
        return vectors

    def embed_waiting(self, store: Store, collection: str, *, stop: Callable[[], bool], report: Report) -> int:
        """Embed what waits, newest first, a batch a transaction, until nothing does; returns how many."""
        done = 0
        with ThreadPoolExecutor(PARALLEL) as pool:
            while not stop():
                batch = self._next_batch(store, collection)
                if batch is None:
                    return done
                embedder, texts, gone = batch
                titles, bodies = [title for _, title, _ in texts], [body for _, _, body in texts]
                made = pool.map(partial(self._make_ready, embedder), titles, bodies)
                pairs = [(seq, value) for (seq, _, _), values in zip(texts, made, strict=True) for value in values]
                finished = [*gone, *(seq for seq, _, _ in texts)]
                keep = partial(_finish, collection=collection, model=embedder.identity, made=(pairs, finished))
                store.operate(keep)
                done += len(texts)
                with store.database.read() as session:
                    report(done, done + chunks.count_waiting(session, collection), "embedding")
        return done

    def _next_batch(
        self, store: Store, collection: str
    ) -> tuple[LoadedEmbedder, list[tuple[int, str, str]], list[int]] | None:
        with store.read(collection) as reading:
            embedder = self.embedder(reading.session, collection)
            rows = chunks.next_unembedded(reading.session, collection, BATCH) if embedder is not None else []
            if embedder is None or not rows:
                return None
            texts: list[tuple[int, str, str]] = []
            gone: list[int] = []
            for seq, entry_id, start, stop, _ in rows:
                entry = None if entry_id is None else reading.entry(entry_id)
                if entry is None:
                    gone.append(seq)
                else:
                    texts.append((seq, entry.title, entry.body[start:stop]))
        return embedder, texts, gone


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


def choose_embedder(store: Store, collection: str, setting: str) -> None:
    """Set a collection's embedder; what it has no vectors for waits for them."""
    choice = understand(setting)

    def act(session: Session) -> None:
        write_setting(session, collection, "embedder", setting)
        chunks.unmark_all(session, collection)
        if choice.identity:
            chunks.mark_all_unembedded(session, collection, choice.identity)
        chunks.take_seq(session, collection, 1)

    store.operate(act)
