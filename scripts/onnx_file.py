"""Writing an ONNX file: the few protobuf messages a small graph needs, without the onnx package."""

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_TENSOR_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
_VARINT, _BYTES, _FLOAT = 0, 2, 5


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    spelled = bytearray()
    while value > 0x7F:
        spelled.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*spelled, value])


def number(field: int, value: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(value)


def message(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | _BYTES) + _varint(len(content)) + content


def text(field: int, value: str) -> bytes:
    return message(field, value.encode())


def tensor(name: str, values: Array) -> bytes:
    dimensions = b"".join(number(1, size) for size in values.shape)
    kind = number(2, _TENSOR_TYPES[values.dtype.name])
    return dimensions + kind + text(8, name) + message(9, np.ascontiguousarray(values).tobytes())


def _attribute(name: str, value: float | int | list[int]) -> bytes:
    if isinstance(value, float):
        return text(1, name) + _varint(2 << 3 | _FLOAT) + struct.pack("<f", value) + number(20, 1)
    if isinstance(value, int):
        return text(1, name) + number(3, value) + number(20, 2)
    return text(1, name) + b"".join(number(8, each) for each in value) + number(20, 7)


def _shaped(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    sizes = b"".join(message(1, number(1, size) if isinstance(size, int) else text(2, size)) for size in shape)
    return text(1, name) + message(2, message(1, number(1, kind) + message(2, sizes)))


class Graph:
    """A graph under construction: every method adds a node and returns the name of its output."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._tensors: list[bytes] = []
        self._count = 0

    def constant(self, values: Array) -> str:
        self._count += 1
        name = f"c{self._count}"
        self._tensors.append(tensor(name, values))
        return name

    def node(
        self, kind: str, inputs: Sequence[str], *, outputs: int = 1, domain: str = "", **attributes: Any
    ) -> list[str]:
        self._count += 1
        made = [f"v{self._count}_{place}" for place in range(outputs)]
        parts = [text(1, name) for name in inputs] + [text(2, name) for name in made] + [text(4, kind)]
        parts += [message(5, _attribute(name, value)) for name, value in attributes.items()]
        if domain:
            parts.append(text(7, domain))
        self._nodes.append(b"".join(parts))
        return made

    def one(self, kind: str, inputs: Sequence[str], *, domain: str = "", **attributes: Any) -> str:
        return self.node(kind, inputs, domain=domain, **attributes)[0]

    def to_model(self, *, tokens: str, output: str, width: int) -> bytes:
        """The whole file: token ids of one text in, one vector out."""
        final = b"".join([text(1, output), text(2, "vector"), text(4, "Identity")])
        graph = b"".join(message(1, node) for node in [*self._nodes, final])
        graph += text(2, "memotheca") + b"".join(message(5, each) for each in self._tensors)
        graph += message(11, _shaped(tokens, 7, [1, "tokens"])) + message(12, _shaped("vector", 1, [1, width]))
        opsets = message(8, text(1, "") + number(2, 20)) + message(8, text(1, "com.microsoft") + number(2, 1))
        return number(1, 9) + text(2, "memotheca") + message(7, graph) + opsets
