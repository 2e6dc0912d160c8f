"""A published encoder as a graph in seven bits, made from its weights with numpy alone."""

from dataclasses import dataclass

import numpy as np

from scripts.onnx_file import Array, Graph
from scripts.weight_files import Weights

MICROSOFT = "com.microsoft"

# Seven bits: two products of a uint8 and such a weight fit into the int16 that processors without VNNI add them in.
WEIGHT_LIMIT = 63


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What the weights of an encoder do not say themselves; the places of tokens begin at `first_place`, its vector is
    the mean of all tokens or that of the first, the matrices `kept` lose too much in seven bits, and where unrelated
    texts lie all on one side, `centre` is taken off."""

    layers: int
    width: int = 384
    heads: int = 12
    epsilon: float = 1e-12
    first_place: int = 0
    takes_first: bool = False
    kept: frozenset[str] = frozenset()
    centre: tuple[float, ...] = ()


def quantised(weight: Array) -> tuple[Array, Array]:
    """Seven-bit integers and one scale for each output column of a matrix that is multiplied from the right."""
    scale = np.maximum(np.abs(weight).max(axis=0), 1e-8) / WEIGHT_LIMIT
    return np.rint(weight / scale).astype(np.int8), scale.astype(np.float32)


def build_graph(weights: Weights, shape: Shape) -> bytes:
    """The transformer for one text without padding: no mask, one vector of unit length."""
    return _Encoder(weights, shape).to_model()


class _Encoder:
    """A graph under construction, from its weights."""

    def __init__(self, weights: Weights, shape: Shape) -> None:
        self._weights = weights
        self._shape = shape
        self._graph = Graph()

    def to_model(self) -> bytes:
        graph = self._graph
        hidden = self._embeddings()
        for layer in range(self._shape.layers):
            hidden = self._layer(hidden, f"encoder.layer.{layer}.")
        if self._shape.takes_first:
            pooled = graph.one("Gather", [hidden, graph.constant(np.array(0, np.int64))], axis=1)
        else:
            pooled = graph.one("ReduceMean", [hidden, graph.constant(np.array([1], np.int64))], keepdims=0)
        vector = graph.one("LpNormalization", [pooled], axis=-1, p=2)
        if self._shape.centre:
            centre = graph.constant(np.array([self._shape.centre], np.float32))
            vector = graph.one("LpNormalization", [graph.one("Sub", [vector, centre])], axis=-1, p=2)
        return graph.to_model(tokens="tokens", output=vector, width=self._shape.width)

    def _embeddings(self) -> str:
        graph, weights = self._graph, self._weights
        words = weights["embeddings.word_embeddings.weight"]
        rows, scales = quantised(np.ascontiguousarray(words.T))
        tokens = "tokens"
        picked = graph.one("Cast", [graph.one("Gather", [graph.constant(np.ascontiguousarray(rows.T)), tokens])], to=1)
        scaled = graph.one("Mul", [picked, graph.one("Gather", [graph.constant(scales[:, None]), tokens])])
        places = weights["embeddings.position_embeddings.weight"][self._shape.first_place :]
        places = places + weights["embeddings.token_type_embeddings.weight"][0]
        zero, one = graph.constant(np.array([0], np.int64)), graph.constant(np.array([1], np.int64))
        length = graph.one("Shape", [tokens], start=1, end=2)
        placed = graph.one("Slice", [graph.constant(places.astype(np.float32)), zero, length, zero, one])
        return self._normalised(graph.one("Add", [scaled, placed]), "embeddings.LayerNorm")

    def _normalised(self, value: str, name: str) -> str:
        graph = self._graph
        scale, bias = graph.constant(self._weights[f"{name}.weight"]), graph.constant(self._weights[f"{name}.bias"])
        return graph.one("LayerNormalization", [value, scale, bias], axis=-1, epsilon=self._shape.epsilon)

    def _linear(self, value: str, *names: str) -> str:
        """value · weightᵀ + bias of some matrices side by side in integers, with the scale of the value taken at run
        time."""
        graph = self._graph
        weight = np.concatenate([self._weights[f"{name}.weight"] for name in names]).T
        bias = np.concatenate([self._weights[f"{name}.bias"] for name in names])
        if self._shape.kept.issuperset(names):
            product = graph.one("MatMul", [value, graph.constant(np.ascontiguousarray(weight))])
            return graph.one("Add", [product, graph.constant(bias)])
        integers, scale = quantised(np.ascontiguousarray(weight))
        inputs = [value, graph.constant(integers), graph.constant(scale), "", graph.constant(bias)]
        return graph.one("DynamicQuantizeMatMul", inputs, domain=MICROSOFT)

    def _layer(self, hidden: str, prefix: str) -> str:
        graph = self._graph
        joined = self._linear(hidden, *(f"{prefix}attention.self.{name}" for name in ("query", "key", "value")))
        query, key, value = graph.node("Split", [joined], outputs=3, axis=-1, num_outputs=3)
        heads = self._shape.heads
        seen = graph.one("MultiHeadAttention", [query, key, value], domain=MICROSOFT, num_heads=heads)
        attended = self._linear(seen, f"{prefix}attention.output.dense")
        middle = self._normalised(graph.one("Add", [attended, hidden]), f"{prefix}attention.output.LayerNorm")
        wide = graph.one("Gelu", [self._linear(middle, f"{prefix}intermediate.dense")])
        narrow = self._linear(wide, f"{prefix}output.dense")
        return self._normalised(graph.one("Add", [narrow, middle]), f"{prefix}output.LayerNorm")
