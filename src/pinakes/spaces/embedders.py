"""Embedders by name: what a collection's setting means, before anything heavy is loaded."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pinakes.model.errors import Failure, Refusal

DEFAULT = "minilm"
NONE = "none"

# Changes whenever the vectors do: weights, quantisation, windows, how title and text are put together.
SHIPPED_IDENTITY = "all-MiniLM-L6-v2/int8-7bit/1"
SHIPPED_FOLDER = Path(__file__).parent / "minilm"


@dataclass(frozen=True, slots=True)
class Choice:
    """A setting understood: which kind of embedder, where it is, and the identity its vectors carry."""

    setting: str
    kind: str
    place: str = ""
    name: str = ""
    identity: str = ""


def understand(setting: str) -> Choice:
    """`minilm`, `none`, `onnx:FOLDER`, `fastembed:NAME`, or `openai:NAME@URL`."""
    kind, _, rest = setting.partition(":")
    if setting == NONE:
        return Choice(setting, NONE)
    if setting == DEFAULT:
        return Choice(setting, DEFAULT, str(SHIPPED_FOLDER), "all-MiniLM-L6-v2", SHIPPED_IDENTITY)
    if kind == "onnx" and rest:
        return Choice(setting, kind, rest, Path(rest).name, f"onnx/{_digest_of(Path(rest))}")
    if kind == "fastembed" and rest:
        return Choice(setting, kind, "", rest, f"fastembed/{rest}")
    if kind == "openai" and "@" in rest:
        name, _, url = rest.partition("@")
        if not url.startswith(("http://", "https://")):
            raise Refusal(Failure.INVALID, "The address of an endpoint begins with http.", field="embedder")
        return Choice(setting, kind, url.rstrip("/"), name, f"openai/{name}")
    raise Refusal(
        Failure.INVALID,
        f"{setting!r} is no embedder; there are minilm, none, onnx:FOLDER, fastembed:NAME, openai:NAME@URL.",
        field="embedder",
    )


def _digest_of(folder: Path) -> str:
    path = folder / "model.onnx"
    if not path.is_file() or not (folder / "tokenizer.json").is_file():
        raise Refusal(Failure.INVALID, f"{folder} must hold model.onnx and tokenizer.json.", field="embedder")
    return _digest_once(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _digest_once(path: Path, changed: int) -> str:
    del changed
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def is_shipped_model_there() -> bool:
    return (SHIPPED_FOLDER / "model.onnx").is_file() and (SHIPPED_FOLDER / "tokenizer.json").is_file()
