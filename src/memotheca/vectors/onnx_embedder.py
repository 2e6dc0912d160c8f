"""Semantic nearness (E1): sentences as unit vectors, on ONNX Runtime, one text a run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from memotheca.model.cancellation import heed
from memotheca.vectors.embedders import GRAPH_FILE, TOKENIZER_FILE

Vector = NDArray[np.float32]

WINDOW = 256  # specification: what the model was trained with; measured with the ranking recipe
OVERLAP = 32  # measured with the ranking recipe
TITLE_SHARE = 64  # chosen: a quarter of a window
# How vocabularies write a word that stands by itself: as it is, or with the blank before it.
WORD_MARKS = ("", "\u0120", "\u2581")


def open_session(folder: Path) -> Any:
    """One thread a text: several texts run at once instead, and nobody else's call is starved."""
    runtime: Any = onnxruntime
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return runtime.InferenceSession(str(folder / GRAPH_FILE), options, providers=["CPUExecutionProvider"])


def open_tokenizer(folder: Path) -> Any:
    return Tokenizer.from_file(str(folder / TOKENIZER_FILE))


def knows_word(tokenizer: Any, word: str) -> bool:
    """Whether a word is in a vocabulary; most mark those that begin one."""
    return any(tokenizer.token_to_id(mark + word) is not None for mark in WORD_MARKS)


class BuiltModel:
    """A model in the form that we build, which takes tokens and gives one vector; one of these is shipped."""

    def __init__(self, folder: Path, identity: str) -> None:
        self.identity = identity
        self._session = open_session(folder)
        self.width = int(self._session.get_outputs()[0].shape[-1])
        self._tokenizer = open_tokenizer(folder)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        start, end = self._tokenizer.encode("").ids
        self._start, self._end = int(start), int(end)

    def embed_question(self, text: str) -> Vector:
        """The mean of its windows, where a question is longer than one."""
        return unit(np.mean(self.embed_passage("", text), axis=0))

    def embed_passage(self, title: str, text: str) -> list[Vector]:
        named, body = self._tokens(title), self._tokens(text)
        if len(named) > TITLE_SHARE and len(named) + len(body) + 2 > WINDOW:
            named, body = [], [*named, *body]
        room = WINDOW - 2 - len(named)
        return [self._run([self._start, *named, *piece, self._end]) for piece in windows(body, room)]

    def knows(self, word: str) -> bool:
        """Whether a word is one of the model's own, and not only put together from pieces."""
        return knows_word(self._tokenizer, word)

    def _tokens(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False).ids if text else []

    def _run(self, tokens: list[int]) -> Vector:
        heed()
        given = {"tokens": np.array([tokens], np.int64)}
        return self._session.run(None, given)[0][0]


class OnnxFolder:
    """Any sentence model in a folder: model.onnx and tokenizer.json; mean pooling unless the graph pools itself."""

    def __init__(self, folder: Path, identity: str) -> None:
        self.identity = identity
        self._session = open_session(folder)
        self._tokenizer = open_tokenizer(folder)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(WINDOW, stride=OVERLAP)
        self._inputs = {each.name for each in self._session.get_inputs()}
        self.width = len(self.embed_question("width"))

    def embed_question(self, text: str) -> Vector:
        return unit(np.mean(self.embed_passage("", text), axis=0))

    def embed_passage(self, title: str, text: str) -> list[Vector]:
        encoded = self._tokenizer.encode(f"{title}\n{text}".strip())
        return [self._run(piece.ids) for piece in [encoded, *encoded.overflowing]]

    def knows(self, word: str) -> bool:
        """Whether a word is one of the model's own."""
        return knows_word(self._tokenizer, word)

    def _run(self, tokens: list[int]) -> Vector:
        if not tokens:
            return np.zeros(self.width, np.float32)
        heed()
        ids = np.array([tokens], np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        wanted = {name: value for name, value in given.items() if name in self._inputs}
        answer = np.asarray(self._session.run(None, wanted)[0])[0]
        return unit(answer.mean(axis=0) if answer.ndim == 2 else answer)


def windows(tokens: Sequence[int], room: int) -> list[Sequence[int]]:
    """Overlapping pieces that cover all tokens; an empty text is one empty piece."""
    if len(tokens) <= room:
        return [tokens]
    step = room - OVERLAP
    return [tokens[start : start + room] for start in range(0, len(tokens) - OVERLAP, step)]


def unit(vector: Any) -> Vector:
    return (vector / max(float(np.linalg.norm(vector)), 1e-12)).astype(np.float32)


def to_bytes(vector: Vector) -> bytes:
    return vector.astype(np.float16).tobytes()
