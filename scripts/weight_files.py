"""Reading published weights, whatever file carries them, with numpy alone: by the names that BERT's have."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from scripts.onnx_file import Array

Weights = dict[str, Array]

_FLOAT32 = 1  # specification: TensorProto.FLOAT in ONNX
_GROUP_PREFIX = 16  # specification: eight bytes that name a pack, eight that say how long its header is

# What a pack calls its tensors.
_PACK_NAMES = {
    "word_emb": "embeddings.word_embeddings.weight",
    "pos_emb": "embeddings.position_embeddings.weight",
    "type_emb": "embeddings.token_type_embeddings.weight",
    "emb_ln.w": "embeddings.LayerNorm.weight",
    "emb_ln.b": "embeddings.LayerNorm.bias",
}
_PACK_PARTS = {
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "f1": "intermediate.dense",
    "f2": "output.dense",
    "fln": "output.LayerNorm",
}
_KINDS = {"w": "weight", "b": "bias"}


def read_safetensors(content: bytes) -> Weights:
    size = int.from_bytes(content[:8], "little")
    header: dict[str, Any] = json.loads(content[8 : 8 + size])
    body = memoryview(content)[8 + size :]
    weights: Weights = {}
    for name, described in header.items():
        if name == "__metadata__" or described["dtype"] != "F32":
            continue
        start, end = described["data_offsets"]
        weights[name] = np.frombuffer(body[start:end], np.float32).reshape(described["shape"])
    return weights


def read_onnx(content: bytes) -> Weights:
    """The tensors of a graph as torch exports it; a matrix has lost its name, and is known by the node it goes to."""
    graph = next(value for field, value in fields(memoryview(content)) if field == 7)
    tensors: Weights = {}
    named: dict[str, str] = {}
    for field, value in fields(graph):
        if field == 5:
            tensors |= _tensor(value)
        elif field == 1:
            parts = [(which, bytes(each).decode()) for which, each in fields(value) if which in (1, 3, 4)]
            name = next((part for which, part in parts if which == 3), "")
            if (4, "MatMul") in parts and name.endswith("/MatMul"):
                named[parts[1][1]] = name.removesuffix("/MatMul").strip("/").replace("/", ".") + ".weight"
    return {named.get(name, name): values.T if name in named else values for name, values in tensors.items()}


def _tensor(message: Any) -> Weights:
    """A tensor of floating-point numbers; others are constants of the graph."""
    shape: list[int] = []
    held: dict[int, Any] = {}
    for field, value in fields(message):
        if field == 1:
            shape += [value] if isinstance(value, int) else [number for number in value if number < 0x80]
        else:
            held[field] = value
    if held.get(2) != _FLOAT32 or 9 not in held:
        return {}
    return {bytes(held[8]).decode(): np.frombuffer(held[9], np.float32).reshape(shape)}


def fields(message: Any) -> Iterator[tuple[int, Any]]:
    """The fields of a protobuf message, as far as ONNX needs them."""
    place = 0

    def varint() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = message[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while place < len(message):
        field, kind = divmod(varint(), 8)
        if kind == 0:
            yield field, varint()
        else:
            length = varint() if kind == 2 else {1: 8, 5: 4}[kind]
            yield field, message[place : place + length]
            place += length


def read_pack(content: bytes) -> tuple[Weights, bytes]:
    """The weights and the tokenizer of a pack: a header of JSON, then one after the other; integers come in groups,
    each with its own scale."""
    size = int.from_bytes(content[8:_GROUP_PREFIX], "little")
    header: dict[str, Any] = json.loads(content[_GROUP_PREFIX : _GROUP_PREFIX + size])
    place = _GROUP_PREFIX + size
    tokenizer = content[place : place + header["tokenizer_len"]]
    place += header["tokenizer_len"]
    weights: Weights = {}
    for described in header["tensors"]:
        raw = content[place : place + described["len"]]
        place += described["len"]
        values = _grouped(raw, described) if described["dtype"] == "i8" else np.frombuffer(raw, np.float32)
        weights |= _named(described["name"], values.reshape(described["shape"]))
    return weights, tokenizer


def _grouped(raw: bytes, described: dict[str, Any]) -> Array:
    rows, columns = described["shape"]
    group = described["group"]
    values = np.frombuffer(raw[: rows * columns], np.int8).reshape(rows, -1, group)
    scales = np.frombuffer(raw[rows * columns :], np.float32).reshape(rows, -1, 1)
    return (values.astype(np.float32) * scales).reshape(rows, columns)


def _named(name: str, values: Array) -> Weights:
    if name in _PACK_NAMES:
        return {_PACK_NAMES[name]: values}
    ((layer, part, kind),) = re.findall(r"^l(\d+)\.(\w+)\.([wb])$", name)
    prefix, ending = f"encoder.layer.{layer}.", _KINDS[kind]
    if part != "qkv":
        return {f"{prefix}{_PACK_PARTS[part]}.{ending}": values}
    three: Sequence[Array] = np.split(values, 3)
    parts = ("query", "key", "value")
    return {f"{prefix}attention.self.{part}.{ending}": each for part, each in zip(parts, three, strict=True)}
