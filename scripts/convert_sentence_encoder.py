"""The multilingual sentence encoder as a graph and a tokenizer of ours, from its arrays and its SentencePiece model."""

import base64
import io
import json
import struct
from typing import Any

import numpy as np

from scripts.onnx_file import Array, Graph
from scripts.weight_files import Weights, fields

# Pieces before and after a token that each branch of convolutions sees.
_BRANCHES = {2: (0, 1), 3: (1, 1), 5: (2, 2)}  # specification: of the carrier's arrays, one branch an order
_BEGIN, _END, _UNKNOWN = 1, 2, 0  # specification: the vocabulary's own
_WIDTH = 512  # specification: of its vectors


def read_arrays(content: bytes) -> Weights:
    with np.load(io.BytesIO(content), allow_pickle=False) as loaded:
        return {name: loaded[name] for name in loaded.files}


def build_sentence_encoder(held: Weights) -> bytes:
    """The graph for the tokens of one text."""
    graph = Graph()

    def constant(values: Array) -> str:
        return graph.constant(np.ascontiguousarray(values))

    def normalised(value: str, scale: Array, bias: Array) -> str:
        return graph.one(
            "LayerNormalization", [value, constant(scale), constant(bias)], axis=-1, epsilon=float(held["eps"])
        )

    embedded = _embeddings(graph, held)
    branches = [embedded, *(_branch(graph, held, embedded, order) for order in _BRANCHES)]
    joined = normalised(graph.one("Concat", branches, axis=-1), held["ln_g"], held["ln_b"])
    spoken = graph.one("Add", [graph.one("MatMul", [joined, constant(held["cnn_W"])]), constant(held["cnn_b"])])
    total = graph.one("ReduceSum", [spoken, constant(np.array([1], np.int64))], keepdims=0)
    length = graph.one("Cast", [graph.one("Shape", ["tokens"], start=1, end=2)], to=1)
    mean = graph.one("Div", [total, graph.one("Sqrt", [length])])

    def product(value: str, name: str) -> str:
        return graph.one("MatMul", [value, constant(held[name])])

    first = graph.one("Relu", [product(mean, "d0")])
    second = graph.one("Relu", [graph.one("Add", [product(mean, "p1"), product(first, "d1")])])
    third = graph.one("Relu", [product(second, "d2")])
    last = graph.one("Tanh", [graph.one("Add", [product(second, "p3"), product(third, "d3")])])
    vector = graph.one("LpNormalization", [last], axis=-1, p=2)
    return graph.to_model(tokens="tokens", output=vector, width=_WIDTH)


def _embeddings(graph: Graph, held: Weights) -> str:
    """The rows of the tokens. The vocabulary is dealt out to as many blocks as there are scales."""
    blocks = [held[f"q{place}"] for place in range(1, len(held["scale"]) + 1)]
    rows = np.ascontiguousarray(np.stack(blocks, axis=1).reshape(-1, _WIDTH))
    block_of = np.arange(len(rows)) % len(blocks)
    picked = graph.one("Cast", [graph.one("Gather", [graph.constant(rows), "tokens"])], to=1)
    scale = graph.one("Gather", [graph.constant(held["scale"][block_of][:, None]), "tokens"])
    lowest = graph.one("Gather", [graph.constant(held["lo"][block_of][:, None]), "tokens"])
    return graph.one("Add", [graph.one("Mul", [picked, scale]), lowest])


def _branch(graph: Graph, held: Weights, embedded: str, order: int) -> str:
    """Two convolutions over the tokens, each with what it was given added again."""
    weight, bias = graph.constant(held[f"proj{order}"]), graph.constant(held[f"proj_b{order}"])
    value = graph.one("Add", [graph.one("MatMul", [embedded, weight]), bias])
    scale, shift = graph.constant(held[f"ln_g{order}"]), graph.constant(held[f"ln_b{order}"])
    value = graph.one("LayerNormalization", [value, scale, shift], axis=-1, epsilon=float(held["eps"]))
    for which in ("1", "2"):
        kernel, offset = held[f"w{which}_{order}"], held[f"b{which}_{order}"]
        turned = kernel.reshape(order, -1, kernel.shape[-1]).transpose(2, 1, 0)
        across = graph.one("Transpose", [value], perm=[0, 2, 1])
        inputs = [across, graph.constant(np.ascontiguousarray(turned)), graph.constant(offset)]
        seen = graph.one("Relu", [graph.one("Conv", inputs, pads=list(_BRANCHES[order]))])
        value = graph.one("Add", [graph.one("Transpose", [seen], perm=[0, 2, 1]), value])
    return value


def build_tokenizer(pieces: bytes) -> bytes:
    """Unigram over SentencePiece's pieces, its own table of letters that are the same, blanks as it marks them."""
    vocabulary: list[tuple[str, float]] = []
    table = b""
    for field, value in fields(memoryview(pieces)):
        if field == 1:
            told: dict[int, Any] = dict(fields(value))
            score = struct.unpack("<f", told[2])[0] if 2 in told else 0.0
            vocabulary.append((bytes(told[1]).decode(), score))
        elif field == 3:
            table = bytes(dict(fields(value)).get(2, b""))
    marked = [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    marked.append({"SpecialToken": {"id": "</s>", "type_id": 0}})
    special = {"<s>": _BEGIN, "</s>": _END}
    content: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(table).decode()},
                {"type": "Strip", "strip_left": True, "strip_right": True},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": False},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": marked,
            "pair": marked,
            "special_tokens": {
                name: {"id": name, "ids": [number], "tokens": [name]} for name, number in special.items()
            },
        },
        "decoder": None,
        "model": {"type": "Unigram", "unk_id": _UNKNOWN, "vocab": vocabulary, "byte_fallback": False},
    }
    return json.dumps(content, ensure_ascii=False).encode()
