"""Embedders by name: what a collection's setting means, before anything heavy is loaded."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memotheca.model.errors import Failure, Refusal

DEFAULT = "minilm"
NONE = "none"

# Changes whenever the vectors do: weights, quantisation, windows, how title and text are put together.
SHIPPED_IDENTITY = "all-MiniLM-L6-v2/int8-7bit/1"
SHIPPED_FOLDER = Path(__file__).parent / "minilm"
GRAPH_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"


@dataclass(frozen=True, slots=True)
class Choice:
    """A setting understood: which kind of embedder, where it is, and the identity its vectors carry. `mark` is what
    it was recognised by when it was chosen: the digest of a folder's model, the width of an endpoint's vectors."""

    setting: str
    kind: str
    place: str = ""
    name: str = ""
    identity: str = ""
    mark: str = ""


def understand(setting: str) -> Choice:
    """`minilm`, `none`, `onnx:FOLDER`, `fastembed:NAME`, or `openai:NAME@URL`, perhaps with `#` and a mark. Never
    refuses a setting that was once chosen: a folder may vanish, and nothing but its vectors may depend on it."""
    kind, _, rest = setting.partition(":")
    rest, _, mark = rest.partition("#")
    if setting == NONE:
        return Choice(setting, NONE)
    if setting == DEFAULT:
        return Choice(setting, DEFAULT, str(SHIPPED_FOLDER), "all-MiniLM-L6-v2", SHIPPED_IDENTITY)
    if kind == "onnx" and rest:
        found = mark or digest_of_model(Path(rest)) or "unseen"
        return Choice(setting, kind, rest, Path(rest).name, f"onnx/{found}", mark)
    if kind == "fastembed" and rest:
        return Choice(setting, kind, "", rest, f"fastembed/{rest}")
    if kind == "openai" and "@" in rest:
        name, _, url = rest.partition("@")
        if not url.startswith(("http://", "https://")):
            raise Refusal(Failure.INVALID, "The address of an endpoint begins with http.", field="embedder")
        place = url.rstrip("/")
        return Choice(setting, kind, place, name, "/".join(["openai", name, place, *([mark] if mark else [])]), mark)
    raise Refusal(
        Failure.INVALID,
        f"{setting!r} is no embedder; there are minilm, none, onnx:FOLDER, fastembed:NAME, openai:NAME@URL.",
        field="embedder",
    )


def digest_of_model(folder: Path) -> str | None:
    """What a folder's model is recognised by; None where it is not whole."""
    path = folder / GRAPH_FILE
    if not path.is_file() or not (folder / TOKENIZER_FILE).is_file():
        return None
    return _digest_once(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _digest_once(path: Path, changed: int) -> str:
    del changed
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def is_shipped_model_there() -> bool:
    return (SHIPPED_FOLDER / GRAPH_FILE).is_file() and (SHIPPED_FOLDER / TOKENIZER_FILE).is_file()
