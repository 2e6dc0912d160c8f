"""Embedding: vectors that are made before the lock, ahead of a long text, or late."""

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.precedence import Precedence, step_back
from memotheca.model.cancellation import heed, heeding
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.search.chosen_embedder import Embedding, LoadedEmbedder, embedder_of, embedding_of, model_of
from memotheca.search.passages import chunk_size_of, cut, passages_of
from memotheca.search.prepared import LATER, Prepared, digest_of
from memotheca.storage import chunks
from memotheca.storage.database import Session
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Store, write_setting

log = logging.getLogger(__name__)

AT_ONCE = 2  # chosen: tens of milliseconds; a longer text is stored at once and embedded later
BATCH = 16  # chosen: a transaction every second or so, and what a crash makes anew is little
PARALLEL = 2  # chosen: two texts at a time, since the least machine has two processors
LEAST_CHUNK, MOST_CHUNK = 100, 2000  # chosen: a sentence, and what words are counted in (docs/decisions/search.md)

Report = Callable[[float, float | None, str], None]
Coming = Iterator[list[bytes]]


@dataclass(frozen=True, slots=True)
class Cutting:
    """What is embedded for each chunk of an entry, title and text, by the chunk's span."""

    entry: Entry | None
    said: dict[tuple[int, int], tuple[str, str]]


def prepare_text(kernel: Kernel, title: str, body: str, *, whole: bool = False) -> Prepared:
    """The vectors of a short text, made before it is written; of a long one only if the whole is wanted."""
    embedding, spans = embedding_of(kernel), cut(body)
    if embedding is None or (len(spans) > AT_ONCE and not whole):
        return LATER
    with kernel.store.database.read() as session:
        embedder = embedding.embedder(session, kernel.collection)
    if embedder is None:
        return LATER
    made: dict[bytes, list[bytes]] = {}
    try:
        for start, stop in spans:
            digest = digest_of(title, body[start:stop])
            made[digest] = made.get(digest) or embedding.vectors_of(embedder, title, body[start:stop])
    except Refusal as refusal:
        if refusal.failure is Failure.CANCELLED:
            raise
        log.warning("stored without vectors for now: %s", refusal.message)
    except Exception:
        log.exception("stored without vectors for now")
    return Prepared(embedder.identity, made)


@contextmanager
def embedding_ahead(
    kernel: Kernel, embedder: LoadedEmbedder | None, title: str, stop: Callable[[], bool]
) -> Generator[Callable[[Sequence[str]], Coming]]:
    """While it lasts: a function that begins to make the vectors of texts and returns them as they come; nothing is
    begun any more once it is to stop."""
    with ThreadPoolExecutor(PARALLEL, initializer=step_back) as pool:
        try:
            if embedder is None:
                yield lambda texts: iter([])
            else:
                yield lambda texts: pool.map(partial(_vectors_in_turn, kernel, embedder, title, stop=stop), texts)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _vectors_in_turn(
    kernel: Kernel, embedder: LoadedEmbedder, title: str, text: str, *, stop: Callable[[], bool]
) -> list[bytes]:
    """In the background no more at once than there are processors, however many files are being read."""
    embedding = kernel.part(Embedding)
    with embedding.turns, heeding(stop):
        heed()
        kernel.keep(Precedence).give_way()
        return embedding.vectors_of(embedder, title, text)


def _vectors_or_none(
    kernel: Kernel, embedder: LoadedEmbedder, title: str, text: str, *, stop: Callable[[], bool]
) -> list[bytes]:
    """A passage that the embedder cannot take stays without vectors; those that wait behind it do not."""
    try:
        return _vectors_in_turn(kernel, embedder, title, text, stop=stop)
    except (Refusal, MemoryError):
        raise
    except Exception:
        log.exception("a passage of %r stays without vectors", title[:80])
        return []


def embed_waiting(kernel: Kernel, *, stop: Callable[[], bool], report: Report) -> int:
    """Embed what waits, newest first, a batch a transaction, until nothing does or it is to stop, which it does in the
    middle of a batch too; returns how many."""
    store, collection = kernel.store, kernel.collection
    done = 0
    cuttings: dict[str, Cutting] = {}
    with ThreadPoolExecutor(PARALLEL, initializer=step_back) as pool:
        while not stop():
            batch = _next_batch(kernel, cuttings)
            if batch is None:
                return done
            embedder, texts, gone = batch
            titles, bodies = [title for _, title, _ in texts], [body for _, _, body in texts]
            coming = pool.map(partial(_vectors_or_none, kernel, embedder, stop=stop), titles, bodies)
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
    kernel: Kernel, cuttings: dict[str, Cutting]
) -> tuple[LoadedEmbedder, list[tuple[int, str, str]], list[int]] | None:
    with kernel.read() as snapshot:
        embedder = embedder_of(kernel, snapshot.session)
        rows = chunks.next_unembedded(snapshot.session, kernel.collection, BATCH) if embedder is not None else []
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


def choose_chunk_size(store: Store, collection: str, size: int) -> None:
    """Set how long a passage of a document may be; what is stored is cut anew when the index is rebuilt."""
    if not LEAST_CHUNK <= size <= MOST_CHUNK:
        raise Refusal(
            Failure.INVALID, f"A passage has from {LEAST_CHUNK} to {MOST_CHUNK} characters.", field="chunk_size"
        )
    store.operate(lambda session: write_setting(session, collection, "chunk_size", size))


def prepared_vectors(snapshot: Snapshot, prepared: Prepared, title: str, body: str) -> list[bytes]:
    """The vectors of a text's passages in their order, where they are of the embedder its collection has chosen."""
    made = prepared.made_by(model_of(snapshot.session, snapshot.collection))
    return [value for start, stop in cut(body) for value in made.get(digest_of(title, body[start:stop]), ())]
