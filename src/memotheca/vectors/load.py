"""Loading an embedder: the shipped model, a folder, a fastembed name, or an endpoint."""

import http.client
import importlib
import json
import logging
import os
import time
import urllib.request
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from memotheca.model.cancellation import heed
from memotheca.model.errors import Failure, Refusal
from memotheca.vectors.embedders import (
    BESIDE,
    BUILT,
    DEFAULT,
    MULTILINGUAL,
    NONE,
    SMALL,
    Choice,
    digest_of_model,
    is_model_there,
    understand,
)
from memotheca.vectors.onnx_embedder import BuiltModel, OnnxFolder, Vector, unit
from memotheca.vectors.paired import PairedModels
from memotheca.vectors.profile import DEFAULT_VOICE, VOICES, Voice, listen

log = logging.getLogger(__name__)

PIECE = 1000  # chosen: within the window of every usual model
OVERLAP = 100  # chosen: a sentence is whole in one of two pieces
TIMEOUT = 30.0  # chosen: a model that is just being loaded answers within it, all tries together
TRIES = 3  # chosen: what fails three times does not pass by itself
LARGEST = 64 * 1024 * 1024  # chosen: far above a batch of vectors
AT_ONCE = 64 * 1024  # chosen: what a network brings at once
KEY_VARIABLE = "MEMOTHECA_EMBEDDER_KEY"


def load_embedder(choice: Choice) -> Any:
    """The embedder of a choice, or None where the shipped model's files are not there."""
    if choice.kind == BUILT:
        if choice.setting == DEFAULT and not is_model_there(Path(choice.place)):
            return None
        _refuse_missing_model(choice, Failure.UNAVAILABLE)
        return _load_built(choice)
    if choice.kind == MULTILINGUAL:
        both = understand(SMALL), understand(BESIDE)
        for one in both:
            _refuse_missing_model(one, Failure.UNAVAILABLE)
        return PairedModels(_load_built(both[0]), _load_built(both[1]), choice.identity)
    if choice.kind == "onnx":
        _refuse_another_model(choice)
        return OnnxFolder(Path(choice.place), choice.identity)
    if choice.kind == "fastembed":
        return FastEmbed(choice)
    return Endpoint(choice, key=os.environ.get(KEY_VARIABLE, ""))


@lru_cache(maxsize=len(VOICES))
def _load_built(choice: Choice) -> BuiltModel:
    """Its files never change while a process lives: whoever asks again, with another data directory too, gets it."""
    return BuiltModel(Path(choice.place), choice.identity)


def settle(setting: str) -> tuple[str, Voice]:
    """A setting with the mark by which its embedder is recognised from now on, and how it speaks. Refused where it is
    not there: nothing should be chosen that does not work."""
    choice = understand(setting)
    if choice.kind == NONE:
        return setting, DEFAULT_VOICE
    if choice.kind in (BUILT, MULTILINGUAL):
        for needed in (SMALL, BESIDE) if choice.kind == MULTILINGUAL else () if setting == DEFAULT else (setting,):
            _refuse_missing_model(understand(needed), Failure.INVALID)
        return setting, VOICES[setting]
    if choice.kind == "onnx" and digest_of_model(Path(choice.place)) is None:
        raise Refusal(Failure.INVALID, f"{choice.place} must hold model.onnx and tokenizer.json.", field="embedder")
    embedder = load_embedder(choice)
    bare = setting.partition("#")[0]
    tried = embedder.embed_question("width")
    if not np.isfinite(tried).all() or not np.any(tried):
        raise Refusal(Failure.INVALID, f"What {bare} gives are no vectors.", field="embedder")
    marks = {"onnx": digest_of_model(Path(choice.place)), "openai": str(len(tried))}
    mark = marks.get(choice.kind)
    return (f"{bare}#{mark}" if mark else bare), listen(embedder)


def _refuse_missing_model(choice: Choice, failure: Failure) -> None:
    if not is_model_there(Path(choice.place)):
        raise Refusal(
            failure,
            f"The model {choice.setting} is not installed here: pip install memotheca-{choice.setting}, or "
            f"`make model EMBEDDER={choice.setting}` in a clone.",
            field="embedder",
        )


def _refuse_another_model(choice: Choice) -> None:
    found = digest_of_model(Path(choice.place))
    if found is None:
        raise Refusal(
            Failure.UNAVAILABLE,
            f"The embedder's folder {choice.place} is gone. "
            f"Bring it back, or run `memotheca reindex --embedder {DEFAULT}`.",
        )
    if choice.mark and found != choice.mark:
        raise Refusal(
            Failure.UNAVAILABLE,
            f"{choice.place} holds another model than the one that was chosen. "
            f"To use it, run `memotheca reindex --embedder onnx:{choice.place}`.",
        )


def pieces(title: str, text: str) -> list[str]:
    """Texts for an embedder whose limit we do not know: overlapping pieces that cover everything."""
    starts = range(0, max(len(text) - OVERLAP, 1), PIECE - OVERLAP)
    return [f"{title}\n{text[start : start + PIECE]}".strip() or " " for start in starts]


class FastEmbed:
    """A model of the fastembed package, which has to be installed beside Memotheca and brings its own files."""

    def __init__(self, choice: Choice) -> None:
        self.identity = choice.identity
        try:
            fastembed: Any = importlib.import_module("fastembed")
        except ImportError:
            raise Refusal(Failure.UNAVAILABLE, "Install fastembed to use its models: pip install fastembed") from None
        self._model = fastembed.TextEmbedding(choice.name)

    def embed_question(self, text: str) -> Vector:
        return unit(next(iter(self._model.query_embed(text))))

    def embed_passage(self, title: str, text: str) -> list[Vector]:
        return [unit(next(iter(self._model.embed([piece])))) for piece in pieces(title, text)]


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """The address was chosen by a person; where it points elsewhere, neither texts nor key go there."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(NoRedirect)


class Endpoint:
    """An endpoint that speaks OpenAI's embeddings: Ollama, vLLM, a hosted one; its key is in MEMOTHECA_EMBEDDER_KEY."""

    def __init__(self, choice: Choice, *, key: str = "", tries: int = TRIES) -> None:
        self.identity = choice.identity
        self._name = choice.name
        self._url = f"{choice.place}/embeddings"
        self._key = key
        self._tries = tries
        self._width = int(choice.mark) if choice.mark else None

    def embed_question(self, text: str) -> Vector:
        return unit(np.mean(self._ask(pieces("", text)), axis=0))

    def embed_passage(self, title: str, text: str) -> list[Vector]:
        return [unit(vector) for vector in self._ask(pieces(title, text))]

    def _ask(self, texts: list[str]) -> list[Any]:
        request = urllib.request.Request(  # noqa: S310
            self._url,
            json.dumps({"model": self._name, "input": texts}).encode(),
            {"Content-Type": "application/json", **({"Authorization": f"Bearer {self._key}"} if self._key else {})},
        )
        until = time.monotonic() + TIMEOUT
        for attempt in range(self._tries):
            try:
                with _OPENER.open(request, timeout=max(until - time.monotonic(), 0.1)) as response:
                    vectors = _to_vectors(json.loads(_read(response, until)), len(texts))
            except (OSError, http.client.HTTPException, KeyError, TypeError, ValueError) as error:
                log.debug("the endpoint failed: %s", error)
            else:
                self._refuse_other_width(len(vectors[0]))
                return vectors
            pause = 0.2 * 2**attempt
            if attempt + 1 == self._tries or time.monotonic() + pause > until:
                break
            time.sleep(pause)
        raise Refusal(
            Failure.UNAVAILABLE,
            f"The embedder {self._name} does not answer; search goes by words alone until it does.",
        )

    def _refuse_other_width(self, width: int) -> None:
        if self._width is not None and width != self._width:
            raise Refusal(
                Failure.UNAVAILABLE,
                f"The embedder {self._name} gives {width} numbers instead of {self._width}: it is another model now. "
                "Choose it anew with `memotheca reindex --embedder`.",
            )


def _read(response: Any, until: float) -> bytes:
    """The whole answer, within its time: that of a socket is for each piece alone."""
    said = bytearray()
    while piece := response.read1(AT_ONCE):
        heed()
        said += piece
        if len(said) > LARGEST or time.monotonic() > until:
            raise OSError("the answer is too large or too slow")
    return bytes(said)


def _to_vectors(answered: dict[str, Any], count: int) -> list[Vector]:
    """The vectors of an answer; a ValueError where it has other things."""
    with np.errstate(over="ignore"):
        vectors = [np.array(each["embedding"], np.float32) for each in answered["data"]]
        lengths = [float(np.linalg.norm(vector)) for vector in vectors]
    if len(vectors) != count or {vector.shape for vector in vectors} != {(vectors[0].size,)} or not vectors[0].size:
        raise ValueError("no vector of one width for each text")
    if not np.isfinite(lengths).all():
        raise ValueError("not every number is one")
    return vectors
