"""The embedder that a collection has chosen, and those that this process has loaded."""

import logging
import os
from collections.abc import Callable
from dataclasses import asdict
from threading import BoundedSemaphore, Lock
from typing import Any, Protocol

from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Refusal
from memotheca.storage import chunks
from memotheca.storage.database import Session
from memotheca.storage.store import Store, read_settings, write_setting
from memotheca.vectors.embedders import DEFAULT, Choice, understand
from memotheca.vectors.profile import DEFAULT_VOICE, Voice

log = logging.getLogger(__name__)


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
        # Who embeds in the background takes turns.
        self.turns = BoundedSemaphore(os.cpu_count() or 1)

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

    def vectors_of(self, embedder: LoadedEmbedder, title: str, text: str) -> list[bytes]:
        return [self._pack(vector) for vector in embedder.embed_passage(title, text)]


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


def embedding_of(kernel: Kernel) -> Embedding | None:
    """The embedders of this process; None where it was made without any."""
    return kernel.parts.find(Embedding)


def embedder_of(kernel: Kernel, session: Session) -> LoadedEmbedder | None:
    """The embedder of the kernel's collection, where it has one that can be loaded."""
    embedding = embedding_of(kernel)
    return None if embedding is None else embedding.embedder(session, kernel.collection)
